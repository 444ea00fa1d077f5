package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// patcher turns every member access into a checked one, and refuses what a
// rule may not use. expr calls it for children before their parents.
type patcher struct {
	keys      *Keys
	err       error
	stepBound bool
	// It reads a meter of the task, or of the session.
	taskMeter, sessionMeter bool
}

// Visit implements ast.Visitor.
func (p *patcher) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		p.identifier(n)
	case *ast.MemberNode:
		p.member(node, n)
	case *ast.CallNode:
		p.call(n)
	case *ast.BinaryNode:
		p.binary(node, n)
	case *ast.UnaryNode:
		if n.Operator == "-" && !isNumber(n.Node) {
			p.arithmetic(node, "-", &ast.IntegerNode{}, n.Node)
		}
	case *ast.BuiltinNode:
		p.builtin(node, n)
	case *ast.PredicateNode:
		if ast.Find(n.Node, isPredicate) != nil {
			p.fail(n, "a closure inside a closure is not allowed")
		}
	}
}

func isPredicate(n ast.Node) bool { _, ok := n.(*ast.PredicateNode); return ok }

func (p *patcher) fail(n ast.Node, format string, args ...any) {
	if p.err == nil {
		p.err = &file.Error{Location: n.Location(), Column: n.Location().From, Message: fmt.Sprintf(format, args...)}
	}
}

func isNumber(n ast.Node) bool {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return true
	}
	return false
}

func (p *patcher) binary(node *ast.Node, n *ast.BinaryNode) {
	switch n.Operator {
	case "in":
		p.membership(node, n)
	case "==", "!=":
		p.numericText(n.Left)
		p.numericText(n.Right)
	case "matches":
		// A pattern from a value could be of any length.
		if _, ok := n.Right.(*ast.StringNode); !ok {
			p.fail(n.Right, "the pattern of matches is a text in quotes")
		}
	case "+", "-", "*", "/", "%", "**", "^":
		p.arithmetic(node, n.Operator, n.Left, n.Right)
	}
}

// numericText refuses to compare with a text that is a number: a value that is
// one is a number, whether it was written in quotes or not, and so equals no
// text. The comparison would never hold, and nobody would notice.
func (p *patcher) numericText(n ast.Node) {
	text, ok := n.(*ast.StringNode)
	if !ok {
		return
	}
	if _, isNumber := decimal.Parse(text.Value); isNumber {
		p.fail(n, "%q is a number, and so are values that are written like one: compare with %s", text.Value, text.Value)
	}
}

// builtin lets sum() add up as the operators do.
func (p *patcher) builtin(node *ast.Node, n *ast.BuiltinNode) {
	if n.Name != "sum" {
		return
	}
	var list ast.Node = &ast.BuiltinNode{Name: "map", Arguments: n.Arguments}
	if len(n.Arguments) == 1 {
		list = n.Arguments[0]
	}
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "__sum"}, Arguments: []ast.Node{list}})
}

func (p *patcher) identifier(n *ast.IdentifierNode) {
	if strings.HasPrefix(n.Value, "__") {
		p.fail(n, "unknown name %s", n.Value)
	}
	switch n.Value {
	case "$env":
		p.fail(n, "$env is not allowed: name what the rule reads")
	case "step", "ability", "args", "worker", "tool":
		p.stepBound = true
	case "task":
		p.taskMeter = true
	case "session":
		p.sessionMeter = true
	}
}

func (p *patcher) member(node *ast.Node, n *ast.MemberNode) {
	if base, ok := n.Node.(*ast.IdentifierNode); ok {
		p.checkKey(base, n)
	}
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "__get"}, Arguments: []ast.Node{n.Node, n.Property}})
}

// checkKey refuses an unknown meter, and a key that the chain does not declare.
func (p *patcher) checkKey(base *ast.IdentifierNode, n *ast.MemberNode) {
	prop, constant := n.Property.(*ast.StringNode)
	var known []string
	switch base.Value {
	case "task", "worker", "tool", "session":
		if !constant {
			p.fail(n, "a meter is named directly, such as task.tool_calls")
		} else if !dsl.Key(base.Value + "." + prop.Value).IsMeter() {
			p.fail(n, "unknown meter %s.%s", base.Value, prop.Value)
		}
		return
	case "args":
		known = p.declared().Args
	case "outputs":
		known = p.declared().Outputs
	case "params":
		known = p.declared().Params
	}
	if constant && known != nil && !slices.Contains(known, prop.Value) {
		p.fail(n, "unknown key %s.%s: the chain declares %s", base.Value, prop.Value, strings.Join(known, ", "))
	}
}

func (p *patcher) declared() *Keys {
	if p.keys == nil {
		return &Keys{}
	}
	return p.keys
}

// call makes has(a.b) ask for presence instead of reading.
func (p *patcher) call(n *ast.CallNode) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || callee.Value != "has" {
		return
	}
	if len(n.Arguments) != 1 || !isGet(n.Arguments[0]) {
		p.fail(n, "has() takes one key, such as has(args.amount)")
		return
	}
	for arg := n.Arguments[0]; isGet(arg); arg = arg.(*ast.CallNode).Arguments[0] {
		arg.(*ast.CallNode).Callee = &ast.IdentifierNode{Value: "__opt"}
	}
}

func isGet(n ast.Node) bool {
	c, ok := n.(*ast.CallNode)
	if !ok {
		return false
	}
	callee, ok := c.Callee.(*ast.IdentifierNode)
	return ok && callee.Value == "__get"
}

// membership lets `"key" in args` ask for presence.
func (p *patcher) membership(node *ast.Node, n *ast.BinaryNode) {
	right, ok := n.Right.(*ast.IdentifierNode)
	if !ok || right.Value != "args" && right.Value != "outputs" && right.Value != "params" {
		return
	}
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "has"}, Arguments: []ast.Node{
		&ast.CallNode{Callee: &ast.IdentifierNode{Value: "__opt"}, Arguments: []ast.Node{right, n.Left}},
	}})
}
