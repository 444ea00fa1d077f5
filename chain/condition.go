package chain

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Op is the operator of a step's condition.
type Op string

// The operators. The last two take no value.
const (
	OpEquals      Op = "equals"
	OpNotEquals   Op = "not_equals"
	OpContains    Op = "contains"
	OpGreaterThan Op = "greater_than"
	OpLessThan    Op = "less_than"
	OpIsEmpty     Op = "is_empty"
	OpIsNotEmpty  Op = "is_not_empty"
)

// Ops returns all operators.
func Ops() []Op {
	return []Op{OpEquals, OpNotEquals, OpContains, OpGreaterThan, OpLessThan, OpIsEmpty, OpIsNotEmpty}
}

// unary reports whether the operator takes no value.
func (op Op) unary() bool { return op == OpIsEmpty || op == OpIsNotEmpty }

func (op Op) known() bool { return slices.Contains(Ops(), op) }

// Condition says when a step runs.
type Condition struct {
	RefKey dsl.Key
	Op     Op
	Value  Template // a scalar; not used by OpIsEmpty and OpIsNotEmpty
	Pos    diag.Position
	KeyPos diag.Position // of RefKey
}

// Holds reports whether the step runs. Numbers are compared exactly. Where
// the key or the value has none, and where an order is asked of what is no
// number, the condition does not hold; a missing key is empty.
func (c *Condition) Holds(look Lookup) bool {
	got, ok := look(c.RefKey)
	switch c.Op {
	case OpIsEmpty:
		return !ok || empty(got)
	case OpIsNotEmpty:
		return ok && !empty(got)
	}
	want, err := c.Value.Render(look)
	if !ok || err != nil {
		return false
	}
	switch c.Op {
	case OpEquals:
		return same(got, want)
	case OpNotEquals:
		return !same(got, want)
	case OpContains:
		return strings.Contains(textOf(got), textOf(want))
	}
	return c.ordered(got, want)
}

func (c *Condition) ordered(got, want Value) bool {
	x, ok := number(got)
	y, both := number(want)
	if !ok || !both {
		return false
	}
	if c.Op == OpGreaterThan {
		return x.Cmp(y) > 0
	}
	return c.Op == OpLessThan && x.Cmp(y) < 0
}

// empty reports whether a value is null, an empty text, list or object.
func empty(v Value) bool {
	switch v.Kind() {
	case jsonv.Null:
		return true
	case jsonv.String:
		return v.Text() == ""
	case jsonv.List, jsonv.Object:
		return v.Len() == 0
	}
	return false
}
