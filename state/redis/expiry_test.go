//go:build unix

package redis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// What nothing can depend on any more expires; accounts stay, and cells that never
// expire.
func TestExpiry(t *testing.T) {
	srv := start(t)
	const forget = time.Hour
	s, err := redis.Open("redis://"+srv.addr, redis.Options{Domain: "d", Timeout: 30 * time.Second, Forget: forget})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, g := oneCall("chain", 9), state.Grant{}
	runs := oneCall("chain", 9).Needs[0]
	runs.Counter.Spec, runs.Run = "runs", true
	c.Session, c.Run, c.Call = "session", "run", state.CallID{1}
	c.Needs = append(c.Needs, runs)
	c.Leases = []state.Lease{{Key: "probe", Holder: "me", TTL: time.Minute}}
	c.Reserves = []state.Reservation{{Account: "money", ID: "r", Amount: 1, Cap: 9}}
	c.Cells = []state.Write{{Key: "cell"}, {Key: "mortal", TTL: time.Minute}}
	for name, err := range map[string]error{
		"approve": s.Approve(ctx, state.Approval{Digest: registry.Digest{1}, Session: "session"}),
		"claim":   s.Claim(ctx, &c, &g),
		"settle":  s.Settle(ctx, &state.Settlement{Spent: []state.Spent{{Account: "money", ID: "spent", Amount: 1}}}),
	} {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	// How long each kind of key lives; 0: for ever.
	lives := map[string]time.Duration{
		"t": 0, "b": 0, "v": 0,
		"c": time.Hour + forget + 1000*time.Second, "l": time.Minute + forget,
		"k": forget, "r": 2 * forget, "a": 2 * forget, "s": 2 * forget,
		"n": 10 * time.Minute, // twenty times the timeout
	}
	seen := map[string]bool{}
	for _, k := range srv.do(t, "KEYS", "*").([]any) {
		kind := strings.TrimPrefix(k.(string), "cbpolicy:{d}:")[:1]
		want, known := lives[kind]
		if strings.HasSuffix(k.(string), ":mortal") {
			want = forget + time.Minute
		}
		left := time.Duration(srv.do(t, "PTTL", k).(int64)) * time.Millisecond
		switch {
		case !known:
			t.Errorf("%q is a key of an unknown kind", k)
		case want == 0 && left >= 0 || want > 0 && (left > want || left < want-time.Minute):
			t.Errorf("%q lives for %v, want %v", k, left, want)
		}
		seen[kind] = true
	}
	if len(seen) != len(lives) {
		t.Errorf("keys of the kinds %v, want all of %v", seen, lives)
	}
}

// A counter that is used goes on living, and gives back what no window reaches.
func TestCounterStaysSmall(t *testing.T) {
	srv := start(t)
	s, err := redis.Open("redis://"+srv.addr, redis.Options{Domain: "d", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := oneCall("chain", 9_999)
	c.Needs[0].Windows[0].Span = 100 * time.Second
	begin := time.Now().UnixNano()
	for i := range 3_000 {
		c.Now = begin + int64(i)*int64(time.Second)
		var g state.Grant
		if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
			t.Fatalf("%+v, %v", g, err)
		}
	}
	if n := srv.do(t, "LLEN", "cbpolicy:{d}:c3:5:callschain").(int64); n == 0 || n > 3*100 {
		t.Errorf("a counter of 100 live entries has %d", n)
	}
}

// The oldest approval of a session makes room for one more.
func TestMaxApprovals(t *testing.T) {
	s, err := redis.Open(shared(t), redis.Options{Domain: fresh(), Timeout: 30 * time.Second, MaxApprovals: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range byte(5) {
		if err := s.Approve(ctx, state.Approval{Digest: registry.Digest{i + 1}, Session: "session"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range byte(5) {
		c, g := state.Claim{Session: "session", Guards: []registry.Guard{{Approval: registry.Digest{i + 1}}}}, state.Grant{}
		if err := s.Claim(ctx, &c, &g); err != nil || g.Admitted != (i >= 2) {
			t.Errorf("approval %d: %+v, %v", i+1, g, err)
		}
	}
}
