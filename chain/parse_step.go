package chain

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// stepHints say what a field of another dialect is called here.
var stepHints = map[Dialect]map[string]string{
	Documented: {
		"arguments": "did you mean args?", "output": "did you mean output_key?", "when": "did you mean condition?",
		"circuit_breaker": "it stands beside the steps",
	},
	Catalogue: {
		"args":      "in a chain with params or depends_on the arguments of a step are its params",
		"arguments": "did you mean params?", "output": "did you mean output_key?", "when": "did you mean condition?",
		"circuit_breaker": "it stands beside the steps",
	},
}

func (r *reader) steps(n *document.Node) {
	items := r.List(n, "steps", MaxSteps)
	if n.Kind == jsonv.List && len(items) == 0 {
		r.Report(SyntaxID, n.Pos, "the chain has no steps", "write at least one")
	}
	for _, item := range items {
		s := Step{Pos: item.Pos, AbilityPos: item.Pos}
		onFailure := r.step(item, &s)
		if first := r.chain.StepIndex(s.ID); first >= 0 && s.ID != "" {
			f := r.Report(SyntaxID, s.Pos, "a second step "+document.Quote(s.ID), "every step has an id of its own")
			f.Related = []diag.Related{{File: r.File, Pos: r.chain.Steps[first].Pos, Message: "the first one"}}
		}
		r.chain.Steps = append(r.chain.Steps, s)
		r.failures = append(r.failures, onFailure)
	}
	if r.chain.Dialect == Catalogue {
		r.order()
	}
	for i, node := range r.failures {
		if node != nil {
			r.onFailure(node, &r.chain.Steps[i])
		}
	}
}

// step reads a step. It returns its on_failure, which can be read only when
// all steps are known.
func (r *reader) step(n *document.Node, s *Step) (onFailure *document.Node) {
	var dependencies []dependency
	fields := []document.Field{
		{Name: "id", Required: true, Read: func(n *document.Node) { s.ID, _ = r.bindingName(n, "the id of a step") }},
		{Name: "ability", Required: true, Read: func(n *document.Node) { r.ability(n, s) }},
		{Name: "output_key", Read: func(n *document.Node) { s.OutputKey, _ = r.bindingName(n, "an output_key") }},
		{Name: "condition", Read: func(n *document.Node) { s.Condition = r.condition(n) }},
		{Name: "on_failure", Read: func(n *document.Node) { onFailure = n }},
	}
	if r.chain.Dialect == Catalogue {
		fields = append(fields,
			document.Field{Name: "params", Read: func(n *document.Node) { s.Args = r.args(n, "params") }},
			document.Field{Name: "depends_on", Read: func(n *document.Node) { dependencies = r.dependsOn(n) }})
	} else {
		fields = append(fields, document.Field{Name: "args", Read: func(n *document.Node) { s.Args = r.args(n, "args") }})
	}
	r.Fields(n, "a step", fields, stepHints[r.chain.Dialect])
	r.dependencies = append(r.dependencies, dependencies)
	return onFailure
}

func (r *reader) ability(n *document.Node, s *Step) {
	text, ok := r.Text(n, "the ability")
	if !ok {
		return
	}
	s.Ability, s.AbilityPos = text, n.Pos
	switch {
	case text == "":
		r.fault(n, 0, 0, "the ability is empty", "name what the step calls, such as trading.get_price")
	case strings.Contains(text, "{{"):
		r.fault(n, 0, len(text), "the ability holds a template", "write the ability's name: rules are chosen by it before the chain runs")
	default:
		r.visible(n, text, "the ability")
	}
}

// visible reports the first character of a text that cannot be seen.
func (r *reader) visible(n *document.Node, text, what string) {
	if i := strings.IndexFunc(text, diag.Invisible); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		r.fault(n, i, i+size, what+" holds a character that cannot be seen: "+document.Quote(text), "remove it")
	}
}

