package memory

import (
	"context"
	"math"
	"strings"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// session holds the approvals given in one session.
type session struct {
	name      string
	approvals map[registry.Digest]approval
	given     uint64 // approvals ever given, to tell which is oldest
	used      int64  // when a claim last asked; 0: none did since an approval was given
}

type approval struct {
	forRun  bool
	expires int64 // 0: never
	order   uint64
}

// live reports whether the approval is held at a time.
func (a approval) live(now int64) bool { return a.expires == 0 || a.expires > now }

// Approve implements state.Store. If the session already holds as many
// approvals as it may, the oldest is dropped and will be asked for again.
func (s *Store) Approve(ctx context.Context, a state.Approval) error {
	if err := reachable(ctx); err != nil {
		return err
	}
	if err := a.Check(); err != nil {
		return err
	}
	now := s.clock.seen()
	sh := &s.shards[s.of(a.Session)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	se := sh.sessions[a.Session]
	if se == nil {
		se = &session{name: strings.Clone(a.Session)}
		if sh.sessions == nil {
			sh.sessions = make(map[string]*session)
		}
		sh.sessions[se.name] = se
		sh.quiet.add(se, math.MinInt64)
	}
	if se.approvals == nil {
		se.approvals = make(map[registry.Digest]approval)
	}
	se.used = 0
	old, known := se.approvals[a.Digest]
	if !known && len(se.approvals) >= s.maxApprovals {
		se.makeRoom(now)
	}
	se.given++
	forRun := a.ForRun || known && old.forRun && old.live(now)
	se.approvals[a.Digest] = approval{forRun: forRun, expires: a.Expires, order: se.given}
	return nil
}

// makeRoom drops the approvals that have expired or, if there is none, the oldest.
func (se *session) makeRoom(now int64) {
	var oldest registry.Digest
	first, before := uint64(math.MaxUint64), len(se.approvals)
	for d, a := range se.approvals {
		if !a.live(now) {
			delete(se.approvals, d)
		} else if a.order < first {
			oldest, first = d, a.order
		}
	}
	if len(se.approvals) == before {
		delete(se.approvals, oldest)
	}
}

// holds reports whether an approval is held; one that has expired is dropped.
func (se *session) holds(d registry.Digest, now int64) bool {
	a, ok := se.approvals[d]
	if ok && !a.live(now) {
		delete(se.approvals, d)
		return false
	}
	return ok
}

// consume takes an approval away unless it is for the run, and reports whether it did.
func (se *session) consume(d registry.Digest) bool {
	a, ok := se.approvals[d]
	if !ok || a.forRun {
		return false
	}
	delete(se.approvals, d)
	return true
}

// dropIdle forgets a session that no claim has named for long. An approval
// brings no time with it, so that the wait begins at the first look.
func (sh *shard) dropIdle(se *session, now, forget int64) (bool, int64) {
	if se.used == 0 {
		se.used = now
	}
	if due := add(se.used, forget); due > now && len(se.approvals) > 0 {
		return false, due
	}
	delete(sh.sessions, se.name)
	return true, 0
}
