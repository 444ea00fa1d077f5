package memory

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/state"
)

// lease is who holds a key, and until when. One that was freed stays in its
// place, out of date, until it is taken again or swept.
type lease struct {
	key    string
	holder string
	until  int64
}

// live reports whether anybody holds the lease.
func (l *lease) live(now int64) bool { return l != nil && l.until > now }

// judgeLeases returns the first lease that another holds, or that may not be
// taken yet, and until when, or -1.
func (s *Store) judgeLeases(leases []state.Lease, now int64) (int, int64) {
	for i := range leases {
		want := &leases[i]
		if want.From > now {
			return i, want.From
		}
		if l := s.shards[s.of(want.Key)].leases[want.Key]; l.live(now) && l.holder != want.Holder {
			return i, l.until
		}
	}
	return -1, 0
}

// takeLeases takes leases that nobody else holds. A repeated claim renews none.
func (s *Store) takeLeases(leases []state.Lease, now int64, repeated bool) {
	for i := range leases {
		want := &leases[i]
		sh := &s.shards[s.of(want.Key)]
		l := sh.leases[want.Key]
		if l == nil {
			l = &lease{key: strings.Clone(want.Key)}
			if sh.leases == nil {
				sh.leases = make(map[string]*lease)
			}
			sh.leases[l.key] = l
			sh.expired.add(l, now)
		}
		if repeated && l.live(now) {
			continue
		}
		l.holder, l.until = strings.Clone(want.Holder), add(now, int64(want.TTL))
	}
}

// freeLease frees a lease if it is the holder's.
func (s *Store) freeLease(key, holder string) {
	if l := s.shards[s.of(key)].leases[key]; l != nil && l.holder == holder {
		l.until = 0
	}
}
