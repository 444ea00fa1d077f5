package policytest

import (
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// epoch is when a test begins whose file does not say.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// file reads the whole file: first what the tests are held against, then the tests.
func (l *loader) file(n *document.Node) {
	s := l.suite
	s.start = epoch
	var tests *document.Node
	l.Fields(n, "a test file", []document.Field{
		{Name: "policies", Read: func(n *document.Node) {
			for _, item := range l.List(n, "policies", maxPaths) {
				l.policy(item)
			}
		}},
		{Name: "chains", Read: func(n *document.Node) {
			for _, item := range l.List(n, "chains", maxPaths) {
				if c := l.chain(item); c != nil {
					s.chains = append(s.chains, c)
				}
			}
		}},
		{Name: "builtins", Read: func(n *document.Node) { s.builtins = l.bool(n, "builtins") }},
		{Name: "start", Read: func(n *document.Node) { s.start = l.instant(n, "start") }},
		{Name: "defaults", Read: func(n *document.Node) { l.defaults = n }},
		{Name: "tests", Required: true, Read: func(n *document.Node) { tests = n }},
	}, map[string]string{"policy": "did you mean policies? It is a list", "chain": "did you mean chains? It is a list", "cases": "did you mean tests?"})
	if l.elsewhere.Err() != nil || l.failed != nil || l.unread {
		return // without all rules nothing can be said of the tests
	}
	if !l.readRules() || tests == nil {
		return
	}
	if !l.checkDefaults(l.defaults) {
		return
	}
	items := l.List(tests, "tests", MaxTests)
	if tests.Kind == jsonv.List && len(items) == 0 {
		l.Report(document.SyntaxID, tests.Pos, "there is no test", "add one under tests:")
	}
	for _, item := range items {
		l.test(item)
	}
}

// readRules puts the rules together and reports false if that fails.
func (l *loader) readRules() bool {
	reg, err := l.suite.registry()
	if list, ok := err.(diag.List); ok {
		l.elsewhere = append(l.elsewhere, list...)
		return false
	} else if err != nil {
		l.failed = err
		return false
	}
	l.suite.shared, l.rules = reg, newRuleBook(reg.Set())
	return true
}

// rawTest is a test before its steps are read.
type rawTest struct {
	name                    string
	pos                     diag.Position
	defaults, steps, dryrun *document.Node
	table                   *document.Node
}

func (l *loader) test(n *document.Node) {
	t := rawTest{pos: n.Pos}
	l.Fields(n, "a test", []document.Field{
		{Name: "name", Required: true, Read: func(n *document.Node) { t.name, _ = l.Text(n, "the name of a test"); t.pos = n.Pos }},
		{Name: "defaults", Read: func(n *document.Node) { t.defaults = n }},
		{Name: "steps", Read: func(n *document.Node) { t.steps = n }},
		{Name: "table", Read: func(n *document.Node) { t.table = n }},
		{Name: "dryrun", Read: func(n *document.Node) { t.dryrun = n }},
	}, l.testHints())
	if n.Kind != jsonv.Object || !l.checkDefaults(t.defaults) {
		return
	}
	switch {
	case t.dryrun != nil && (t.steps != nil || t.table != nil || t.defaults != nil):
		l.Report(document.SyntaxID, t.pos, "a test with dryrun has no steps, table or defaults", "make two tests of it")
	case t.dryrun != nil:
		if d := l.dryrun(t.dryrun); d != nil {
			l.add(&Test{Name: t.name, Pos: t.pos, dryrun: d})
		}
	case t.table != nil:
		l.table(&t)
	case t.steps != nil:
		if steps := l.steps(t.steps, merged(l.defaults, t.defaults)); len(steps) > 0 {
			l.add(&Test{Name: t.name, Pos: t.pos, steps: steps})
		} else if t.steps.Kind == jsonv.List && len(t.steps.Items) == 0 {
			l.Report(document.SyntaxID, t.steps.Pos, "a test has no step", "add one, with what is expected of it")
		}
	default:
		l.Report(document.SyntaxID, t.pos, "a test tests nothing", "give it steps, a table or a dryrun")
	}
}

// testHints says of the fields of a step where they belong.
func (l *loader) testHints() map[string]string {
	hints := map[string]string{"step": "did you mean steps? What all steps have in common stands under defaults"}
	for _, field := range append(eval.Fields(), "at", "expect", "rules") {
		if hints[field] == "" {
			hints[field] = "a field of steps: put it into one of them, or under defaults"
		}
	}
	return hints
}

func (l *loader) add(t *Test) {
	if first, twice := l.named[t.Name]; twice {
		f := l.Report(document.SyntaxID, t.Pos, "two tests have the name "+document.Quote(t.Name), "a name tells which test failed")
		f.Related = []diag.Related{{File: l.File, Pos: first, Message: "the first one"}}
		return
	}
	l.named[t.Name] = t.Pos
	if len(l.suite.Tests) == MaxTests {
		l.Report(document.LimitID, t.Pos, fmt.Sprintf("more than %d tests, the rows of tables counted", MaxTests), "make two files of it")
	}
	l.suite.Tests = append(l.suite.Tests, t)
}

func (l *loader) bool(n *document.Node, what string) bool {
	if n.Kind != jsonv.Bool {
		l.WrongType(n, what+" is true or false")
	}
	return n.Kind == jsonv.Bool && n.Text == "true"
}

// instant reads a time that a step can have.
func (l *loader) instant(n *document.Node, what string) time.Time {
	text, ok := l.Text(n, what)
	if !ok {
		return epoch
	}
	if err := eval.CheckField("now", jsonv.OfText(text)); err != nil {
		l.Report(document.WrongTypeID, n.Pos, what+": "+err.Error(), "write a time such as 2026-01-05T09:00:00Z")
		return epoch
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return epoch // reported: a step's now is read the same way
	}
	return t.UTC()
}
