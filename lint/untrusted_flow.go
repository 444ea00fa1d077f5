package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// DefaultSources are abilities whose output others may have written: mail,
// web pages, issues.
func DefaultSources() []dsl.NamePattern {
	return []dsl.NamePattern{
		"gmail.read", "gmail.search", "email.list", "email.read", "search.web", "news.search", "news.headlines",
		"browser.extract", "browser.navigate", "browser.fetch", "data.fetch_url", "github.issues", "github.prs", "github.notifications",
	}
}

// DefaultSinks are abilities whose arguments reach other people, money, or
// the machine.
func DefaultSinks() []dsl.NamePattern {
	return []dsl.NamePattern{
		"gmail.send", "email.send", "slack.send", "channel.send", "calendar.create", "calendar.add", "notion.create_page",
		"trading.execute", "shell.exec", "script.run", "home.set_state",
	}
}

// untrustedFlow reports steps of a sink that are given what a source has put
// out, directly or through other steps, with no rule that asks a person
// before, or stops.
func untrustedFlow(p *pass) {
	for _, c := range p.chains {
		flows := c.flows(p.sources)
		for i := range c.Steps {
			s := &c.Steps[i]
			if !covered(p.sinks, s.Ability) || p.guarded(c, s.Ability) {
				continue
			}
			for _, in := range flows.into(i) {
				source := &c.Steps[in.path[0]]
				f := &diag.Finding{ID: UntrustedFlowID, Severity: diag.Warning, Confidence: diag.Possible, File: c.File, Pos: in.ref.Pos,
					Message: fmt.Sprintf("step %s gives %s what %s has put out, which others may have written: %s", s.ID, s.Ability, source.Ability, c.path(in.path, i)),
					Hint:    fmt.Sprintf(`ask before: B:ability:%s|confirm|"…"`, s.Ability),
					Related: []diag.Related{{File: c.File, Pos: source.AbilityPos, Message: "where it comes from"}}}
				p.addKey(f, in.ref.Key, true)
			}
		}
	}
}

// path names the steps that the data passes.
func (c *flowChain) path(steps []int, sink int) string {
	var names []string
	for _, i := range append(slices.Clone(steps), sink) {
		names = append(names, c.Steps[i].ID)
	}
	return strings.Join(names, " → ")
}

// covered reports whether one of the patterns covers an ability.
func covered(patterns []dsl.NamePattern, ability string) bool {
	folded := dsl.Fold(ability)
	return slices.ContainsFunc(patterns, func(p dsl.NamePattern) bool { return p.Fold().Match(folded) })
}

// guarded reports whether a rule certainly asks or stops before an ability is
// called in a chain: one that looks at nothing but what is called.
func (p *pass) guarded(c *flowChain, ability string) bool {
	guards := func(r *dsl.Rule) bool {
		if r.Options.Mode == dsl.Observe || r.Action.Kind != dsl.Abort && r.Action.Kind != dsl.Confirm {
			return false
		}
		return !slices.ContainsFunc(r.Condition, func(atom dsl.Atom) bool {
			a, ok := atom.(*dsl.Ability)
			return !ok || a.Not == a.Name.Fold().Match(dsl.Fold(ability))
		})
	}
	if slices.ContainsFunc(c.Rules, func(r chain.Rule) bool { return guards(r.Rule) }) {
		return true
	}
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			if s.Pattern.Match(c.ID) && slices.ContainsFunc(s.Rules, guards) {
				return true
			}
		}
	}
	return false
}

// inflow is data of a source that a step is given.
type inflow struct {
	ref  chain.Ref // in the step's arguments
	path []int     // the steps it has passed, the source first
}

// flows follows what sources put out from step to step.
type flows struct {
	chain *flowChain
	in    [][]inflow // by step; of each source one, by the shortest way
	from  []bool     // the step is a source itself
}

// flows works out which sources reach which step. Steps may run again after a
// jump back, so that it goes on until nothing is new.
func (c *flowChain) flows(sources []dsl.NamePattern) *flows {
	f := &flows{chain: c, in: make([][]inflow, len(c.Steps)), from: make([]bool, len(c.Steps))}
	for i := range c.Steps {
		f.from[i] = covered(sources, c.Steps[i].Ability)
	}
	for changed := true; changed; {
		changed = false
		for i := range c.Steps {
			changed = f.step(i) || changed
		}
	}
	return f
}

// step adds what reaches step i by its arguments, and reports whether that is news.
func (f *flows) step(i int) (news bool) {
	for _, a := range f.chain.Steps[i].Args {
		for _, ref := range a.Value.Refs() {
			if !f.chain.flow.May(i, ref.Key) {
				continue
			}
			for _, from := range stepsOf(f.chain.outputs, ref.Key) {
				if f.from[from] {
					news = f.add(i, inflow{ref, []int{from}}) || news
				}
				for _, in := range f.in[from] {
					news = f.add(i, inflow{ref, append(slices.Clone(in.path), from)}) || news
				}
			}
		}
	}
	return news
}

// add notes an inflow, unless the source is known to reach the step.
func (f *flows) add(i int, in inflow) bool {
	if slices.ContainsFunc(f.in[i], func(x inflow) bool { return x.path[0] == in.path[0] }) {
		return false
	}
	f.in[i] = append(f.in[i], in)
	return true
}

// into returns what reaches a step, in the order of the sources.
func (f *flows) into(i int) []inflow {
	all := slices.Clone(f.in[i])
	slices.SortFunc(all, func(a, b inflow) int { return a.path[0] - b.path[0] })
	return all
}
