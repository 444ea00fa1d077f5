package session_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// kept is a listener that keeps the rule that stopped each decision, "" for
// none, and when it was made.
type kept struct {
	rules []string
	at    []time.Time
}

func (k *kept) record(r *session.Record) error {
	var v struct{ Fired []struct{ Rule string } }
	if err := json.Unmarshal(r.Verdict, &v); err != nil {
		return err
	}
	rule := ""
	if len(v.Fired) > 0 {
		rule = v.Fired[0].Rule
	}
	k.rules, k.at = append(k.rules, rule), append(k.at, r.At)
	return nil
}

// Every way in which a step is decided leaves one record, whose time is known.
func TestEveryDecisionIsRecorded(t *testing.T) {
	for name, tt := range map[string]struct {
		store   *brokenStore
		ability string
		want    string
	}{
		"allowed":              {&brokenStore{}, "x", ""},
		"malformed":            {&brokenStore{}, "x\u200b", registry.SlugMalformedStep},
		"a store that is away": {&brokenStore{claim: errBroken}, "x", registry.SlugStoreError},
		"a store that panics":  {&brokenStore{claim: errBroken, panics: true}, "x", registry.SlugInternalFault},
		"allowed without one":  {&brokenStore{claim: errBroken}, "free", ""},
	} {
		var k kept
		tt.store.Store = memory.New(memory.Options{})
		d := session.Decider{Registry: load(t, "B:frequency:x*>9/1h|abort\nB:frequency:free>9/1h|abort|on_store_error=allow"), Store: tt.store, Record: k.record, Clock: session.NewVirtualClock(start)}
		var v registry.Verdict
		d.Decide(t.Context(), &registry.Step{Chain: "c", Session: "s", Ability: tt.ability}, &v)
		if len(k.rules) != 1 || k.rules[0] != tt.want {
			t.Fatalf("%s: recorded %q, want one that says %q; decided %s", name, k.rules, tt.want, brief(&v))
		}
		if tt.store.claim != nil && !k.at[0].Equal(start) || k.at[0].Year() < 2026 {
			t.Errorf("%s: recorded for %s", name, k.at[0])
		}
	}
}

// So does every step of a session, after its end and without any step at all.
func TestEveryDecisionOfASessionIsRecorded(t *testing.T) {
	var k kept
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: load(t, "B:task.tool_calls>0|abort|id=over"), Store: memory.New(memory.Options{}), Clock: clock, Record: k.record})
	if err != nil {
		t.Fatal(err)
	}
	var v registry.Verdict
	for range 3 {
		st := &session.Step{Call: session.Call{Ability: "x"}}
		if s.Before(t.Context(), st, &v); !v.Decision.Blocks() {
			if err := s.After(t.Context(), session.Outcome{Step: st}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := strings.Join(k.rules, " "); got != "over over over" {
		t.Errorf("recorded %q", got)
	}
	s.Before(t.Context(), nil, &v)
	if n := len(k.rules); n != 4 || k.rules[3] != registry.SlugInternalFault {
		t.Errorf("a step that is nil: recorded %q", k.rules)
	}
}

// What cannot be recorded does not run, and what is refused anyway is refused
// for its own reason.
func TestUnrecordedDoesNotRun(t *testing.T) {
	var fails error
	d := session.Decider{
		Registry: load(t, "B:ability:pay|abort|id=pay\nB:frequency:x>2/1h|throttle|id=rate"), Store: memory.New(memory.Options{}),
		Record: func(*session.Record) error { return fails },
	}
	for i, tt := range []struct {
		ability, call string
		fails         error
		admission     session.Admission
		want          string
	}{
		{"x", "1", errors.New("no space left"), session.NotAdmitted, "abort record_error"},
		{"pay", "2", errors.New("no space left"), session.NotAdmitted, "abort pay"},
		{"x", "1", nil, session.Repeated, "allow"}, // which takes no second place
		{"x", "3", nil, session.Admitted, "allow"},
		{"x", "4", nil, session.NotAdmitted, "throttle rate"},
	} {
		var v registry.Verdict
		fails = tt.fails
		got := d.Decide(t.Context(), &registry.Step{Session: "s", Ability: tt.ability, CallID: tt.call}, &v)
		if got != tt.admission || brief(&v) != tt.want {
			t.Errorf("step %d: %v, %s; want %v, %s", i, got, brief(&v), tt.admission, tt.want)
		}
		if tt.fails != nil && tt.ability == "x" && v.Fired[0].Rule.Reason != "the decision could not be recorded: no space left" {
			t.Errorf("step %d: %q", i, v.Fired[0].Rule.Reason)
		}
	}
}
