package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/link"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/address"
)

func newAudit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit verify|show|replay FILE",
		Short: "Check, show and repeat the log of decisions",
		Long: `audit works on the log that --audit writes: decision records as JSON Lines, each
with a hash over itself and the line before. Files that were put aside are found
beside the one that is named.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownWord("audit", "verb", args[0], []string{"verify", "show", "replay"})
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage("audit: want verify, show or replay\nSee '%s --help'.", cmd.CommandPath())
		},
	}
	cmd.AddCommand(newAuditVerify(), newAuditShow(), newAuditReplay())
	return cmd
}

func newAuditVerify() *cobra.Command {
	var expect string
	var first uint64
	cmd := &cobra.Command{
		Use:   "verify FILE [--expect HASH] [--first N]",
		Short: "Check that no line of the log was changed, added, dropped or moved",
		Long: `verify reads the whole log and prints the number of its first line, and the
number and the hash of its last. A log begins with line 1, or with the line that
the oldest file put aside is called after: that older files are gone is seen from
the number of the first line alone. Where they were moved away by hand, --first
says which line it begins with. A log whose last lines were cut off is whole by
itself: keep that hash elsewhere, and give it as --expect, which may also be that
of an earlier line.

Exit codes: 0 the log is whole, 1 a file cannot be read, 2 usage, 3 it is not.`,
		Args: exactlyOne("one log"),
	}
	nonEmptyFlag(cmd.Flags(), &expect, "expect", "a line of the log must have this `HASH`")
	cmd.Flags().Uint64Var(&first, "first", 0, "the log begins with line `N`, those before it were moved away; 0: with line 1, or as its oldest file is called")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := audit.ParseHash(expect); expect != "" && err != nil {
			return usage("--expect: %w", err)
		}
		var begin, last audit.Line
		seen, lines := expect == "", 0
		for l, err := range audit.ReadAll(args[0], first) {
			if errors.Is(err, audit.ErrBeginning) {
				err = fmt.Errorf("%w; if they were moved away, give --first", err)
			}
			if err != nil {
				return refuseLog(cmd, err)
			}
			if last = l; lines == 0 {
				begin = l
			}
			lines++
			seen = seen || l.Hash.String() == expect
		}
		if !seen {
			return &exitError{exitFindings, fmt.Errorf("%s: no line has the hash %s: the log was cut off, or is another one", args[0], expect)}
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "lines: %d, first: %d, last: %d, hash: %s\n", lines, begin.Seq, last.Seq, last.Hash)
		return err
	}
	return cmd
}

// refuseLog ends with the code for findings if a line is wrong.
func refuseLog(cmd *cobra.Command, err error) error {
	if errors.As(err, new(*audit.LineError)) {
		fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy:", diag.Escape(err.Error()))
		return exit(exitFindings)
	}
	return err
}

func newAuditShow() *cobra.Command {
	var blocked bool
	var last int
	var rule, of, format string
	cmd := &cobra.Command{
		Use:   "show FILE [--blocked] [--rule ID] [--session ID] [--last N]",
		Short: "Show decisions of the log",
		Args:  exactlyOne("one log"),
	}
	cmd.Flags().BoolVar(&blocked, "blocked", false, "only decisions that block")
	cmd.Flags().StringVar(&rule, "rule", "", "only decisions in which the rule with this `ID` fired")
	cmd.Flags().StringVar(&of, "session", "", "only decisions of the session with this `ID`")
	cmd.Flags().IntVar(&last, "last", 0, "only the last `N`; 0: all")
	formatFlag(cmd.Flags(), &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var kept []string
		var unknown []uint64 // decisions of which it cannot be said whether they are wanted
		want := wanted{blocked, rule, of}
		for l, err := range audit.ReadAll(args[0], 0) {
			if err != nil {
				return refuseLog(cmd, err)
			}
			e, err := parseEntry(&l)
			if err != nil {
				return fmt.Errorf("%s: line %d cannot be shown: %w", args[0], l.Seq, err)
			}
			is, known := want.matches(e)
			if !known {
				unknown = append(unknown, l.Seq)
			}
			if !is {
				continue
			}
			if kept = append(kept, e.show(&l, format)); last > 0 && len(kept) > last {
				kept = kept[1:]
			}
		}
		out := bufio.NewWriter(cmd.OutOrStdout())
		for _, line := range kept {
			out.WriteString(line)
		}
		if err := out.Flush(); err != nil || len(unknown) == 0 {
			return err
		}
		return fmt.Errorf("%s: %d decisions are not shown, the first in line %d: what they were to be chosen by is masked", args[0], len(unknown), unknown[0])
	}
	return cmd
}

// auditFlags are the flags of a verb that writes the log.
type auditFlags struct {
	file  string
	masks []string
	cmd   *cobra.Command
}

func (f *auditFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	nonEmptyFlag(cmd.Flags(), &f.file, "audit", "append a record of every decision to this log `FILE`, in a hash chain")
	cmd.Flags().StringArrayVar(&f.masks, "mask", nil, "JSON `POINTER` into records: the log hides the text there wherever it stands in the record, such as /verdict/fired/*/actual (repeatable)")
}

// open opens the log that the flag names, or the configuration; nil: none is
// wanted. What either masks is masked.
func (f *auditFlags) open(s *config.Settings) (*audit.Log, error) {
	o, err := s.Audit.Options(f.masks...)
	if err != nil {
		return nil, usage("--mask: %w", err)
	}
	path, where := f.place(s)
	if path == "" {
		if len(f.masks) > 0 {
			return nil, usage("--mask hides parts of a log: give --audit")
		}
		return nil, nil
	}
	o.Unmatched = func(pointer string) {
		fmt.Fprintf(f.cmd.ErrOrStderr(), "cbpolicy: warning: %s: the mask %s has named nothing in what was recorded\n", diag.Escape(path), diag.Escape(pointer))
	}
	log, err := audit.Open(path, o)
	if errors.Is(err, audit.ErrNoLog) {
		return nil, usage("%s: %w", where, err)
	}
	return log, err
}

// place is the file of the log, and who says it; "": there is none.
func (f *auditFlags) place(s *config.Settings) (path, where string) {
	if f.file != "" {
		return f.file, "--audit"
	}
	return s.Audit.Path, cmp.Or(s.Place("audit.path"), "the configuration") + ": audit"
}

// apart refuses a log that would be written over another file of the program,
// before any of them is made.
func (f *auditFlags) apart(s *config.Settings, home *stateFlags, policies []string, figures string) error {
	path, where := f.place(s)
	if path == "" {
		return nil
	}
	if ext := filepath.Ext(path); ext == ".cbp" || ext == bundle.Extension {
		return usage("%s: %s is named as a policy, and would be read as one", where, path)
	}
	text, _ := home.place(s)
	if to, err := address.Parse(text); err == nil && to.Kind == address.File && link.Same(path, to.Path) {
		return usage("%s: %s is the file of the state: name another for the log", where, path)
	}
	for _, policy := range slices.Concat(s.Policies, policies) {
		if link.Same(path, policy) {
			return usage("%s: %s is a policy: name another file for the log", where, path)
		}
	}
	if figures != "" && link.Same(path, figures) {
		return usage("%s: %s is the file of --telemetry: name another for the log", where, path)
	}
	return nil
}

// recorderOf is what a session tells its decisions to; nil: nobody.
func recorderOf(l *audit.Log) func(*session.Record) error {
	if l == nil {
		return nil
	}
	return l.Record
}

// closeLog ends the log, and joins what went wrong to what did before.
func closeLog(l *audit.Log, before error) error {
	if l == nil {
		return before
	}
	if err := l.Close(); err != nil {
		return errors.Join(&exitError{exitInternal, fmt.Errorf("the log of decisions is incomplete: %w", err)}, before)
	}
	return before
}
