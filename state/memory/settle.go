package memory

import (
	"context"
	"math/bits"
	"slices"

	"github.com/cbpolicy/cbpolicy/state"
)

// Settle implements state.Store. Reservations and leases of the call that the
// settlement does not name stay as they are.
func (s *Store) Settle(ctx context.Context, st *state.Settlement) error {
	if err := reachable(ctx); err != nil {
		return err
	}
	if err := st.Check(); err != nil {
		return err
	}
	var set shards
	if !st.Call.IsZero() {
		set = set.with(s.ofCall(&st.Call))
	}
	for _, key := range st.Leases {
		set = set.with(s.of(key))
	}
	for i := range st.Spent {
		set = set.with(s.of(st.Spent[i].Account))
	}
	for i := range st.Cells {
		set = set.with(s.of(st.Cells[i].Key))
	}
	for i := range st.Expects {
		set = set.with(s.of(st.Expects[i].Key))
	}
	now := s.clock.now(st.Now)
	s.lock(set)
	defer s.unlock(set)
	now = s.enter(set, now)

	if err := s.judgeCells(st.Cells, nil, now); err != nil {
		return err
	}
	if err := s.judgeExpects(st.Expects, now); err != nil {
		return err
	}
	for _, key := range st.Leases {
		s.freeLease(key, st.Holder)
	}
	s.spend(st.Spent)
	for i := range st.Cells {
		s.write(&st.Cells[i], now)
	}
	if !st.Call.IsZero() {
		s.shards[s.ofCall(&st.Call)].end(st.Call)
	}
	return nil
}

// Release implements state.Store. A run that other calls have joined stays
// counted, and an approval that the call consumed stays consumed.
func (s *Store) Release(ctx context.Context, id state.CallID) error {
	if err := reachable(ctx); err != nil {
		return err
	}
	if id.IsZero() {
		return nil
	}
	home := &s.shards[s.ofCall(&id)]
	own := shards(0).with(s.ofCall(&id))
	// Where the rest lies stands in the record, which may change while the
	// locks are taken in their order; then there are more to take.
	for set := own; ; {
		s.lock(set)
		c, ok := home.calls.get(id)
		if !ok || c.shards&^set == 0 {
			if ok {
				s.giveBack(c)
				home.end(id)
			}
			s.unlock(set)
			return nil
		}
		more := set | c.shards
		s.unlock(set)
		set = more
	}
}

// giveBack undoes what a call has taken.
func (s *Store) giveBack(c *call) {
	for i := range c.entries {
		e := &c.entries[i]
		n, hash := s.ofCounter(&e.counter)
		sh := &s.shards[n]
		if e.run != (runKey{}) {
			if m, ok := sh.runs.get(e.run); ok && m.joined {
				continue
			}
			sh.runs.delete(e.run)
		}
		if cn := sh.counters.get(hash, &e.counter); cn != nil {
			cn.remove(e.at)
		}
	}
	for _, h := range c.leases {
		s.freeLease(h.key, h.holder)
	}
	for _, r := range c.reserves {
		s.unreserve(r.account, r.id)
	}
}

// Load implements state.Store. What it finds is of one moment.
func (s *Store) Load(ctx context.Context, q state.Query, v *state.View) error {
	v.Cells, v.Accounts = v.Cells[:0], v.Accounts[:0]
	if err := reachable(ctx); err != nil {
		return err
	}
	if err := q.Check(); err != nil {
		return err
	}
	v.Now = s.clock.look(q.Now)
	if len(q.Cells) == 1 && len(q.Accounts) == 0 { // the breaker of an ability
		sh := &s.shards[s.of(q.Cells[0])]
		sh.mu.Lock()
		v.Now = max(v.Now, sh.latest)
		v.Cells = append(v.Cells, sh.cell(q.Cells[0], v.Now))
		sh.mu.Unlock()
		return nil
	}
	var set shards
	for _, key := range q.Cells {
		set = set.with(s.of(key))
	}
	for _, name := range q.Accounts {
		set = set.with(s.of(name))
	}
	s.lock(set)
	defer s.unlock(set)
	for m := uint64(set); m != 0; m &= m - 1 {
		v.Now = max(v.Now, s.shards[bits.TrailingZeros64(m)].latest)
	}
	for _, key := range q.Cells {
		v.Cells = append(v.Cells, s.shards[s.of(key)].cell(key, v.Now))
	}
	for _, name := range q.Accounts {
		var found state.Account
		if a := s.shards[s.of(name)].accounts[name]; a != nil {
			found = state.Account{Settled: a.settled, Reserved: a.reserved}
		}
		v.Accounts = append(v.Accounts, found)
	}
	return nil
}

// Forget implements state.Store.
func (s *Store) Forget(ctx context.Context, e state.Ended) error {
	if err := reachable(ctx); err != nil {
		return err
	}
	set := shards(0).with(s.of(e.Session))
	for _, key := range slices.Concat(e.Accounts, e.Cells) {
		set = set.with(s.of(key))
	}
	s.lock(set)
	defer s.unlock(set)
	if se := s.shards[s.of(e.Session)].sessions[e.Session]; se != nil && e.Session != "" {
		se.approvals = nil // its record goes with the next sweep
	}
	for _, name := range e.Accounts {
		delete(s.shards[s.of(name)].accounts, name)
	}
	for _, key := range e.Cells {
		s.shards[s.of(key)].forgetCell(key)
	}
	return nil
}
