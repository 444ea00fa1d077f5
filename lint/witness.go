package lint

import (
	"encoding/json"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// witness is a step that shows a finding, in the form in which eval reads it.
type witness struct {
	Chain   string                 `json:"chain"`
	Step    string                 `json:"step,omitempty"`
	Ability string                 `json:"ability"`
	Args    map[string]string      `json:"args,omitempty"`
	Outputs map[string]string      `json:"outputs,omitempty"`
	Pending []string               `json:"pending,omitempty"`
	History []string               `json:"history,omitempty"`
	Meters  map[string]json.Number `json:"meters,omitempty"`
}

func (w witness) json() json.RawMessage {
	data, err := json.Marshal(w)
	if err != nil {
		return nil // a number that is none; there is no witness then
	}
	return data
}

// firing returns a step at which a rule fires, or nil where that takes more
// than putting a value in its place.
func firing(pattern dsl.NamePattern, r *dsl.Rule) json.RawMessage {
	w := witness{Chain: example(pattern, "any"), Ability: "any.ability",
		Args: map[string]string{}, Outputs: map[string]string{}, Meters: map[string]json.Number{}}
	for _, atom := range r.Condition {
		if a, ok := atom.(*dsl.Ability); ok && !a.Not {
			w.Ability = example(a.Name, w.Ability)
		}
	}
	if !selects(r, w.Ability) {
		return nil
	}
	for _, atom := range r.Condition {
		if !w.satisfy(atom) {
			return nil
		}
	}
	return w.json()
}

// example is a name that a pattern covers.
func example(p dsl.NamePattern, otherwise string) string {
	switch {
	case p == "*":
		return otherwise
	case p.IsClass():
		return "any.write"
	}
	return strings.ReplaceAll(string(p), "*", "x")
}

// satisfy makes an atom hold. It reports false if it does not know how.
func (w *witness) satisfy(atom dsl.Atom) bool {
	switch a := atom.(type) {
	case *dsl.Ability:
		return true // firing has seen to it
	case *dsl.After:
		if !a.Not {
			w.History = append(w.History, example(a.Name, "any.ability"))
		}
		return !a.Not
	case *dsl.Threshold:
		return w.threshold(a)
	case *dsl.Match:
		return w.match(a)
	}
	return false
}

func (w *witness) threshold(a *dsl.Threshold) bool {
	limit, ok := a.Value.Number.TimesInt(a.Value.Unit.Seconds())
	if !ok || a.Value.Param != "" {
		return false
	}
	value, ok := beyond(a.Op, limit)
	if !ok {
		return false
	}
	if a.Key.IsMeter() {
		_, taken := w.Meters[string(a.Key)]
		w.Meters[string(a.Key)] = json.Number(value)
		return !taken
	}
	return put(w.Args, string(a.Key), value)
}

// beyond returns a number for which a comparison with the limit holds.
func beyond(op dsl.Op, limit decimal.Decimal) (string, bool) {
	zero := decimal.FromInt(0)
	switch sign := limit.Cmp(zero); op {
	case dsl.GreaterEqual, dsl.LessEqual, dsl.Equal:
		return limit.String(), true
	case dsl.NotEqual:
		if sign == 0 {
			return "1", true
		}
		return "0", true
	case dsl.Greater:
		if sign < 0 {
			return "0", true
		} else if sign == 0 {
			return "1", true
		}
	case dsl.Less:
		if sign > 0 {
			return "0", true
		} else if sign == 0 {
			return "-1", true
		}
	}
	further, ok := limit.TimesInt(10)
	return further.String(), ok
}

func (w *witness) match(a *dsl.Match) bool {
	if a.Not || a.Kind != dsl.Contains && a.Kind != dsl.IContains && a.Kind != dsl.Equals {
		return false
	}
	into := w.Outputs
	if a.Subject == dsl.Arg {
		into = w.Args
	}
	key := strings.ReplaceAll(string(a.Key), "*", "x")
	if a.Key.IsClass() {
		key = "to"
	}
	return put(into, key, a.Pattern)
}

// put sets a value. It reports false if there is another one: two atoms
// about one key would have to be solved together.
func put(values map[string]string, name, value string) bool {
	if old, taken := values[name]; taken && old != value {
		return false
	}
	values[name] = value
	return true
}
