package lint

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// undeclaredDependency reports steps of the catalogue dialect that read what
// another step puts out and do not depend on it, in a chain that orders its
// steps by depends_on: that the other stands first in the file is all that
// makes the reference work.
func undeclaredDependency(p *pass) {
	for _, c := range p.chains {
		if c.Dialect != chain.Catalogue || !slices.ContainsFunc(c.Steps, func(s chain.Step) bool { return len(s.DependsOn) > 0 }) {
			continue
		}
		var places map[string]diag.Position // of depends_on, by step; nil until one is needed
		for i := range c.Steps {
			reported := map[int]bool{}
			waits := c.waitsFor(&c.Steps[i])
			for _, ref := range stepRefs(&c.Steps[i]) {
				writer := c.loose(i, ref.Key, waits)
				if writer < 0 || reported[writer] {
					continue
				}
				reported[writer] = true
				if places == nil {
					places = p.dependsOn(c)
				}
				p.undeclaredDependency(c, i, writer, ref, places)
			}
		}
	}
}

// stepRefs are the references of a step, with the key of its condition.
func stepRefs(s *chain.Step) []chain.Ref {
	refs := s.Refs()
	if s.Condition != nil {
		refs = append(refs, chain.Ref{Key: s.Condition.RefKey, Pos: s.Condition.KeyPos})
	}
	return refs
}

// loose returns the step that puts out a key before step i and that step i
// does not wait for; −1: there is none, or there is one that it waits for.
func (c *flowChain) loose(i int, key dsl.Key, waits map[string]bool) int {
	writers := stepsOf(c.outputs, key)
	if len(writers) == 0 || c.isParam(key) || c.output(i, key) == never || slices.ContainsFunc(writers, func(w int) bool { return waits[c.Steps[w].ID] }) {
		return -1
	}
	return writers[0]
}

func (p *pass) undeclaredDependency(c *flowChain, i, writer int, ref chain.Ref, places map[string]diag.Position) {
	s := &c.Steps[i]
	reader, first := s.ID, c.Steps[writer].ID
	f := &diag.Finding{ID: UndeclaredDependsID, Severity: diag.Warning, Confidence: diag.Possible, File: c.File, Pos: ref.Pos,
		Message: fmt.Sprintf("step %s reads %s and does not depend on step %s: only the order of the file puts that first", reader, ref.Key, first),
		Hint:    fmt.Sprintf("add %s to depends_on of step %s", first, reader)}
	at, ok := places[reader]
	if !ok {
		p.marks[p.add(f)] = mark{key: ref.Key, ref: s.Condition == nil || ref.Pos != s.Condition.KeyPos}
		return
	}
	f.Pos = at
	f.Related = []diag.Related{{File: c.File, Pos: ref.Pos, Message: "where it reads it"}}
	p.addKey(f, "depends_on", false)
}

// dependsOn tells where the steps of a chain say what they depend on.
func (p *pass) dependsOn(c *flowChain) map[string]diag.Position {
	places := map[string]diag.Position{}
	n := root(File{Name: c.File, Data: p.data[c.File]})
	if n == nil {
		return places
	}
	steps := member(n, "steps")
	if steps == nil {
		return places
	}
	for _, s := range steps.Items {
		id := member(s, "id")
		if id == nil {
			continue
		}
		for _, name := range s.Names {
			if name.Text == "depends_on" {
				places[id.Text] = name.Pos
			}
		}
	}
	return places
}

// waitsFor returns the steps that depends_on puts before a step, over others too.
func (c *flowChain) waitsFor(s *chain.Step) map[string]bool {
	waits := map[string]bool{}
	for todo := slices.Clone(s.DependsOn); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !waits[id] {
			waits[id] = true
			todo = append(todo, c.Steps[c.StepIndex(id)].DependsOn...)
		}
	}
	return waits
}
