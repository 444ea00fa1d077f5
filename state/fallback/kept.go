package fallback

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// told is a call that the home is to be told of.
type told struct {
	what       kind
	claim      state.Claim
	made       bool // the identity of the claim is ours: the claim had none
	settlement state.Settlement
	call       state.CallID
	own        bool // it has a place of its own, beside Options.MaxKept
	spare      bool // the home counts too much without it, not too little
	approval   state.Approval
	ended      state.Ended
	at         time.Time
	local      int64 // of writing: the local version of the cell
}

type kind int

const (
	claiming kind = iota
	settling
	release
	approving
	forgetting
	writing // a cell
)

// once reports whether the home may be told of a call once only, also when its
// answer is lost: an approval of one call might have been used in between.
func (t *told) once() bool { return t.what == approving && !t.approval.ForRun }

func clone(e state.Ended) state.Ended {
	return state.Ended{Session: e.Session, Accounts: slices.Clone(e.Accounts), Cells: slices.Clone(e.Cells)}
}

// room reports whether one more call can be kept that has no place of its own.
func (s *Store) room() bool { return len(s.kept)-s.own+s.given.n < s.maxKept }

// keep keeps a call for the home. Whether there is room has been seen to.
func (s *Store) keep(t told) {
	t.at = time.Now()
	// With an identity a claim can be repeated when its answer is lost.
	if t.what == claiming && t.claim.Call.IsZero() {
		rand.Read(t.claim.Call[:]) // never fails
		t.made = true
	}
	if t.own {
		s.own++
	}
	s.kept = append(s.kept, &t)
}

// tell tells the home of a call. It may be told twice.
func (s *Store) tell(ctx context.Context, t *told) error {
	switch t.what {
	case settling:
		return s.home.Settle(ctx, &t.settlement)
	case release:
		return s.home.Release(ctx, t.call)
	case approving:
		return s.home.Approve(ctx, t.approval)
	case forgetting:
		return s.home.Forget(ctx, t.ended)
	case writing:
		return s.tellCell(ctx, t)
	}
	claim := t.faded()
	if len(claim.Needs)+len(claim.Reserves) == 0 {
		return nil
	}
	var g state.Grant
	if err := s.home.Claim(ctx, &claim, &g); err != nil || !t.made {
		return err
	}
	return s.home.Settle(ctx, &state.Settlement{Now: t.claim.Now, Call: t.claim.Call})
}

// faded is the claim without the entries that have left every window meanwhile.
// One that brought its own time is as it was, for it goes by another clock.
func (t *told) faded() state.Claim {
	claim := t.claim
	if claim.Now != 0 {
		return claim
	}
	age := time.Since(t.at)
	claim.Needs = nil
	for _, n := range t.claim.Needs {
		if n.Windows[0].Span > age {
			claim.Needs = append(claim.Needs, n)
		}
	}
	return claim
}

// keeps reports whether a claim of the same call, for the same counters, is kept.
func (s *Store) keeps(c *state.Claim) bool {
	return slices.ContainsFunc(s.kept, func(t *told) bool {
		return t.what == claiming && t.claim.Call == c.Call &&
			slices.EqualFunc(t.claim.Needs, c.Needs, func(a, b registry.Need) bool { return a.Counter == b.Counter && a.Run == b.Run }) &&
			slices.EqualFunc(t.claim.Reserves, c.Reserves, func(a, b state.Reservation) bool { a.Cap, b.Cap = 0, 0; return a == b })
	})
}

// tellCell tells the home of a cell, unless somebody else has written it there.
func (s *Store) tellCell(ctx context.Context, t *told) error {
	key := t.settlement.Cells[0].Key
	for again := true; ; again = false {
		err := s.home.Settle(ctx, &t.settlement)
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.cells.handedOver(t)
			return nil
		}
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
		var v state.View
		if err := s.home.Load(ctx, state.Query{Cells: []string{key}}, &v); err != nil {
			return err
		}
		s.mu.Lock()
		if ours := s.cells.ours(key, v.Cells[0]); !ours || !again {
			s.cells.theirs(key, v.Cells[0])
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		t.settlement.Cells[0].Version = v.Cells[0].Version // the write before it was made
	}
}

// givenApprovals are approvals that were given while the home was away, and
// not used yet.
type givenApprovals struct {
	n  int
	in map[string]map[registry.Digest]state.Approval // by session
}

func (a *givenApprovals) add(given state.Approval) {
	if a.in == nil {
		a.in = map[string]map[registry.Digest]state.Approval{}
	}
	of := a.in[given.Session]
	if of == nil {
		of = map[registry.Digest]state.Approval{}
		a.in[given.Session] = of
	}
	before, again := of[given.Digest]
	if !again {
		a.n++
	}
	given.ForRun = given.ForRun || before.ForRun
	of[given.Digest] = given
}

// use notes that an approval was held for a step that was admitted. It may
// have been used up: then it is not handed over.
func (a *givenApprovals) use(session string, d registry.Digest) {
	if given, ok := a.in[session][d]; ok && !given.ForRun {
		delete(a.in[session], d)
		a.n--
	}
}

func (a *givenApprovals) forget(session string) {
	a.n -= len(a.in[session])
	delete(a.in, session)
}
