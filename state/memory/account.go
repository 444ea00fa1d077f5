package memory

import (
	"fmt"
	"math"
	"strings"

	"github.com/cbpolicy/cbpolicy/state"
)

// account is a budget: what was spent, and what is set aside by id.
type account struct {
	settled  int64
	reserved int64 // the sum of live
	live     map[string]int64
}

// amountID names a reserved or settled amount.
type amountID struct{ account, id string }

// delta is what a reservation would add to what its account has reserved.
func (s *Store) delta(r *state.Reservation) int64 {
	if a := s.shards[s.of(r.Account)].accounts[r.Account]; a != nil {
		return r.Amount - a.live[r.ID]
	}
	return r.Amount
}

// judgeReserves returns the first reservation that would pass its cap,
// counting those before it, or -1; and an error if the sum cannot be held.
func (s *Store) judgeReserves(reserves []state.Reservation) (int, error) {
	for i := range reserves {
		r := &reserves[i]
		var settled, reserved int64
		if a := s.shards[s.of(r.Account)].accounts[r.Account]; a != nil {
			settled, reserved = a.settled, a.reserved
		}
		for j := range i + 1 {
			if reserves[j].Account != r.Account {
				continue
			}
			d := s.delta(&reserves[j])
			if d > math.MaxInt64-reserved {
				return -1, fmt.Errorf("%w: reserves[%d] (%q): the sum of its amounts passes %d", state.ErrInvalid, i, r.Account, int64(math.MaxInt64))
			}
			reserved += d
		}
		if r.Cap >= 0 && add(settled, reserved) > r.Cap {
			return i, nil
		}
	}
	return -1, nil
}

// reserve sets amounts aside that were judged to fit.
func (s *Store) reserve(reserves []state.Reservation) {
	for i := range reserves {
		r := &reserves[i]
		a := s.account(r.Account)
		if a.live == nil {
			a.live = make(map[string]int64)
		}
		a.reserved += r.Amount - a.live[r.ID]
		a.live[strings.Clone(r.ID)] = r.Amount
	}
}

// unreserve drops a reservation that is still live.
func (s *Store) unreserve(name, id string) {
	if a := s.shards[s.of(name)].accounts[name]; a != nil {
		a.reserved -= a.live[id]
		delete(a.live, id)
	}
}

// spend adds final amounts, each id once, and ends their reservations.
func (s *Store) spend(spent []state.Spent) {
	for i := range spent {
		sp := &spent[i]
		sh, a := &s.shards[s.of(sp.Account)], s.account(sp.Account)
		if sp.ID != "" {
			id := amountID{strings.Clone(sp.Account), strings.Clone(sp.ID)}
			_, live := a.live[sp.ID]
			if _, done := sh.settled.get(id); done && !live {
				continue
			}
			a.reserved -= a.live[sp.ID]
			delete(a.live, sp.ID)
			sh.settled.put(id, struct{}{}, s.maxRuns)
		}
		a.settled = add(a.settled, sp.Amount)
	}
}

// account returns the account of a name, made if need be.
func (s *Store) account(name string) *account {
	sh := &s.shards[s.of(name)]
	a := sh.accounts[name]
	if a == nil {
		a = &account{}
		if sh.accounts == nil {
			sh.accounts = make(map[string]*account)
		}
		sh.accounts[strings.Clone(name)] = a
	}
	return a
}
