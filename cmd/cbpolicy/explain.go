package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/chain"
	chainrun "github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/explain"
	"github.com/cbpolicy/cbpolicy/registry"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	policies []string
	chain    string
	builtins bool
	format   string
}

// any reports whether rules are read from files.
func (o explainOptions) any() bool { return len(o.policies) > 0 || o.chain != "" || o.builtins }

func newExplain() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain RULE…|- | --policy FILE.cbp… [--chain FILE.yaml] [RULE-ID…]",
		Short: "Say in plain words what a rule does",
		Long: `explain says of a rule what it watches, when it fires, what then happens, what
it does while its key is unbound, how it counts and where it applies.

A rule is given as its line, with or without the B: at its beginning; - reads
lines, or a whole policy, from standard input. With --policy, --chain or
--builtins the rules come from there: all of them, or those whose ids are
given. With --chain it says what that chain declares of the rules' keys, and
leaves out the rules that do not apply to it.`,
		Example: `  cbpolicy explain 'frequency>5/1h|throttle|"Max 5 trades per hour"'
  cbpolicy explain --policy policies frequency-gt-5-1h
  cbpolicy explain --chain examples/trading/chain.yaml`,
	}
	cmd.Flags().StringArrayVarP(&o.policies, "policy", "p", nil, "policy file or directory of .cbp files (repeatable)")
	cmd.Flags().StringVar(&o.chain, "chain", "", "chain whose rules are explained, and whose steps bind keys")
	cmd.Flags().BoolVar(&o.builtins, "builtins", false, "explain the built-in rules")
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runExplain(cmd, o, args) }
	return cmd
}

func runExplain(cmd *cobra.Command, o explainOptions, args []string) error {
	lines, ids := splitRules(args)
	switch {
	case len(args) == 0 && !o.any():
		return usage("explain: want a rule, - for standard input, --policy, --chain or --builtins\nSee '%s --help'.", cmd.CommandPath())
	case len(lines) > 0 && (len(ids) > 0 || len(o.policies) > 0 || o.builtins):
		return usage("explain: a rule's line is given, so nothing is looked up: leave out %s", "--policy, --builtins and rule ids")
	case len(ids) > 0 && !o.any():
		return usage("explain: %q is no rule, which has a |; for a rule's id, say with --policy, --chain or --builtins where it stands", ids[0])
	}
	var reg registry.Registry
	if _, err := loadPolicies(cmd, &reg, o.policies); err != nil {
		return err
	}
	if o.builtins {
		if err := reg.LoadBuiltins(); err != nil {
			return err
		}
	}
	var c *chain.Chain
	if o.chain != "" {
		var err error
		if c, err = loadChain(cmd, &reg, o.chain); err != nil {
			return err
		}
		if c.Block != nil { // of which loadChain puts no rule in force
			if err := reg.Replace(chainrun.Rulesets(c, cmd.Name())...); err != nil {
				return refuse(cmd, err)
			}
		}
	}
	var rules []*registry.Rule
	var err error
	if len(lines) > 0 {
		rules, err = readRules(cmd, lines)
	} else {
		rules, err = chosenRules(reg.Set(), c, ids)
	}
	if err != nil {
		return err
	}
	explanations := make([]explain.Explanation, len(rules))
	for i, r := range rules {
		explanations[i] = explain.Rule(r, c)
	}
	return printExplanations(cmd.OutOrStdout(), explanations, o.format)
}

// splitRules tells rules from ids: a rule has a |, which no id has.
func splitRules(args []string) (lines, ids []string) {
	for _, a := range args {
		if a == stdin || strings.Contains(a, "|") {
			lines = append(lines, a)
		} else {
			ids = append(ids, a)
		}
	}
	return lines, ids
}

