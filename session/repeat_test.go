package session_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A call that an open breaker refuses is repeated from its record, as any other.
func TestBreaker_RefusalRepeats(t *testing.T) {
	reg, clock := load(t, "B:ability:x|warn|\"watched\"\nB:frequency:x>2/1m|throttle|\"slow\""), session.NewVirtualClock(start)
	var records []*session.Record
	s, err := session.New(session.Options{
		ID: "s", Registry: reg, Store: memory.New(memory.Options{Now: clock.Now}), Clock: clock, Breakers: session.DefaultBreakers(),
		Record: func(r *session.Record) error { records = append(records, r); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 8 {
		st := &session.Step{Call: session.Call{Ability: "x"}}
		var v registry.Verdict
		if s.Before(t.Context(), st, &v); !v.Decision.Blocks() {
			if err := s.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: "ToolError"}); err != nil {
				t.Fatal(err)
			}
		} else if v.Blocking().Rule.ID == session.SlugCircuitOpen {
			refused++
		}
		clock.Advance(21 * time.Second) // two calls a minute, and the fifth failure opens it
	}
	for i, r := range records {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var read session.Record
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatal(err)
		}
		v, err := read.Repeat(reg.Set())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.MarshalJSON(); err != nil || string(got) != string(r.Verdict) {
			t.Errorf("decision %d: %v\n%s, want\n%s", i, err, got, r.Verdict)
		}
	}
	if refused == 0 || len(records) != 8 {
		t.Errorf("%d of %d calls were refused by the breaker", refused, len(records))
	}
}
