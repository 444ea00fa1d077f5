package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

func newAuditReplay() *cobra.Command {
	var rules ruleFlags
	var chains []string
	var builtins bool
	var digest string
	cmd := &cobra.Command{
		Use:   "replay FILE --policy FILE.cbp… [--chain FILE.yaml…] [--builtins] [--policy-digest HEX]",
		Short: "Decide every line of the log once more, and compare",
		Long: `replay repeats every decision of the log from its record alone, and compares the
verdicts byte for byte. The rules must be those that were in force: a record
knows their digest, and what was decided under others is counted apart. Where the
policy was updated, repeat each part of the log with the rules of its time, chosen
with --policy-digest. Texts that were masked are not compared; where the plan, the
counts or the whole verdict were masked there is nothing to repeat.

Exit codes: 0 all are the same, 1 a file cannot be read, or a decision cannot be
repeated because of what is masked or because it was made under another policy,
2 usage, 3 a line is wrong, or its verdict is another one.`,
		Args: exactlyOne("one log"),
	}
	rules.add(cmd)
	cmd.Flags().StringArrayVar(&chains, "chain", nil, "chain whose rules were in force (repeatable)")
	cmd.Flags().BoolVar(&builtins, "builtins", false, "the built-in rules were in force")
	nonEmptyFlag(cmd.Flags(), &digest, "policy-digest", "repeat only what was decided under the policy with this digest, of which 8 digits (`HEX`) are enough")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if digest != "" && !isDigest.MatchString(digest) {
			return usage("--policy-digest: want 8 to 64 hexadecimal digits in lower case, as the log has them")
		}
		rules.noBuiltins = !builtins
		reg, _, err := rules.load(cmd)
		if err != nil {
			return err
		}
		for _, c := range chains {
			if _, err := loadChain(cmd, reg, c); err != nil {
				return err
			}
		}
		r := repeating{set: reg.Set(), digest: digest, errOut: cmd.ErrOrStderr(), counts: map[audit.Repeated]int{}}
		for l, err := range audit.ReadAll(args[0], 0) {
			if err != nil {
				return refuseLog(cmd, err)
			}
			r.line(&l)
		}
		return r.end(cmd.OutOrStdout())
	}
	return cmd
}

var isDigest = regexp.MustCompile(`^[0-9a-f]{8,64}$`)

// repeating is the repetition of a log.
type repeating struct {
	set    *registry.Set
	digest string // of which the lines are; "": of any
	errOut io.Writer
	counts map[audit.Repeated]int
	others []otherPolicy // in the order in which they were in force
}

// otherPolicy are lines, one after the other, under a policy that is not the one given.
type otherPolicy struct {
	digest      string
	lines       int
	first, last uint64
}

// maxTold bounds the lines that are told of one by one.
const maxTold = 10

func (r *repeating) line(l *audit.Line) {
	var record struct {
		Policy string `json:"policy_digest"`
	}
	if err := json.Unmarshal(l.Record, &record); err == nil && !strings.HasPrefix(record.Policy, r.digest) && isDigest.MatchString(record.Policy) {
		return
	}
	became, err := audit.Repeat(l, r.set)
	r.counts[became]++
	switch {
	case became == audit.Other:
		r.other(l.Seq, record.Policy)
	case err != nil && r.counts[became] <= maxTold:
		fmt.Fprintln(r.errOut, "cbpolicy:", diag.Escape(err.Error()))
	}
}

// other notes a line of another policy.
func (r *repeating) other(seq uint64, digest string) {
	if n := len(r.others); n == 0 || r.others[n-1].digest != digest {
		r.others = append(r.others, otherPolicy{digest: digest, first: seq})
	}
	o := &r.others[len(r.others)-1]
	o.lines, o.last = o.lines+1, seq
}

// end says what came of all lines. What could not be repeated is no finding.
func (r *repeating) end(out io.Writer) error {
	for i, o := range r.others {
		if i == maxTold {
			fmt.Fprintf(r.errOut, "cbpolicy: and under other policies %d times more\n", len(r.others)-i)
			break
		}
		fmt.Fprintf(r.errOut, "cbpolicy: lines %d to %d: %d decisions were made under policy %s\n", o.first, o.last, o.lines, o.digest)
	}
	c := r.counts
	if _, err := fmt.Fprintf(out, "same: %d, different: %d, not judged: %d, masked: %d, other policy: %d\n", c[audit.Same], c[audit.Different], c[audit.Skipped], c[audit.Hidden], c[audit.Other]); err != nil {
		return err
	}
	switch {
	case c[audit.Different] > 0:
		return exit(exitFindings)
	case c[audit.Other] > 0:
		return fmt.Errorf("the rules given are policy %s: repeat the other lines with the rules of their time, chosen with --policy-digest", r.set.Digest())
	case c[audit.Hidden] > 0:
		return exit(exitInternal)
	case len(c) == 0 && r.digest != "":
		return fmt.Errorf("no decision of the log was made under policy %s", r.digest)
	}
	return nil
}
