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

// inputName is what no step of the catalogue dialect may be called.
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
// are reported.
func (r *reader) order() {
	steps := r.chain.Steps
	for i := range steps {
		for _, d := range r.dependencies[i] {
			if r.chain.StepIndex(d.id) < 0 {
				r.unknownDependency(d, steps[i].ID)
				continue
			}
			steps[i].DependsOn = append(steps[i].DependsOn, d.id)
		}
	}
	done := make(map[string]bool, len(steps))
	sorted := make([]int, 0, len(steps))
	for len(sorted) < len(steps) {
		next := slices.IndexFunc(steps, func(s Step) bool {
			return !done[s.ID] && !slices.ContainsFunc(s.DependsOn, func(id string) bool { return !done[id] })
		})
		if next < 0 {
			r.cycle(done)
			return
		}
		done[steps[next].ID] = true
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
func (r *reader) cycle(done map[string]bool) {
	steps := r.chain.Steps
	at := slices.IndexFunc(steps, func(s Step) bool { return !done[s.ID] })
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		waits := slices.IndexFunc(steps[at].DependsOn, func(id string) bool { return !done[id] })
		at = r.chain.StepIndex(steps[at].DependsOn[waits])
	}
	path = path[slices.Index(path, at):]
	var names []string
	for _, i := range append(slices.Clone(path), path[0]) {
		names = append(names, document.Quote(steps[i].ID))
	}
	first := path[0]
	pos := steps[first].Pos
	for _, d := range r.dependencies[first] {
		if d.id == steps[path[1%len(path)]].ID {
			pos = d.node.Pos
		}
	}
	f := r.Report(CycleID, pos, "steps wait for each other: "+strings.Join(names, " → "), "remove one of these from depends_on")
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
