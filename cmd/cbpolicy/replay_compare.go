package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// policyPair is a flag with two values: the second is the argument that follows,
// which the parser takes for one of the verb's own.
type policyPair struct {
	flags *pflag.FlagSet
	first string
	given bool
	place int // of the second, among the arguments
}

var _ pflag.Value = (*policyPair)(nil)

// String implements pflag.Value.
func (p *policyPair) String() string { return p.first }

// Type implements pflag.Value: what the help shows for the value.
func (p *policyPair) Type() string { return "OLD NEW" }

// Set implements pflag.Value.
func (p *policyPair) Set(s string) error {
	if p.given {
		return errors.New("it can be given once")
	}
	p.first, p.given, p.place = s, true, p.flags.NArg()
	return nil
}

// take takes the second value out of the arguments.
func (p *policyPair) take(args []string) (second string, rest []string, err error) {
	if p.place >= len(args) {
		return "", nil, usage("--compare: want OLD NEW, two policy files or directories; NEW is missing")
	}
	return args[p.place], slices.Concat(args[:p.place], args[p.place+1:]), nil
}

// compareRuns prints the runs whose outcome is another under another policy.
func (o *replayOptions) compareRuns(cmd *cobra.Command, args []string) error {
	newer, paths, err := o.compare.take(args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return usage("--compare: want OLD NEW and then a file or directory of recorded runs, or - for standard input")
	}
	before, err := o.with(o.compare.first).options(cmd)
	if err != nil {
		return err
	}
	after, err := o.with(newer).options(cmd)
	if err != nil {
		return err
	}
	if before.Session.Registry.Set().Len() == 0 && after.Session.Registry.Set().Len() == 0 {
		return errNoRules()
	}
	all := replay.Comparison{Flips: []replay.Pair{}}
	for p, err := range replay.Compare(cmd.Context(), o.runs(cmd, paths), o.workers, before, after) {
		if err != nil {
			if err := o.pass(cmd, err); err != nil {
				return err
			}
			continue
		}
		o.faulty(cmd, p.New.Source, p.New.Broken)
		all.Add(p)
	}
	s := &all.Summary
	if err := o.over(cmd, paths, s.Runs); err != nil {
		return err
	}
	s.PassedOver, s.Old.PassedOver, s.New.PassedOver = o.passed, o.passed, o.passed
	s.Unread, s.Old.Unread, s.New.Unread = o.unread, o.unread, o.unread
	if err := printComparison(cmd.OutOrStdout(), &all, o.format); err != nil {
		return err
	}
	return o.end(s.New.Halted)
}

// with adds a policy to those of the flags; "" adds none.
func (o *replayOptions) with(policy string) *replayOptions {
	more := *o
	if policy != "" {
		more.policies = append(slices.Clone(o.policies), policy)
	}
	return &more
}

func printComparison(w io.Writer, c *replay.Comparison, format string) error {
	if format == "json" {
		return printLine(w, c)
	}
	out := bufio.NewWriter(w)
	colour := colour(w)
	for i := range c.Flips {
		p := &c.Flips[i]
		fmt.Fprintf(out, "%-8s  %s\n", p.Flip, diag.Escape(p.Old.Source))
		fmt.Fprintf(out, "  old: %s\n  new: %s\n", outcomeText(&p.Old, colour), outcomeText(&p.New, colour))
	}
	s := &c.Summary
	fmt.Fprintf(out, "runs: %d, flipped: %d", s.Runs, s.Flipped)
	wrongText(out, s.Broken, s.Unread)
	out.WriteByte('\n')
	s.ByFlip.Each(func(flip string, n int) { fmt.Fprintf(out, "%6d  %s\n", n, flip) })
	for _, side := range []struct {
		name string
		*replay.Summary
	}{{"old", &s.Old}, {"new", &s.New}} {
		fmt.Fprintf(out, "%s: halted %d, asked %d, saved %s%s\n", side.name, side.Halted, side.Asked, savedText(&side.Saved), byRule(side.Summary))
	}
	return out.Flush()
}

// outcomeText is a result in one line.
func outcomeText(r *replay.Result, colour bool) string {
	decision := paint(colour, decisionColour(r.Decision), r.Decision)
	if !r.Halted() {
		return decision
	}
	return fmt.Sprintf("%s at call %d of %d by rule %s: %s", decision, r.HaltedAt, r.ToolCalls, diag.Escape(r.Rule), diag.Escape(r.Explain))
}

// byRule lists the rules that halted runs.
func byRule(s *replay.Summary) string {
	var parts []string
	s.ByRule.Each(func(rule string, n int) { parts = append(parts, fmt.Sprintf("%s %d", diag.Escape(rule), n)) })
	if len(parts) == 0 {
		return ""
	}
	return "; by " + strings.Join(parts, ", ")
}
