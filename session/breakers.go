package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
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
}

// guarded is an ability with a breaker.
type guarded struct {
	ability     string // folded
	rule        *Breaker
	config      breaker.Config
	cell, lease string
}

// maxGuarded bounds the abilities that are remembered: their names come from the agent.
const maxGuarded = meter.MaxNames

func newBreakers(rules []Breaker) breakers {
	b := breakers{rules: make([]Breaker, len(rules)), found: map[string]*guarded{}}
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
	folded := dsl.Fold(ability)
	if g, known := b.found[folded]; known {
		return g
	}
	var g *guarded
	if r := covering(b.rules, folded); r != nil {
		g = &guarded{ability: folded, rule: r, config: r.WithDefaults(), cell: "breaker\x00" + folded, lease: "probe\x00" + folded}
	}
	if len(b.found) >= maxGuarded {
		clear(b.found)
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

// ticket is what a breaker made of a step that is about to be judged.
type ticket struct {
	guarded    *guarded
	generation uint64
	open       bool
	until      int64 // when an open breaker lets a probe through; 0: nobody knows
	probe      state.Lease
}

// ticket asks the breaker of a step.
func (s *Session) ticket(ctx context.Context, rs *registry.Step, now int64) (*ticket, error) {
	g := s.breakers.of(rs.Ability)
	if g == nil || WorkerOf(rs) != "" {
		return nil, nil // a delegation has its own cap
	}
	st, _, err := s.loadBreaker(ctx, g)
	if err != nil {
		return nil, err
	}
	t := &s.ticketOf
	*t = ticket{guarded: g, generation: st.Generation}
	switch st.Phase(now, g.config) {
	case breaker.Open:
		t.open = true
		if !g.config.Manual {
			t.until = st.Until(g.config)
		}
	case breaker.HalfOpen:
		t.probe = state.Lease{Key: g.lease, Holder: s.holder(rs), TTL: g.config.Probe}
	}
	return t, nil
}

// holder names a call as the holder of a probe's lease: the same name for a
// call that is asked for again, another for every other call of any session,
// also of one with the same id in another process.
func (s *Session) holder(rs *registry.Step) string {
	if id := callID(rs); !id.IsZero() {
		return fmt.Sprintf("%s#%s#%x", s.id, s.nonce, id)
	}
	return fmt.Sprintf("%s#%s#%d", s.id, s.nonce, s.calls+1)
}

func (s *Session) loadBreaker(ctx context.Context, g *guarded) (breaker.State, int64, error) {
	s.query.Cells = append(s.query.Cells[:0], g.cell)
	if err := s.decider.Store.Load(ctx, s.query, &s.view); err != nil {
		return breaker.State{}, 0, err
	}
	cell := s.view.Cells[0]
	st, err := breaker.Parse(cell.Value)
	return st, cell.Version, err
}

// refuse makes v the refusal of an open breaker, beside what the rules say.
func (t *ticket) refuse(v *registry.Verdict, until, now int64) {
	wait := time.Duration(-1)
	text := "CircuitBreakerOpen: " + t.guarded.ability + " has failed too often and is not called until an operator resets it"
	if until > 0 {
		wait = time.Duration(max(until-now, 0))
		text = fmt.Sprintf("CircuitBreakerOpen: %s has failed too often and is tried again in %s", t.guarded.ability, wait.Round(time.Millisecond))
	}
	v.Add(SlugCircuitOpen, text, wait)
}

// maxConflicts is how often a breaker is written anew because another session
// has changed it in between.
const maxConflicts = 64

// settle tells the store of a call's end: its call id, the breaker of its
// ability, and its probe.
func (s *Session) settle(ctx context.Context, o *Outcome) error {
	st := o.Step
	settlement := state.Settlement{Call: st.admitted, Now: s.now()}
	if st.guarded == nil {
		if st.admitted == (state.CallID{}) {
			return nil
		}
		return s.decider.Store.Settle(ctx, &settlement)
	}
	if st.probe != "" {
		settlement.Leases, settlement.Holder = []string{st.guarded.lease}, st.probe
	}
	result := st.guarded.result(o)
	if st.probe != "" && s.present() >= st.probeUntil {
		result = breaker.Neutral // its lease is over, and another call is the probe
	}
	for range maxConflicts {
		before, version, err := s.loadBreaker(ctx, st.guarded)
		if err != nil {
			return err
		}
		now := s.present()
		after, moved := before.After(result, st.generation, now, st.guarded.config)
		settlement.Cells = settlement.Cells[:0]
		if moved {
			settlement.Cells = append(settlement.Cells, state.Write{Key: st.guarded.cell, Version: version, Value: after.Append(nil)})
		} else if st.admitted == (state.CallID{}) && st.probe == "" {
			s.measure(st.guarded, after, result, now)
			return nil
		}
		if err := s.decider.Store.Settle(ctx, &settlement); !errors.Is(err, state.ErrConflict) {
			if c := changeOf(st.guarded, before, after, now); c != nil && err == nil {
				s.changed(c)
			}
			s.measure(st.guarded, after, result, now)
			return err
		}
	}
	return fmt.Errorf("the breaker of %s is changed by others all the time: %w", st.guarded.ability, state.ErrConflict)
}

// measure tells the metrics of a call's end.
func (s *Session) measure(g *guarded, after breaker.State, r breaker.Result, now int64) {
	if s.metrics != nil {
		s.metrics.Observe(g.ability, after, g.config, r, now)
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

// Breaker returns the state of an ability's breaker and its phase now; false
// if it has none.
func (s *Session) Breaker(ctx context.Context, ability string) (st breaker.State, p breaker.Phase, has bool, err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	g := s.breakers.of(ability)
	if g == nil {
		return breaker.State{}, breaker.Closed, false, nil
	}
	st, _, err = s.loadBreaker(ctx, g)
	return st, st.Phase(s.present(), g.config), true, err
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
	for range maxConflicts {
		st, version, err := s.loadBreaker(ctx, g)
		if err != nil {
			return err
		}
		write := state.Write{Key: g.cell, Version: version, Value: st.Reset(s.present()).Append(nil)}
		if err = s.decider.Store.Settle(ctx, &state.Settlement{Now: s.now(), Cells: []state.Write{write}}); !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("session %s: the breaker of %s is changed by others all the time: %w", s.id, ability, state.ErrConflict)
}
