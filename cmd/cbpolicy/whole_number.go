package main

import (
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/pflag"
)

// wholeNumber is a flag that takes a whole number between two.
type wholeNumber struct {
	value       *int
	least, most int // most 0: any
}

var _ pflag.Value = wholeNumber{}

// String implements pflag.Value.
func (n wholeNumber) String() string {
	if n.value == nil {
		return ""
	}
	return strconv.Itoa(*n.value)
}

// Type implements pflag.Value: what the help shows for the value.
func (n wholeNumber) Type() string { return "int" }

// Set implements pflag.Value.
func (n wholeNumber) Set(s string) error {
	v, err := strconv.Atoi(s)
	switch {
	case err == nil && v >= n.least && (n.most == 0 || v <= n.most):
		*n.value = v
		return nil
	case n.most == 0:
		return fmt.Errorf("want a whole number of at least %d", n.least)
	}
	return fmt.Errorf("want a whole number from %d to %d", n.least, n.most)
}

// workersFlag adds --workers, which is as many as there are processors to use.
func workersFlag(flags *pflag.FlagSet, workers *int) {
	*workers = runtime.GOMAXPROCS(0)
	flags.Var(wholeNumber{workers, 1, 0}, "workers", "how many runs are replayed at the same time")
}
