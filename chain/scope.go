package chain

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Scope holds the values of a run: its parameters, and the outputs so far. It
// is not safe for concurrent use.
type Scope struct {
	params map[string]Value
	bound  map[string]Value
}

// NewScope returns a scope with the parameters of a run, as Start returns them.
func NewScope(params map[string]Value) *Scope {
	return &Scope{params: params, bound: map[string]Value{}}
}

// Bind gives a name a value. It stands before a parameter of that name.
func (s *Scope) Bind(name string, v Value) { s.bound[name] = v }

// Unbind takes the value that Bind gave.
func (s *Scope) Unbind(name string) { delete(s.bound, name) }

// Lookup returns the value of a key: what is bound to the whole key, else to
// the longest part of it that ends at a dot, with the rest looked up inside
// the value. A text that holds a JSON object is looked into; a list is not,
// as no element of it is meant more than another. Among equal names an output
// stands before a parameter.
func (s *Scope) Lookup(key dsl.Key) (Value, bool) {
	for name, rest := range prefixes(key) {
		for _, values := range [...]map[string]Value{s.bound, s.params} {
			if v, ok := values[name]; ok {
				if v, ok = inside(v, rest); ok {
					return v, true
				}
			}
		}
	}
	return Value{}, false
}

// inside looks a path up inside a value. Names of members may hold dots; the
// longest one counts.
func inside(v Value, path string) (Value, bool) {
	if path == "" {
		return v, true
	}
	if v.Kind() == jsonv.String {
		v = innerObject(v.Text())
	}
	if v.Kind() != jsonv.Object {
		return Value{}, false
	}
	for name, rest := range prefixes(dsl.Key(path)) {
		if member, ok := v.Member(name); ok {
			if found, ok := inside(member, rest); ok {
				return found, true
			}
		}
	}
	return Value{}, false
}

// innerObject returns the object that a text holds as JSON, else null.
func innerObject(text string) Value {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return Value{}
	}
	v, err := jsonv.ParseString(text, jsonv.Limits{Depth: MaxDepth})
	if err != nil {
		return Value{}
	}
	return v
}
