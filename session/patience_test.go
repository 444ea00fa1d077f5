package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// contested is a store in which others come first, as often as is said.
type contested struct {
	state.Store
	claims, settles int
}

func (s *contested) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	if s.claims--; s.claims >= 0 && len(c.Expects) > 0 {
		g.Expected = make([]state.Cell, len(c.Expects))
		return state.ErrConflict
	}
	return s.Store.Claim(ctx, c, g)
}

func (s *contested) Settle(ctx context.Context, st *state.Settlement) error {
	if s.settles--; s.settles >= 0 {
		return state.ErrConflict
	}
	return s.Store.Settle(ctx, st)
}

// pauses is a clock that notes every pause; cancel, if set, is called in the first.
type pauses struct {
	*session.VirtualClock
	made   []time.Duration
	cancel func()
}

func (p *pauses) Sleep(ctx context.Context, d time.Duration) error {
	p.made = append(p.made, d)
	if p.cancel != nil {
		p.cancel()
	}
	return p.VirtualClock.Sleep(ctx, d)
}

func (p *pauses) total() (sum time.Duration) {
	for _, d := range p.made {
		sum += d
	}
	return sum
}

func contend(t *testing.T, store *contested) (*session.Session, *pauses) {
	t.Helper()
	clock := &pauses{VirtualClock: session.NewVirtualClock(start)}
	s, err := session.New(session.Options{ID: "s", Registry: load(t, ""), Store: store, Clock: clock, Breakers: session.DefaultBreakers()})
	if err != nil {
		t.Fatal(err)
	}
	return s, clock
}

const always = 1 << 30

// A session goes on while others change a breaker, at once at first and then with
// pauses that grow, and no two sessions pause alike.
func TestContention(t *testing.T) {
	var made [2][]time.Duration
	for i := range made {
		s, clock := contend(t, &contested{Store: memory.New(memory.Options{}), claims: 20, settles: 20})
		st := &session.Step{Call: session.Call{Ability: "web", ID: "c"}}
		var v registry.Verdict
		if s.Before(t.Context(), st, &v); v.Decision.Blocks() {
			t.Fatal(v.Blocking().Explain())
		}
		if n := len(clock.made); n < 3 || n > 12 {
			t.Errorf("%d pauses before the 21st try, want a few", n)
		}
		if err := s.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassTool}); err != nil {
			t.Fatal(err)
		}
		if b, _, _, err := s.Breaker(t.Context(), "web"); b.Failures != 1 || err != nil {
			t.Errorf("%d failures (%v), want 1", b.Failures, err)
		}
		if first, last := clock.made[0], clock.made[len(clock.made)-1]; first > 2*time.Millisecond || last < 4*first {
			t.Errorf("the pauses are %v, want them to grow from about 1ms", clock.made)
		}
		made[i] = clock.made
	}
	if slices.Equal(made[0], made[1]) {
		t.Errorf("two sessions pause alike: %v", made[0])
	}
}

// Where others come first all the time it ends, and says so: the store has answered.
func TestContention_Ends(t *testing.T) {
	const says = "the breaker of web is changed by others all the time, and was so for 10s"
	store := &contested{Store: memory.New(memory.Options{})}
	s, clock := contend(t, store)
	st := &session.Step{Call: session.Call{Ability: "web", ID: "c"}}
	var v registry.Verdict
	s.Before(t.Context(), st, &v)

	store.settles = always
	for name, err := range map[string]error{
		"after": s.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassTool}),
		"reset": s.ResetBreaker(t.Context(), "web"),
	} {
		if !errors.Is(err, state.ErrConflict) || !strings.HasSuffix(err.Error(), says) {
			t.Errorf("%s: error %v, want a conflict: %s", name, err, says)
		}
	}
	store.claims, clock.made = always, nil
	s.Before(t.Context(), &session.Step{Call: session.Call{Ability: "web", ID: "d"}}, &v)
	if brief(&v) != "abort store_error" || v.Blocking().ReasonText() != says {
		t.Errorf("%s: %s, want %s", brief(&v), v.Blocking().ReasonText(), says)
	}
	if sum := clock.total(); sum < 10*time.Second || sum > 12*time.Second {
		t.Errorf("it has paused for %v, want about 10s", sum)
	}
}

// It ends with the caller, too.
func TestContention_Caller(t *testing.T) {
	s, clock := contend(t, &contested{Store: memory.New(memory.Options{}), claims: always, settles: always})
	ctx, cancel := context.WithCancel(t.Context())
	clock.cancel = cancel
	var v registry.Verdict
	s.Before(ctx, &session.Step{Call: session.Call{Ability: "web"}}, &v)
	const says = "the breaker of web is changed by others all the time: context canceled"
	if brief(&v) != "abort store_error" || v.Blocking().ReasonText() != says || len(clock.made) != 1 {
		t.Errorf("%s: %s after %d pauses, want %s", brief(&v), v.Blocking().ReasonText(), len(clock.made), says)
	}
	if err := s.ResetBreaker(ctx, "web"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
