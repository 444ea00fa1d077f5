package fallback

import (
	"context"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Claim implements state.Store. A claim that was decided while the home was
// away has Grant.Away: nothing was said of the cells of state.HomeCells that it
// writes or expects, and none of them is written. The error of one that a rule
// denies wraps state.ErrDenied.
func (s *Store) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	s.flights.ask(&c.Call)
	admitted, lost := false, false // lost: the home may have admitted it, and it is not heard of
	defer func() {                 // also if the home panics
		if s.flights.answered(&c.Call, admitted) && lost && !c.Refused {
			s.takeBack(c.Call)
		}
	}()
	err := s.do(ctx, func(ctx context.Context) error {
		g.Away = nil
		lost = true
		err := s.home.Claim(ctx, c, g)
		lost = !reached(err)
		s.confirmed(c, g, err)
		s.unheard(c.Cells, lost)
		if err == nil && g.Admitted && !s.admitted(ctx, c) {
			lost = !g.Repeated
			return errLeft
		}
		return err
	}, func(ctx context.Context, away *registry.Away) error {
		*g = state.Grant{Tally: registry.Tally{Counts: g.Counts[:0], At: g.At[:0], Approved: g.Approved[:0]}, Lease: -1, Reserve: -1}
		return s.claimLocally(ctx, away, c, g)
	})
	admitted = err == nil && g.Admitted
	return err
}

