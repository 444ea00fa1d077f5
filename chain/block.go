package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// FromBlock makes the chain that a block writes: that of NEW:, or of D: where
// there is no mode line. Its rules and grants stay in the Block, as they have
// the trust of a model. What a text of the block inserts is $name only;
// {{name}} is text like any other. The chain is nil if and only if a finding
// is an error.
func FromBlock(b *dsl.Block) (*Chain, diag.List) {
	w := &blockWriter{file: b.File, chain: &Chain{File: b.File, ID: b.ChainID(), Name: b.Mode.Name, Description: b.Label, Block: withQuestions(b)}}
	if b.Mode.Kind != dsl.ModeNew && b.Mode.Kind != dsl.ModeDomain {
		w.report(b.Pos, SyntaxID, "the block writes no chain", "write NEW:name and S: lines")
		return nil, w.findings
	}
	for _, p := range b.Params {
		w.param(&p)
	}
	for i := range b.Steps {
		w.chain.Steps = append(w.chain.Steps, w.step(&b.Steps[i], w.stepID(&b.Steps[i])))
	}
	if len(b.Steps) == 0 {
		w.report(b.Pos, SyntaxID, "the chain has no steps", "write at least one S: line")
	}
	return w.finish()
}

// blockWriter makes parts of a chain of the lines of a block.
type blockWriter struct {
	file     string
	chain    *Chain
	findings diag.List
}

func (w *blockWriter) report(pos diag.Position, id, message, hint string) *diag.Finding {
	f := &diag.Finding{ID: id, File: w.file, Pos: pos, Message: message, Hint: hint}
	w.findings = append(w.findings, f)
	return f
}

// finish checks what no line shows by itself: that every reference has a step
// or a parameter that it means.
func (w *blockWriter) finish() (*Chain, diag.List) {
	if w.findings.Err() != nil {
		return nil, w.findings
	}
	flow := w.chain.Flow()
	for i := range w.chain.Steps {
		for _, ref := range w.chain.Steps[i].Refs() {
			if !flow.May(i, ref.Key) && !w.isParam(ref.Key) {
				w.dangling(ref)
			}
		}
	}
	if w.findings.Err() != nil {
		return nil, w.findings
	}
	return w.chain, w.findings
}

func (w *blockWriter) isParam(key dsl.Key) bool {
	for name := range prefixes(key) {
		if w.chain.Param(name) != nil {
			return true
		}
	}
	return false
}

func (w *blockWriter) dangling(ref Ref) {
	var known []string
	for i := range w.chain.Params {
		known = append(known, w.chain.Params[i].Name)
	}
	for i := range w.chain.Steps {
		known = append(known, w.chain.outputs(i)...)
	}
	hint := "write $$ for a dollar sign that stands for itself"
	if like := diag.Suggest(string(ref.Key), known); like != "" {
		hint = "did you mean $" + like + "?"
	}
	w.report(ref.Pos, DanglingID, fmt.Sprintf("$%s is no parameter and no output of a step before it", ref.Key), hint)
}

// blockTypes are the types that the words of a block stand for; all others are texts.
var blockTypes = map[string]Type{
	"number": NumberType, "int": NumberType, "integer": NumberType, "float": NumberType,
	"url": URLType, "bool": BooleanType, "boolean": BooleanType,
}

func (w *blockWriter) param(p *dsl.BlockParam) {
	out := Param{Name: p.Name, Type: TextType, Required: !p.HasDefault, Pos: p.Pos}
	if t, ok := blockTypes[p.Type]; ok {
		out.Type = t
	}
	if p.HasDefault {
		v := jsonv.OfText(p.Default)
		if out.Default = &v; out.problem(v) != "" {
			w.report(p.Pos, WrongTypeID, fmt.Sprintf("the default of %s %s", p.Name, out.problem(v)), "write a value of its type, or none")
		}
	}
	switch {
	case w.chain.Param(p.Name) != nil:
		w.report(p.Pos, SyntaxID, "a second parameter "+p.Name, "choose another name")
	case w.produced(p.Name):
		w.report(p.Pos, SyntaxID, p.Name+" is what a step puts out, and a parameter would stand behind it", "choose another name")
	default:
		w.chain.Params = append(w.chain.Params, out)
	}
}

