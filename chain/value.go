package chain

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Value is a JSON value: numbers keep their source text, objects the order of
// their members. The zero Value is null.
type Value = jsonv.Value

// Text returns a text as a Value.
func Text(s string) Value { return jsonv.OfText(s) }

// ParseValue reads a Value from JSON. Duplicate keys are refused, and nesting
// deeper than MaxDepth.
func ParseValue(data []byte) (Value, error) {
	v, err := jsonv.Parse(data, jsonv.Limits{Depth: MaxDepth})
	if err != nil {
		return Value{}, fmt.Errorf("read a value: %w", err)
	}
	return v, nil
}

// number returns the number that a value is, also as a text.
func number(v Value) (decimal.Decimal, bool) {
	if v.Kind() != jsonv.Number && v.Kind() != jsonv.String {
		return decimal.Decimal{}, false
	}
	return decimal.Parse(v.Text())
}

// textOf returns a value as it stands inside a text: a text's contents, the
// source of a number, and JSON for the rest.
func textOf(v Value) string {
	if v.Kind() == jsonv.List || v.Kind() == jsonv.Object {
		return string(v.AppendJSON(nil))
	}
	return v.Text()
}

// same compares as numbers if both values are numbers, else as texts.
func same(a, b Value) bool {
	x, ok := number(a)
	y, both := number(b)
	if ok && both {
		return x == y
	}
	return textOf(a) == textOf(b)
}

// size returns about how many bytes a value takes when it is printed.
func size(v Value) int {
	n := len(v.Text()) + 2
	for i := range v.Len() {
		n += size(v.Elem(i))
		if v.Kind() == jsonv.Object {
			n += len(v.Key(i)) + 3
		}
	}
	return n
}
