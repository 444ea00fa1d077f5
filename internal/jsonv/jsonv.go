// Package jsonv owns JSON as the rules see it: a tree that keeps numbers by
// their source text and members in their order, and a strict reader.
//
// It is stricter than encoding/json, because what is judged must be what
// runs: duplicate keys, invalid UTF-8 and lone surrogates are errors, depth
// is bounded, and every error has a position.
package jsonv

import "strconv"

// Kind is the kind of a value.
type Kind uint8

// The kinds. The zero Value is Null.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

var kindNames = [...]string{"null", "true or false", "a number", "a text", "a list", "an object"}

// String names the kind in words, for messages.
func (k Kind) String() string { return kindNames[k] }

// Value is an immutable JSON value.
type Value struct {
	kind  Kind
	text  string
	elems []Value
	keys  []string // of an object, parallel to elems
}

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// Text returns a text's contents, a number's source text, or "true", "false"
// or "null"; "" for lists and objects.
func (v Value) Text() string {
	if v.kind == Null {
		return "null"
	}
	return v.text
}

// Len returns the number of elements of a list or members of an object.
func (v Value) Len() int { return len(v.elems) }

// Elem returns element or member i.
func (v Value) Elem(i int) Value { return v.elems[i] }

// Key returns the name of member i of an object.
func (v Value) Key(i int) string { return v.keys[i] }

// Member returns the first member of that name.
func (v Value) Member(name string) (Value, bool) {
	for i, k := range v.keys {
		if k == name {
			return v.elems[i], true
		}
	}
	return Value{}, false
}

// OfText returns a text.
func OfText(s string) Value { return Value{kind: String, text: s} }

// OfNumber returns a number by its source text, which must be a JSON number.
func OfNumber(source string) Value { return Value{kind: Number, text: source} }

// OfBool returns true or false.
func OfBool(b bool) Value { return Value{kind: Bool, text: strconv.FormatBool(b)} }

// OfList returns a list. The slice becomes the value's own.
func OfList(elems []Value) Value { return Value{kind: List, elems: elems} }

// OfObject returns an object with members in order. The slices become the
// value's own; they must be of equal length and the keys distinct.
func OfObject(keys []string, elems []Value) Value {
	return Value{kind: Object, elems: elems, keys: keys}
}

// AppendJSON appends the value as JSON without blanks: members in order,
// numbers by their source, nothing escaped that need not be.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.kind {
	case String:
		return AppendString(b, v.text)
	case List:
		b = append(b, '[')
		for i, e := range v.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.AppendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, e := range v.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, v.keys[i]), ':')
			b = e.AppendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, v.Text()...)
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

const hexDigits = "0123456789abcdef"

// AppendString appends a text as a JSON string. Bytes that are not UTF-8
// become the replacement character.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}
