package file

import "github.com/cbpolicy/cbpolicy/state"

// lease is the record of who holds a key, and until when.
type lease struct {
	until  int64
	holder string
}

func (t *txn) lease(k hash) (lease, bool) {
	rec := key(kindLease, k)
	v := t.get(rec)
	if v == nil {
		return lease{}, false
	}
	f := t.fields(rec, v)
	l := lease{until: f.int64(), holder: f.text()}
	f.end()
	return l, true
}

// judgeLeases returns the first lease that another holds, or that may not be
// taken yet, and until when, or -1.
func (t *txn) judgeLeases(leases []state.Lease) (int, int64) {
	for i := range leases {
		if leases[i].From > t.latest {
			return i, leases[i].From
		}
		if l, _ := t.lease(hashOf(leases[i].Key)); l.until > t.latest && l.holder != leases[i].Holder {
			return i, l.until
		}
	}
	return -1, 0
}

// takeLeases takes leases that nobody else holds. A repeated claim renews none.
func (t *txn) takeLeases(leases []state.Lease, repeated bool) {
	for i := range leases {
		want := &leases[i]
		k := hashOf(want.Key)
		if l, _ := t.lease(k); repeated && l.until > t.latest {
			continue
		}
		t.add(key(kindLease, k), appendText(appendInt64(nil, add(t.latest, int64(want.TTL))), want.Holder))
	}
}

// freeLease frees a lease if it is the holder's.
func (t *txn) freeLease(k hash, holder string) {
	if l, ok := t.lease(k); ok && l.holder == holder {
		t.delete(key(kindLease, k))
	}
}
