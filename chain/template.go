package chain

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// MaxRendered is about how many bytes of values one Render inserts.
const MaxRendered = 16 << 20

// Template is a value in which texts may hold references {{key}}. It is
// parsed once; what a reference inserts is data and never parsed again. The
// zero Template renders to null.
type Template struct {
	fixed Value  // a value without references
	parts []part // a text with references
	kind  jsonv.Kind
	names []string // of an object with references
	items []Template
}

// part is a piece of text, or a reference.
type part struct {
	text string
	ref  Ref // Key "": none
}

// Ref is a reference and its place.
type Ref struct {
	Key dsl.Key
	Pos diag.Position
}

// Lookup returns the value of a key; false if it has none.
type Lookup func(key dsl.Key) (Value, bool)

// Refs returns every reference, in the order of the text.
func (t Template) Refs() []Ref {
	var refs []Ref
	for _, p := range t.parts {
		if p.ref.Key != "" {
			refs = append(refs, p.ref)
		}
	}
	for _, item := range t.items {
		refs = append(refs, item.Refs()...)
	}
	return refs
}

// Keys returns the key of every reference, in the order of the text.
func (t Template) Keys() []dsl.Key {
	var keys []dsl.Key
	for _, r := range t.Refs() {
		keys = append(keys, r.Key)
	}
	return keys
}

// Kind is the kind of value that the template renders to; false where a lone
// reference decides it.
func (t Template) Kind() (jsonv.Kind, bool) {
	switch _, lone := t.Only(); {
	case lone:
		return jsonv.Null, false
	case t.parts != nil:
		return jsonv.String, true
	case t.items != nil:
		return t.kind, true
	}
	return t.fixed.Kind(), true
}

// Render fills in the references. A text that is nothing but one reference
// becomes its value, of whatever kind; within a text the value is inserted as
// text: a number by its source, a list or an object as JSON. The error is an
// [*UnboundError] or a [*SizeError].
func (t Template) Render(look Lookup) (Value, error) {
	r := renderer{look: look, left: MaxRendered}
	return r.render(t)
}

// UnboundError says that a reference has no value.
type UnboundError struct {
	Key dsl.Key
	Pos diag.Position
}

// Error names the reference and its line.
func (e *UnboundError) Error() string {
	return fmt.Sprintf("{{%s}} in line %d has no value", e.Key, e.Pos.Line)
}

// SizeError says that a template would become too large.
type SizeError struct{ Pos diag.Position }

// Error gives the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("what the templates from line %d on insert is more than %d bytes", e.Pos.Line, MaxRendered)
}

type renderer struct {
	look Lookup
	left int
}

func (r *renderer) render(t Template) (Value, error) {
	switch {
	case t.parts != nil:
		return r.text(t.parts)
	case t.items == nil:
		return t.fixed, nil
	}
	items := make([]Value, len(t.items))
	for i, item := range t.items {
		var err error
		if items[i], err = r.render(item); err != nil {
			return Value{}, err
		}
	}
	if t.kind == jsonv.List {
		return jsonv.OfList(items), nil
	}
	return jsonv.OfObject(t.names, items), nil
}

func (r *renderer) text(parts []part) (Value, error) {
	if len(parts) == 1 {
		return r.value(parts[0].ref)
	}
	var b strings.Builder
	for _, p := range parts {
		if p.ref.Key == "" {
			b.WriteString(p.text)
			continue
		}
		v, err := r.value(p.ref)
		if err != nil {
			return Value{}, err
		}
		b.WriteString(textOf(v))
	}
	return Text(b.String()), nil
}

func (r *renderer) value(ref Ref) (Value, error) {
	v, ok := r.look(ref.Key)
	if !ok {
		return Value{}, &UnboundError{Key: ref.Key, Pos: ref.Pos}
	}
	if r.left -= size(v); r.left < 0 {
		return Value{}, &SizeError{Pos: ref.Pos}
	}
	return v, nil
}

// Fixed returns the value of a template without references; false if it has some.
func (t Template) Fixed() (Value, bool) {
	if len(t.Refs()) > 0 {
		return Value{}, false
	}
	return t.fixed, true
}

// Only returns the reference that a template is nothing but; false if it is more, or less.
func (t Template) Only() (dsl.Key, bool) {
	if len(t.parts) != 1 {
		return "", false
	}
	return t.parts[0].ref.Key, t.parts[0].ref.Key != ""
}
