package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
)

// The settings of the built-in rules.
const (
	setsPrefix   = "builtins.sets."
	limitsPrefix = "builtins.limits."
)

func (r *reader) builtins(n *document.Node) {
	r.Fields(n, "builtins", []document.Field{
		{Name: "sets", Read: r.sets}, {Name: "limits", Read: func(n *document.Node) {
			r.limits(n, "limits", func(rule string, value *document.Node, limit string) {
				r.limit(rule, limit, limitsPrefix+rule, value)
			})
		}},
	}, map[string]string{"set": "did you mean sets?", "limit": "did you mean limits?"})
}

// limit sets the limit of a rule, which can be said in more than one place.
func (r *reader) limit(rule, limit, setting string, n *document.Node) {
	b := &r.config.Builtins
	if b.Limits == nil {
		b.Limits = map[string]registry.BuiltinLimit{}
	}
	r.mark(setting, n)
	if was, twice := b.Limits[rule]; twice {
		r.Report(document.SyntaxID, n.Pos, "the limit of "+rule+" is said already, at "+was.From, "remove one of the two")
		return
	}
	b.Limits[rule] = registry.BuiltinLimit{Value: limit, From: r.config.origin(setting)}
}

// sets reads which sets are in force, and how.
func (r *reader) sets(n *document.Node) {
	b := &r.config.Builtins
	b.Sets, b.Modes = map[string]bool{}, map[string]dsl.Mode{}
	var fields []document.Field
	for _, set := range setNames() {
		fields = append(fields, document.Field{Name: set, Read: func(n *document.Node) {
			r.mark(setsPrefix+set, n)
			switch n.Text {
			case "off", "false":
				b.Sets[set] = false
			case "on", "true":
				b.Sets[set] = true
			case "observe":
				b.Sets[set], b.Modes[set] = true, dsl.Observe
			case "enforce":
				b.Sets[set], b.Modes[set] = true, dsl.Enforce
			default:
				r.wrong(n, "the set "+set, "write off, on, observe (note only) or enforce")
			}
		}})
	}
	r.Fields(n, "sets", fields, nil)
}

// defaults returns the built-in rules as they are without any setting.
func defaults() []registry.BuiltinRule {
	rules, err := registry.Builtins{}.Rules()
	if err != nil {
		panic(err) // the rules are part of the program
	}
	return rules
}

func setNames() (names []string) {
	for _, rule := range defaults() {
		if !slices.Contains(names, rule.Set) {
			names = append(names, rule.Set)
		}
	}
	return names
}

// limits reads a map from built-in rules to their limits.
func (r *reader) limits(n *document.Node, what string, set func(rule string, n *document.Node, limit string)) {
	var fields []document.Field
	for _, rule := range defaults() {
		id, unit := rule.Rule.Options.ID, unitOf(rule.Rule)
		fields = append(fields, document.Field{Name: id, Read: func(n *document.Node) {
			limit, err := unit.read(n.Text, n.Kind == jsonv.Number)
			if err != nil || !n.Scalar() {
				r.wrong(n, "the limit of "+id, unit.wanted(n.Text))
				return
			}
			set(id, n, limit)
		}})
	}
	r.Fields(n, what, fields, map[string]string{"tool_calls": "did you mean tool_call_limit?", "duration": "did you mean duration_limit?"})
}

// unit is what a limit counts.
type unit int

const (
	things  unit = iota // whole, at least 1
	seconds             // whole, at least 1
	share               // above 0, at most 1
)

func unitOf(rule *dsl.Rule) unit {
	t := rule.Condition[0].(*dsl.Threshold) // every built-in rule is one
	switch t.Key {
	case "task.duration", "task.idle", "session.duration":
		return seconds
	case "task.output_similarity":
		return share
	}
	return things
}

// wanted says what to write in the place of a text.
func (u unit) wanted(text string) string {
	if v, ok := decimal.Parse(text); ok && u != share && v.Cmp(decimal.FromInt(math.MaxInt64)) > 0 {
		return fmt.Sprintf("write a whole number of at most %d", math.MaxInt64)
	}
	switch u {
	case seconds:
		return "write a whole number of seconds of at least 1, or a time such as 30m"
	case share:
		return "write a number above 0 and at most 1, such as 0.9"
	}
	return "write a whole number of at least 1"
}

// read checks a limit and returns it in the unit of its meter.
func (u unit) read(text string, number bool) (string, error) {
	if u == seconds && !number {
		d, ok := duration.Parse(text)
		if !ok || d%1e9 != 0 {
			return "", fmt.Errorf("%q is no time", text)
		}
		text = strconv.FormatInt(int64(d/1e9), 10)
	}
	v, ok := decimal.Parse(text)
	if !ok {
		return "", fmt.Errorf("%q is no number", text)
	}
	one := decimal.FromInt(1)
	if u == share {
		if v.Cmp(decimal.Decimal{}) <= 0 || v.Cmp(one) > 0 {
			return "", fmt.Errorf("%s is not above 0 and at most 1", text)
		}
		return v.String(), nil
	}
	if v.Cmp(decimal.FromInt(math.MaxInt64)) > 0 {
		return "", fmt.Errorf("%s is more than %d", text, math.MaxInt64)
	}
	if _, whole := v.Int(); !whole || v.Cmp(one) < 0 {
		return "", fmt.Errorf("%s is no whole number of at least 1", text)
	}
	return v.String(), nil
}
