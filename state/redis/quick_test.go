//go:build unix

package redis_test

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// Tries of one claim count once, in whatever order they arrive.
func TestTries(t *testing.T) {
	const first, again = false, true
	s := open(t, shared(t))
	kinds := map[string]func(c *state.Claim, subject string){
		"counter": func(*state.Claim, string) {},
		"call":    func(c *state.Claim, subject string) { c.Call = state.CallID(sha256.Sum256([]byte(subject))) },
		"two counters": func(c *state.Claim, subject string) {
			c.Needs = append(c.Needs, oneCall("second "+subject, 5).Needs...)
		},
		"cell": func(c *state.Claim, _ string) { c.Expects = []state.Expect{{Key: "breaker"}} },
	}
	for kind, change := range kinds {
		for name, order := range map[string][]bool{
			"the answer was lost":           {first, again},
			"lost twice":                    {first, again, again},
			"the first comes last":          {again, first},
			"the first comes in the middle": {again, first, again},
		} {
			for _, before := range []int64{0, 1, 4} { // after 4 it takes the last slot
				subject := fmt.Sprint(kind, name, before)
				c := oneCall(subject, 5)
				for range before {
					var g state.Grant
					if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
						t.Fatalf("%+v, %v", g, err)
					}
				}
				change(&c, subject)
				try, _ := s.Tries(&c)
				var answers []any
				for _, which := range order {
					answer, err := try(ctx, which)
					if err != nil {
						t.Fatalf("%s, %s, %d before: %v", kind, name, before, err)
					}
					answers = append(answers, answer)
				}
				if n := held(t, s, subject); n != before+1 {
					t.Errorf("%s, %s, %d before: %d are held, want one more: %v", kind, name, before, n, answers)
				}
			}
		}
	}
}

// A claim by the server's time is not before what its counter holds.
func TestClockBack(t *testing.T) {
	s := open(t, shared(t))
	c := oneCall("chain", 9)
	later := time.Now().Add(time.Minute).Truncate(time.Microsecond).UnixNano()
	for _, now := range []int64{later, 0, 0} {
		c.Now = now
		var g state.Grant
		if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted || g.Now != later {
			t.Fatalf("%+v, %v; want admitted at %d", g, err, later)
		}
	}
}

// What is claimed most often leaves nothing behind but the entry, and is cut
// from time to time.
func TestQuickClaims(t *testing.T) {
	srv := start(t)
	s, err := redis.Open("redis://"+srv.addr, redis.Options{Domain: "d", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := oneCall("chain", 9_999)
	c.Needs[0].Windows = []registry.Window{{Span: time.Second, Limit: 9_999, Refuses: true}, {Span: 40 * time.Second, Limit: 50}}
	now := time.Now().UnixNano()
	for i := range 1_000 {
		c.Now = now + int64(i)*int64(time.Second)
		var g state.Grant
		if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted || g.Now != micros(c.Now) {
			t.Fatalf("%+v, %v", g, err)
		}
	}
	// The first makes the counter, and is remembered by its name.
	if keys := srv.do(t, "KEYS", "cbpolicy:{d}:n:*").([]any); len(keys) > 30 {
		t.Errorf("%d of 1,000 claims were remembered by their names, want few", len(keys))
	}
	if n := srv.do(t, "LLEN", "cbpolicy:{d}:c3:5:callschain").(int64); n > 129 {
		t.Errorf("a counter of 40 live entries has %d", n)
	}
}

func micros(nanos int64) int64 { return nanos / 1000 * 1000 }

// What a call gives back is its own entry, though others are of its time.
func TestRelease_SameTime(t *testing.T) {
	s := open(t, shared(t))
	for _, order := range []string{"call other", "other call"} {
		c := oneCall(order, 9)
		c.Now = time.Now().UnixNano()
		called, call := c, state.CallID(sha256.Sum256([]byte(order)))
		called.Call = call
		try, _ := s.Tries(&c)
		for what := range strings.FieldsSeq(order) {
			if what == "call" {
				admits(t, s, called)
			} else if _, err := try(ctx, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Release(ctx, call); err != nil {
			t.Fatal(err)
		}
		if _, err := try(ctx, true); err != nil { // it finds its own
			t.Fatal(err)
		}
		if n := heldAt(t, s, &c); n != 1 {
			t.Errorf("%s: %d entries, want 1", order, n)
		}
	}
}

// A claim that was refused when it was tried again stays so, though the first
// try arrives when there is room.
func TestTries_Refused(t *testing.T) {
	s := open(t, shared(t))
	base := time.Now().UnixNano()
	claim := func(subject string, after time.Duration) state.Claim {
		c := oneCall(subject, 1)
		c.Now = base + int64(after)
		return c
	}
	admits(t, s, claim("chain", 0))
	lost := claim("chain", time.Minute)
	try, _ := s.Tries(&lost)
	told, err := try(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	admits(t, s, claim("other", 2*time.Hour)) // the time of all
	if answer, err := try(ctx, false); err != nil || !reflect.DeepEqual(answer, told) {
		t.Errorf("the first try is answered %v, %v; the second was %v", answer, err, told)
	}
	later := claim("chain", 2*time.Hour)
	if n := heldAt(t, s, &later); n != 0 {
		t.Errorf("%d are held, want none", n)
	}
}

// Claims of one counter may ask for windows of different lengths: what the longest
// reaches is kept.
func TestQuickClaims_OtherWindows(t *testing.T) {
	s := open(t, shared(t))
	base := time.Now().UnixNano()
	at := func(second int, span time.Duration) state.Claim {
		c := oneCall("chain", 9_999)
		c.Now, c.Needs[0].Windows[0].Span = base+int64(second)*int64(time.Second), span
		return c
	}
	for i := range 300 {
		admits(t, s, at(i, 5*time.Second))
		admits(t, s, at(i, time.Hour))
	}
	look := at(300, time.Hour)
	look.Refused, look.Needs[0].Windows[0].Limit = true, 0
	if n := counted(t, s, look); n != 600 {
		t.Errorf("%d in the last hour, want 600", n)
	}
}
