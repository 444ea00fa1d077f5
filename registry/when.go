package registry

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Bounds of a when expression. They count nodes and items and never time, so
// that a replay does not depend on the machine's load.
const (
	maxNodes = 500
	maxItems = 10_000
)

// Keys are the names a chain declares. A when expression of that chain may
// read no others. Nil slices declare nothing to check against.
type Keys struct {
	Args, Outputs, Params []string
}

// builtins are the functions of expr that a rule may call: none reads the
// clock, depends on the order of a map, or makes much of little.
var builtins = []string{
	"all", "none", "any", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "sum",
	"sortBy", "reduce", "len", "type", "ceil", "floor", "round", "string", "trim", "trimPrefix",
	"trimSuffix", "upper", "lower", "indexOf", "lastIndexOf", "hasPrefix", "hasSuffix", "max", "min", "mean", "median", "first", "last", "take", "reverse", "uniq", "concat", "flatten", "sort",
}

// whenEnv is what an expression may name.
type whenEnv struct {
	Chain   string      `expr:"chain"`
	Step    string      `expr:"step"`
	Ability string      `expr:"ability"`
	Risk    string      `expr:"risk"`
	Args    *Values     `expr:"args"`
	Outputs *Values     `expr:"outputs"`
	Params  *Values     `expr:"params"`
	Task    *meterGroup `expr:"task"`
	Worker  *meterGroup `expr:"worker"`
	Tool    *meterGroup `expr:"tool"`
	Session *meterGroup `expr:"session"`
}

// meterGroup is the part of a meter's name before the dot.
type meterGroup struct {
	prefix string
	meters Meters
}

// fill sets the environment for a step, keeping the memory of the last one.
func (e *whenEnv) fill(st *Step) {
	e.Chain, e.Step, e.Ability, e.Risk = st.Chain, st.ID, st.Ability, st.Risk
	e.Args, e.Outputs, e.Params = st.Args, st.Outputs, st.Params
	if e.Task == nil {
		e.Task, e.Worker = &meterGroup{prefix: "task."}, &meterGroup{prefix: "worker."}
		e.Tool, e.Session = &meterGroup{prefix: "tool."}, &meterGroup{prefix: "session."}
	}
	for _, g := range []*meterGroup{e.Task, e.Worker, e.Tool, e.Session} {
		g.meters = st.Meters
	}
}

// whenTest is a compiled expression.
type whenTest struct {
	program *vm.Program
	// unread lists what the expression reads, for judging without a step.
	stepBound bool
}

// machines are reused: an expression keeps its stack between runs.
var machines = sync.Pool{New: func() any { return &vm.VM{MemoryBudget: maxItems + 1} }}

// run evaluates the expression. An error makes the atom hold.
func (w *whenTest) run(env *whenEnv) (bool, error) {
	m := machines.Get().(*vm.VM)
	defer machines.Put(m)
	out, err := m.Run(w.program, env)
	if err != nil {
		return false, &whenFault{text: firstLine(err), cause: err}
	}
	holds, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("the result is %T, not true or false", out)
	}
	return holds, nil
}

// whenFault is why an expression failed, in one line.
type whenFault struct {
	text  string
	cause error
}

// Error leaves out the excerpt that expr adds.
func (e *whenFault) Error() string { return e.text }

