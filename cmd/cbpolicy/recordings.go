package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
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
	broken int    // runs whose recordings do not tell what they did
	passed int    // files of directories that are no recordings
	piped  []byte // standard input, where it is read more than once
	bar    *progress
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

// runs reads the runs of all paths, and shows on a terminal how far it is.
func (r *recordings) runs(cmd *cobra.Command, paths []string) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		r.passed = 0
		r.bar = newProgress(cmd.ErrOrStderr(), paths, cmd.Name())
		defer r.bar.clear()
		for _, path := range paths {
			for run, err := range r.open(cmd, path) {
				if err == nil {
					r.bar.run()
				}
				if !yield(run, err) {
					return
				}
			}
		}
	}
}

// open reads the runs of a path.
func (r *recordings) open(cmd *cobra.Command, path string) iter.Seq2[*trace.Run, error] {
	o := trace.Options{Format: r.input, PassedOver: func(string) { r.passed++ }}
	switch {
	case path == stdin:
		return trace.Read("<stdin>", r.bar.reading(r.stdin(cmd)), o)
	case r.bar == nil:
		return trace.Open(path, o)
	}
	return func(yield func(*trace.Run, error) bool) {
		for file, err := range trace.Files(path, o) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			if !r.watched(file, o, yield) {
				return
			}
		}
	}
}

// watched reads the runs of a file with the bar, and reports whether to go on.
func (r *recordings) watched(file string, o trace.Options, yield func(*trace.Run, error) bool) bool {
	f, err := os.Open(file)
	if err != nil { // which the reader says in its own words
		for run, err := range trace.Open(file, o) {
			if !yield(run, err) {
				return false
			}
		}
		return true
	}
	defer f.Close()
	for run, err := range trace.Read(file, r.bar.reading(f), o) {
		if !yield(run, err) {
			return false
		}
	}
	return true
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
	r.complain(cmd, err)
	return nil
}

// complain says what is wrong with a run or a file.
func (r *recordings) complain(cmd *cobra.Command, err error) {
	r.bar.clear()
	fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy:", diag.Escape(err.Error()))
}

// faulty says what is wrong with a run that could be read; "": nothing is.
func (r *recordings) faulty(cmd *cobra.Command, source, broken string) {
	if broken == "" {
		return
	}
	r.broken++
	r.complain(cmd, &trace.Error{Source: source, Err: errors.New(broken)})
}

// whole leaves broken runs out, as runs that cannot be read.
func whole(runs iter.Seq2[*trace.Run, error]) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		for run, err := range runs {
			if err == nil && run.Broken != "" {
				run, err = nil, &trace.Error{Source: run.Source, Err: errors.New(run.Broken)}
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

// over says after so many runs what else was found in the paths. No run at all
// is wrong use, if nothing else was wrong.
func (r *recordings) over(cmd *cobra.Command, paths []string, runs int) error {
	if r.passed > 0 {
		r.bar.clear()
		is := "files that are no recordings"
		if r.passed == 1 {
			is = "file that is no recording"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "cbpolicy: passed over %d %s\n", r.passed, is)
	}
	if runs == 0 && r.unread == 0 {
		return usage("%s: no recorded run", strings.Join(paths, ", "))
	}
	return nil
}

// formatsText lists the formats for a help page.
func formatsText() string {
	return "  " + strings.Join(wrap(strings.Join(trace.Formats(), ", "), 70), "\n  ")
}
