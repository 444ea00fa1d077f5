package memory_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

const begin = int64(1_767_603_600_000_000_000)

// do makes a claim and returns the answer.
func do(t testing.TB, s *memory.Store, c state.Claim) state.Grant {
	t.Helper()
	var g state.Grant
	if err := s.Claim(context.Background(), &c, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func hourly(subject string, limit int64) registry.Need {
	return registry.Need{
		Counter: registry.CounterID{Spec: "executions@chain", Subject: subject},
		Windows: []registry.Window{{Span: time.Hour, Limit: limit, Refuses: true}},
		Front:   []int{0},
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fill enters 10 calls, or runs with names of their own, for each of n chains.
func fill(t testing.TB, s *memory.Store, now int64, n int, run bool) {
	for i := range 10 * n {
		need := hourly("team/chain-"+strconv.Itoa(i%n), 9_999)
		c := state.Claim{Now: now + int64(i), Needs: []registry.Need{need}}
		if run {
			c.Needs[0].Run, c.Run = true, "run-"+strconv.Itoa(i)
		}
		if g := do(t, s, c); !g.Admitted {
			t.Fatal("refused")
		}
	}
}

func TestMemoryIsProportional(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 100,000 counters")
	}
	const chains = 100_000
	for _, run := range []bool{false, true} {
		before := heap()
		s := memory.New(memory.Options{})
		fill(t, s, begin, chains, run)
		grown := heap() - before
		st := s.Stats()
		t.Logf("runs with names: %v: %.1f MB, %+v", run, float64(grown)/1e6, st)
		if st.Counters != chains || st.Entries != 10*chains {
			t.Fatalf("%+v, want %d counters with 10 entries each", st, chains)
		}
		if grown > 60e6 {
			t.Errorf("%.1f MB for %d × 10 entries, want at most 60", float64(grown)/1e6, chains)
		}
	}
}

func TestIdleCountersAreEvicted(t *testing.T) {
	const chains = 20_000
	before := heap()
	s := memory.New(memory.Options{})
	fill(t, s, begin, chains, false)
	fill(t, s, begin, chains, true)
	full := heap() - before
	// Nothing is dropped while it is in a window.
	for i := range int64(1000) {
		do(t, s, state.Claim{Now: begin + int64(30*time.Minute) + i, Needs: []registry.Need{hourly("busy", 9_999)}})
	}
	if st := s.Stats(); st.Counters != chains+1 {
		t.Fatalf("%d counters, want all %d", st.Counters, chains+1)
	}
	// One busy chain is enough to clear away the others.
	later := begin + int64(49*time.Hour)
	for i := range int64(4 * chains) {
		do(t, s, state.Claim{Now: later + i, Needs: []registry.Need{hourly("busy", 9_999)}, Refused: true})
	}
	if st := s.Stats(); st.Counters > 1 || st.Entries > 0 {
		t.Fatalf("%+v after everything has left its window", st)
	}
	if left := heap() - min(before, heap()); left > full/10 {
		t.Errorf("%d of %d bytes are still held", left, full)
	}
	runtime.KeepAlive(s)
}

func TestForget(t *testing.T) {
	s := memory.New(memory.Options{Forget: time.Hour})
	need := hourly("c", 9)
	need.Windows[0].Span = 100 * time.Hour
	run := need
	run.Run, run.Counter.Spec = true, "runs"
	c := state.Claim{Call: state.CallID{1}, Run: "r", Session: "s", Needs: []registry.Need{need, run}}
	at := func(d time.Duration) state.Grant {
		c.Now = begin + int64(d)
		return do(t, s, c)
	}
	at(0)
	if g := at(time.Hour - 1); !g.Repeated {
		t.Error("a call was forgotten too early")
	}
	if g := at(time.Hour); g.Repeated || !g.Admitted {
		t.Errorf("%+v, want a new call", g)
	}
	if st := s.Stats(); st.Entries != 3 || st.Calls != 1 || st.Runs != 1 {
		t.Errorf("%+v, want two entries of calls and one of the run", st)
	}
	at(3 * time.Hour)
	if st := s.Stats(); st.Entries != 5 {
		t.Errorf("%+v, want the run counted again", st)
	}
	// Approvals of a session go an hour after the last claim that named it.
	for _, name := range []string{"asked", "never asked"} {
		if err := s.Approve(context.Background(), state.Approval{Digest: registry.Digest{1}, Session: name, ForRun: true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, wait := range []struct {
		at   time.Duration
		want int
	}{{3 * time.Hour, 2}, {3*time.Hour + 30*time.Minute, 2}, {4 * time.Hour, 1}, {4*time.Hour + 30*time.Minute, 0}} {
		if wait.at == 3*time.Hour+30*time.Minute {
			asks := state.Claim{Now: begin + int64(wait.at), Session: "asked", Guards: []registry.Guard{{Approval: registry.Digest{1}}}}
			if !do(t, s, asks).Admitted {
				t.Error("not approved")
			}
		}
		for range 10_000 {
			do(t, s, state.Claim{Now: begin + int64(wait.at), Needs: []registry.Need{hourly("other", 9_999)}, Refused: true})
		}
		if st := s.Stats(); st.Approvals != wait.want {
			t.Errorf("%d approvals after %v, want %d", st.Approvals, wait.at, wait.want)
		}
	}
}

func TestBounds(t *testing.T) {
	s := memory.New(memory.Options{MaxCalls: 6_400, MaxRuns: 6_400, MaxApprovals: 3})
	for i := range 50_000 {
		do(t, s, state.Claim{
			Now: begin, Call: state.CallID{byte(i), byte(i >> 8), byte(i >> 16), 1}, Run: strconv.Itoa(i),
			Needs: []registry.Need{{Counter: registry.CounterID{Spec: "runs", Subject: strconv.Itoa(i % 1000)}, Run: true}},
		})
	}
	if st := s.Stats(); st.Calls > 6_500 || st.Calls < 3_000 || st.Runs > 6_500 || st.Runs < 3_000 {
		t.Errorf("%+v, want about half to all of the bound", st)
	}
	for i := range byte(5) {
		a := state.Approval{Digest: registry.Digest{i + 1}, Session: "s", ForRun: true}
		if i == 2 {
			a.Expires = begin
		}
		if err := s.Approve(context.Background(), a); err != nil {
			t.Fatal(err)
		}
	}
	// The third had expired and made room for the fourth; for the fifth the first left.
	for i, want := range []bool{false, true, false, true, true} {
		c := state.Claim{Now: begin, Session: "s", Guards: []registry.Guard{{Approval: registry.Digest{byte(i) + 1}}}}
		if g := do(t, s, c); g.Admitted != want {
			t.Errorf("approval %d held: %v, want %v", i+1, g.Admitted, want)
		}
	}
}

// What a claim is made of may be changed afterwards: the store has copies.
func TestTextIsCopied(t *testing.T) {
	s := memory.New(memory.Options{})
	for i := range 100 {
		do(t, s, state.Claim{
			Now:      begin,
			Leases:   []state.Lease{{Key: "l" + strconv.Itoa(i), Holder: "h", TTL: time.Second}},
			Reserves: []state.Reservation{{Account: "a", ID: strconv.Itoa(i), Amount: 1, Cap: -1}},
		})
	}
	if st := s.Stats(); st.Leases != 100 || st.Accounts != 1 {
		t.Errorf("%+v, want 100 leases and 1 account", st)
	}
	for range 10_000 {
		do(t, s, state.Claim{Now: begin + int64(time.Second), Needs: []registry.Need{hourly("c", 9_999)}, Refused: true})
	}
	if st := s.Stats(); st.Leases != 0 {
		t.Errorf("%d leases after they have freed themselves", st.Leases)
	}
}

func TestNoAllocations(t *testing.T) {
	for name, c := range map[string]state.Claim{
		"one need":         {Needs: []registry.Need{need("a", false)}},
		"three needs":      {Needs: []registry.Need{need("a", false), need("b", true), need("", false)}, Run: "run"},
		"a call":           {Needs: []registry.Need{need("a", false)}, Call: state.CallID{1}},
		"refused by count": {Needs: []registry.Need{hourly("a", 0)}, Guards: []registry.Guard{{Approval: registry.Digest{1}}}, Session: "s"},
	} {
		s := memory.New(memory.Options{})
		var g state.Grant
		st := state.Settlement{Call: c.Call}
		if n := testing.AllocsPerRun(2000, func() {
			if err := s.Claim(context.Background(), &c, &g); err != nil {
				t.Error(err)
			}
			if err := s.Settle(context.Background(), &st); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a claim", name, n)
		}
	}
}

// Fault 10: refused attempts must not keep a window full.
func TestFault10_BlockedAttemptsDoNotConsume(t *testing.T) {
	s := memory.New(memory.Options{})
	c := state.Claim{Needs: []registry.Need{hourly("c", 3)}}
	for i := range int64(120) { // an attempt a minute, for two hours
		c.Now = begin + i*int64(time.Minute)
		if g, want := do(t, s, c), i < 3 || 60 <= i && i < 63; g.Admitted != want {
			t.Fatalf("minute %d: admitted %v, want %v", i, g.Admitted, want)
		}
	}
}