// readRules reads rules from arguments and standard input, as an operator's.
func readRules(cmd *cobra.Command, lines []string) ([]*registry.Rule, error) {
	var rules []*registry.Rule
	for i, line := range lines {
		name, data := fmt.Sprintf("<rule %d>", i+1), []byte(line)
		if line == stdin {
			var err error
			if name, data, err = read(cmd, stdin); err != nil {
				return nil, err
			}
		}
		policy, faults := parseLines(name, string(data))
		if faults.Err() != nil {
			return nil, refuse(cmd, faults)
		}
		// Each has a registry of its own: two may have the same id.
		var reg registry.Registry
		if err := reg.Load(policy); err != nil {
			return nil, refuse(cmd, err)
		}
		if line != stdin && reg.Set().Len() != 1 || reg.Set().Len() == 0 {
			return nil, usage("explain: there is no rule in %s", name)
		}
		rules = slices.AppendSeq(rules, reg.Set().Rules())
	}
	return rules, nil
}

// parseLines reads a policy, or lines of rules without their B:.
func parseLines(name, text string) (*dsl.Policy, diag.List) {
	section := dsl.Section{Pattern: "*"}
	var faults diag.List
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
			continue
		case strings.HasPrefix(trimmed, "B:") || strings.HasPrefix(trimmed, "CHAIN:"):
			return dsl.ParsePolicy(name, []byte(text))
		}
		rule, fault := dsl.ParseRule(name, diag.Position{Line: i + 1, Column: 1}, line)
		if fault != nil {
			faults = append(faults, fault)
			continue
		}
		section.Rules = append(section.Rules, rule)
	}
	return &dsl.Policy{File: name, Sections: []dsl.Section{section}}, faults
}

// chosenRules returns the rules with the ids, or without ids all that apply to
// the chain, if there is one.
func chosenRules(s *registry.Set, c *chain.Chain, ids []string) ([]*registry.Rule, error) {
	var rules []*registry.Rule
	var known []string
	found := map[string]bool{}
	for r := range s.Rules() {
		known = append(known, r.ID)
		found[r.ID] = true
		if len(ids) == 0 && (c == nil || r.AppliesTo(c.ID)) || slices.Contains(ids, r.ID) {
			rules = append(rules, r)
		}
	}
	for _, id := range ids {
		if !found[id] {
			hint := "known are " + strings.Join(known, ", ")
			if like := diag.Suggest(id, known); like != "" {
				hint = fmt.Sprintf("did you mean %q?", like)
			}
			return nil, usage("explain: no rule has the id %q (%s)", id, hint)
		}
	}
	if len(rules) == 0 {
		return nil, usage("explain: there is no rule to explain")
	}
	return rules, nil
}

func printExplanations(w io.Writer, explanations []explain.Explanation, format string) error {
	out := bufio.NewWriter(w)
	if format == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"rules": explanations}); err != nil {
			return err
		}
		return out.Flush()
	}
	columns := width(w)
	for i, e := range explanations {
		if i > 0 {
			out.WriteByte('\n')
		}
		explanationText(out, &e, columns, colour(w))
	}
	return out.Flush()
}

// explanationText prints a rule and its sections, wrapped to the columns there are.
func explanationText(w *bufio.Writer, e *explain.Explanation, columns int, colour bool) {
	fmt.Fprintf(w, "%s", paint(colour, bold, diag.Escape(e.Rule)))
	if e.Source != "" {
		fmt.Fprintf(w, "  %s", paint(colour, faint, diag.Escape(e.Source)))
	}
	fmt.Fprintf(w, "\n%s\n", paint(colour, faint, diag.Escape("B:"+e.Text)))
	for _, s := range e.Sections {
		fmt.Fprintf(w, "\n%s\n", paint(colour, bold, s.Title))
		for _, line := range wrap(diag.Escape(strings.Join(s.Sentences, " ")), columns-2) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// wrap breaks a text at blanks into lines of at most the columns. A word that
// is longer has a line of its own.
func wrap(text string, columns int) []string {
	var lines []string
	line, used := "", 0
	for word := range strings.SplitSeq(text, " ") {
		n := diag.Columns(word)
		if line != "" && used+1+n > columns {
			lines = append(lines, line)
			line, used = "", 0
		}
		if line != "" {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(lines, line)
}
