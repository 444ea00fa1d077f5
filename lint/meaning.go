package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// meaningOf renders a rule so that two rules which do the same come out
// equal: atoms in order and once each, numbers and times by their value,
// names as rules compare them, defaults written out. Id and reason do not count.
func meaningOf(r *dsl.Rule) string {
	atoms := make([]string, len(r.Condition))
	missing := dsl.MissingWait
	for i, atom := range r.Condition {
		atoms[i] = atomMeaning(atom)
		if t, ok := atom.(*dsl.Threshold); ok && !t.Key.IsMeter() {
			missing = r.Options.Missing
		}
	}
	slices.Sort(atoms)
	store := r.Options.OnStoreError
	if store == dsl.StoreDefault {
		store = dsl.StoreDeny
	}
	return fmt.Sprintf("%s | %s(%s) %s %s %s", strings.Join(slices.Compact(atoms), " & "),
		r.Action.Kind, actionLimit(r.Action), r.Options.Mode, missing, store)
}

// The times that an action takes if it names none.
const (
	defaultConfirm  = 5 * time.Minute
	defaultThrottle = time.Minute
)

func actionLimit(a dsl.Action) time.Duration {
	switch {
	case !a.Limit.IsZero():
		return a.Limit.Time()
	case a.Kind == dsl.Confirm:
		return defaultConfirm
	case a.Kind == dsl.Throttle:
		return defaultThrottle
	}
	return 0
}

func atomMeaning(atom dsl.Atom) string {
	switch a := atom.(type) {
	case *dsl.Threshold:
		return fmt.Sprintf("%s %s %s", a.Key, a.Op, valueMeaning(a.Value))
	case *dsl.Frequency:
		return fmt.Sprintf("frequency %q %s %d %s", a.Name.Fold(), a.Scope, a.Count, a.Window.Time())
	case *dsl.Ability:
		return fmt.Sprintf("ability %t %q", a.Not, a.Name.Fold())
	case *dsl.After:
		return fmt.Sprintf("after %t %q", a.Not, a.Name.Fold())
	case *dsl.When:
		return fmt.Sprintf("when %q", a.Expr)
	}
	return atom.String()
}

// valueMeaning is a value in its base unit.
func valueMeaning(v dsl.Value) string {
	if v.Param != "" {
		return v.String()
	}
	if n, ok := v.Number.TimesInt(v.Unit.Seconds()); ok {
		return n.String()
	}
	return v.String()
}