func (r *reader) args(n *document.Node, field string) []Arg {
	if n.Kind != jsonv.Object {
		r.WrongType(n, field+" is a map of named values")
		return nil
	}
	args := make([]Arg, 0, len(n.Items))
	folded := map[string]diag.Position{}
	for i, name := range n.Names {
		if r.argName(name); name.Text == "" {
			r.Report(SyntaxID, name.Pos, "an argument without a name", "")
		}
		fold := dsl.Fold(name.Text)
		if first, twice := folded[fold]; twice {
			f := r.Report(SyntaxID, name.Pos, "the argument "+document.Quote(name.Text)+" differs from another only in case", "what is judged must be what runs: choose another name")
			f.Related = []diag.Related{{File: r.File, Pos: first, Message: "the other one"}}
		}
		folded[fold] = name.Pos
		args = append(args, Arg{Name: name.Text, Value: r.template(n.Items[i]), Pos: name.Pos})
	}
	return args
}

// argName checks the name of an argument, or of a member inside one.
func (r *reader) argName(name document.Name) {
	switch {
	case strings.Contains(name.Text, "{{"):
		r.Report(SyntaxID, name.Pos, "the name of an argument holds a template", "only values do")
	case strings.ContainsFunc(name.Text, diag.Invisible):
		r.Report(SyntaxID, name.Pos, "the name of an argument holds a character that cannot be seen: "+document.Quote(name.Text), "remove it")
	}
}

func (r *reader) condition(n *document.Node) *Condition {
	c := &Condition{Pos: n.Pos, KeyPos: n.Pos}
	hasValue := false
	var operand *document.Node
	known := r.Fields(n, "a condition", []document.Field{
		{Name: "ref_key", Required: true, Read: func(n *document.Node) {
			text, ok := r.Text(n, "ref_key")
			if ok && !isKey(text) {
				r.fault(n, 0, len(text), "ref_key cannot be "+document.Quote(text), "write the key without braces, such as current_price or fetch.output")
			}
			c.RefKey, c.KeyPos = dsl.Key(text), n.Pos
		}},
		{Name: "op", Required: true, Read: func(n *document.Node) {
			words := make([]string, 0, len(Ops()))
			for _, op := range Ops() {
				words = append(words, string(op))
			}
			word, _ := r.word(n, "op", words)
			c.Op = Op(word)
		}},
		{Name: "value", Read: func(n *document.Node) {
			hasValue = true
			if !n.Scalar() {
				r.WrongType(n, "the value of a condition is a text or a number")
				return
			}
			c.Value, operand = r.template(n), n
		}},
	}, map[string]string{"key": "did you mean ref_key?", "operator": "did you mean op?"})
	if known && c.Op.known() && !c.Op.unary() && !hasValue {
		r.Report(SyntaxID, n.Pos, "a condition with "+string(c.Op)+" has no value", "add value:")
	}
	if v, fixed := c.Value.Fixed(); operand != nil && fixed && (c.Op == OpGreaterThan || c.Op == OpLessThan) {
		if _, ok := number(v); !ok {
			r.Report(WrongTypeID, operand.Pos, show(v)+" is not a number, so a condition with "+string(c.Op)+" never holds", "write a number, or compare with "+string(OpEquals)).Severity = diag.Warning
		}
	}
	return c
}

// wordAbort is the word for on_failure that says what happens without it.
const wordAbort = "abort"

func (r *reader) onFailure(n *document.Node, s *Step) {
	text, ok := r.Text(n, "on_failure")
	if !ok {
		return
	}
	s.OnFailure, s.target = text, 1+r.chain.StepIndex(text)
	switch {
	case s.target == 0 && text == wordAbort:
		s.OnFailure = ""
	case s.target == 0 && text != Continue && !r.nameless():
		r.dangling(n, text)
	}
}

// nameless reports whether a step has an id that could not be read: what
// names no step may mean that one.
func (r *reader) nameless() bool {
	return slices.ContainsFunc(r.chain.Steps, func(s Step) bool { return s.ID == "" })
}

func (r *reader) dangling(n *document.Node, text string) {
	var ids []string
	for i := range r.chain.Steps {
		ids = append(ids, r.chain.Steps[i].ID)
	}
	ids = append(ids, wordAbort, Continue)
	hint := "name a step of this chain, or write " + Continue + " or " + wordAbort
	if like := diag.Suggest(text, ids); like != "" {
		hint = "did you mean " + like + "?"
	}
	r.Report(DanglingID, n.Pos, "on_failure names no step of this chain: "+document.Quote(text), hint)
}
