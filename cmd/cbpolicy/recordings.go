package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/trace"
)

// recordings are the runs that a verb reads, and how many of them it could not.
type recordings struct {
	input  string // the format; "": found from the content
	unread int
	piped  []byte // standard input, where it is read more than once
}

func (r *recordings) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.input, "input-format", "", "format of the recordings, in the place of what they look like")
}

// check refuses a format that there is not.
func (r *recordings) check(verb string) error {
	if known := trace.Formats(); r.input != "" && !slices.Contains(known, r.input) {
		return unknownWord(verb, "format", r.input, known)
	}
	return nil
}

// runs reads the runs of all paths.
func (r *recordings) runs(cmd *cobra.Command, paths []string) iter.Seq2[*trace.Run, error] {
	o := trace.Options{Format: r.input}
	return func(yield func(*trace.Run, error) bool) {
		for _, path := range paths {
			runs := trace.Open(path, o)
			if path == stdin {
				runs = trace.Read("<stdin>", r.stdin(cmd), o)
			}
			for run, err := range runs {
				if !yield(run, err) {
					return
				}
			}
		}
	}
}

// keep keeps standard input, so that it can be read again.
func (r *recordings) keep(cmd *cobra.Command, paths []string) (err error) {
	if slices.Contains(paths, stdin) {
		_, r.piped, err = read(cmd, stdin)
	}
	return err
}

func (r *recordings) stdin(cmd *cobra.Command) io.Reader {
	if r.piped != nil {
		return bytes.NewReader(r.piped)
	}
	return cmd.InOrStdin()
}

// pass says what is wrong with a run that cannot be read, so that the rest
// can be, and returns every other error.
func (r *recordings) pass(cmd *cobra.Command, err error) error {
	if !errors.As(err, new(*trace.Error)) {
		return err
	}
	r.unread++
	fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy:", diag.Escape(err.Error()))
	return nil
}

// formatsText lists the formats for a help page.
func formatsText() string {
	return "  " + strings.Join(wrap(strings.Join(trace.Formats(), ", "), 70), "\n  ")
}
