package session_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// What is noted of the rules in force stands in every verdict, however it came
// about, and in its record, which repeats it byte for byte.
func TestNotesOfThePolicy(t *testing.T) {
	const note = "the newest policy is refused"
	for name, c := range map[string]struct {
		step  registry.Step
		store state.Store
	}{
		"allowed":            {registry.Step{Ability: "read"}, nil},
		"refused by a rule":  {registry.Step{Ability: "pay"}, nil},
		"malformed":          {registry.Step{Ability: "re\u200bad"}, nil},
		"without a store":    {registry.Step{Ability: "read"}, &brokenStore{Store: memory.New(memory.Options{}), claim: errBroken}},
		"a store that fails": {registry.Step{Ability: "read"}, nilStore{}},
	} {
		reg := load(t, "B:ability:pay|abort|\"no\"\nB:frequency>9/1h|abort")
		reg.Note(note)
		if c.store == nil {
			c.store = memory.New(memory.Options{})
		}
		var records []*session.Record
		d := session.Decider{Registry: reg, Store: c.store, Record: func(r *session.Record) error { records = append(records, r); return nil }}
		var v registry.Verdict
		d.Decide(t.Context(), &c.step, &v)
		if diff := cmp.Diff([]string{note}, v.Notes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, r := range records {
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var read session.Record
			if err := json.Unmarshal(data, &read); err != nil {
				t.Fatal(err)
			}
			if read.Plan == nil {
				continue
			}
			reg.Note() // the record alone says what was noted
			again, err := read.Repeat(reg.Set())
			if err != nil {
				t.Fatal(err)
			}
			got, err := again.MarshalJSON()
			if err != nil || string(got) != string(read.Verdict) {
				t.Errorf("%s: %v\n%s\n%s", name, err, got, read.Verdict)
			}
		}
	}
}

// nilStore panics whatever it is asked.
type nilStore struct{ state.Store }

// A task that has ended is refused with the note, and so is what a sweep finds.
func TestNotesOfHalts(t *testing.T) {
	const note = "the newest policy is refused"
	a := newAgent(t, "B:task.duration>60|abort|\"late\"")
	a.Registry().Note(note)
	var v registry.Verdict
	a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "x", ID: "1"}}, &v)
	a.clock.Advance(61e9)
	halts := a.Sweep(t.Context(), 0)
	if len(halts) != 1 || len(halts[0].Notes) != 1 || halts[0].Notes[0] != note {
		t.Fatalf("%+v", halts)
	}
	a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "x", ID: "2"}}, &v)
	if len(v.Notes) != 1 || v.Notes[0] != note || !v.Decision.Blocks() {
		t.Errorf("%+v", v)
	}
}
