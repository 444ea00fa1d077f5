package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// recorder keeps decisions, unless it fails.
type recorder struct{ fail func() error }

func (r *recorder) record(*session.Record) error {
	if r.fail == nil {
		return nil
	}
	return r.fail()
}

// unrecordable are the ways in which a decision is not recorded.
var unrecordable = map[string]func() error{
	"an error": func() error { return errors.New("the disk is full") },
	"a panic":  func() error { panic("the disk is full") },
}

// beginRecorded is newPurse with a recorder.
func beginRecorded(t *testing.T, store state.Store, r *recorder) *purse {
	t.Helper()
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, "B:task.spend_cents>5000|abort|id=cap"), Store: store, Clock: session.NewVirtualClock(start), Record: r.record,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.StartTask("work", "", "")
	s.StartTask("part", "work", "")
	return &purse{s, t}
}

// refuse asks for a call that is refused, whatever it costs.
func (p *purse) refuse(id string, dollars int64) {
	p.t.Helper()
	var v registry.Verdict
	p.Before(p.t.Context(), &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Task: "part", Estimate: dollars * dollar}, &v)
	if !v.Decision.Blocks() {
		p.t.Fatalf("%q is let through", id)
	}
}

// A step that is refused because its decision cannot be recorded leaves no money
// set aside, in this process and in others.
func TestAStepThatIsNotRecordedLeavesNoMoney(t *testing.T) {
	for name, fail := range unrecordable {
		for _, id := range []string{"", "c1"} {
			t.Run(fmt.Sprintf("%s, id %q", name, id), func(t *testing.T) {
				homes(t, func(t *testing.T, open func() state.Store) {
					r := &recorder{fail: fail}
					store := open()
					p := beginRecorded(t, store, r)
					for range 3 {
						p.refuse(id, 30)
						p.want(0)
					}
					r.fail = nil
					newPurse(t, store).look("part").want(0)
					if p.ask("part", "c2", 50) == nil {
						t.Error("refused at 50 of 50")
					}
				})
			})
		}
	}
}

// What was set aside for a call before stays when it is asked for again and that
// cannot be recorded: by the process that has it under way, and by the next one.
func TestACallThatIsNotRecordedAgainKeepsItsMoney(t *testing.T) {
	for name, fail := range unrecordable {
		t.Run(name, func(t *testing.T) {
			store, r := &lasting{Store: memory.New(memory.Options{})}, &recorder{}
			p := beginRecorded(t, store, r)
			if p.ask("part", "c1", 20) == nil {
				t.Fatal("refused at 20 of 50")
			}
			r.fail = fail
			p.refuse("c1", 20)
			p.want(20)
			next := beginRecorded(t, store, r)
			next.refuse("c1", 30)
			next.want(20)
			newPurse(t, store).look("part").want(20)
		})
	}
}

// Where the store fails just then it is told with what comes next.
func TestMoneyOfAStepThatIsNotRecordedIsToldLater(t *testing.T) {
	for name, lost := range map[string]fate{"unheard": unheard, "unanswered": unanswered} {
		store := &lasting{Store: memory.New(memory.Options{})}
		r := &recorder{}
		p := beginRecorded(t, store, r)
		p.look("part")
		r.fail = func() error {
			store.lose = func() fate { return lost }
			return errors.New("the disk is full")
		}
		p.refuse("", 30)
		store.lose, r.fail = nil, nil
		if p.want(0); p.Flush(t.Context()) != nil {
			t.Errorf("%s: the store cannot be told", name)
		}
		newPurse(t, store).look("part").want(0)
	}
}

// The lease of a probe whose decision cannot be recorded is free for the next call,
// and that of one that is under way is not, however often it is asked for again.
func TestAProbeThatIsNotRecordedHoldsNoLease(t *testing.T) {
	for name, fail := range unrecordable {
		for _, id := range []string{"", "c1"} {
			t.Run(fmt.Sprintf("%s, id %q", name, id), func(t *testing.T) {
				clock, r := session.NewVirtualClock(start), &recorder{}
				store := memory.New(memory.Options{Now: clock.Now})
				begin := func() *session.Session {
					s, err := session.New(session.Options{
						ID: "s", Registry: &registry.Registry{}, Store: store, Clock: clock, Breakers: session.DefaultBreakers(), Record: r.record,
					})
					if err != nil {
						t.Fatal(err)
					}
					return s
				}
				s := begin()
				before := func(s *session.Session, id string) (*session.Step, string) {
					var v registry.Verdict
					st := &session.Step{Call: session.Call{ID: id, Ability: "web"}}
					if s.Before(t.Context(), st, &v); v.Decision.Blocks() {
						return nil, v.Blocking().Rule.ID
					}
					return st, ""
				}
				for range 5 {
					st, _ := before(s, "")
					if err := s.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: "ToolError"}); err != nil {
						t.Fatal(err)
					}
				}
				clock.Advance(30 * time.Second)
				r.fail = fail
				if st, why := before(s, id); st != nil || strings.Contains(why, "circuit") {
					t.Fatalf("want a decision that is not recorded: %v %s", st, why)
				}
				r.fail = nil
				probe, why := before(begin(), "c2")
				if probe == nil {
					t.Fatalf("the next probe is refused: %s", why)
				}
			})
		}
	}
}

// A probe under way that is asked for again, and not recorded, is the probe still.
func TestAProbeUnderWayKeepsItsLease(t *testing.T) {
	clock, r := session.NewVirtualClock(start), &recorder{}
	store := memory.New(memory.Options{Now: clock.Now})
	s, err := session.New(session.Options{
		ID: "s", Registry: &registry.Registry{}, Store: store, Clock: clock, Breakers: session.DefaultBreakers(), Record: r.record,
	})
	if err != nil {
		t.Fatal(err)
	}
	before := func(id string) *session.Step {
		var v registry.Verdict
		st := &session.Step{Call: session.Call{ID: id, Ability: "web"}}
		if s.Before(t.Context(), st, &v); v.Decision.Blocks() {
			return nil
		}
		return st
	}
	for range 5 {
		if err := s.After(t.Context(), session.Outcome{Step: before(""), Failed: true, Class: "ToolError"}); err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(30 * time.Second)
	if before("c1") == nil {
		t.Fatal("the probe is refused")
	}
	r.fail = unrecordable["an error"]
	if before("c1") != nil {
		t.Fatal("let through without a record")
	}
	if r.fail = nil; before("c2") != nil {
		t.Error("two probes at once")
	}
}
