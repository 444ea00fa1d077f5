package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/prices/importer"
)

func newPrices() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prices list|import",
		Short: "List what tokens cost, or import newer prices",
		Long: `prices shows the table by which the cost of a session is counted, and makes
such a table from the price file of another project.

Rates are in dollars for a million tokens, exact to the nano-dollar.`,
		Args: noVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPricesList(), newPricesImport())
	return cmd
}

func newPricesList() *cobra.Command {
	var file, format string
	cmd := &cobra.Command{
		Use:   "list [--prices FILE]",
		Short: "List the prices of a table",
		Long: `list prints the built-in table of prices, or that of a file. As JSON it is a
file that --prices reads.`,
		Example: `  cbpolicy prices list
  cbpolicy prices list --prices prices.json -f json`,
		Args: atMost(0, "no arguments"),
	}
	nonEmptyFlag(cmd.Flags(), &file, "prices", "table of prices (default: the built-in one)")
	formatFlag(cmd.Flags(), &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		table, err := loadPrices(cmd, file)
		if err != nil {
			return err
		}
		if format == "json" {
			_, err := cmd.OutOrStdout().Write(table.AppendJSON(nil))
			return err
		}
		return printPrices(cmd.OutOrStdout(), table)
	}
	return cmd
}

// loadPrices reads a table of prices; without a file it is the built-in one.
func loadPrices(cmd *cobra.Command, file string) (*prices.Table, error) {
	if file == "" {
		return prices.Builtin()
	}
	name, data, err := read(cmd, file)
	if err != nil {
		return nil, err
	}
	table, findings := prices.Parse(name, data)
	if table == nil {
		return nil, refuse(cmd, findings)
	}
	return table, nil
}

// printPrices prints a table for people: a line for each model, and one below
// it for each tier of long prompts.
func printPrices(w io.Writer, table *prices.Table) error {
	h, entries := table.Header(), table.Entries()
	if _, err := fmt.Fprintf(w, "%s: %d prices of %s, from %s\nDollars for a million tokens; - is no rate of its own.\n\n",
		h.Version, len(entries), h.Date, h.Source); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "provider\tmodel"
	for _, k := range prices.Kinds() {
		head += "\t" + k.String()
	}
	fmt.Fprintln(tw, head) // an error stays with the writer until Flush
	for _, e := range entries {
		fmt.Fprintln(tw, row(e.Provider, e.Model, e.Price.Rates))
		for _, t := range e.Price.Tiers {
			fmt.Fprintln(tw, row("", fmt.Sprintf("  above %d tokens", t.Above), t.Rates))
		}
	}
	return tw.Flush()
}

func row(provider, model string, rates prices.Rates) string {
	cells := []string{provider, model}
	for _, r := range rates {
		if !r.Listed {
			cells = append(cells, "-")
			continue
		}
		cells = append(cells, r.String())
	}
	return strings.Join(cells, "\t")
}

// pricesImportOptions are the flags of prices import.
type pricesImportOptions struct {
	from, out, date string
	providers       []string
}

func newPricesImport() *cobra.Command {
	var o pricesImportOptions
	formats := importer.Formats()
	cmd := &cobra.Command{
		Use:   "import --from " + strings.Join(formats, "|") + " FILE|- [-o OUT]",
		Short: "Make a table from the price file of another project",
		Long: `import reads a price file that was fetched from genai-prices (data.json or
data_slim.json), litellm (model_prices_and_context_window.json) or models.dev
(api.json), and writes it as a table of prices. It fetches nothing.

Models without a price for both input and output tokens, and those that cost
nothing, are left out and said so; they stay unknown. Where a price depends on
the hour, the dearest counts. A model with a price that is wrong, such as one
below 0, is left out too: the table is written without it, and the exit code
is 3. A model that is not in a table counts at the dearest rates of it.`,
		Example: `  cbpolicy prices import --from genai-prices data_slim.json -o prices.json
  cbpolicy prices import --from models.dev --provider anthropic,openai api.json`,
		Args: exactlyOne("a price file, or - for standard input"),
	}
	cmd.Flags().Var(choice{&o.from, formats}, "from", "format of the file")
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "write the table to this file (default: standard output)")
	cmd.Flags().StringVar(&o.date, "date", "", "take the prices of this day, YYYY-MM-DD (default: today, in UTC)")
	cmd.Flags().StringSliceVar(&o.providers, "provider", nil, "take only the models of this provider (repeatable, or with commas)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return importPrices(cmd, args[0], o) }
	return cmd
}

func importPrices(cmd *cobra.Command, path string, o pricesImportOptions) error {
	if o.from == "" {
		return usage("import: want --from %s\nSee '%s --help'.", strings.Join(importer.Formats(), ", "), cmd.CommandPath())
	}
	if o.date == "" {
		o.date = time.Now().UTC().Format(time.DateOnly)
	} else if _, err := time.Parse(time.DateOnly, o.date); err != nil {
		return usage("import: --date %q is no day (want one such as 2026-09-23)", o.date)
	}
	name, data, err := read(cmd, path)
	if err != nil {
		return err
	}
	table, findings := importer.Read(o.from, name, data, importer.Options{Date: o.date, Providers: o.providers})
	if table == nil {
		return refuse(cmd, findings)
	}
	if err := diag.Text(cmd.ErrOrStderr(), findings, diag.TextOptions{Color: colour(cmd.ErrOrStderr())}); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	text := table.AppendJSON(nil)
	if o.out == "" {
		_, err = cmd.OutOrStdout().Write(text)
	} else {
		err = replaceFile(o.out, text)
	}
	if err == nil && findings.Count(diag.Warning) > 0 {
		return exit(exitFindings)
	}
	return err
}

// replaceFile writes a file, in one step if it is there already. What is no
// file, such as /dev/stdout, is written to and stays what it is.
func replaceFile(path string, text []byte) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return rewrite(path, text)
	}
	return os.WriteFile(path, text, 0o644)
}
