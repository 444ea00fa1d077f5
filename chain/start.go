package chain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// Source says who supplies the parameters of a run.
type Source int

// The sources. What a Model supplies for a rule's limit must stay within
// bounds that the chain declares.
const (
	Host Source = iota
	Model
)

// StartError refuses a start. It lists everything that stands in the way.
type StartError struct {
	Chain    string
	Problems []Problem
}

// Problem is one reason to refuse a start.
type Problem struct {
	Param   string        // the parameter concerned; "": none
	Rule    string        // the id of the rule concerned; "": none
	Step    string        // the id of the step concerned; "": none
	Pos     diag.Position // in the chain's file; zero: nowhere
	Message string
}

// Error gives one problem a line.
func (e *StartError) Error() string {
	lines := []string{"chain " + diag.Escape(e.Chain) + " cannot start:"}
	for _, p := range e.Problems {
		lines = append(lines, "  "+diag.Escape(p.Message))
	}
	return strings.Join(lines, "\n")
}

// Start checks the parameters of a run and returns them complete, with
// defaults filled in. The error is a [*StartError], which it is for: a
// required parameter that is missing; a value of the wrong type, or outside
// min, max and enum; a parameter that nobody declares or uses; a reference
// {{x}} that no parameter and no step before it provides; and a limit {{x}}
// of a rule that is not exactly one number, or that a model may set without bounds.
//
// In the catalogue dialect the caller supplies {{input.x}} as x; the result
// holds it under both names.
func (c *Chain) Start(params map[string]Value, from Source) (map[string]Value, error) {
	s := starter{chain: c, given: params, values: map[string]Value{}, wanted: map[string]bool{}}
	s.declared()
	s.references()
	s.unknown()
	s.inputs()
	s.limits(from)
	if len(s.problems) > 0 {
		return nil, &StartError{Chain: c.ID, Problems: s.problems}
	}
	return s.values, nil
}

// starter collects the parameters of a start and what is wrong with them.
type starter struct {
	chain    *Chain
	given    map[string]Value
	values   map[string]Value
	wanted   map[string]bool // names that a key of the chain may mean, which nobody declares
	problems []Problem
}

func (s *starter) report(p Problem) { s.problems = append(s.problems, p) }

// declared takes over the declared parameters.
func (s *starter) declared() {
	for i := range s.chain.Params {
		p := &s.chain.Params[i]
		v, given := s.given[p.Name]
		switch {
		case given:
			if problem := p.problem(v); problem != "" {
				s.report(Problem{Param: p.Name, Pos: p.Pos, Message: fmt.Sprintf("parameter %q: %s", p.Name, problem)})
			}
		case p.Default != nil:
			v = *p.Default
		case p.Required:
			s.report(Problem{Param: p.Name, Pos: p.Pos, Message: fmt.Sprintf("parameter %q is required", p.Name)})
			continue
		default:
			continue
		}
		s.values[p.Name] = v
	}
}

// references checks that every reference of a step can get a value.
func (s *starter) references() {
	c := s.chain
	flow := c.Flow()
	for i := range c.Steps {
		step := &c.Steps[i]
		seen := map[dsl.Key]bool{}
		for _, ref := range step.Refs() {
			if !seen[ref.Key] && !flow.May(i, ref.Key) {
				s.reference(ref.Key, Problem{Step: step.ID, Pos: ref.Pos})
			}
			seen[ref.Key] = true
		}
		if step.Condition != nil {
			s.want(step.Condition.RefKey)
		}
	}
	for i := range c.Rules {
		s.ruleKeys(&c.Rules[i])
	}
}

// reference checks a reference that no step provides.
func (s *starter) reference(key dsl.Key, p Problem) {
	for name := range prefixes(key) {
		if s.chain.Param(name) != nil {
			return
		}
	}
	s.want(key)
	if !s.supplied(key) {
		p.Message = fmt.Sprintf("step %q uses {{%s}}, which is no parameter and no output of a step before it", p.Step, key)
		s.report(p)
	}
}

// want notes the names that the caller may supply for a key.
func (s *starter) want(key dsl.Key) {
	for name := range prefixes(dsl.Key(s.chain.paramName(string(key)))) {
		s.wanted[name] = true
	}
}

func (s *starter) supplied(key dsl.Key) bool {
	for name := range prefixes(dsl.Key(s.chain.paramName(string(key)))) {
		if _, ok := s.given[name]; ok {
			return true
		}
	}
	return false
}

