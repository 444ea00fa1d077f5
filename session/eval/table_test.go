package eval_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tableCase is a sentence of the design with verdicts worked out by hand.
type tableCase struct {
	name  string
	rules []rule
	steps []tableStep
}

// tableStep is a line and the verdict it must get: the decision, the ids of
// the fired rules, and retry_after where it is not 0, as in "throttle r 1000ms".
type tableStep struct {
	line, want string
}

// tables are all cases; both evaluators must give every verdict in them.
func tables() []tableCase {
	var all []tableCase
	for _, t := range [][]tableCase{valueCases(), missingCases(), countingCases(), waitingCases(), nameCases(), matchCases(), stepCases()} {
		all = append(all, t...)
	}
	return all
}

func TestNaive_Table(t *testing.T) { runTables(t, naiveOpener) }

func TestEngine_Table(t *testing.T) { runTables(t, engineOpener(t)) }

func runTables(t *testing.T, open opener) {
	for _, c := range tables() {
		t.Run(c.name, func(t *testing.T) {
			judge := open(c.rules)
			for i, s := range c.steps {
				if got := judge(s.line).brief(); got != s.want {
					t.Errorf("line %d: got %s, want %s\npolicy:\n%s%s", i+1, got, s.want, policyText(c.rules), s.line)
				}
			}
		})
	}
}

// brief prints the answer as tables write it.
func (a answer) brief() string {
	parts := []string{a.decision}
	for _, f := range strings.Split(a.fired, ", ") {
		id, _, _ := strings.Cut(f, " ")
		if id != "" {
			parts = append(parts, id)
		}
	}
	if a.retry != 0 {
		parts = append(parts, fmt.Sprintf("%dms", a.retry))
	}
	return strings.Join(parts, " ")
}

// when a table says nothing else, a step calls pay.send in chain trade and session s.
var usual = []struct{ name, value string }{{"chain", `"trade"`}, {"ability", `"pay.send"`}, {"session", `"s"`}, {"args", `{}`}}

// at writes a line: so long after the start, with these JSON fields and the
// usual ones. Fields that hold the name of a usual one further in must give
// that one too.
func at(after time.Duration, fields string, want string) tableStep {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(after)
	parts := []string{`"now":` + strconv.Quote(now.Format(time.RFC3339Nano))}
	if fields != "" {
		parts = append(parts, fields)
	}
	for _, u := range usual {
		if !strings.Contains(fields, strconv.Quote(u.name)+":") {
			parts = append(parts, strconv.Quote(u.name)+":"+u.value)
		}
	}
	return tableStep{line: "{" + strings.Join(parts, ",") + "}", want: want}
}

// now writes a line at the start.
func now(fields, want string) tableStep { return at(0, fields, want) }

// steps and rules only shorten the tables.
func steps(s ...tableStep) []tableStep { return s }
func rules(r ...rule) []rule           { return r }

// on is a rule with the id "r" for every chain.
func on(action string, atoms ...atom) rule {
	return rule{id: "r", section: "*", action: action, atoms: atoms}
}

func (r rule) named(id string) rule       { r.id = id; return r }
func (r rule) in(section string) rule     { r.section = section; return r }
func (r rule) lacking(mode string) rule   { r.missing = mode; return r }
func (r rule) observed() rule             { r.observe = true; return r }
func over(key, limit string) threshold    { return threshold{key: key, op: ">", limit: limit} }
func runs(count, seconds int) frequency   { return frequency{count: count, window: seconds, unit: "s"} }
func (a frequency) of(n string) frequency { a.name = n; return a }
func (a frequency) per(s string) frequency {
	a.scope = s
	return a
}
