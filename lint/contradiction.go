package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// contradiction reports rules that never fire, as one atom of the condition
// excludes another. Matches are not looked at: a value that is too deep to be
// read fits a match and its negation. Of meters it is possible only: where
// nothing counts, a meter has no value, and every comparison with it holds.
func contradiction(p *pass) {
	p.everyRule(func(file string, r *dsl.Rule) {
		for i, b := range r.Condition {
			for _, a := range r.Condition[:i] {
				confidence, never := exclude(a, b)
				if !never {
					continue
				}
				at, other := b.Span(), a.Span()
				p.add(&diag.Finding{ID: ContradictionID, Severity: diag.Warning, Confidence: confidence, File: file, Pos: at.Start, End: at.End,
					Message: fmt.Sprintf("rule %s never fires: %s excludes %s", r.ID(), a, b), Hint: "leave one of the two out, or make two rules of them",
					Related: []diag.Related{{File: file, Pos: other.Start, Message: "the other one"}}})
				return
			}
		}
	})
}

// exclude reports whether two atoms never hold together, and how sure that is.
func exclude(a, b dsl.Atom) (diag.Confidence, bool) {
	switch a := a.(type) {
	case *dsl.Ability:
		b, ok := b.(*dsl.Ability)
		return diag.Proved, ok && abilitiesExclude(a, b)
	case *dsl.After:
		b, ok := b.(*dsl.After)
		return diag.Proved, ok && a.Not != b.Not && (a.Not && within(b.Name, a.Name) || b.Not && within(a.Name, b.Name))
	case *dsl.Threshold:
		b, ok := b.(*dsl.Threshold)
		return diag.Possible, ok && a.Key == b.Key && a.Key.IsMeter() && thresholdsExclude(a, b)
	}
	return diag.Proved, false
}

func abilitiesExclude(a, b *dsl.Ability) bool {
	switch {
	case a.Not && b.Not:
		return false
	case a.Not:
		return within(b.Name, a.Name)
	case b.Not:
		return within(a.Name, b.Name)
	}
	return apart(a.Name, b.Name) || apart(b.Name, a.Name)
}

// within reports whether every ability that one pattern covers is surely
// covered by the other.
func within(inner, outer dsl.NamePattern) bool {
	inner, outer = inner.Fold(), outer.Fold()
	return inner == outer || outer == "*" || inner.Literal() && !outer.IsClass() && outer.Match(string(inner))
}

// apart reports whether a name is surely none of those that a pattern covers.
func apart(name, pattern dsl.NamePattern) bool {
	name, pattern = name.Fold(), pattern.Fold()
	return name.Literal() && !pattern.IsClass() && !pattern.Match(string(name))
}

// thresholdsExclude reports whether no number passes both comparisons.
func thresholdsExclude(a, b *dsl.Threshold) bool {
	one, known := a.Value.Number.TimesInt(a.Value.Unit.Seconds())
	two, alsoKnown := b.Value.Number.TimesInt(b.Value.Unit.Seconds())
	if !known || !alsoKnown || a.Value.Param != "" || b.Value.Param != "" {
		return false
	}
	switch c := one.Cmp(two); {
	case boundsBelow(a.Op) && boundsAbove(b.Op) && (c > 0 || c == 0 && (a.Op == dsl.Greater || b.Op == dsl.Less)):
		return true
	case boundsAbove(a.Op) && boundsBelow(b.Op) && (c < 0 || c == 0 && (a.Op == dsl.Less || b.Op == dsl.Greater)):
		return true
	default:
		return c == 0 && (a.Op == dsl.Equal && b.Op == dsl.NotEqual || a.Op == dsl.NotEqual && b.Op == dsl.Equal)
	}
}

// boundsBelow reports whether what passes has a least value.
func boundsBelow(op dsl.Op) bool {
	return op == dsl.Greater || op == dsl.GreaterEqual || op == dsl.Equal
}

// boundsAbove reports whether what passes has a greatest value.
func boundsAbove(op dsl.Op) bool {
	return op == dsl.Less || op == dsl.LessEqual || op == dsl.Equal
}
