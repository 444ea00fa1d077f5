package registry

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/cbpolicy/cbpolicy/dsl"
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
	keys   map[string]dsl.Key // of meters that were read, by the part behind the dot
}

// key is that of a meter of the group, remembered: the next step has it read again.
func (g *meterGroup) key(name string) dsl.Key {
	key, known := g.keys[name]
	if !known {
		if key = dsl.Key(g.prefix + name); !key.IsMeter() {
			return key
		}
		if g.keys == nil {
			g.keys = map[string]dsl.Key{}
		}
		g.keys[name] = key
	}
	return key
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
	// What the expression reads, for judging without a step.
	stepBound, taskMeter, sessionMeter bool
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
	return &whenTest{program: program, stepBound: p.stepBound, taskMeter: p.taskMeter, sessionMeter: p.sessionMeter}, nil
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
