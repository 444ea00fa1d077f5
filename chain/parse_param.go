package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

var paramTypes = []string{string(TextType), string(NumberType), string(URLType), string(BooleanType)}

// paramHints say what a field of a parameter is called here.
var paramHints = map[string]string{"type": "did you mean param_type?", "minimum": "did you mean min?", "maximum": "did you mean max?"}

func (r *reader) params(n *document.Node) {
	for _, item := range r.List(n, "params", MaxParams) {
		p := Param{Type: TextType, Pos: item.Pos}
		r.param(item, &p)
		if first := r.chain.Param(p.Name); first != nil && p.Name != "" {
			f := r.Report(SyntaxID, item.Pos, "a second parameter "+document.Quote(p.Name), "remove one, or choose another name")
			f.Related = []diag.Related{{File: r.File, Pos: first.Pos, Message: "the first one"}}
		}
		r.chain.Params = append(r.chain.Params, p)
	}
}

func (r *reader) param(n *document.Node, p *Param) {
	var dflt *document.Node // looked at, as enum is, when the type is known
	var enum []*document.Node
	typed := true // the type is what is written, or left out
	known := r.Fields(n, "a parameter", []document.Field{
		{Name: "name", Required: true, Read: func(n *document.Node) { p.Name, _ = r.name(n, "the name of a parameter") }},
		{Name: "param_type", Read: func(n *document.Node) {
			word, ok := r.word(n, "param_type", paramTypes)
			if typed = ok; ok {
				p.Type = Type(word)
			}
		}},
		{Name: "description", Read: func(n *document.Node) { p.Description, _ = r.Text(n, "the description") }},
		{Name: "required", Read: func(n *document.Node) { p.Required = r.boolean(n, "required") }},
		{Name: "default", Read: func(n *document.Node) {
			v := n.Value()
			p.Default, dflt = &v, n
		}},
		{Name: "min", Read: func(n *document.Node) { p.Min = r.bound(n, "min") }},
		{Name: "max", Read: func(n *document.Node) { p.Max = r.bound(n, "max") }},
		{Name: "enum", Read: func(n *document.Node) {
			enum = r.List(n, "enum", MaxEnum)
			for _, item := range enum {
				p.Enum = append(p.Enum, item.Value())
			}
			if n.Kind == jsonv.List && len(n.Items) == 0 {
				r.Report(SyntaxID, n.Pos, "enum allows no value", "list the values, or leave enum out")
			}
		}},
	}, paramHints)
	if !known || !typed {
		return // what the others mean depends on the type
	}
	if p.Type != NumberType && (p.Min != nil || p.Max != nil) {
		r.Report(WrongTypeID, n.Pos, fmt.Sprintf("min and max bound numbers, and the parameter is of the type %s", p.Type), "use enum, or param_type: number")
		return
	}
	if p.Min != nil && p.Max != nil && p.Max.Cmp(*p.Min) < 0 {
		r.Report(WrongTypeID, n.Pos, fmt.Sprintf("min %s is greater than max %s", p.Min, p.Max), "")
		return
	}
	for _, item := range enum {
		if problem := p.outside(item.Value()); problem != "" {
			r.Report(WrongTypeID, item.Pos, problem, "")
		}
	}
	if dflt != nil {
		if problem := p.problem(*p.Default); problem != "" {
			r.Report(WrongTypeID, dflt.Pos, problem, "")
		}
	}
}

func (r *reader) boolean(n *document.Node, what string) bool {
	if n.Kind != jsonv.Bool {
		r.WrongType(n, what+" is true or false")
	}
	return n.Kind == jsonv.Bool && n.Text == "true"
}

func (r *reader) bound(n *document.Node, what string) *decimal.Decimal {
	d, ok := number(n.Value())
	if !ok {
		r.Report(WrongTypeID, n.Pos, what+" is a number", "")
		return nil
	}
	return &d
}

// maxListed is how many of the allowed values a message lists.
const maxListed = 10

// problem says what is wrong with a value of the parameter; "" if nothing is.
func (p *Param) problem(v Value) string {
	if p.Implicit {
		return ""
	}
	if problem := p.outside(v); problem != "" || len(p.Enum) == 0 {
		return problem
	}
	if slices.ContainsFunc(p.Enum, func(e Value) bool { return same(e, v) }) {
		return ""
	}
	var allowed []string
	for _, e := range p.Enum[:min(len(p.Enum), maxListed)] {
		allowed = append(allowed, show(e))
	}
	if len(p.Enum) > maxListed {
		allowed = append(allowed, "…")
	}
	return fmt.Sprintf("%s is none of %s", show(v), strings.Join(allowed, ", "))
}

// outside says what is wrong with a value by the type, min and max.
func (p *Param) outside(v Value) string {
	problem := p.Type.problem(v)
	if problem != "" || p.Type != NumberType {
		return problem
	}
	d, _ := number(v) // it is one, or there was a problem
	switch {
	case p.Min != nil && d.Cmp(*p.Min) < 0:
		return fmt.Sprintf("%s is less than min %s", show(v), p.Min)
	case p.Max != nil && p.Max.Cmp(d) < 0:
		return fmt.Sprintf("%s is greater than max %s", show(v), p.Max)
	}
	return ""
}

// problem says why a value is not of the type; "" if it is.
func (t Type) problem(v Value) string {
	ok, want := false, ""
	switch t {
	case NumberType:
		_, ok = number(v)
		want = "a number"
	case BooleanType:
		ok = v.Kind() == jsonv.Bool || v.Kind() == jsonv.String && (v.Text() == "true" || v.Text() == "false")
		want = "true or false"
	case URLType:
		ok = v.Kind() == jsonv.String && v.Text() != ""
		want = "a URL"
	default:
		ok = v.Kind() == jsonv.String || v.Kind() == jsonv.Number || v.Kind() == jsonv.Bool
		want = "a text"
	}
	if ok {
		return ""
	}
	return show(v) + " is not " + want
}

// show repeats a value in a message.
func show(v Value) string {
	if v.Kind() == jsonv.String {
		return document.Quote(v.Text())
	}
	if v.Kind() == jsonv.List || v.Kind() == jsonv.Object {
		return v.Kind().String()
	}
	return v.Text()
}