// produced reports whether a step binds a name.
func (w *blockWriter) produced(name string) bool {
	return slices.ContainsFunc(w.chain.Steps, func(s Step) bool { return s.OutputKey == name || s.ID == name || s.ErrorName() == name })
}

// stepID is what a step is called that only has a place: by its output, or
// its number.
func (w *blockWriter) stepID(s *dsl.BlockStep) string {
	if s.Output != "" && w.chain.StepIndex(s.Output) < 0 {
		return s.Output
	}
	for n := len(w.chain.Steps) + 1; ; n++ {
		if id := fmt.Sprintf("step%d", n); w.chain.StepIndex(id) < 0 {
			return id
		}
	}
}

// step makes a step. Its arguments are built of the pieces that the block's
// reader has cut, so that no text is read as a template.
func (w *blockWriter) step(s *dsl.BlockStep, id string) Step {
	out := Step{ID: id, Ability: s.Ability, OutputKey: s.Output, Pos: s.Pos, AbilityPos: s.AbilityPos}
	for i, a := range s.Args {
		name := a.Name
		if name == "" {
			name = dsl.ArgName(i + 1)
		}
		out.Args = append(out.Args, Arg{Name: name, Value: piecesTemplate(a.Pieces), Pos: a.Pos})
	}
	return out
}

func piecesTemplate(pieces []dsl.BlockPiece) Template {
	if !slices.ContainsFunc(pieces, func(p dsl.BlockPiece) bool { return p.Ref != "" }) {
		var text strings.Builder
		for _, p := range pieces {
			text.WriteString(p.Text)
		}
		return Template{fixed: jsonv.OfText(text.String())}
	}
	var t Template
	for _, p := range pieces {
		t.parts = append(t.parts, part{text: p.Text, ref: Ref{Key: p.Ref, Pos: p.Pos}})
	}
	return t
}

// withQuestions is the block with a rule for every step that asks for a
// question by !confirm.
func withQuestions(b *dsl.Block) *dsl.Block {
	out := *b
	out.Rules = slices.Clone(b.Rules)
	ask := func(s *dsl.BlockStep) {
		if s == nil || !s.Confirm {
			return
		}
		at := dsl.Span{Start: s.AbilityPos, End: s.AbilityPos}
		id := "confirm-" + strings.ReplaceAll(s.Ability, ".", "-")
		if slices.ContainsFunc(out.Rules, func(r *dsl.Rule) bool { return r.ID() == id }) {
			return
		}
		out.Rules = append(out.Rules, &dsl.Rule{
			Condition: dsl.Condition{&dsl.Ability{Name: dsl.NamePattern(s.Ability), At: at}},
			Action:    dsl.Action{Kind: dsl.Confirm}, Reason: "The step asks to be confirmed", Options: dsl.Options{ID: id}, Pos: at,
		})
	}
	for i := range out.Steps {
		ask(&out.Steps[i])
	}
	for i := range out.Changes {
		ask(out.Changes[i].Step)
	}
	return &out
}

// Call returns the parameters that C:name|value|value or PATCH:name|… gives a
// chain, in the order in which the chain declares them. They are a model's:
// give them to Start as such.
func (c *Chain) Call(b *dsl.Block) (map[string]Value, diag.List) {
	w := &blockWriter{file: b.File, chain: c}
	if len(b.Mode.Values) > len(c.Params) {
		w.report(b.Mode.Pos, SyntaxID, fmt.Sprintf("%d values for chain %s, which has %d parameters", len(b.Mode.Values), c.ID, len(c.Params)), "leave out what is too much")
		return nil, w.findings
	}
	given := map[string]Value{}
	for i, v := range b.Mode.Values {
		if v != "" {
			given[c.Params[i].Name] = jsonv.OfText(v)
		}
	}
	return given, nil
}
