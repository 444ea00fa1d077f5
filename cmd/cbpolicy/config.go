package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
)

func newConfig() *cobra.Command {
	var path, format string
	cmd := &cobra.Command{
		Use:   "config [--config FILE]",
		Short: "Show every setting in effect, and who set it",
		Long: `config shows every setting in effect and its origin: a place in the
configuration, the name of an environment variable, or default. The file comes
before the environment; what is set for a task comes before both. Of every source
of policies it shows what it puts in force: its kind, a bundle's revision, its
files, rules and digest. What the configuration names has to be there: policies,
prices, preambles, the reviewer's program, what check goes by.

` + configHelp() + `

Exit codes: 0 fine, 1 a file cannot be read, 2 usage, 3 the configuration or
what it names is wrong.`,
		Example: "  cbpolicy config\n  BB_CIRCUIT_BREAKER_TOOL_CAP=80 cbpolicy config -f json",
		Args:    atMost(0, "no arguments"),
	}
	configFlag(cmd, &path)
	formatFlag(cmd.Flags(), &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := loadSettings(cmd, path)
		if err != nil {
			return err
		}
		all, err := s.All()
		if err != nil {
			return err
		}
		// The first setting is policies, which each of them follows. Where one is
		// wrong everything is shown all the same.
		sources, failed := sourceSettings(cmd, s, all[0].Origin)
		all = slices.Insert(all, 1, sources...)
		if err := printSettings(cmd.OutOrStdout(), all, format); err != nil {
			return err
		}
		warnUnreviewed(cmd, s)
		return checkNamed(cmd, s, failed)
	}
	return cmd
}

// configHelp names the variables that are read, and what each stands for.
func configHelp() string {
	all, width := config.Variables(), 0
	for _, v := range all {
		width = max(width, len(v.Name))
	}
	text := "The variables, and the settings that they stand for:"
	for _, v := range all {
		text += fmt.Sprintf("\n  %-*s  %s", width, v.Name, strings.Join(v.Settings, ", "))
	}
	return text
}

func printSettings(w io.Writer, all []config.Setting, format string) error {
	if format == "json" {
		return printJSON(w, all)
	}
	key, value := 0, 0
	for _, s := range all {
		key, value = max(key, diag.Columns(s.Key)), max(value, min(diag.Columns(s.Value), 24))
	}
	for _, s := range all {
		if _, err := fmt.Fprintf(w, "%s  %s  %s\n", pad(s.Key, key), pad(s.Value, value), diag.Escape(s.Origin)); err != nil {
			return err
		}
	}
	return nil
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printLine prints a value as JSON on one line.
func printLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// configFlag adds --config.
func configFlag(cmd *cobra.Command, path *string) {
	nonEmptyFlag(cmd.Flags(), path, "config", "the configuration `FILE`; without it "+config.FileName+", if there is one here")
}

// loadConfig reads the configuration that is named, or the one in the working
// directory; without either it is the defaults. The findings about one that can be
// read are no errors.
func loadConfig(cmd *cobra.Command, path string) (*config.Config, diag.List, error) {
	if path == "" {
		if _, err := os.Stat(config.FileName); errors.Is(err, fs.ErrNotExist) {
			return &config.Config{}, nil, nil
		}
		path = config.FileName
	}
	name, data, err := read(cmd, path)
	if err != nil {
		return nil, nil, err
	}
	c, findings := config.Parse(name, data)
	if c == nil {
		return nil, nil, refuse(cmd, findings)
	}
	c.Resolve(path)
	return c, findings, nil
}

// loadSettings puts the configuration and the environment together, and warns
// of what is set there and not in effect.
func loadSettings(cmd *cobra.Command, path string) (*config.Settings, error) {
	c, doubts, err := loadConfig(cmd, path)
	if err != nil {
		return nil, err
	}
	if err := diag.Text(cmd.ErrOrStderr(), doubts, diag.TextOptions{Color: colour(cmd.ErrOrStderr())}); err != nil {
		return nil, fmt.Errorf("print findings: %w", err)
	}
	e := config.ReadEnvironment(os.LookupEnv)
	e.Names(os.Environ())
	s := config.Effective(c, e)
	for _, w := range s.Warnings {
		warn(cmd, "%s", w)
	}
	return s, nil
}
