package session_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// What a process tells late of a session that somebody has ended is held neither
// against the next one of its id, nor for it.
func TestWhatIsOwedGoesWithItsSession(t *testing.T) {
	for name, c := range map[string]struct {
		before, after func(p *purse, line *lasting, st *session.Step)
	}{
		"a cost": {after: func(p *purse, _ *lasting, st *session.Step) { p.pay(st, 9) }},
		"a cost below what was counted": {
			func(p *purse, _ *lasting, _ *session.Step) {
				p.EndTask("part")
				p.StartTask("part", "work", "")
				p.Sweep(t.Context(), 0)
			},
			func(p *purse, _ *lasting, st *session.Step) { p.pay(st, 1) },
		},
		"a cost, of a process that has heard of the next one": {
			after: func(p *purse, _ *lasting, st *session.Step) { p.look("part").pay(st, 9) },
		},
		"a cost below what was counted, of a process that has heard": {
			func(p *purse, _ *lasting, _ *session.Step) {
				p.EndTask("part")
				p.StartTask("part", "work", "")
			},
			func(p *purse, _ *lasting, st *session.Step) { p.look("part").pay(st, 1) },
		},
		"what could not be told before": {
			before: func(p *purse, line *lasting, _ *session.Step) {
				line.lose = func() fate { return unheard }
				p.use("part", 9)
				line.lose = nil
			},
			after: func(*purse, *lasting, *session.Step) {},
		},
	} {
		for _, begun := range []bool{true, false} {
			line := &lasting{Store: memory.New(memory.Options{})}
			late := newPurse(t, line)
			st := late.ask("part", "c1", 30)
			if c.before != nil {
				c.before(late, line, st)
			}
			if err := newPurse(t, line).look("part").End(t.Context()); err != nil {
				t.Fatal(err)
			}
			next := newPurse(t, line)
			if begun { // when the late result comes, or only after it
				next.pay(next.ask("part", "c2", 40), 40)
			}
			c.after(late, line, st)
			if err := late.Flush(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !begun {
				next.pay(next.ask("part", "c2", 40), 40)
				if err := late.Flush(t.Context()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if newPurse(t, line).look("part").want(40); t.Failed() {
				t.Fatalf("%s; the next session had begun: %t", name, begun)
			}
		}
	}
}

// A store that shows nothing of the money for a while, as one may that stands in for
// another, is told all of it in the end.
func TestMoneyThatIsOutOfSightIsToldLater(t *testing.T) {
	home := memory.New(memory.Options{})
	line := &lasting{Store: home}
	p := newPurse(t, line)
	st, more := p.ask("part", "c1", 10), p.ask("part", "c2", 0)
	line.lose = func() fate { return unheard }
	p.use("part", 2)
	line.Store = memory.New(memory.Options{})
	looked := false
	line.lose = func() fate { // it hears what is looked at, and no more
		if looked {
			return unheard
		}
		return heard
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	looked = true
	for _, x := range []*session.Step{st, more} {
		_ = p.After(t.Context(), session.Outcome{Step: x, Cost: 5 * dollar, Settled: true})
	}
	p.use("part", 3)
	line.Store, line.lose = home, nil
	p.look("part")
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	newPurse(t, line).look("part").want(2 + 5 + 5 + 3)
}

// Processes that share a session which one of them ends, and the next of its id,
// with requests that are not heard: no limit is passed, and in the end the store has
// what belongs to the last one.
func TestProcessesShareMoneyOfSessionsThatEnd(t *testing.T) {
	rules := load(t, "B:task.spend_cents>5000|abort|id=cap")
	rapid.Check(t, func(r *rapid.T) { shareEnding(r, rules) })
}

func shareEnding(r *rapid.T, rules *registry.Registry) {
	s := &partners{r: r, rules: rules, home: memory.New(memory.Options{}), fates: []fate{heard, heard, unheard}}
	s.all = []*partner{s.begin(), s.begin(), s.begin()}
	for range rapid.IntRange(5, 60).Draw(r, "steps") {
		if rapid.IntRange(0, 9).Draw(r, "ends") > 0 {
			s.step()
			continue
		}
		p := s.begin()
		for _, task := range sharedTasks { // End forgets what its process knows of
			s.ask(p, task, "", -1)
		}
		if err := p.End(context.Background()); err != nil {
			r.Fatal(err)
		}
		s.bills, s.ends = nil, s.ends+1
	}
	s.settle()
}