// unheard notes writes whose answer was lost: the home may have made them.
func (s *Store) unheard(writes []state.Write, lost bool) {
	if len(writes) == 0 || !lost {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells.unheard(writes)
}

// takeBack keeps a release of a call that was not admitted here, for the home
// may have admitted it before its answer was lost. Without one it counts too
// much, never too little, so there need not be room.
func (s *Store) takeBack(id state.CallID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil && s.room() {
		s.keep(told{what: release, call: id, spare: true})
	}
}

// denied is the error of a claim that may not be decided without the home.
type denied string

func (d denied) Error() string { return state.ErrUnavailable.Error() + ": " + string(d) }

func (d denied) Unwrap() []error { return []error{state.ErrUnavailable, state.ErrDenied} }

// full is the error of what would have to be kept, where there is no room.
func (s *Store) full() error {
	return denied(fmt.Sprintf("%s, and the %d calls that may be kept for it are", s.away.Reason, s.maxKept))
}

// said is what the rules of a claim say about a home that is away, together:
// of all that read what it counts, since without the home none of them is judged,
// be it to refuse or to warn, and of those that ask for an approval. For a claim
// that no rule reads, and for reservations, it is what the operator says.
func said(c *state.Claim) registry.Modes {
	var modes registry.Modes
	for i := range c.Needs {
		for j := range c.Needs[i].Windows {
			w := &c.Needs[i].Windows[j]
			modes |= saying(w.Modes | w.Readers)
		}
	}
	for i := range c.Guards {
		modes |= saying(c.Guards[i].Modes)
	}
	if modes == 0 || len(c.Reserves) > 0 {
		modes |= registry.ModesOf(dsl.StoreDefault)
	}
	return modes
}

// saying is what rules say; where nobody has asked them, they say nothing.
func saying(m registry.Modes) registry.Modes {
	if m == 0 {
		return registry.ModesOf(dsl.StoreDefault)
	}
	return m
}

// claimLocally decides a claim by the local home and keeps what it took.
func (s *Store) claimLocally(ctx context.Context, away *registry.Away, c *state.Claim, g *state.Grant) error {
	if err := c.Check(); err != nil {
		return err
	}
	modes := said(c)
	if g.Away = away; c.HomeOnly {
		return denied(away.Reason)
	}
	if away.Says(modes, dsl.StoreDeny) {
		return denied(away.Reason)
	}
	takes := len(c.Needs)+len(c.Reserves) > 0 && !c.Refused
	keeps := takes && s.room()
	if takes && !keeps && (away.Says(modes, dsl.StoreLocal) || len(c.Reserves) > 0) {
		return s.full()
	}
	expects, are, err := s.localExpects(ctx, c.Expects, c.Now)
	if err != nil {
		g.Expected = are
		return err
	}
	cells, err := s.localWrites(ctx, c.Cells)
	if err != nil {
		return err
	}
	local, asked := localClaim(away, c)
	local.Cells, local.Expects = cells, expects
	if err := s.local.Claim(ctx, &local, g); err != nil {
		return err
	}
	spread(g, asked, len(c.Guards))
	if !g.Admitted {
		return nil
	}
	s.cells.dirty(c.Cells)
	for i := range c.Guards {
		if g.Approved[i] {
			s.given.use(c.Session, c.Guards[i].Approval)
		}
	}
	s.shared.Store(true)
	switch {
	case !takes || g.Repeated && s.keeps(c):
	case keeps:
		s.flights.tell(&c.Call, true)
		s.keep(told{what: claiming, claim: recorded(c)})
	default:
		s.lose(c, g)
	}
	return nil
}

// lose notes that the home will never hear of a claim that was let pass.
func (s *Store) lose(c *state.Claim, g *state.Grant) {
	s.lost++
	s.flights.tell(&c.Call, false)
	if s.overfull == nil {
		overfull := *s.away
		overfull.Reason = fmt.Sprintf("%s, and the %d calls that may be kept for it are: this one it will never count", s.away.Reason, s.maxKept)
		s.overfull = &overfull
		s.log.Error("no more can be kept for the state: what is let pass from now on it will never count", "kept", s.maxKept)
	}
	g.Away = s.overfull
}

// localClaim is a claim as the local home is to decide it: with the limits of
// this process, refused by rules that are counted locally only, and without
// the guards of rules that let pass. It returns the indexes of the guards it has.
func localClaim(away *registry.Away, c *state.Claim) (local state.Claim, asked []int) {
	local = *c
	local.Needs = slices.Clone(c.Needs)
	for i := range local.Needs {
		n := &local.Needs[i]
		n.Windows = slices.Clone(n.Windows) // those of the claim are shared
		for j := range n.Windows {
			w := &n.Windows[j]
			w.Limit = away.Limit(w.Limit)
			w.Refuses = w.Refuses && away.Says(saying(w.Modes), dsl.StoreLocal)
		}
	}
	local.Guards = nil
	for i := range c.Guards {
		gu := &c.Guards[i]
		if len(gu.Windows) > 0 && !away.Says(saying(gu.Modes), dsl.StoreLocal) {
			continue
		}
		local.Guards = append(local.Guards, *gu)
		asked = append(asked, i)
	}
	local.Reserves = slices.Clone(c.Reserves)
	for i := range local.Reserves {
		if r := &local.Reserves[i]; r.Cap > 0 {
			r.Cap = away.Limit(r.Cap)
		}
	}
	return local, asked
}

// spread puts the answers about some guards where those of n guards belong.
func spread(g *state.Grant, asked []int, n int) {
	answers := slices.Clone(g.Approved)
	g.Approved = append(g.Approved[:0], make([]bool, n)...)
	for i, at := range asked {
		g.Approved[at] = answers[i]
	}
}

// admitted has the local home count what the home has admitted, where a rule
// would be counted locally: it is this process's part of the limit. False: the
// home has been left in between, and others may have been admitted locally
// without this claim in the count. Then it is decided locally too, or the
// calls that were under way would come on top of the limit.
func (s *Store) admitted(ctx context.Context, c *state.Claim) bool {
	shadow := s.shadow(c)
	if len(shadow.Needs)+len(shadow.Reserves) == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil {
		return false
	}
	s.shared.Store(true)
	var g state.Grant
	if err := s.local.Claim(context.WithoutCancel(ctx), &shadow, &g); err != nil {
		s.log.Warn("what the state admitted is not counted locally", "error", err)
	}
	return true
}

// shadow is a claim as the local home counts it beside the home.
func (s *Store) shadow(c *state.Claim) state.Claim {
	away := registry.Away{Default: s.onError}
	shadow := state.Claim{Now: c.Now, Run: c.Run, Call: c.Call}
	for i := range c.Needs {
		n := &c.Needs[i]
		var readers registry.Modes
		for j := range n.Windows {
			readers |= saying(n.Windows[j].Readers)
		}
		if away.Says(readers, dsl.StoreLocal) {
			shadow.Needs = append(shadow.Needs, recording(n))
		}
	}
	if s.onError == dsl.StoreLocal {
		shadow.Reserves = uncapped(c.Reserves)
	}
	return shadow
}

// recorded is a claim that only records what another took, and refuses nothing.
func recorded(c *state.Claim) state.Claim {
	r := state.Claim{Now: c.Now, Session: c.Session, Call: c.Call, Run: c.Run, Reserves: uncapped(c.Reserves)}
	for i := range c.Needs {
		r.Needs = append(r.Needs, recording(&c.Needs[i]))
	}
	return r
}

// recording is a need that is counted without a limit.
func recording(n *registry.Need) registry.Need {
	w := registry.Window{Limit: dsl.MaxHistory - 1}
	for i := range n.Windows {
		w.Span = max(w.Span, n.Windows[i].Span)
	}
	return registry.Need{Counter: n.Counter, Windows: []registry.Window{w}, Run: n.Run}
}

func uncapped(reserves []state.Reservation) []state.Reservation {
	open := slices.Clone(reserves)
	for i := range open {
		open[i].Cap = -1
	}
	return open
}
