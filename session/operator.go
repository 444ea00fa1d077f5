package session

import (
	"context"
	"fmt"
	"hash/maphash"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// Operator looks at the breakers that sessions share in a store, and closes them,
// without being one of the sessions. It goes by the store's time.
type Operator struct {
	Store state.Store
	// Breakers are as the sessions have them; they say when one is tried again.
	Breakers []Breaker
}

// BreakerStatus is the breaker of an ability as a store has it.
type BreakerStatus struct {
	Ability string // folded
	// Known: the store has it. Otherwise it is as if the ability had never failed:
	// it has not, or not for as long as a breaker is remembered, or under this name.
	Known bool
	// Off: Breakers give the ability none, and Config is the defaults. What the
	// store has was written by sessions that had others.
	Off    bool
	State  breaker.State
	Config breaker.Config // with its defaults
	Phase  breaker.Phase  // at that time
	At     int64          // the store's time, Unix nanoseconds
}

// Breaker returns the breaker of an ability.
func (o *Operator) Breaker(ctx context.Context, ability string) (BreakerStatus, error) {
	g, off := o.guarded(ability)
	now, err := o.load(ctx, g)
	return statusOf(g, off, now), wrapped(g, err)
}

// ResetBreaker closes the breaker of an ability, also one that waits for its time,
// and begins the row of failures of a closed one anew. It returns what the breaker
// was before; one that is not Known is left alone. Sessions see it with their next
// decision.
func (o *Operator) ResetBreaker(ctx context.Context, ability string) (BreakerStatus, error) {
	g, off := o.guarded(ability)
	var before BreakerStatus
	load := func() (int64, error) {
		now, err := o.load(ctx, g)
		before = statusOf(g, off, now)
		return now, err
	}
	if _, err := load(); err != nil || !before.Known {
		return before, wrapped(g, err)
	}
	p := patience{clock: SystemClock(), nonce: g.nonce}
	_, _, err := g.reset(ctx, o.Store, 0, &p, load)
	return before, wrapped(g, err)
}

func wrapped(g *guarded, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", g.name(), err)
}

// guarded is an ability with its breaker, and whether Breakers give it none.
func (o *Operator) guarded(ability string) (g *guarded, off bool) {
	folded := dsl.Fold(ability)
	r := covering(newBreakers(o.Breakers, 0).rules, folded)
	if off = r == nil; off {
		r = &Breaker{}
	}
	return newGuarded(folded, r, maphash.String(maphash.MakeSeed(), ability)), off
}

func (o *Operator) load(ctx context.Context, g *guarded) (now int64, err error) {
	var v state.View
	if err := o.Store.Load(ctx, state.Query{Cells: []string{g.cell}}, &v); err != nil {
		return 0, err
	}
	return v.Now, g.see(v.Cells[0], v.Now)
}

func statusOf(g *guarded, off bool, now int64) BreakerStatus {
	return BreakerStatus{
		Ability: g.ability, Known: g.seen.Version > 0, Off: off, State: g.state, Config: g.config, Phase: g.state.Phase(now, g.config), At: now,
	}
}
