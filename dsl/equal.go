package dsl

import "slices"

// Equal reports whether two rules mean the same: all fields but the places
// where they were written. Atoms are compared in order.
func (r *Rule) Equal(o *Rule) bool {
	return r.Action == o.Action && r.Reason == o.Reason && r.Options == o.Options && r.Condition.Equal(o.Condition)
}

// Equal reports whether two conditions have equal atoms in the same order.
func (c Condition) Equal(o Condition) bool { return slices.EqualFunc(c, o, equalAtom) }

func equalAtom(a, b Atom) bool {
	switch a := a.(type) {
	case *Threshold:
		b, ok := b.(*Threshold)
		return ok && a.Key == b.Key && a.Op == b.Op && a.Value == b.Value
	case *Frequency:
		b, ok := b.(*Frequency)
		return ok && a.Name == b.Name && a.Scope == b.Scope && a.Count == b.Count && a.Window == b.Window
	case *Ability:
		b, ok := b.(*Ability)
		return ok && a.Not == b.Not && a.Name == b.Name
	case *After:
		b, ok := b.(*After)
		return ok && a.Not == b.Not && a.Name == b.Name
	case *Match:
		b, ok := b.(*Match)
		return ok && a.Not == b.Not && a.Subject == b.Subject && a.Key == b.Key && a.Kind == b.Kind && a.Pattern == b.Pattern
	case *When:
		b, ok := b.(*When)
		return ok && a.Expr == b.Expr
	}
	return false
}
