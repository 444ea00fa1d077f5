package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// inputName is what no step and no output of the catalogue dialect may be
// called: a step's output would stand in the place of a parameter.
const inputName = "input"

// dialect tells by its steps in which dialect a chain is written.
func dialect(root *document.Node) Dialect {
	if root.Kind != jsonv.Object {
		return Documented
	}
	for i, name := range root.Names {
		if name.Text != "steps" || root.Items[i].Kind != jsonv.List {
			continue
		}
		for _, step := range root.Items[i].Items {
			for _, field := range step.Names {
				if field.Text == "params" || field.Text == "depends_on" {
					return Catalogue
				}
			}
		}
	}
	return Documented
}

// dependency is an entry of a depends_on.
type dependency struct {
	id   string
	node *document.Node
}

// dependsOn reads the ids of the steps that run before a step.
func (r *reader) dependsOn(n *document.Node) []dependency {
	var all []dependency
	for _, item := range r.List(n, "depends_on", MaxSteps) {
		if r.dependsOns++; r.dependsOns > MaxDependencies {
			if r.dependsOns == MaxDependencies+1 {
				r.Report(LimitID, item.Pos, fmt.Sprintf("more than %d entries of depends_on", MaxDependencies), "")
			}
			break
		}
		id, ok := r.Text(item, "a step that is depended on")
		if !ok || slices.ContainsFunc(all, func(d dependency) bool { return d.id == id }) {
			continue // said twice it means the same
		}
		all = append(all, dependency{id, item})
	}
	return all
}

// order puts the steps in an order that depends_on allows: that of the file
// among those that are free. Steps of a cycle keep the order of the file, and
// are reported. Steps are told apart by their index, as a faulty chain may
// have two of one id, or without any.
func (r *reader) order() {
	steps := r.chain.Steps
	waits := make([][]int, len(steps))
	for i := range steps {
		for _, d := range r.dependencies[i] {
			on := r.chain.StepIndex(d.id)
			if on < 0 {
				if !r.nameless() {
					r.unknownDependency(d, steps[i].ID)
				}
				continue
			}
			steps[i].DependsOn = append(steps[i].DependsOn, d.id)
			waits[i] = append(waits[i], on)
		}
	}
	done := make([]bool, len(steps))
	undone := func(i int) bool { return !done[i] }
	sorted := make([]int, 0, len(steps))
	for len(sorted) < len(steps) {
		next := 0
		for next < len(steps) && (done[next] || slices.ContainsFunc(waits[next], undone)) {
			next++
		}
		if next == len(steps) {
			r.cycle(waits, undone)
			return
		}
		done[next] = true
		sorted = append(sorted, next)
	}
	r.sort(sorted)
}

// sort brings the steps, and what was read with them, into an order.
func (r *reader) sort(order []int) {
	steps, failures := make([]Step, len(order)), make([]*document.Node, len(order))
	for to, from := range order {
		steps[to], failures[to] = r.chain.Steps[from], r.failures[from]
	}
	r.chain.Steps, r.failures = steps, failures
}

func (r *reader) unknownDependency(d dependency, step string) {
	var ids []string
	for i := range r.chain.Steps {
		if id := r.chain.Steps[i].ID; id != step {
			ids = append(ids, id)
		}
	}
	hint := "name a step of this chain"
	if like := diag.Suggest(d.id, ids); like != "" {
		hint = "did you mean " + like + "?"
	}
	f := r.Report(DanglingID, d.node.Pos, fmt.Sprintf("step %s depends on %s, which is no step of this chain", document.Quote(step), document.Quote(d.id)), hint)
	f.End, _ = d.node.TextPos(len(d.id))
}

// cycle reports the first cycle among the steps that are not done: going from
// each to one that it waits for must come back to one that was passed.
func (r *reader) cycle(waits [][]int, undone func(int) bool) {
	steps := r.chain.Steps
	at := 0
	for !undone(at) {
		at++
	}
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		at = waits[at][slices.IndexFunc(waits[at], undone)]
	}
	path = path[slices.Index(path, at):]
	var names []string
	for _, i := range append(slices.Clone(path), path[0]) {
		names = append(names, document.Quote(steps[i].ID))
	}
	first, second := path[0], path[1%len(path)]
	on := slices.IndexFunc(r.dependencies[first], func(d dependency) bool { return d.id == steps[second].ID })
	f := r.Report(CycleID, r.dependencies[first][on].node.Pos, "steps wait for each other: "+strings.Join(names, " → "), "remove one of these from depends_on")
	for _, i := range path[1:] {
		f.Related = append(f.Related, diag.Related{File: r.File, Pos: steps[i].Pos, Message: "step " + document.Quote(steps[i].ID)})
	}
}

// implicit declares the parameters that {{input.x}} stands for.
func (r *reader) implicit() {
	c := r.chain
	declare := func(key dsl.Key, pos diag.Position) {
		rest, ok := strings.CutPrefix(string(key), inputPrefix)
		name, _, _ := strings.Cut(rest, ".")
		if !ok || c.Param(name) != nil {
			return
		}
		if len(c.Params) == MaxParams {
			r.Report(LimitID, pos, fmt.Sprintf("more than %d parameters", MaxParams), "")
		}
		c.Params = append(c.Params, Param{Name: name, Required: true, Implicit: true, Pos: pos})
	}
	for i := range c.Steps {
		for _, ref := range c.Steps[i].Refs() {
			declare(ref.Key, ref.Pos)
		}
		if cond := c.Steps[i].Condition; cond != nil {
			declare(cond.RefKey, cond.KeyPos)
		}
	}
	for i := range c.Rules {
		for _, atom := range c.Rules[i].Condition {
			if t, ok := atom.(*dsl.Threshold); ok {
				declare(t.Key, t.At.Start)
				declare(t.Value.Param, t.At.Start)
			}
		}
	}
}
