package policytest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// defaultSession is the session of steps that name none, so that what one
// was admitted to and was approved of is known to the next.
const defaultSession = "test"

// step is one step of a test, with what is expected of it.
type step struct {
	pos     diag.Position
	chain   string
	ability string
	at      time.Duration // since the test's start; of the first repetition
	repeat  int           // at least 1
	every   time.Duration // between repetitions
	names   []string      // of the fields that eval reads, but for now
	values  []jsonv.Value
	want    *expectation
	approve *approval // nil: nothing is approved
}

// approval is the yes that is given to a step's confirm rules.
type approval struct {
	pos  diag.Position
	all  bool
	ids  []string     // of the rules approved, unless all are
	then *expectation // nil: the step is admitted
}

// end is the time of the last repetition.
func (s *step) end() time.Duration { return s.at + time.Duration(s.repeat-1)*s.every }

// steps reads the steps of a test, whose times never go back.
func (l *loader) steps(n, defaults *document.Node) []*step {
	var out []*step
	var now time.Duration
	total := 0
	for _, item := range l.List(n, "steps", MaxSteps) {
		before := len(l.Findings())
		s := l.step(merged(defaults, item), now)
		if len(l.Findings()) > before {
			continue
		}
		if total += s.repeat; total > MaxSteps {
			l.Report(document.LimitID, s.pos, fmt.Sprintf("more than %d steps in a test, repetitions counted", MaxSteps), "")
			return nil
		}
		now = s.end()
		out = append(out, s)
	}
	return out
}

// step reads a step; now is the time of the one before it.
func (l *loader) step(n *document.Node, now time.Duration) *step {
	s := &step{pos: n.Pos, at: now, repeat: 1}
	fields, e, a := l.stepFields(s)
	for i := range fields {
		switch fields[i].Name {
		case "chain", "ability", "expect":
			fields[i].Required = true
		}
	}
	l.Fields(n, "a step", fields, stepHints)
	if n.Kind != jsonv.Object || s.chain == "" || s.ability == "" {
		return s
	}
	if s.at < now {
		l.Report(document.SyntaxID, member(n, "at").Pos, "time goes back: the step before is at "+duration.Format(now), "at counts from the test's start; put the steps in order")
	}
	last := jsonv.OfText(l.suite.start.Add(s.end()).Format(time.RFC3339Nano))
	if err := eval.CheckField("now", last); err != nil || s.end() < s.at {
		l.Report(document.LimitID, n.Pos, "the step is too late to be told", "shorten at or every: time ends with the year 2261")
	}
	s.want = l.expectation(e, s.chain, l.rules)
	if s.want != nil && s.want.rules == nil && !l.rules.set.Covers(s.chain) {
		l.uncovered(member(n, "chain"), s.chain)
	}
	s.approve = l.approval(a, s)
	return s
}

// uncovered reports a step that no rule could concern, and whose test would
// pass whatever the policy says.
func (l *loader) uncovered(n *document.Node, chain string) {
	hint := "rules: [] says that this is meant"
	if like := diag.Suggest(chain, l.rules.chains()); like != "" {
		hint = "did you mean " + like + "? " + hint
	}
	l.Report(UnknownRuleID, n.Pos, "no rule applies to the chain "+document.Quote(chain), hint)
}

// approvalNodes are the fields of an approval, as written.
type approvalNodes struct{ approve, then *document.Node }

var stepHints = map[string]string{
	"now":     "at says when: a duration since the test's start",
	"time":    "did you mean at?",
	"action":  "did you mean expect?",
	"tool":    "did you mean ability?",
	"name":    "a step is named by step",
	"id":      "did you mean step, or call_id?",
	"rule":    "did you mean rules? It is a list",
	"arg":     "did you mean args?",
	"count":   "did you mean repeat?",
	"confirm": "did you mean approve?",
}

