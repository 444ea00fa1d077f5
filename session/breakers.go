package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// Breaker gives the abilities that a pattern covers a half-open breaker each.
// Of several patterns that cover an ability the first counts.
type Breaker struct {
	Abilities dsl.NamePattern
	breaker.Config
	Off bool // the abilities have none
	// Count and Ignore are error classes that count as failures, or do not,
	// beside or against the usual ones; see ClassTool and the others.
	Count, Ignore []string
}

// DefaultBreakers gives every ability a breaker with the defaults.
func DefaultBreakers() []Breaker { return []Breaker{{Abilities: "*"}} }

// BreakerChange is a breaker that moved from one phase to another.
type BreakerChange struct {
	Ability  string // folded
	At       int64  // Unix nanoseconds
	From, To breaker.Phase
	Trips    uint32 // how often it has opened
}

// SlugCircuitOpen is the rule id of a refusal by an open breaker.
const SlugCircuitOpen = "circuit_open"

// breakers finds the breaker of an ability.
type breakers struct {
	rules []Breaker
	found map[string]*guarded // by folded ability
	spelt map[string]*guarded // by ability as it was written, as far as that differs
}

// guarded is an ability with a breaker.
type guarded struct {
	ability     string // folded
	rule        *Breaker
	config      breaker.Config
	cell, lease string
	// The breaker's cell as the store last had it, as far as this session knows.
	// The store is never asked for it before a decision: it is told what the
	// decision was made by, and refuses one that was made by what is no longer so.
	seen  state.Cell
	state breaker.State // what is in seen
}

// see notes what the cell of a breaker is.
func (g *guarded) see(c state.Cell) error {
	st, err := breaker.Parse(c.Value)
	if err != nil {
		g.seen, g.state = state.Cell{}, breaker.State{}
		return err
	}
	g.seen, g.state = c, st
	return nil
}

// expect is the cell as it was last seen.
func (g *guarded) expect() state.Expect { return state.Expect{Key: g.cell, Cell: g.seen} }

// write replaces the cell that was last seen.
func (g *guarded) write(st breaker.State) state.Write {
	return state.Write{Key: g.cell, Version: g.seen.Version, Value: st.Append(nil), TTL: st.Keep(g.config)}
}

// wrote notes that the cell was replaced.
func (g *guarded) wrote(w *state.Write, st breaker.State) {
	g.seen, g.state = state.Cell{Version: w.Version + 1, Value: w.Value}, st
}

// moves reports whether a result would change the breaker as it was last seen.
func (g *guarded) moves(r breaker.Result, generation uint64) bool {
	_, moved := g.state.After(r, generation, 0, g.config)
	return moved
}

// maxGuarded bounds the abilities that are remembered, with their cells: their
// names come from the agent.
const maxGuarded = meter.MaxNames

func newBreakers(rules []Breaker) breakers {
	b := breakers{rules: make([]Breaker, len(rules)), found: map[string]*guarded{}, spelt: map[string]*guarded{}}
	for i, r := range rules {
		r.Abilities = r.Abilities.Fold()
		b.rules[i] = r
	}
	return b
}

// of returns the breaker of an ability; nil: it has none.
func (b *breakers) of(ability string) *guarded {
	if len(b.rules) == 0 {
		return nil
	}
	if g, known := b.spelt[ability]; known {
		return g
	}
	folded := dsl.Fold(ability)
	g, known := b.found[folded]
	if !known {
		g = b.find(folded)
	}
	if folded != ability {
		if len(b.spelt) >= maxGuarded {
			clear(b.spelt)
		}
		b.spelt[ability] = g
	}
	return g
}

// find looks for the breaker of a folded ability, and remembers it.
func (b *breakers) find(folded string) (g *guarded) {
	if r := covering(b.rules, folded); r != nil {
		g = &guarded{ability: folded, rule: r, config: r.WithDefaults(), cell: "breaker\x00" + folded, lease: "probe\x00" + folded}
	}
	if len(b.found) >= maxGuarded {
		clear(b.found)
		clear(b.spelt)
	}
	b.found[folded] = g
	return g
}

// covering returns the first of the folded rules that covers a folded ability;
// nil if none does, or if it turns the breaker off.
func covering(rules []Breaker, folded string) *Breaker {
	for i := range rules {
		if r := &rules[i]; r.Abilities.Match(folded) {
			if r.Off {
				return nil
			}
			return r
		}
	}
	return nil
}

// BreakerOf returns the breaker that a list gives an ability; nil: none.
func BreakerOf(list []Breaker, ability string) *Breaker {
	return covering(newBreakers(list).rules, dsl.Fold(ability))
}

