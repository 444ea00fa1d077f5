package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// choice is a flag that takes one of a few words.
type choice struct {
	value *string
	known []string
}

var _ pflag.Value = choice{}

// String implements pflag.Value.
func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type implements pflag.Value: what the help shows for the value.
func (c choice) Type() string { return strings.Join(c.known, "|") }

// Set implements pflag.Value.
func (c choice) Set(s string) error {
	if !slices.Contains(c.known, s) {
		return fmt.Errorf("want %s", strings.Join(c.known, " or "))
	}
	*c.value = s
	return nil
}

// formatFlag adds -f/--format with the formats that a verb knows, the first
// of which is the default.
func formatFlag(flags *pflag.FlagSet, format *string, known ...string) {
	*format = known[0]
	flags.VarP(choice{format, known}, "format", "f", "output format")
}
