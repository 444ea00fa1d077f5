package session

import (
	"context"

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
	nonce uint64              // the session's
	found map[string]*guarded // by folded ability
	spelt map[string]*guarded // by ability as it was written, as far as that differs

	latest     *guarded // what was looked up last
	latestName string
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
	at    int64         // the store's time at which it was known to be so
	tries []*tried      // writes of which nobody knows whether they were made
	// What tells its writes from each other, and from those of others.
	nonce, writes uint64
	// The generation that the metrics were last told of.
	measured uint64
}

// newGuarded is an ability that whoever has a nonce looks at.
func newGuarded(folded string, r *Breaker, nonce uint64) *guarded {
	return &guarded{ability: folded, rule: r, config: r.WithDefaults(), cell: "breaker\x00" + folded, lease: "probe\x00" + folded, nonce: nonce}
}

// see notes what the cell of a breaker is at the store's time.
func (g *guarded) see(c state.Cell, now int64) error {
	st, err := breaker.Parse(c.Value)
	if err != nil {
		g.seen, g.state = state.Cell{}, breaker.State{}
		return err
	}
	g.seen, g.state, g.at = c, st, now
	g.recognize(c)
	return nil
}

// expect is the cell as it was last seen.
func (g *guarded) expect() state.Expect { return state.Expect{Key: g.cell, Cell: g.seen} }

// write replaces the cell that was last seen.
func (g *guarded) write(st breaker.State) state.Write {
	g.writes++
	text := st.AppendMarked(nil, scatter(g.nonce, g.writes))
	return state.Write{Key: g.cell, Version: g.seen.Version, Value: text, TTL: st.Keep(g.config)}
}

// wrote notes that the cell was replaced.
func (g *guarded) wrote(w *state.Write, st breaker.State) {
	g.seen, g.state = state.Cell{Version: w.Version + 1, Value: w.Value}, st
	g.dropTries(g.seen.Version)
}

// maxGuarded bounds the abilities that are remembered, with their cells: their
// names come from the agent.
const maxGuarded = meter.MaxNames

func newBreakers(rules []Breaker, nonce uint64) breakers {
	b := breakers{rules: make([]Breaker, len(rules)), nonce: nonce, found: map[string]*guarded{}, spelt: map[string]*guarded{}}
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
	if b.latest == nil || b.latestName != ability { // an agent often calls the same again
		b.latest, b.latestName = b.lookUp(ability), ability
	}
	return b.latest
}

func (b *breakers) lookUp(ability string) *guarded {
	if g, known := b.found[ability]; known {
		return g // what is found by its folded name is spelt so
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
		g = newGuarded(folded, r, b.nonce)
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
	return covering(newBreakers(list, 0).rules, dsl.Fold(ability))
}

// name is what an error calls the breaker.
func (g *guarded) name() string { return "the breaker of " + g.ability }

// measure tells the metrics of a call's end.
func (s *Session) measure(g *guarded, r breaker.Result) {
	if s.metrics != nil {
		g.measured = g.state.Generation
		s.metrics.Observe(g.ability, breaker.Seen{State: g.state, Config: g.config, At: g.at}, r, s.present())
	}
}

// measureMoved tells the metrics of a breaker that is in another phase than they
// were told, whoever has moved it.
func (s *Session) measureMoved(g *guarded) {
	if g.measured != g.state.Generation {
		s.measure(g, breaker.Neutral)
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
	s.measureMoved(g)
	return g.state, g.state.Phase(now, g.config), true, err
}