// Unwrap gives what a function of ours returned.
func (e *whenFault) Unwrap() error { return e.cause }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// compileWhen compiles an expression against the typed environment.
func compileWhen(a *dsl.When, keys *Keys) (*whenTest, error) {
	p := &patcher{keys: keys}
	opts := []expr.Option{
		expr.Env(&whenEnv{}), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins(),
		expr.Function("__get", get, new(func(any, any) any)),
		expr.Function("__opt", opt, new(func(any, any) any)),
		expr.Function("has", has, new(func(any) bool)),
		expr.Patch(p),
		expr.AsBool(),
	}
	opts = append(opts, whenFunctions()...)
	for _, name := range builtins {
		opts = append(opts, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(a.Expr, opts...)
	if err != nil {
		return nil, whenError(a, err)
	}
	if p.err != nil {
		return nil, whenError(a, p.err)
	}
	return &whenTest{program: program, stepBound: p.stepBound}, nil
}

// WhenError says what is wrong in a when expression, at an offset in code points.
type WhenError struct {
	Atom    *dsl.When
	Offset  int
	Message string
}

// Error returns the message; the position is the caller's to add.
func (e *WhenError) Error() string { return e.Message }

func whenError(a *dsl.When, err error) error {
	var fe *file.Error
	if errors.As(err, &fe) {
		return &WhenError{Atom: a, Offset: fe.Column, Message: fe.Message}
	}
	return &WhenError{Atom: a, Message: firstLine(err)}
}

// patcher turns every member access into a checked one, and refuses what a
// rule may not use. expr calls it for children before their parents.
type patcher struct {
	keys      *Keys
	err       error
	stepBound bool
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
	case "matches":
		// A pattern from a value could be of any length.
		if _, ok := n.Right.(*ast.StringNode); !ok {
			p.fail(n.Right, "the pattern of matches is a text in quotes")
		}
	case "+", "-", "*", "/", "%", "**", "^":
		p.arithmetic(node, n.Operator, n.Left, n.Right)
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

// absentError says that an expression read what nothing binds.
type absentError struct{ key any }

// Error names the key.
func (e *absentError) Error() string {
	return fmt.Sprintf("%v is not there (test it with has())", e.key)
}

// absent is what __opt finds where there is nothing.
type absent struct{}

// get reads a member and fails if there is none.
func get(params ...any) (any, error) {
	v, ok := member(params[0], params[1])
	if !ok {
		return nil, &absentError{key: params[1]}
	}
	if list, ok := v.([]any); ok && len(list) > maxItems {
		return nil, fmt.Errorf("%v has more than %d items", params[1], maxItems)
	}
	return v, nil
}

// opt reads a member, or returns absent.
func opt(params ...any) (any, error) {
	if v, ok := member(params[0], params[1]); ok {
		return v, nil
	}
	return absent{}, nil
}

func has(params ...any) (any, error) {
	_, missing := params[0].(absent)
	return !missing, nil
}

func member(base, prop any) (any, bool) {
	switch b := base.(type) {
	case *Values:
		name, _ := prop.(string)
		v, ok := b.get(name)
		if !ok {
			return nil, false
		}
		return v.native(), true
	case *meterGroup:
		if b.meters == nil {
			return nil, false
		}
		name, _ := prop.(string)
		d, ok := b.meters.Meter(dsl.Key(b.prefix + name))
		return nativeNumber(d.String()), ok
	case map[string]any:
		name, _ := prop.(string)
		v, ok := b[name]
		return v, ok
	case []any:
		i, ok := prop.(int)
		if ok && i < 0 {
			i += len(b)
		}
		if !ok || i < 0 || i >= len(b) {
			return nil, false
		}
		return b[i], true
	}
	return nil, false
}

// native turns a value into what expr computes with.
func (v *Value) native() any {
	switch {
	case v.kind == kindNumber:
		return nativeNumber(v.text)
	case v.kind == kindOther || v.inner && v.tree.Kind() != jsonv.String:
		return nativeJSON(v.tree)
	}
	return v.text
}

func nativeNumber(text string) any {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil { // beyond a float's range: keep it as text, which compares with no number
		return text
	}
	return f
}

func nativeJSON(j jsonv.Value) any {
	switch j.Kind() {
	case jsonv.Null:
		return nil
	case jsonv.Bool:
		return j.Text() == "true"
	case jsonv.List:
		list := make([]any, j.Len())
		for i := range list {
			list[i] = nativeJSON(j.Elem(i))
		}
		return list
	case jsonv.Object:
		m := make(map[string]any, j.Len())
		for i := range j.Len() {
			m[j.Key(i)] = nativeJSON(j.Elem(i))
		}
		return m
	}
	v := JSON(j)
	return v.native()
}
