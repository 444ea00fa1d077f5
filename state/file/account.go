package file

import (
	"fmt"
	"math"

	"github.com/cbpolicy/cbpolicy/state"
)

// account is the record of a budget: what was spent, and the sum of what is
// set aside, each of which has a record of its own.
type account struct{ settled, reserved int64 }

// amountID names a reserved or settled amount.
type amountID struct{ account, id hash }

func (a amountID) key(k kind) []byte { return key(k, a.account, a.id) }

func (t *txn) account(name hash) account {
	rec := key(kindAccount, name)
	v := t.get(rec)
	if v == nil {
		return account{}
	}
	f := t.fields(rec, v)
	a := account{settled: f.int64(), reserved: f.int64()}
	f.end()
	return a
}

func (t *txn) putAccount(name hash, a account) {
	t.put(key(kindAccount, name), appendInt64(appendInt64(nil, a.settled), a.reserved))
}

// reserved returns a reservation's amount and whether it is live.
func (t *txn) reserved(id amountID) (int64, bool) {
	rec := id.key(kindReservation)
	v := t.get(rec)
	if v == nil {
		return 0, false
	}
	f := t.fields(rec, v)
	amount := f.int64()
	f.end()
	return amount, true
}

// judgeReserves returns the first reservation that would pass its cap,
// counting those before it, or -1; and an error if the sum cannot be held.
func (t *txn) judgeReserves(reserves []state.Reservation) (int, error) {
	sums := map[string]account{}
	for i := range reserves {
		r := &reserves[i]
		a, ok := sums[r.Account]
		if !ok {
			a = t.account(hashOf(r.Account))
		}
		live, _ := t.reserved(amountID{hashOf(r.Account), hashOf(r.ID)})
		if more := r.Amount - live; more > math.MaxInt64-a.reserved {
			return -1, fmt.Errorf("%w: reserves[%d] (%q): the sum of its amounts passes %d", state.ErrInvalid, i, r.Account, int64(math.MaxInt64))
		} else {
			a.reserved += more
		}
		sums[r.Account] = a
		if r.Cap >= 0 && add(a.settled, a.reserved) > r.Cap {
			return i, nil
		}
	}
	return -1, nil
}

// reserve sets amounts aside that were judged to fit.
func (t *txn) reserve(reserves []state.Reservation) {
	for i := range reserves {
		r := &reserves[i]
		id := amountID{hashOf(r.Account), hashOf(r.ID)}
		live, _ := t.reserved(id)
		a := t.account(id.account)
		a.reserved += r.Amount - live
		t.putAccount(id.account, a)
		t.put(id.key(kindReservation), appendInt64(nil, r.Amount))
	}
}

// unreserve drops a reservation that is still live.
func (t *txn) unreserve(id amountID) {
	live, ok := t.reserved(id)
	if !ok {
		return
	}
	a := t.account(id.account)
	a.reserved -= live
	t.putAccount(id.account, a)
	t.delete(id.key(kindReservation))
}

// spend adds final amounts, each id once, and ends their reservations.
func (t *txn) spend(spent []state.Spent) {
	for i := range spent {
		sp := &spent[i]
		id := amountID{account: hashOf(sp.Account)}
		if sp.ID != "" {
			id.id = hashOf(sp.ID)
			if _, live := t.reserved(id); !live && t.done(id) {
				continue
			}
			t.unreserve(id)
			t.add(id.key(kindSettled), appendInt64(nil, t.keepUntil()))
		}
		a := t.account(id.account)
		a.settled = add(a.settled, sp.Amount)
		t.putAccount(id.account, a)
	}
}

// done reports whether an amount was settled already.
func (t *txn) done(id amountID) bool {
	rec := id.key(kindSettled)
	v := t.get(rec)
	if v == nil {
		return false
	}
	f := t.fields(rec, v)
	until := f.int64()
	f.end()
	return until > t.latest
}

// forgetAccount drops an account and what is set aside on it.
func (t *txn) forgetAccount(name hash) {
	t.delete(key(kindAccount, name))
	t.deleteAll(key(kindReservation, name))
}
