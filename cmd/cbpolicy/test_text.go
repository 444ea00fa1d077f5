package main

import (
	"bufio"
	"fmt"
	"math"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/policytest"
)

// testText prints the results of tests for a person.
type testText struct {
	w      *bufio.Writer
	colour bool
}

// report prints a line a file, below it each failure with what was decided and why.
func (t testText) report(r *policytest.Report) {
	for i := range r.Files {
		f := &r.Files[i]
		failed := f.Failed()
		if failed == 0 {
			fmt.Fprintf(t.w, "%s    %s: %s\n", paint(t.colour, green, "ok"), diag.Escape(f.File), count(len(f.Tests), "test"))
			continue
		}
		fmt.Fprintf(t.w, "%s  %s: %d of %s failed\n", paint(t.colour, red, "FAIL"), diag.Escape(f.File), failed, count(len(f.Tests), "test"))
		for j := range f.Tests {
			t.test(f.File, &f.Tests[j])
		}
	}
	if len(r.Files) > 1 {
		fmt.Fprintf(t.w, "%s in %s, %d failed\n", count(r.Summary.Tests, "test"), count(len(r.Files), "file"), r.Summary.Failed)
	}
}

// test prints the failures of one test, and once why they came about.
func (t testText) test(file string, r *policytest.TestResult) {
	if len(r.Failures) == 0 {
		return
	}
	fmt.Fprintf(t.w, "  %s\n", diag.Escape(r.Name))
	for i := range r.Failures {
		f := &r.Failures[i]
		fmt.Fprintf(t.w, "    %s:%d:%d: %s\n", diag.Escape(file), f.Line, f.Column, diag.Escape(f.Text()))
	}
	for _, line := range r.Failures[0].Why() {
		for part := range strings.SplitSeq(line, "\n") {
			fmt.Fprintf(t.w, "      %s\n", paint(t.colour, faint, diag.Escape(part)))
		}
	}
}

// coverage prints how much was seen, and a line for everything that was not.
func (t testText) coverage(c *policytest.CoverageReport) {
	atoms, both := 0, 0
	for _, r := range c.Rules {
		for _, a := range r.Atoms {
			if atoms++; a.True && a.False {
				both++
			}
		}
	}
	// Rounded down, so that 100 is all.
	fmt.Fprintf(t.w, "coverage %.1f %%: %d of %s fired, %d of %s seen true and false\n",
		math.Floor(10*c.Percent())/10, c.Fired(), count(len(c.Rules), "rule"), both, count(atoms, "atom"))
	for _, r := range c.Rules {
		if !r.Fired {
			t.missed(r.File, r.Position, "the rule "+r.Rule+" never fired")
		}
		for _, a := range r.Atoms {
			switch {
			case !a.True && !a.False:
				t.missed(r.File, a.Position, a.Atom+" was never judged")
			case !a.True:
				t.missed(r.File, a.Position, a.Atom+" was never true")
			case !a.False:
				t.missed(r.File, a.Position, a.Atom+" was never false")
			}
		}
	}
}

func (t testText) missed(file string, at diag.Position, what string) {
	fmt.Fprintf(t.w, "  %s:%d:%d: %s\n", diag.Escape(file), at.Line, at.Column, diag.Escape(what))
}
