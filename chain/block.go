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
// there is no mode line. Where the name is that of a known chain, use
// [Chain.Rewrite], which keeps what guards that chain. The block's rules and
// grants stay in the Block, as they have the trust of a model. What a text of
// the block inserts is $name only; {{name}} is text like any other. An argument
// that is given by its place is called arg1, arg2 and so on. The chain is nil
// if and only if a finding is an error.
func FromBlock(b *dsl.Block) (*Chain, diag.List) {
	w := &blockWriter{file: b.File, fresh: true, chain: &Chain{File: b.File, ID: b.ChainID(), Name: b.Mode.Name, Description: b.Label}}
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
	return w.finish(b)
}

// blockWriter makes parts of a chain of the lines of a block.
type blockWriter struct {
	file     string
	chain    *Chain
	base     *Chain // of which chain is a changed copy; nil: none
	fresh    bool   // every step of chain is the block's
	findings diag.List
}

func (w *blockWriter) report(pos diag.Position, id, message, hint string) *diag.Finding {
	f := &diag.Finding{ID: id, File: w.file, Pos: pos, Message: message, Hint: hint}
	w.findings = append(w.findings, f)
	return f
}

// finish takes over the block's rules and checks what no line shows by
// itself: that every reference has a step or a parameter that it means. Of a
// chain that is changed only what a model wrote is checked: the rest may wait
// for what its host supplies.
func (w *blockWriter) finish(b *dsl.Block) (*Chain, diag.List) {
	var before *dsl.Block
	if w.base != nil {
		before = w.base.Block
	}
	w.chain.Block = w.guards(before, b)
	w.bounds(b)
	w.limits(b.Rules)
	if w.findings.Err() != nil {
		return nil, w.findings
	}
	w.references(b)
	if w.findings.Err() != nil {
		return nil, w.findings
	}
	return w.chain, w.findings
}

// bounds holds the chain to the limits of every chain.
func (w *blockWriter) bounds(b *dsl.Block) {
	for _, l := range []struct {
		what    string
		n, most int
	}{
		{"steps", len(w.chain.Steps), MaxSteps}, {"parameters", len(w.chain.Params), MaxParams}, {"rules", len(w.chain.allRules()), MaxRules},
	} {
		if l.n > l.most {
			w.report(placeOf(b), LimitID, fmt.Sprintf("the chain has %d %s; at most %d are allowed", l.n, l.what, l.most), "")
		}
	}
}

// references checks that what a model wrote reads something that is there.
func (w *blockWriter) references(b *dsl.Block) {
	flow := w.chain.Flow()
	count := 0
	for i := range w.chain.Steps {
		s := &w.chain.Steps[i]
		refs := s.Refs()
		if count += len(refs); count > MaxRefs {
			w.report(placeOf(b), LimitID, fmt.Sprintf("more than %d references", MaxRefs), "")
			return
		}
		for _, ref := range refs {
			if (w.fresh || s.Added) && !flow.May(i, ref.Key) && !w.isParam(ref.Key) {
				w.dangling(ref)
			}
		}
	}
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
	free := func(id string) bool {
		return w.chain.StepIndex(id) < 0 && (w.base == nil || w.base.StepIndex(id) < 0)
	}
	if s.Output != "" && free(s.Output) {
		return s.Output
	}
	for n := len(w.chain.Steps) + 1; ; n++ {
		if id := fmt.Sprintf("step%d", n); free(id) {
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
		out.Args = append(out.Args, Arg{Name: name, Value: w.template(a.Pieces), Pos: a.Pos})
	}
	return out
}

// template puts the pieces of a value together.
func (w *blockWriter) template(pieces []dsl.BlockPiece) Template {
	var t Template
	var text strings.Builder
	references := false
	for _, p := range pieces {
		text.WriteString(p.Text)
		references = references || p.Ref != ""
		t.parts = append(t.parts, part{text: p.Text, ref: Ref{Key: w.meant(p.Ref), Pos: p.Pos}})
	}
	if !references {
		return Template{fixed: jsonv.OfText(text.String())}
	}
	return t
}

// meant is the key that $name means: $step is what a step puts out, unless a
// parameter or an output is called so.
func (w *blockWriter) meant(key dsl.Key) dsl.Key {
	name, rest, _ := strings.Cut(string(key), ".")
	i := w.chain.StepIndex(name)
	if i < 0 || w.chain.Steps[i].OutputKey == name || w.isParam(key) || covers(w.chain.Steps[i].OutputName(), key) {
		return key
	}
	if rest == "" {
		return dsl.Key(w.chain.Steps[i].OutputName())
	}
	return dsl.Key(w.chain.Steps[i].OutputName() + "." + rest)
}

// Call returns the parameters that C:name|value|value or PATCH:name|… gives a
// chain, in the order in which the chain declares them. They are a model's:
// give them to Start as such.
func (c *Chain) Call(b *dsl.Block) (map[string]Value, diag.List) {
	w := &blockWriter{file: b.File, chain: c}
	if !c.named(b) || b.Mode.Kind != dsl.ModeRun && b.Mode.Kind != dsl.ModePatch {
		w.report(placeOf(b), DanglingID, "the block does not run chain "+c.ID, "write C:"+c.ID)
		return nil, w.findings
	}
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