// stepFields lists the fields of a step: those of eval, but for now, and
// those of a test.
func (l *loader) stepFields(s *step) ([]document.Field, *expectNodes, *approvalNodes) {
	e, a := &expectNodes{}, &approvalNodes{}
	fields := append(e.fields(),
		document.Field{Name: "at", Read: func(n *document.Node) {
			if d, ok := l.duration(n, "at"); ok {
				s.at = d
			}
		}},
		document.Field{Name: "repeat", Read: func(n *document.Node) { s.repeat = l.repeat(n) }},
		document.Field{Name: "every", Read: func(n *document.Node) { s.every, _ = l.duration(n, "every") }},
		document.Field{Name: "approve", Read: func(n *document.Node) { a.approve = n }},
		document.Field{Name: "then", Read: func(n *document.Node) { a.then = n }},
	)
	for _, name := range eval.Fields() {
		if name != "now" {
			fields = append(fields, document.Field{Name: name, Read: func(n *document.Node) { l.evalField(s, name, n) }})
		}
	}
	return fields, e, a
}

// evalField keeps a field for eval, which says what it may be.
func (l *loader) evalField(s *step, name string, n *document.Node) {
	if name == "executions" || name == "calls" {
		n = l.absolute(n)
	}
	v := n.Value()
	if err := eval.CheckField(name, v); err != nil {
		l.Report(document.WrongTypeID, n.Pos, name+": "+err.Error(), "")
		return
	}
	switch name {
	case "chain":
		s.chain = v.Text()
	case "ability":
		s.ability = v.Text()
	}
	if v.Text() == "" && (name == "chain" || name == "ability") {
		l.Report(document.SyntaxID, n.Pos, name+" is empty", "")
		return
	}
	s.names, s.values = append(s.names, name), append(s.values, v)
}

// absolute turns the times of executions and calls that are written as
// durations since the test's start into times.
func (l *loader) absolute(n *document.Node) *document.Node {
	switch n.Kind {
	case jsonv.List:
		out := *n
		out.Items = make([]*document.Node, len(n.Items))
		for i, item := range n.Items {
			out.Items[i] = l.absolute(item)
		}
		return &out
	case jsonv.Object:
		out := *n
		out.Items = append([]*document.Node(nil), n.Items...)
		for i := range n.Names {
			if n.Names[i].Text == "at" {
				out.Items[i] = l.absolute(n.Items[i])
			}
		}
		return &out
	}
	if d, ok := duration.Parse(n.Text); ok && n.Kind == jsonv.String {
		return &document.Node{Kind: jsonv.String, Pos: n.Pos, Text: l.suite.start.Add(d).Format(time.RFC3339Nano)}
	}
	return n
}

func (l *loader) repeat(n *document.Node) int {
	times, err := strconv.Atoi(n.Text)
	if n.Kind != jsonv.Number || err != nil || times < 1 || times > MaxSteps {
		l.Report(document.WrongTypeID, n.Pos, fmt.Sprintf("repeat is a whole number from 1 to %d", MaxSteps), "")
		return 1
	}
	return times
}

// approval reads approve and then, which ask for a step that is to be confirmed.
func (l *loader) approval(a *approvalNodes, s *step) *approval {
	if a.approve == nil {
		if a.then != nil {
			l.Report(document.SyntaxID, a.then.Pos, "then without approve", "then says what is expected once the step is approved")
		}
		return nil
	}
	out := &approval{pos: a.approve.Pos}
	switch {
	case a.approve.Kind == jsonv.List:
		out.ids = l.ids(a.approve, approved, s.chain, l.rules).ids
	default:
		if out.all = l.bool(a.approve, "approve, where it is no list of rule ids,"); !out.all {
			return l.approval(&approvalNodes{then: a.then}, s)
		}
	}
	if a.then != nil {
		e := &expectNodes{}
		fields := e.fields()
		fields[0].Required = true
		l.Fields(a.then, "then", fields, nil)
		out.then = l.expectation(e, s.chain, l.rules)
	}
	return out
}

// checkDefaults reads defaults as a step from which anything may be missing.
// It reports false if they are wrong, which every step would only repeat.
func (l *loader) checkDefaults(n *document.Node) bool {
	if n == nil {
		return true
	}
	before := len(l.Findings())
	fields, _, _ := l.stepFields(&step{})
	l.Fields(n, "defaults", fields, stepHints)
	return len(l.Findings()) == before
}