// ruleKeys notes the keys that a rule reads.
func (s *starter) ruleKeys(r *Rule) {
	for _, atom := range r.Condition {
		if t, ok := atom.(*dsl.Threshold); ok {
			s.want(t.Key)
			s.want(t.Value.Param)
		}
	}
	pieces, _ := splitText(r.Reason)
	for _, p := range pieces {
		s.want(p.key)
	}
}

// unknown takes over what was supplied without being declared, and refuses
// what nothing in the chain uses.
func (s *starter) unknown() {
	var names []string
	for i := range s.chain.Params {
		names = append(names, s.chain.Params[i].Name)
	}
	known := append(names, slices.Sorted(maps.Keys(s.wanted))...)
	for _, name := range slices.Sorted(maps.Keys(s.given)) {
		switch {
		case slices.Contains(names, name):
		case s.wanted[name]:
			s.values[name] = s.given[name]
		default:
			message := "parameter " + document.Quote(name) + " is not declared, and nothing in the chain uses it"
			if short := s.chain.paramName(name); short != name {
				message = "parameter " + document.Quote(name) + " is called " + document.Quote(short) + " by who supplies it"
			} else if like := diag.Suggest(name, known); like != "" {
				message += "; did you mean " + like + "?"
			}
			s.report(Problem{Param: name, Message: message})
		}
	}
}

// inputs gives every parameter of the catalogue dialect its second name, by
// which its templates and rules know it.
func (s *starter) inputs() {
	if s.chain.Dialect != Catalogue {
		return
	}
	for _, name := range slices.Collect(maps.Keys(s.values)) {
		s.values[inputPrefix+name] = s.values[name]
	}
}

// limits checks the rules that compare with a parameter.
func (s *starter) limits(from Source) {
	look := NewScope(s.values).Lookup
	for i := range s.chain.Rules {
		r := &s.chain.Rules[i]
		for _, atom := range r.Condition {
			if w, ok := atom.(*dsl.When); ok && from == Model {
				s.expression(w, r)
			}
			t, ok := atom.(*dsl.Threshold)
			if !ok || t.Value.Param == "" {
				continue
			}
			if problem := s.limit(t, look, from); problem != "" {
				s.report(Problem{Param: string(t.Value.Param), Rule: r.ID(), Pos: t.At.Start,
					Message: fmt.Sprintf("rule %q compares with {{%s}}, which %s", r.ID(), t.Value.Param, problem)})
			}
		}
	}
}

// expression refuses that a model supplies a parameter that an expression
// names, unless it is bounded on both sides: how it is compared is not known.
func (s *starter) expression(w *dsl.When, r *Rule) {
	if !strings.Contains(w.Expr, "params") {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.given)) {
		p := s.chain.Param(name)
		if !strings.Contains(w.Expr, name) || p != nil && (len(p.Enum) > 0 || p.Min != nil && p.Max != nil) {
			continue
		}
		s.report(Problem{Param: name, Rule: r.ID(), Pos: w.At.Start, Message: fmt.Sprintf(
			"rule %q reads parameter %q in an expression, which a model may not set without min: and max:, or enum:", r.ID(), name)})
	}
}

// limit says what is wrong with the parameter that a threshold compares with.
func (s *starter) limit(t *dsl.Threshold, look Lookup, from Source) string {
	v, ok := look(t.Value.Param)
	if !ok {
		return "has no value"
	}
	if _, ok := number(v); !ok {
		return "is " + show(v) + ", not a number"
	}
	if from == Model && s.supplied(t.Value.Param) {
		return s.unbounded(t)
	}
	return ""
}

// unbounded says which bound is missing that would keep a model from setting
// the limit so that the rule no longer guards.
func (s *starter) unbounded(t *dsl.Threshold) string {
	p := s.chain.Param(string(t.Value.Param))
	if p == nil {
		return "a model may not set, as the chain declares no bounds for it"
	}
	needMax := t.Op != dsl.Less && t.Op != dsl.LessEqual
	needMin := t.Op != dsl.Greater && t.Op != dsl.GreaterEqual
	switch {
	case len(p.Enum) > 0:
		return ""
	case needMax && p.Max == nil:
		return "a model may not set without max: or enum: of the parameter"
	case needMin && p.Min == nil:
		return "a model may not set without min: or enum: of the parameter"
	}
	return ""
}
