package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

func newCheck() *cobra.Command {
	o := checkOptions{failOn: "warning"}
	cmd := &cobra.Command{
		Use:   "check PATH…|-",
		Short: "Say what is wrong with policies, chains and blocks",
		Long: `check reads policies (.cbp), chains and recordings (.yaml .yml .json), and the
<nyaya> blocks in any other text. Files of tests that are named are read too,
and not run: that is what cbpolicy test does. A directory stands for the files below it
that end in ` + strings.Join(lint.Extensions(), " ") + `, but for documents that have
nothing of a chain, such as recorded runs, which are counted; - is standard input,
told by its content. Files that are checked together are taken to belong together.
What is doubtful in the configuration is told with them.

Findings go to standard output. Exit code 3 says that there is an error or a
warning, 1 that a file could not be read.`,
		Example: `  cbpolicy check policies chains
  cbpolicy check --format json --fail-on error .
  model-output | cbpolicy check -`,
		Args: atLeast(1, "a file, a directory, or - for standard input"),
	}
	formatFlag(cmd.Flags(), &o.format, "text", "json", "sarif", "github")
	cmd.Flags().Var(choice{&o.failOn, []string{"error", "warning"}}, "fail-on", "the least that makes the exit code 3")
	cmd.Flags().StringArrayVar(&o.plugins, "plugins", nil, "a `DIR` of plugin manifests (manifest.yaml), which say what abilities there are; may be repeated")
	cmd.Flags().StringArrayVar(&o.abilities, "abilities", nil, "a `FILE` with all abilities there are: a name a line, or a manifest; may be repeated")
	configFlag(cmd, &o.config)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, doubts, err := loadConfig(cmd, o.config)
		if err != nil {
			return err
		}
		o.plugins, o.abilities = append(c.Check.Plugins, o.plugins...), append(c.Check.Abilities, o.abilities...)
		if c.Check.FailOn != "" && !cmd.Flags().Changed("fail-on") {
			o.failOn = c.Check.FailOn
		}
		return runCheck(cmd, args, &o, c, doubts)
	}
	return cmd
}

// checkOptions are the flags of check.
type checkOptions struct {
	format, failOn     string
	plugins, abilities []string
	config             string
}

func runCheck(cmd *cobra.Command, args []string, o *checkOptions, c *config.Config, doubts diag.List) error {
	paths, err := distinct(args, lint.Extensions()...)
	if err != nil {
		return err
	}
	var files, tests []lint.File
	for _, path := range paths {
		var f lint.File
		if f.Name, f.Data, err = read(cmd, path); err != nil {
			return err
		}
		if path != stdin {
			f.Kind, f.Found = lint.KindOf(path), !named(args, path)
		}
		if !f.Found && lint.HoldsTests(f) {
			tests = append(tests, f)
		} else {
			files = append(files, f)
		}
	}
	known := lint.Options{Sources: c.Check.Sources, Sinks: c.Check.Sinks, FleetUnknown: config.Shared(c.State) && c.Away.Fleet == 0}
	if err := readAbilities(cmd, o, &known.Abilities); err != nil {
		return err
	}
	report := known.Run(files)
	report.Findings = append(report.Findings, doubts...)
	if err := checkTests(cmd, tests, &report); err != nil {
		return err
	}
	if err := printReport(cmd.OutOrStdout(), report, o.format); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	if report.PassedOver > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "cbpolicy: passed over %s (cbpolicy replay reads recorded runs)\n", notChains(report.PassedOver))
	}
	if isTerminal(cmd.ErrOrStderr()) {
		fmt.Fprintln(cmd.ErrOrStderr(), summary(report))
	}
	if report.Findings.Count(diag.Error) > 0 || o.failOn != "error" && report.Findings.Count(diag.Warning) > 0 {
		return exit(exitFindings)
	}
	return nil
}

// checkTests adds what is wrong with files of tests to a report. The tests are
// not run, and what is wrong in the files that they name is told once.
func checkTests(cmd *cobra.Command, tests []lint.File, report *lint.Report) error {
	for _, f := range tests {
		report.Files++
		_, findings, err := loadTest(cmd, f.Name, f.Data)
		if err != nil {
			return err
		}
		for _, f := range findings {
			if !slices.ContainsFunc(report.Findings, func(o *diag.Finding) bool {
				return filepath.Clean(o.File) == filepath.Clean(f.File) && o.Pos == f.Pos && o.Message == f.Message
			}) {
				report.Findings = append(report.Findings, f)
			}
		}
	}
	report.Findings.Sort()
	return nil
}

// named reports whether a path is one of the arguments.
func named(args []string, path string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return filepath.Clean(arg) == filepath.Clean(path) })
}

// distinct is walk with each file once, in the order in which they come up.
// Directories that hold none of the files are a mistake.
func distinct(args []string, extensions ...string) ([]string, error) {
	all, err := walk(args, extensions...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var paths []string
	for _, path := range all {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, usage("%s: no file that ends in %s", strings.Join(args, " "), strings.Join(extensions, " "))
	}
	return paths, nil
}

func printReport(w io.Writer, r lint.Report, format string) error {
	out := bufio.NewWriter(w)
	var err error
	switch format {
	case "json":
		err = diag.JSON(out, r.Findings, diag.Summary{Files: r.Files, Rules: r.Rules, Suppressed: r.Suppressed, PassedOver: r.PassedOver})
	case "sarif":
		err = diag.SARIF(out, r.Findings, diag.Tool{Name: "cbpolicy", Version: buildVersion()})
	case "github":
		err = diag.GitHub(out, r.Findings)
	default:
		err = diag.Text(out, r.Findings, diag.TextOptions{Color: colour(w)})
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// summary is one line about the whole run, such as "2 files, 9 rules: 1 error".
func summary(r lint.Report) string {
	found := "nothing found"
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning} {
		if n := r.Findings.Count(s); n > 0 {
			parts = append(parts, count(n, s.String()))
		}
	}
	if r.Suppressed > 0 {
		parts = append(parts, fmt.Sprintf("%d suppressed", r.Suppressed))
	}
	if len(parts) > 0 {
		found = strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s, %s: %s", count(r.Files, "file"), count(r.Rules, "rule"), found)
}

// notChains is how many documents were passed over, and why.
func notChains(n int) string {
	if n == 1 {
		return "1 document that has nothing of a chain"
	}
	return fmt.Sprintf("%d documents that have nothing of a chain", n)
}

func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
