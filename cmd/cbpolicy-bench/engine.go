package main

import (
	"context"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// stepAbility is what the step of the workload does; no rule names it.
const stepAbility = "trading.execute"

// engine is cbpolicy on the workload.
type engine struct {
	set   *registry.Set
	store *memory.Store
	bound *registry.Values

	plan    registry.Plan
	grant   state.Grant
	verdict registry.Verdict
	claim   state.Claim
	step    registry.Step
	texts   registry.Values
}

func newEngine(rules []spec, chains []string) *engine {
	var reg registry.Registry
	if err := reg.Register(parsed(rules)...); err != nil {
		panic(err)
	}
	e := &engine{set: reg.Set(), store: memory.New(memory.Options{}), bound: &registry.Values{}}
	for name, text := range outputs {
		e.bound.Bind(name, registry.Text(text))
	}
	e.seed(chains)
	return e
}

// seed gives every chain its history; the last run is the one that is measured.
func (e *engine) seed(chains []string) {
	now := time.Now().Add(-time.Second).UnixNano()
	for _, chain := range chains {
		for i := range history {
			run := "old"
			if i == history-1 {
				run = "now"
			}
			e.step = registry.Step{Chain: chain, Run: run, Session: "s", Ability: stepAbility, Outputs: e.bound, Now: now + int64(i)}
			e.claim.Run = chain + run + string(rune('a'+i))
			if run == "now" {
				e.claim.Run = "now"
			}
			if e.decide() != 0 {
				panic("the workload is not quiet")
			}
		}
	}
}

// decide judges the step as a session does and returns how many rules fire.
func (e *engine) decide() int {
	e.set.Plan(&e.step, &e.plan)
	e.claim.Now, e.claim.Session = e.step.Now, e.step.Session
	e.claim.Needs, e.claim.Guards, e.claim.Refused = e.plan.Needs, e.plan.Guards, e.plan.Refused
	if err := e.store.Claim(context.Background(), &e.claim, &e.grant); err != nil {
		panic(err)
	}
	e.set.Decide(&e.step, &e.plan, &e.grant.Tally, &e.verdict)
	return len(e.verdict.Fired)
}

// fromMaps judges a step whose values are given as texts.
func (e *engine) fromMaps(chain string, values map[string]string) int {
	e.texts = registry.TextValues(values)
	return e.run(chain, &e.texts)
}

// fromBound judges a step whose values were parsed when they were bound.
func (e *engine) fromBound(chain string) int { return e.run(chain, e.bound) }

func (e *engine) run(chain string, values *registry.Values) int {
	e.step = registry.Step{Chain: chain, Run: "now", Session: "s", Ability: stepAbility, Outputs: values}
	e.claim.Run = "now"
	return e.decide()
}

// share returns an engine over the same rules and state, with memory of its own.
func (e *engine) share() *engine { return &engine{set: e.set, store: e.store, bound: e.bound} }
