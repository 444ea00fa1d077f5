package registry

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// whenFunctions stand in for functions of expr that would build texts and
// lists without a bound, or give a wrong number instead of an error.
func whenFunctions() []expr.Option {
	return []expr.Option{
		expr.Function("__arith", arith, new(func(string, any, any) any)),
		expr.Function("__sum", sum, new(func(any) any)),
		expr.Function("abs", absolute, new(func(any) any)),
		expr.Function("int", integer, new(func(any) int)),
		expr.Function("float", float, new(func(any) float64)),
		expr.Function("split", cutting(strings.SplitN), new(func(string, string) []string)),
		expr.Function("splitAfter", cutting(strings.SplitAfterN), new(func(string, string) []string)),
		expr.Function("replace", replacing, new(func(string, string, string) string)),
		expr.Function("join", joining, new(func(any) string), new(func(any, string) string)),
	}
}

var errTooLong = fmt.Errorf("the result is longer than %d", maxItems)

// arithmetic replaces an operator by a call that has no wrong result: one
// that wrapped around or is no number would pass for small.
func (p *patcher) arithmetic(node *ast.Node, op string, left, right ast.Node) {
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "__arith"},
		Arguments: []ast.Node{&ast.StringNode{Value: op}, left, right}})
}

func arith(params ...any) (any, error) {
	op, a, b := params[0].(string), params[1], params[2]
	if x, ok := a.(string); ok && op == "+" {
		if y, ok := b.(string); ok && len(x)+len(y) > maxItems {
			return nil, errTooLong
		}
	}
	x, xInt := a.(int)
	y, yInt := b.(int)
	if xInt && yInt {
		if overflows(op, x, y) {
			return nil, fmt.Errorf("%d %s %d is too large", x, op, y)
		}
	}
	out := apply(op, a, b)
	if f, ok := out.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, fmt.Errorf("%v %s %v is no number", a, op, b)
	}
	return out, nil
}

// apply computes as expr does; it panics on operands that do not fit, which
// the machine reports as an error.
func apply(op string, a, b any) any {
	switch op {
	case "+":
		return runtime.Add(a, b)
	case "-":
		return runtime.Subtract(a, b)
	case "*":
		return runtime.Multiply(a, b)
	case "/":
		return runtime.Divide(a, b)
	case "%":
		return runtime.Modulo(a, b)
	}
	return runtime.Exponent(a, b)
}

// overflows reports whether the integers' result would wrap around.
func overflows(op string, x, y int) bool {
	switch op {
	case "+":
		return y > 0 && x > math.MaxInt-y || y < 0 && x < math.MinInt-y
	case "-":
		return y < 0 && x > math.MaxInt+y || y > 0 && x < math.MinInt+y
	case "*":
		product := x * y
		return x != 0 && (product/x != y || x == -1 && y == math.MinInt)
	}
	return false
}

// sum adds the items of a list up as arith does.
func sum(params ...any) (any, error) {
	list := reflect.ValueOf(params[0])
	if list.Kind() != reflect.Slice {
		return nil, fmt.Errorf("sum() takes a list, not %T", params[0])
	}
	var total any = 0
	var err error
	for i := range list.Len() {
		if total, err = arith("+", total, list.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func absolute(params ...any) (any, error) {
	switch n := params[0].(type) {
	case int:
		if n < 0 {
			return arith("-", 0, n)
		}
		return n, nil
	case float64:
		return math.Abs(n), nil
	}
	return nil, fmt.Errorf("abs() takes a number, not %T", params[0])
}

// integer is int(): whole numbers as they are, others cut to whole ones.
// Texts are read by the grammar of numbers and must be whole.
func integer(params ...any) (any, error) {
	switch n := params[0].(type) {
	case int:
		return n, nil
	case float64:
		if n >= -1<<63 && n < 1<<63 {
			return int(n), nil
		}
	case string:
		if d, ok := decimal.Parse(n); ok {
			if i, ok := d.Int(); ok {
				return int(i), nil
			}
		}
	}
	return nil, fmt.Errorf("int() of %v, which is no whole number", params[0])
}

// float is float(). Texts are read by the grammar of numbers, so that "NaN"
// and "inf" are none.
func float(params ...any) (any, error) {
	n := params[0]
	if text, ok := n.(string); ok {
		if _, ok := decimal.Parse(text); ok {
			n = nativeNumber(text)
		}
	}
	switch n := n.(type) {
	case int:
		return float64(n), nil
	case float64:
		return n, nil
	}
	return nil, fmt.Errorf("float() of %v, which is no number", params[0])
}

// cutting makes split() of expr: it cuts a text into at most maxItems parts.
func cutting(cut func(s, sep string, n int) []string) func(...any) (any, error) {
	return func(params ...any) (any, error) {
		parts := cut(params[0].(string), params[1].(string), maxItems+1)
		if len(parts) > maxItems {
			return nil, errTooLong
		}
		return parts, nil
	}
}

// replacing refuses to make a text longer without a bound.
func replacing(params ...any) (any, error) {
	s, from, to := params[0].(string), params[1].(string), params[2].(string)
	grows := strings.Count(s, from) * (len(to) - len(from))
	if grows > 0 && len(s)+grows > maxItems {
		return nil, errTooLong
	}
	return strings.ReplaceAll(s, from, to), nil
}

// joining is join() with a bound on the text.
func joining(params ...any) (any, error) {
	glue := ""
	if len(params) == 2 {
		glue = params[1].(string)
	}
	list := reflect.ValueOf(params[0])
	if list.Kind() != reflect.Slice {
		return nil, fmt.Errorf("join() takes a list, not %T", params[0])
	}
	var b strings.Builder
	for i := range list.Len() {
		part, ok := list.Index(i).Interface().(string)
		if !ok {
			return nil, errors.New("join() takes a list of texts")
		}
		if i > 0 {
			b.WriteString(glue)
		}
		b.WriteString(part)
		if b.Len() > maxItems {
			return nil, errTooLong
		}
	}
	return b.String(), nil
}
