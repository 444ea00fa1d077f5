package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// formatFlag adds -f/--format with the formats that a verb knows, the first
// of which is the default.
func formatFlag(cmd *cobra.Command, format *string, known ...string) {
	cmd.Flags().StringVarP(format, "format", "f", known[0], "output format: "+strings.Join(known, ", "))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(known, *format) {
			return usage("unknown format %q: want %s", *format, strings.Join(known, " or "))
		}
		return nil
	}
}
