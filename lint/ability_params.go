package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// undeclaredParameter reports arguments that the ability's manifest does not
// declare: the plugin drops them, or refuses the call.
func undeclaredParameter(p *pass) {
	p.eachKnownStep(func(c *flowChain, s *chain.Step, ab *ability) {
		for _, a := range s.Args {
			if ab.params[a.Name] != nil {
				continue
			}
			f := &diag.Finding{ID: UndeclaredParameterID, File: c.File, Pos: a.Pos,
				Message: fmt.Sprintf("step %s gives %s the parameter %s, which it does not declare", s.ID, s.Ability, a.Name),
				Hint:    didYouMean(dsl.Key(a.Name), ab.paramNames(), ab.declares()),
				Related: []diag.Related{{File: ab.file, Pos: ab.pos, Message: "the ability"}}}
			p.addKey(f, dsl.Key(a.Name), false)
		}
	})
}

// missingParameter reports required parameters that a step does not give.
func missingParameter(p *pass) {
	p.eachKnownStep(func(c *flowChain, s *chain.Step, ab *ability) {
		for _, name := range ab.paramNames() {
			param := ab.params[name]
			if !param.required || slices.ContainsFunc(s.Args, func(a chain.Arg) bool { return a.Name == name }) {
				continue
			}
			f := &diag.Finding{ID: MissingParameterID, File: c.File, Pos: s.AbilityPos,
				Message: fmt.Sprintf("step %s does not give %s the parameter %s, which it requires", s.ID, s.Ability, name),
				Hint:    "add " + name + " to the arguments of the step",
				Related: []diag.Related{{File: ab.file, Pos: param.pos, Message: "the parameter"}}}
			p.addKey(f, dsl.Key(s.Ability), false)
		}
	})
}

// wrongType reports arguments whose value is written out and is not of the
// type that the ability declares. What a template puts in is not known yet.
func wrongType(p *pass) {
	p.eachKnownStep(func(c *flowChain, s *chain.Step, ab *ability) {
		for _, a := range s.Args {
			param := ab.params[a.Name]
			v, fixed := a.Value.Fixed()
			if param == nil || !fixed || v.Kind() == jsonv.Null && !param.required || fits(param.typ, v) {
				continue
			}
			f := &diag.Finding{ID: chain.WrongTypeID, File: c.File, Pos: a.Pos,
				Message: fmt.Sprintf("step %s gives %s a %s for %s, which is of the type %s", s.ID, s.Ability, v.Kind(), a.Name, param.typ),
				Hint:    "write a value of that type",
				Related: []diag.Related{{File: ab.file, Pos: param.pos, Message: "the parameter"}}}
			p.addKey(f, dsl.Key(a.Name), false)
		}
	})
}

// fits reports whether a value is of a manifest's type. A text that is a
// number, or true or false, passes for it, as templates make texts too. A
// type that is not known fits everything.
func fits(typ string, v chain.Value) bool {
	d, number := decimal.Parse(v.Text())
	scalar := v.Kind() == jsonv.String || v.Kind() == jsonv.Number
	switch typ {
	case "int", "integer":
		_, whole := d.Int()
		return scalar && number && whole
	case "number", "float":
		return scalar && number
	case "bool", "boolean":
		return v.Kind() == jsonv.Bool || v.Kind() == jsonv.String && (v.Text() == "true" || v.Text() == "false")
	case "string", "text", "str":
		return v.Kind() != jsonv.List && v.Kind() != jsonv.Object && v.Kind() != jsonv.Null
	case "array", "list":
		return v.Kind() == jsonv.List || v.Kind() == jsonv.String
	case "object", "map":
		return v.Kind() == jsonv.Object || v.Kind() == jsonv.String
	}
	return true
}

// eachKnownStep calls f for every step whose ability's parameters are known.
func (p *pass) eachKnownStep(f func(c *flowChain, s *chain.Step, ab *ability)) {
	for _, c := range p.chains {
		for i := range c.Steps {
			if ab := p.abilities.find(c.Steps[i].Ability); ab != nil && !ab.listed {
				f(c, &c.Steps[i], ab)
			}
		}
	}
}

func (ab *ability) paramNames() []string { return slices.Sorted(maps.Keys(ab.params)) }

// declares says what the ability declares.
func (ab *ability) declares() string {
	if len(ab.params) == 0 {
		return "it declares no parameters"
	}
	return "it declares " + list(ab.paramNames())
}
