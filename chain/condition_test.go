package chain_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
)

func TestConditionHolds(t *testing.T) {
	const all = `{"n":10,"big":"9007199254740993","tenth":0.1,"s":"abc","e":"","z":null,"l":[],"o":{},"l2":["a",1],"t":true,
		"bad":"$1,200","nan":"NaN","blank":" 5\n","huge":"1e999999999","o2":{"k":7},"tpl":"{{n}}"}`
	for _, c := range []struct {
		key, op, value string
		want           bool
	}{
		{"n", "equals", "10", true}, {"n", "equals", "10.00", true}, {"n", "equals", `"1e1"`, true}, {"n", "equals", "11", false},
		{"big", "equals", "9007199254740992", false}, // exact: a float64 cannot tell them apart
		{"big", "greater_than", "9007199254740992", true},
		{"tenth", "equals", "0.10000000000000000001", false},
		{"s", "equals", "abc", true}, {"s", "equals", "ABC", false}, {"s", "equals", "'abc '", false},
		{"t", "equals", "true", true}, {"t", "equals", `"true"`, true}, {"t", "equals", `"True"`, false},
		{"l2", "equals", `'["a",1]'`, true},
		{"tpl", "equals", "'{{tpl}}'", true}, {"tpl", "equals", "10", false}, // what is inserted is not filled in again
		{"gone", "equals", "''", false}, {"gone", "equals", "10", false},
		{"n", "equals", "'{{gone}}'", false},
		{"n", "not_equals", "11", true}, {"n", "not_equals", "10.0", false}, {"gone", "not_equals", "11", false}, {"n", "not_equals", "'{{gone}}'", false},
		{"s", "contains", "b", true}, {"s", "contains", "B", false}, {"n", "contains", "1", true}, {"l2", "contains", `'"a"'`, true},
		{"gone", "contains", "''", false},
		{"n", "greater_than", "9.99", true}, {"n", "greater_than", "10", false}, {"n", "less_than", "10.01", true}, {"n", "less_than", "10", false},
		{"blank", "less_than", "6", true}, {"n", "greater_than", "'{{tenth}}'", true},
		{"bad", "greater_than", "0", false}, {"bad", "less_than", "0", false}, {"nan", "greater_than", "0", false}, {"nan", "less_than", "0", false},
		{"huge", "greater_than", "0", false}, {"e", "less_than", "1", false}, {"z", "less_than", "1", false}, {"t", "less_than", "2", false},
		{"o2", "less_than", "100", false}, {"gone", "less_than", "100", false}, {"n", "less_than", "'{{s}}'", false},
		{"o2.k", "equals", "7", true}, {"o2.x", "equals", "7", false},
		{"gone", "is_empty", "", true}, {"e", "is_empty", "", true}, {"z", "is_empty", "", true}, {"l", "is_empty", "", true}, {"o", "is_empty", "", true},
		{"s", "is_empty", "", false}, {"n", "is_empty", "", false}, {"t", "is_empty", "", false}, {"blank", "is_empty", "", false}, {"l2", "is_empty", "", false},
		{"gone", "is_not_empty", "", false}, {"e", "is_not_empty", "", false}, {"z", "is_not_empty", "", false}, {"l", "is_not_empty", "", false},
		{"s", "is_not_empty", "", true}, {"n", "is_not_empty", "ignored", true},
	} {
		text := "id: c\nsteps:\n  - id: a\n    ability: x\n    condition:\n      ref_key: " + c.key + "\n      op: " + c.op
		if c.value != "" {
			text += "\n      value: " + c.value
		}
		got := mustParse(t, text).Steps[0].Condition.Holds(chain.NewScope(values(t, all)).Lookup)
		if got != c.want {
			t.Errorf("%s %s %s: %v, want %v", c.key, c.op, c.value, got, c.want)
		}
	}
}

// TestConditionBySize warns of an operand that no value is less or greater than.
func TestConditionBySize(t *testing.T) {
	for condition, want := range map[string]string{
		"op: less_than, value: many":        `c.yaml:3:71: "many" is not a number, so a condition with less_than never holds (write a number, or compare with equals)`,
		"op: greater_than, value: true":     `c.yaml:3:74: true is not a number, so a condition with greater_than never holds (write a number, or compare with equals)`,
		"op: less_than, value: '7'":         "",
		"op: less_than, value: '{{limit}}'": "",
		"op: equals, value: many":           "",
	} {
		c, l := chain.Parse("c.yaml", []byte("id: c\nsteps:\n  - {id: a, ability: x, condition: {ref_key: k, "+condition+"}}"))
		got := ""
		if len(l) > 0 {
			got = l[0].Error()
		}
		if c == nil || got != want || want != "" && l[0].ID != chain.WrongTypeID {
			t.Errorf("%s: %v", condition, l)
		}
	}
}
