package main

import (
	"errors"

	"github.com/spf13/pflag"
)

// nonEmpty is a flag whose value names something. One that is given and empty, as
// of a variable that is not set, is a mistake: it does not mean what is done
// where nothing is named.
type nonEmpty struct{ value *string }

var _ pflag.Value = nonEmpty{}

// nonEmptyFlag adds a flag that names something; it is "" where it is not given.
func nonEmptyFlag(flags *pflag.FlagSet, value *string, name, help string) {
	flags.Var(nonEmpty{value}, name, help)
}

// String implements pflag.Value.
func (n nonEmpty) String() string {
	if n.value == nil {
		return ""
	}
	return *n.value
}

// Type implements pflag.Value: what the help shows for the value.
func (nonEmpty) Type() string { return "string" }

// Set implements pflag.Value.
func (n nonEmpty) Set(s string) error {
	if s == "" {
		return errors.New("it is empty: leave the flag out where none is wanted")
	}
	*n.value = s
	return nil
}
