package lint

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// wrongType reports arguments whose value is written out and is not of the
// type that the ability declares. What a template puts in is not known yet.
// Values of the wrong kind elsewhere in a chain are reported by its reader.
func wrongType(p *pass) {
	p.eachKnownStep(func(c *flowChain, s *chain.Step, ab *ability) {
		for _, a := range s.Args {
			param := ab.params[a.Name]
			if param == nil {
				continue
			}
			value := misfit(param, a.Value)
			if value == "" {
				continue
			}
			f := &diag.Finding{ID: chain.WrongTypeID, File: c.fileOf(s), Pos: a.Pos,
				Message: fmt.Sprintf("step %s gives %s %s for %s, which is of the type %s", s.ID, s.Ability, value, a.Name, param.typ),
				Hint:    "write a value of that type",
				Related: []diag.Related{{File: ab.file, Pos: param.pos, Message: "the parameter"}}}
			p.addKey(f, dsl.Key(a.Name), false)
		}
	})
}

// misfit is what a template gives, in a message, if it cannot be of the
// parameter's type; "" if it is, or may be.
func misfit(param *abilityParam, t chain.Template) string {
	if v, fixed := t.Fixed(); fixed {
		if v.Kind() == jsonv.Null && !param.required || fits(param.typ, v) {
			return ""
		}
		return shown(v)
	}
	// A list or an object is one whatever is filled in.
	kind, _ := t.Kind()
	switch {
	case kind == jsonv.List && !fits(param.typ, jsonv.OfList(nil)):
		return kind.String()
	case kind == jsonv.Object && !fits(param.typ, jsonv.OfObject(nil, nil)):
		return kind.String()
	}
	return ""
}

// fits reports whether a value is of a manifest's type. A text that holds a
// number, true or false, or a list or an object as JSON, passes for it, as
// templates make texts too. A type that is not known fits everything.
func fits(typ string, v chain.Value) bool {
	text := v.Kind() == jsonv.String
	d, number := decimal.Parse(v.Text())
	number = number && (text || v.Kind() == jsonv.Number)
	switch typ {
	case "int", "integer":
		_, whole := d.Int()
		return number && (whole || strings.Trim(v.Text(), "+-0123456789") == "")
	case "number", "float":
		return number
	case "bool", "boolean":
		return v.Kind() == jsonv.Bool || text && (v.Text() == "true" || v.Text() == "false")
	case "string", "text", "str":
		return v.Kind() != jsonv.List && v.Kind() != jsonv.Object && v.Kind() != jsonv.Null
	case "array", "list":
		return v.Kind() == jsonv.List || text && holds(v.Text(), jsonv.List)
	case "object", "map":
		return v.Kind() == jsonv.Object || text && holds(v.Text(), jsonv.Object)
	}
	return true
}

// holds reports whether a text is a value of a kind as JSON.
func holds(text string, kind jsonv.Kind) bool {
	v, err := jsonv.ParseString(text, jsonv.Limits{Depth: maxDepth})
	return err == nil && v.Kind() == kind
}

// shown is a value in a message: itself if it is short, else what it is.
func shown(v chain.Value) string {
	const most = 40
	if text := string(v.AppendJSON(nil)); len(text) <= most {
		return diag.Escape(text)
	}
	return map[jsonv.Kind]string{jsonv.String: "a long text", jsonv.Number: "a long number", jsonv.List: "a list", jsonv.Object: "an object"}[v.Kind()]
}
