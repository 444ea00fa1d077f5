package fallback_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/fallback"
)

func rules(t *testing.T, policy string) *registry.Registry {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	return &reg
}

// brief is a verdict in a line.
func brief(v *registry.Verdict) string {
	s := v.Decision.String()
	for _, f := range v.Fired {
		s += " " + f.Rule.ID
		if f.Limit != "" {
			s += " " + f.Actual + ">" + f.Limit
		}
	}
	return s
}

const mixed = `B:frequency:pay>9/1h|throttle|id=mine,on_store_error=local
B:frequency:pay>0/1h|abort|id=open,on_store_error=allow
B:frequency:mail>9/1h|abort|id=closed,on_store_error=deny
B:frequency:mail>9/1h|abort|id=also,on_store_error=local
B:frequency:send>9/1h|abort|id=unsaid
B:ability:ask|confirm|id=asked,on_store_error=local
`

// The verdicts of a fleet of 3 whose home does not answer, and what they note;
// and each once more from its record, byte for byte.
func TestDecisions(t *testing.T) {
	reg := rules(t, mixed)
	for _, tt := range []struct {
		operator      dsl.OnStoreError
		ability, want string // of four steps
		notes         string // of the last
	}{
		{dsl.StoreDeny, "pay", "allow,allow,allow,throttle mine 4>3",
			"store unavailable: no answer in 50ms|counted locally, limits for a fleet of 3: mine 3 of 9|let pass uncounted (on_store_error=allow): open"},
		{dsl.StoreDeny, "mail", "abort store_error,abort store_error,abort store_error,abort store_error", ""},
		{dsl.StoreDeny, "send", "abort store_error,abort store_error,abort store_error,abort store_error", ""},
		{dsl.StoreAllow, "send", "allow,allow,allow,allow", "store unavailable: no answer in 50ms|let pass uncounted (on_store_error=allow): unsaid"},
		{dsl.StoreLocal, "send", "allow,allow,allow,abort unsaid 4>3", "store unavailable: no answer in 50ms|counted locally, limits for a fleet of 3: unsaid 3 of 9"},
		{dsl.StoreDeny, "ask", "confirm asked,confirm asked,confirm asked,confirm asked", "store unavailable: no answer in 50ms"},
		{dsl.StoreDeny, "other", "abort store_error,abort store_error,abort store_error,abort store_error", ""},
		{dsl.StoreLocal, "other", "allow,allow,allow,allow", "store unavailable: no answer in 50ms"},
	} {
		with(t, fallback.Options{OnError: tt.operator, Fleet: 3}, func(e *env) {
			var records []*session.Record
			d := session.Decider{Registry: reg, Store: e.Store, Record: func(r *session.Record) error { records = append(records, r); return nil }}
			e.way.is(silent)
			var got []string
			var v registry.Verdict
			for range 4 {
				d.Decide(e.Context(), &registry.Step{Chain: "c", Session: "s", Ability: tt.ability}, &v)
				got = append(got, brief(&v))
			}
			if got := strings.Join(got, ","); got != tt.want || strings.Join(v.Notes, "|") != tt.notes {
				e.Errorf("%v, %s: %s noting %q\nwant %s noting %q", tt.operator, tt.ability, got, v.Notes, tt.want, tt.notes)
			}
			if len(records) != 4 {
				e.Fatalf("%d records of 4 decisions", len(records))
			}
			for _, r := range records {
				repeats(e.T, reg, r)
			}
			e.returns()
		})
	}
}

// repeats makes the verdict of a record again, from what is written down of it.
func repeats(t *testing.T, reg *registry.Registry, r *session.Record) {
	t.Helper()
	if r.Plan == nil {
		return // refused before it was judged
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var read session.Record
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	v, err := read.Repeat(reg.Set())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := v.MarshalJSON(); err != nil || !bytes.Equal(again, r.Verdict) {
		t.Errorf("recorded %s\nrepeated %s, %v", r.Verdict, again, err)
	}
}

// The verdict of a step that a rule denies says why, and a fast home is judged
// again as soon as it is back.
func TestDecisions_Denied(t *testing.T) {
	reg := rules(t, mixed)
	with(t, fallback.Options{}, func(e *env) {
		d := session.Decider{Registry: reg, Store: e.Store}
		step := func() string {
			var v registry.Verdict
			d.Decide(e.Context(), &registry.Step{Chain: "c", Session: "s", Ability: "send"}, &v)
			if len(v.Notes) > 0 {
				e.Errorf("the verdict notes %q", v.Notes)
			}
			if v.Decision == registry.Abort {
				return v.Fired[0].Explain()
			}
			return brief(&v)
		}
		e.way.is(silent)
		if got, want := step(), "the state did not answer: state: unavailable: no answer in 50ms"; got != want {
			e.Errorf("got %q, want %q", got, want)
		}
		e.returns()
		if got := step(); got != "allow" {
			e.Errorf("got %q, want allow", got)
		}
	})
}

// A session goes on with its breakers and its questions while the home is away.
func TestSession(t *testing.T) {
	reg := rules(t, mixed)
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		s, err := session.New(session.Options{ID: "s", Registry: reg, Store: e.Store, Breakers: session.DefaultBreakers()})
		if err != nil {
			e.Fatal(err)
		}
		n := 0
		step := func(failed bool) string {
			n++
			st := &session.Step{Call: session.Call{ID: fmt.Sprint(n), Ability: "web"}}
			var v registry.Verdict
			if s.Before(e.Context(), st, &v); !v.Decision.Blocks() {
				if err := s.After(e.Context(), session.Outcome{Step: st, Failed: failed, Class: session.ClassTool}); err != nil {
					e.Fatal(err)
				}
			}
			return brief(&v)
		}
		for range 3 {
			step(true)
		}
		e.way.is(silent)
		begin := time.Now()
		for range 2 {
			if got := step(true); got != "allow" {
				e.Fatalf("step %d: %s", n, got)
			}
		}
		if got := step(false); got != "abort circuit_open" {
			e.Errorf("after five failures, two of them local: %s", got)
		}
		if took := time.Since(begin); took > 50*time.Millisecond {
			e.Errorf("three steps took %v, want one deadline at most", took)
		}
		e.returns()
		if got := step(false); got != "abort circuit_open" {
			e.Errorf("at home the breaker is not open: %s", got)
		}
		time.Sleep(time.Minute)
		if got := step(false); got != "allow" {
			e.Errorf("the probe: %s", got)
		}
	})
}
