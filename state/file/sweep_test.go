package file

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// records counts the records of a file by kind.
func records(t *testing.T, s *Store) map[kind]int {
	t.Helper()
	n := map[kind]int{}
	if err := s.read(context.Background(), func(t *txn) error {
		return t.bucket.ForEach(func(k, _ []byte) error { n[kind(k[0])]++; return nil })
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// What is no longer needed leaves the file, little by little; accounts, what is
// set aside on them and cells that never expire stay until they are forgotten.
func TestSweep(t *testing.T) {
	now := then
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{Now: func() int64 { return now }, Forget: 2 * time.Hour, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	for i := range n {
		id := fmt.Sprint(i)
		d := registry.Digest{byte(i), byte(i >> 8), 1}
		if err := s.Approve(bg, state.Approval{Digest: d, Session: "session " + id}); err != nil {
			t.Fatal(err)
		}
		c := everything()
		c.Now, c.Run, c.Guards, c.Cells = now, id, nil, nil
		c.Call = state.CallID(d)
		c.Needs[0].Counter.Subject, c.Needs[1].Counter.Subject = id, id
		c.Leases[0].Key, c.Reserves[0].Account = id, id
		var g state.Grant
		if err := s.Claim(bg, &c, &g); err != nil || !g.Admitted {
			t.Fatalf("%+v, %v", g, err)
		}
		cells := []state.Write{{Key: "mortal " + id, TTL: 90 * time.Minute}, {Key: id}}
		if err := s.Settle(bg, &state.Settlement{Now: now, Spent: []state.Spent{{Account: id, ID: "spent", Amount: 1}}, Cells: cells}); err != nil {
			t.Fatal(err)
		}
	}
	full := records(t, s)
	for k, want := range map[kind]int{kindCounter: 2 * n, kindRun: n, kindCall: n, kindApproval: n, kindLease: n, kindSettled: n, kindAccount: n, kindReservation: n, kindCell: 2 * n} {
		if full[k] != want {
			t.Fatalf("%d records %q, want %d", full[k], k, want)
		}
	}
	for hour := range 6 { // twice the time promised, from the first look on
		now += int64(time.Hour)
		for range 400 {
			if err := s.Settle(bg, &state.Settlement{Now: now, Spent: []state.Spent{{Account: "busy", Amount: 1}}}); err != nil {
				t.Fatal(err)
			}
		}
		if left := records(t, s); hour == 0 && (left[kindCall] != n || left[kindRun] != n || left[kindSettled] != n || left[kindApproval] != n || left[kindCell] != 2*n) {
			t.Fatalf("%v are left after an hour: something was forgotten too soon", left)
		}
	}
	left := records(t, s)
	full[kindCell] -= n // those that never expire
	left[kindCell] -= n
	for _, k := range mortal {
		if left[k] > full[k]/20 {
			t.Errorf("%d of %d records %q are left", left[k], full[k], k)
		}
	}
	if left[kindCell] < 0 {
		t.Errorf("%d cells that never expire are gone", -left[kindCell])
	}
	if left[kindAccount] != n+1 || left[kindReservation] != n {
		t.Errorf("%d accounts and %d reservations are left, want all", left[kindAccount], left[kindReservation])
	}
}

// An approval given long after the last claim is there for the next one.
func TestApprovalAfterIdleTime(t *testing.T) {
	now := then
	path := filepath.Join(t.TempDir(), "state.db")
	o := Options{Now: func() int64 { return now }}
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Claim(bg, &state.Claim{Needs: []registry.Need{need("calls", 9)}}, new(state.Grant)); err != nil {
		t.Fatal(err)
	}
	now += int64(30 * 24 * time.Hour)
	other, err := Open(path, o) // a process that asks a person, and has seen no claim
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Approve(bg, state.Approval{Digest: registry.Digest{1}, Session: "session", ForRun: true}); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		c, g := state.Claim{Session: "session", Needs: []registry.Need{need("calls", 999)}, Guards: []registry.Guard{{Approval: registry.Digest{1}}}}, state.Grant{}
		if err := s.Claim(bg, &c, &g); err != nil || !g.Admitted {
			t.Fatalf("%+v, %v; want admitted", g, err)
		}
	}
}

// The oldest approval of a session makes room for one more.
func TestMaxApprovals(t *testing.T) {
	now := then
	s, err := Open(filepath.Join(t.TempDir(), "state.db"), Options{Now: func() int64 { return now }, MaxApprovals: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range byte(5) {
		now++
		if err := s.Settle(bg, &state.Settlement{Now: now}); err != nil { // tells the time
			t.Fatal(err)
		}
		if err := s.Approve(bg, state.Approval{Digest: registry.Digest{i + 1}, Session: "session"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range byte(5) {
		c, g := state.Claim{Session: "session", Guards: []registry.Guard{{Approval: registry.Digest{i + 1}}}}, state.Grant{}
		if err := s.Claim(bg, &c, &g); err != nil || g.Admitted != (i >= 2) {
			t.Errorf("approval %d: %+v, %v", i+1, g, err)
		}
	}
}

// The pages of a long history are not written anew by a claim.
func TestClaimWritesLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	written := func(entries int) (bytes int64) {
		id := registry.CounterID{Spec: "calls", Subject: fmt.Sprint(entries)}
		enter := func(t *txn) {
			k := counterKeyOf(&id)
			c := t.counter(k)
			if c == nil {
				c = t.newCounter(k)
				c.longest = 1 << 62
			}
			c.add(t.enter(then))
		}
		if err := s.write(bg, func(t *txn) error {
			for range entries {
				enter(t)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		tx, err := db.Begin(true)
		if err != nil {
			t.Fatal(err)
		}
		st := s.begin(tx)
		enter(st)
		st.finish()
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		stats := tx.Stats()
		return stats.GetPageAlloc()
	}
	short, long := written(1), written(9_950)
	if long > 3*short {
		t.Errorf("a claim in a history of 9,950 entries wrote %d bytes, in one of 1 entry %d", long, short)
	}
}
