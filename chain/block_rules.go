package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// guards returns the block with every rule and grant that holds for the chain
// that it writes or changes: those of the block that wrote the chain before,
// its own, and a question for each step that asks for one. Nothing that held
// before is lost. before is nil where no model had a hand in the chain.
func (w *blockWriter) guards(before, b *dsl.Block) *dsl.Block {
	out := *b
	out.Rules = nil
	if before != nil {
		out.Rules = slices.Clone(before.Rules)
		out.Grants, out.Risk = w.grants(before.Grants, b.Grants), max(before.Risk, b.Risk)
	}
	kept := len(out.Rules)
	for _, r := range b.Rules {
		first := slices.IndexFunc(out.Rules[:kept], func(o *dsl.Rule) bool { return o.ID() == r.ID() })
		switch {
		case first < 0: // two of the block's own are refused where rules are put in force
			out.Rules = append(out.Rules, r)
		case !out.Rules[first].Equal(r):
			f := w.report(r.Pos.Start, DuplicateRuleID, "a second rule "+document.Quote(r.ID()), "remove one, or tell them apart with id=")
			f.Related = []diag.Related{{File: w.file, Pos: out.Rules[first].Pos.Start, Message: "the first one"}}
		}
	}
	for i := range b.Steps {
		out.Rules = ask(out.Rules, &b.Steps[i])
	}
	for i := range b.Changes {
		if step := b.Changes[i].Step; step != nil {
			out.Rules = ask(out.Rules, step)
		}
	}
	return &out
}

// grants returns the grants of a chain once a block has changed it: fewer
// than before if it says so, never more.
func (w *blockWriter) grants(before, now []dsl.Grant) []dsl.Grant {
	if len(before) == 0 || len(now) == 0 {
		return slices.Concat(before, now)
	}
	for _, g := range now {
		if !slices.ContainsFunc(before, func(o dsl.Grant) bool { return o.Name == g.Name }) {
			w.report(g.At.Start, SyntaxID, "the chain is not granted "+g.Name, "a change may grant less than the chain has, not more")
		}
	}
	return now
}

// ask adds the question that !confirm behind a step asks for, unless it is
// asked already. It takes no other rule's name, so that neither is lost.
func ask(rules []*dsl.Rule, s *dsl.BlockStep) []*dsl.Rule {
	if !s.Confirm {
		return rules
	}
	at := dsl.Span{Start: s.AbilityPos, End: s.AbilityPos}
	name := "confirm-" + strings.ReplaceAll(s.Ability, ".", "-")
	question := &dsl.Rule{
		Condition: dsl.Condition{&dsl.Ability{Name: dsl.NamePattern(s.Ability), At: at}},
		Action:    dsl.Action{Kind: dsl.Confirm}, Reason: "The step asks to be confirmed", Options: dsl.Options{ID: name}, Pos: at,
	}
	for n := 2; ; n++ {
		same := slices.IndexFunc(rules, func(r *dsl.Rule) bool { return r.ID() == question.Options.ID })
		switch {
		case same < 0:
			return append(rules, question)
		case rules[same].Equal(question):
			return rules
		}
		question.Options.ID = fmt.Sprintf("%s-%d", name, n)
	}
}

// limits checks the parameters that the block's rules compare with.
func (w *blockWriter) limits(rules []*dsl.Rule) {
	for _, r := range rules {
		for _, atom := range r.Condition {
			t, ok := atom.(*dsl.Threshold)
			if !ok || t.Value.Param == "" {
				continue
			}
			switch p := w.chain.Param(string(t.Value.Param)); {
			case p == nil:
				w.report(t.At.Start, DanglingID, fmt.Sprintf("rule %s compares with {{%s}}, which is no parameter", r.ID(), t.Value.Param), "declare it as a number, or write the number")
			case p.Type != NumberType && !p.Implicit:
				w.report(t.At.Start, WrongTypeID, fmt.Sprintf("rule %s compares with {{%s}}, which is no number", r.ID(), t.Value.Param), "declare it as a number")
			}
		}
	}
}
