package lint

import (
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// whenRead is a key that an expression reads whatever the values are. Where
// nothing is bound to it the expression fails, and its atom holds.
type whenRead struct {
	of  string // "args", "outputs" or "params"
	key dsl.Key
}

// whenBound tells what is known of such a key at step i.
func (c *flowChain) whenBound(i int, w whenRead) binding {
	switch w.of {
	case "outputs":
		return c.output(i, w.key)
	case "args":
		if _, ok := slices.BinarySearch(c.args[string(w.key)], i); !ok {
			return never
		}
	}
	return always // the expression was compiled against the parameters
}

// whenReads returns what an expression reads for certain: not what stands
// behind an && or ||, in a branch, in a closure or in has().
func whenReads(expression string) []whenRead {
	tree, err := parser.Parse(expression)
	if err != nil {
		return nil // compile reports it
	}
	w := whenWalk{}
	w.walk(tree.Node)
	return w.reads
}

type whenWalk struct{ reads []whenRead }

func (w *whenWalk) walk(nodes ...ast.Node) {
	for _, node := range nodes {
		switch n := node.(type) {
		case *ast.MemberNode:
			w.member(n)
		case *ast.UnaryNode:
			w.walk(n.Node)
		case *ast.BinaryNode:
			w.walk(n.Left)
			if !slices.Contains([]string{"&&", "and", "||", "or", "??"}, n.Operator) {
				w.walk(n.Right)
			}
		case *ast.ConditionalNode:
			w.walk(n.Cond)
		case *ast.ArrayNode:
			w.walk(n.Nodes...)
		case *ast.BuiltinNode:
			if len(n.Arguments) > 0 { // the others may be closures
				w.walk(n.Arguments[0])
			}
		case *ast.CallNode:
			if callee, ok := n.Callee.(*ast.IdentifierNode); !ok || callee.Value != "has" {
				w.walk(n.Arguments...)
			}
		}
	}
}

func (w *whenWalk) member(n *ast.MemberNode) {
	base, ok := n.Node.(*ast.IdentifierNode)
	key, constant := n.Property.(*ast.StringNode)
	if !ok || !constant || n.Optional {
		w.walk(n.Node, n.Property)
		return
	}
	read := whenRead{base.Value, dsl.Key(key.Value)}
	if slices.Contains([]string{"args", "outputs", "params"}, base.Value) && !slices.Contains(w.reads, read) {
		w.reads = append(w.reads, read)
	}
}
