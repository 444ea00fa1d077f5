package suggest

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// policy is what was learned as a policy: a section for every kind of task.
func (s *Suggestion) policy(mode dsl.Mode) *dsl.Policy {
	p := &dsl.Policy{File: "suggested.cbp", Sections: []dsl.Section{{Pattern: "*"}}}
	kind := ""
	for i := range s.Limits {
		l := &s.Limits[i]
		if l.Kind != kind {
			kind = l.Kind
			p.Sections = append(p.Sections, dsl.Section{Pattern: dsl.NamePattern(kind), Lead: []string{"", fmt.Sprintf("# Kind of task: %d runs that ended well, %d others.", l.Of.Well, l.Of.Others)}})
		}
		into := &p.Sections[len(p.Sections)-1]
		for _, line := range append([]string{""}, s.evidence(l)...) {
			into.Notes = append(into.Notes, dsl.Note{Before: len(into.Rules), Text: line})
		}
		rule := *l.rule
		rule.Options.Mode = mode
		into.Rules = append(into.Rules, &rule)
	}
	return p
}

// print prints the policy canonically, with the evidence.
func (s *Suggestion) print() (string, error) {
	p := s.policy(dsl.Enforce)
	first := &p.Sections[0]
	var head []dsl.Note
	for _, line := range s.head() {
		head = append(head, dsl.Note{Text: line})
	}
	first.Notes = append(head, first.Notes...)
	out, err := dsl.FormatPolicy(p)
	if err != nil {
		return "", fmt.Errorf("suggest: %w", err)
	}
	return string(out), nil
}

// head says what the policy was learned from, and what it stops as a whole.
func (s *Suggestion) head() []string {
	lines := []string{
		fmt.Sprintf("# Limits learned from %d recorded runs by cbpolicy suggest.", s.Runs),
		fmt.Sprintf("# They rest on the %d that ended well: those that succeeded, where a source tells", s.Well),
		"# which did, and otherwise those that are not known to have failed.",
		fmt.Sprintf("# A limit is the 99th percentile (nearest rank) and %d %% above it, rounded up, and", s.MarginPercent),
		fmt.Sprintf("# rests on at least %s. A call beyond it is met by %s.", plural(s.MinRuns, "run", "runs"), s.action),
		fmt.Sprintf("# Together they %s %s that ended well, and %d of %d others.", s.does(true),
			share(s.Stops.Well, s.Well), s.Stops.Others, s.Runs-s.Well),
	}
	if s.kinds() {
		lines = append(lines, "# A section is a kind of task: the chain of that name. To try it, cbpolicy replay --kinds", "# takes each recorded run for one of the chain of its kind.")
	}
	if s.Rare > 0 {
		lines = append(lines, fmt.Sprintf("# Called in too few of these runs for a limit: %s.", plural(s.Rare, "ability", "abilities")))
	}
	if s.Unnamed > 0 {
		lines = append(lines, fmt.Sprintf("# Left out, as no rule can name them: %s.", plural(s.Unnamed, "ability or kind", "abilities or kinds")))
	}
	if s.Unread > 0 {
		lines = append(lines, fmt.Sprintf("# Not read: %s.", plural(s.Unread, "run or file", "runs or files")))
	}
	return lines
}

// evidence says what a limit rests on and what it stops.
func (s *Suggestion) evidence(l *Limit) []string {
	lines := []string{
		fmt.Sprintf("# %s: median %s, 99th percentile %s, most %s.", plural(l.Runs, "run", "runs"), l.Median, l.P99, l.Max),
		fmt.Sprintf("# Alone it %s %s that ended well, and %d of %d others.", s.does(false), share(l.Stops.Well, l.Of.Well), l.Stops.Others, l.Of.Others),
	}
	lines = append(lines, guessed(l)...)
	if l.Builtin != "" {
		lines = append(lines, diag.Escape(fmt.Sprintf("# The built-in %s is stricter, and stands unless the configuration raises it.", l.Builtin)))
	}
	return lines
}

// maxNotes is how many models without a price a comment names.
const maxNotes = 3

// guessed says that the money a limit rests on is guessed, and how.
func guessed(l *Limit) []string {
	if l.Guessed == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("# The money of %d of these runs is guessed:", l.Guessed)}
	shown := l.Notes[:min(len(l.Notes), maxNotes)]
	for _, note := range shown {
		lines = append(lines, "# "+diag.Escape(note)+".")
	}
	if more := len(l.Notes) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("# So it is with %s.", plural(more, "more model", "more models")))
	}
	return lines
}

func (s *Suggestion) kinds() bool {
	for i := range s.Limits {
		if s.Limits[i].Kind != "" {
			return true
		}
	}
	return false
}

// does says what the rules do to runs; a warning stops none.
func (s *Suggestion) does(plural bool) string {
	one, many := "stops", "stop"
	if s.action == dsl.Warn {
		one, many = "warns in", "warn in"
	}
	if plural {
		return many
	}
	return one
}

// share is a part of a whole, with a percentage to one digit.
func share(part, whole int) string {
	permille := 0
	if whole > 0 {
		permille = (part*1000 + whole/2) / whole
	}
	return fmt.Sprintf("%d of %d (%d.%d %%)", part, whole, permille/10, permille%10)
}

func plural(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}
