package session_test

import (
	"strconv"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// BenchmarkDecide is a decision without a session, BenchmarkBeforeAfter the
// same with one: what is on top is the session's.
func BenchmarkDecide(b *testing.B) {
	d := session.Decider{Registry: load(b, ""), Store: memory.New(memory.Options{})}
	vs := args(b, `{"url":"https://example.com/","n":17}`)
	var v registry.Verdict
	b.ReportAllocs()
	for b.Loop() {
		st := &registry.Step{Ability: "web.fetch", Args: vs}
		d.Decide(b.Context(), st, &v)
	}
}

func BenchmarkBeforeAfter(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run("breakers="+strconv.FormatBool(with), func(b *testing.B) {
			o := session.Options{ID: "s", Registry: load(b, ""), Store: memory.New(memory.Options{})}
			if with {
				o.Breakers = session.DefaultBreakers()
			}
			s, err := session.New(o)
			if err != nil {
				b.Fatal(err)
			}
			vs, out := args(b, `{"url":"https://example.com/","n":17}`), output("fine")
			var v registry.Verdict
			chain := &registry.Values{}
			b.ReportAllocs()
			for b.Loop() {
				st := &session.Step{Call: session.Call{Ability: "web.fetch", Args: vs}, Outputs: chain}
				s.Before(b.Context(), st, &v)
				if err := s.After(b.Context(), session.Outcome{Step: st, Output: out}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A call whose outputs are kept by its host, as by the executor of chains, costs
// the memory of its Step and none beside. TestCallsAllocateNothing has the others.
func TestBeforeAndAfterAllocateNothing(t *testing.T) {
	for _, with := range []bool{false, true} {
		o := session.Options{ID: "s", Registry: load(t, "B:amount>1000|abort|missing=skip"), Store: memory.New(memory.Options{})}
		if with {
			o.Breakers = session.DefaultBreakers()
		}
		s, err := session.New(o)
		if err != nil {
			t.Fatal(err)
		}
		vs, out, chain := args(t, `{"url":"https://example.com/","n":17}`), output("fine"), &registry.Values{}
		var v registry.Verdict
		st := &session.Step{Call: session.Call{Ability: "web.fetch", Args: vs}, Outputs: chain}
		// The race detector has pools forget at random, hence below 1 and not 0.
		if n := testing.AllocsPerRun(1000, func() {
			s.Before(t.Context(), st, &v)
			if err := s.After(t.Context(), session.Outcome{Step: st, Output: out}); err != nil {
				t.Error(err)
			}
		}); n >= 1 {
			t.Errorf("breakers %v: %v allocations a call, want none", with, n)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	reg := new(registry.Registry)
	if err := reg.LoadBuiltins(); err != nil {
		b.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{}), Clock: clock})
	if err != nil {
		b.Fatal(err)
	}
	event := &session.Event{Type: session.Heartbeat, Phase: session.Working, Task: "t"}
	s.Observe(b.Context(), &session.Event{Type: session.TaskStart, Task: "t"})
	b.ReportAllocs()
	for b.Loop() {
		clock.Advance(1)
		if halts := s.Observe(b.Context(), event); len(halts) > 0 {
			b.Fatal(halts[0].String())
		}
	}
}
