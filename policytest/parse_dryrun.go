package policytest

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// dryrun is a dry run of a chain, with what is expected of it.
type dryrun struct {
	chain     *chain.Chain
	recording *run.Recording
	params    map[string]chain.Value
	want      runExpectation
}

// runExpectation is what the result of a run is held against. What is not
// given is not looked at.
type runExpectation struct {
	status    run.Status
	statusPos diag.Position
	halt      *haltExpectation
	steps     []stepExpectation
	outputs   *document.Node // an object
	rules     *idList        // exactly those that had a say somewhere in the run
	notRules  *idList        // none of which fired anywhere
}

type haltExpectation struct {
	pos        diag.Position
	step, rule *document.Node
	retry      *retry
}

type stepExpectation struct {
	step    string
	outcome run.StepOutcome
	pos     diag.Position
}

func (l *loader) dryrun(n *document.Node) *dryrun {
	d := &dryrun{}
	var recording, expect *document.Node
	before := len(l.Findings())
	l.Fields(n, "a dryrun", []document.Field{
		{Name: "chain", Required: true, Read: func(n *document.Node) { d.chain = l.chain(n) }},
		{Name: "recording", Required: true, Read: func(n *document.Node) { recording = n }},
		{Name: "params", Read: func(n *document.Node) { d.params = l.params(n) }},
		{Name: "expect", Required: true, Read: func(n *document.Node) { expect = n }},
	}, map[string]string{"status": "it stands under expect", "halt": "it stands under expect", "set": "did you mean params?"})
	if recording != nil {
		d.recording = l.recording(recording)
	}
	if len(l.Findings()) > before || d.chain == nil || d.recording == nil {
		return nil
	}
	if faults := d.recording.Check(d.chain); faults.Err() != nil {
		l.mixed(faults)
		return nil
	}
	if d.recording.Start.IsZero() {
		d.recording.Start = l.suite.start
	}
	if l.runExpectation(expect, d); len(l.Findings()) > before {
		return nil
	}
	return d
}

// recording reads a recording from a file, or one that stands in the test.
func (l *loader) recording(n *document.Node) *run.Recording {
	if n.Kind == jsonv.Object {
		return run.ReadRecording(l.Document, n)
	}
	path, data, ok := l.load(n, "recording, where it is no map,")
	if !ok {
		return nil
	}
	rec, faults := run.ParseRecording(path, data)
	l.elsewhere = append(l.elsewhere, faults...)
	return rec
}

// mixed files findings under the test file or elsewhere, as they belong.
func (l *loader) mixed(list diag.List) {
	for _, f := range list {
		if f.File == l.File {
			l.Add(f)
		} else {
			l.elsewhere = append(l.elsewhere, f)
		}
	}
}

func (l *loader) params(n *document.Node) map[string]chain.Value {
	if n.Kind != jsonv.Object {
		l.WrongType(n, "params is a map of named values")
		return nil
	}
	out := make(map[string]chain.Value, len(n.Items))
	for i, name := range n.Names {
		out[name.Text] = n.Items[i].Value()
	}
	return out
}

// dryrunRules returns the rules in force in a dry run of the chain.
func (l *loader) dryrunRules(c *chain.Chain) *ruleBook {
	reg, err := l.suite.registry()
	if err == nil {
		err = reg.Replace(run.Ruleset(c))
	}
	if list, ok := err.(diag.List); ok {
		l.elsewhere = append(l.elsewhere, list...)
		return nil
	} else if err != nil {
		l.failed = err
		return nil
	}
	return newRuleBook(reg.Set())
}

func (l *loader) runExpectation(n *document.Node, d *dryrun) {
	book := l.dryrunRules(d.chain)
	if book == nil {
		return
	}
	w := &d.want
	l.Fields(n, "the expect of a dryrun", []document.Field{
		{Name: "status", Required: true, Read: func(n *document.Node) {
			w.statusPos = n.Pos
			w.status = word(l, n, "status", statuses)
		}},
		{Name: "halt", Read: func(n *document.Node) { w.halt = l.halt(n, d.chain, book) }},
		{Name: "steps", Read: func(n *document.Node) { w.steps = l.outcomes(n, d.chain) }},
		{Name: "outputs", Read: func(n *document.Node) {
			if w.outputs = n; n.Kind != jsonv.Object {
				l.WrongType(n, "outputs is a map of named values")
			}
		}},
		{Name: "rules", Read: func(n *document.Node) { w.rules = l.ids(n, deciding, d.chain.ID, book) }},
		{Name: "not_rules", Read: func(n *document.Node) { w.notRules = l.ids(n, silent, d.chain.ID, book) }},
	}, map[string]string{"step": "it stands under halt", "rule": "it stands under halt", "retry_after": "it stands under halt"})
}

var (
	statuses = []run.Status{run.Completed, run.Recovered, run.Aborted, run.Declined, run.Throttled, run.Failed}
	outcomes = []run.StepOutcome{run.Ran, run.Skipped, run.StepFailed, run.Refused}
)

// word reads one of a few words.
func word[T ~string](l *loader, n *document.Node, what string, known []T) T {
	text, ok := l.Text(n, what)
	if !ok || slices.Contains(known, T(text)) {
		return T(text)
	}
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = string(k)
	}
	hint := "known are " + strings.Join(words, ", ")
	if like := diag.Suggest(text, words); like != "" {
		hint = "did you mean " + like + "?"
	}
	l.Report(document.SyntaxID, n.Pos, what+" cannot be "+document.Quote(text), hint)
	return ""
}

func (l *loader) halt(n *document.Node, c *chain.Chain, book *ruleBook) *haltExpectation {
	h := &haltExpectation{pos: n.Pos}
	l.Fields(n, "halt", []document.Field{
		{Name: "step", Read: func(n *document.Node) {
			h.step = n
			l.stepID(n, n.Text, c)
		}},
		{Name: "rule", Read: func(n *document.Node) {
			if h.rule = n; n.Text != "" {
				l.checkRule(n, n.Text, deciding, c.ID, book)
			}
		}},
		{Name: "retry_after", Read: func(n *document.Node) { h.retry = l.retry(n) }},
	}, nil)
	if n.Kind == jsonv.Object && h.step == nil && h.rule == nil && h.retry == nil {
		l.Report(document.SyntaxID, n.Pos, "halt expects nothing", "give it a step, a rule or a retry_after")
	}
	return h
}

func (l *loader) outcomes(n *document.Node, c *chain.Chain) []stepExpectation {
	if n.Kind != jsonv.Object {
		l.WrongType(n, "steps is a map from step ids to outcomes")
		return nil
	}
	var out []stepExpectation
	for i, name := range n.Names {
		item := n.Items[i]
		l.stepID(&document.Node{Kind: jsonv.String, Pos: name.Pos}, name.Text, c)
		out = append(out, stepExpectation{name.Text, word(l, item, "the outcome of a step", outcomes), item.Pos})
	}
	return out
}

// stepID reports a step that the chain has not.
func (l *loader) stepID(n *document.Node, id string, c *chain.Chain) {
	if !n.Scalar() {
		l.WrongType(n, "step is a text")
		return
	}
	if c.StepIndex(id) >= 0 {
		return
	}
	ids := make([]string, len(c.Steps))
	for i := range c.Steps {
		ids[i] = c.Steps[i].ID
	}
	hint := "its steps are " + strings.Join(ids, ", ")
	if like := diag.Suggest(id, ids); like != "" {
		hint = "did you mean " + like + "?"
	}
	l.Report(chain.DanglingID, n.Pos, "the chain has no step "+document.Quote(id), hint)
}