// result is what a call's outcome says of its ability.
func (g *guarded) result(o *Outcome) breaker.Result {
	switch {
	case !o.Failed:
		return breaker.Success
	case contains(g.rule.Ignore, o.Class):
		return breaker.Neutral
	case contains(g.rule.Count, o.Class) || countsAgainstTool(o.Class):
		return breaker.Failure
	}
	return breaker.Neutral
}

func contains(classes []string, class string) bool {
	for _, c := range classes {
		if c == class {
			return true
		}
	}
	return false
}

// settle tells the store of a call's end: its call id, the breaker of its
// ability, and its probe.
func (s *Session) settle(ctx context.Context, o *Outcome) error {
	st, g := o.Step, o.Step.guarded
	if g == nil && st.admitted.IsZero() {
		return s.tellMoney(ctx)
	}
	p := s.patience()
	settlement := &s.settling
	*settlement = state.Settlement{Call: st.admitted, Now: s.now()}
	if g == nil {
		return s.report(ctx, settlement, p)
	}
	result := g.result(o)
	if st.probe != "" {
		settlement.Leases, settlement.Holder = []string{g.lease}, st.probe
	} else if !st.admitted.IsZero() && !g.moves(result, st.generation) {
		s.expects[0] = g.expect()
		settlement.Expects = s.expects[:]
		err := s.report(ctx, settlement, p)
		if !again(err) {
			s.measure(g, result)
			return err
		}
		settlement.Expects = nil
	}
	for {
		now, err := s.loadBreaker(ctx, g)
		if err != nil {
			return err
		}
		if st.probe != "" && now >= st.probeUntil {
			result = breaker.Neutral // its lease is over, and another call is the probe
		}
		before := g.state
		after, moved := before.After(result, st.generation, now, g.config)
		if !moved && st.admitted.IsZero() && st.probe == "" {
			s.measure(g, result)
			return s.tellMoney(ctx)
		}
		settlement.Cells = settlement.Cells[:0]
		if moved {
			settlement.Cells = append(settlement.Cells, g.write(after))
		}
		err = s.report(ctx, settlement, p)
		if again(err) {
			if err = p.again(ctx, g.name()); err == nil {
				continue
			}
		}
		if err == nil && moved {
			g.wrote(&settlement.Cells[0], after)
			if c := changeOf(g, before, after, now); c != nil {
				s.changed(c)
			}
		}
		s.measure(g, result)
		return err
	}
}

// name is what an error calls the breaker.
func (g *guarded) name() string { return "the breaker of " + g.ability }

// measure tells the metrics of a call's end.
func (s *Session) measure(g *guarded, r breaker.Result) {
	if s.metrics != nil {
		s.metrics.Observe(g.ability, g.state, g.config, r, s.present())
	}
}

// changeOf is the change between two states; nil if they are of one phase.
func changeOf(g *guarded, before, after breaker.State, now int64) *BreakerChange {
	if before.Generation == after.Generation {
		return nil
	}
	c := &BreakerChange{Ability: g.ability, At: now, From: before.Phase(now, g.config), To: breaker.Open, Trips: after.Trips}
	if after.Opened == 0 {
		c.To = breaker.Closed
	}
	return c
}

// Breaker returns the state of an ability's breaker, and its phase now by the
// store's time, which is that of all breakers of the store; false if it has none.
func (s *Session) Breaker(ctx context.Context, ability string) (st breaker.State, p breaker.Phase, has bool, err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	g := s.breakers.of(ability)
	if g == nil {
		return breaker.State{}, breaker.Closed, false, nil
	}
	now, err := s.loadBreaker(ctx, g)
	return g.state, g.state.Phase(now, g.config), true, err
}

// ResetBreaker closes the breaker of an ability, as an operator may.
func (s *Session) ResetBreaker(ctx context.Context, ability string) (err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	g := s.breakers.of(ability)
	if g == nil {
		return fmt.Errorf("session %s: %s has no breaker", s.id, ability)
	}
	for p := s.patience(); ; {
		now, err := s.loadBreaker(ctx, g)
		if err != nil {
			return err
		}
		st := g.state.Reset(now)
		write := g.write(st)
		err = s.decider.Store.Settle(ctx, &state.Settlement{Now: s.now(), Cells: []state.Write{write}})
		if err == nil {
			g.wrote(&write, st)
		}
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
		if err := p.again(ctx, g.name()); err != nil {
			return fmt.Errorf("session %s: %w", s.id, err)
		}
	}
}
