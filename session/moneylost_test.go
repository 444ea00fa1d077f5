package session_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/ledger"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// use reports usage of a task.
func (p *purse) use(task string, dollars int64) {
	p.Observe(p.t.Context(), &session.Event{Type: session.Usage, Task: task, Cost: dollars * dollar, HasCost: true})
}

// cut has the store make requests, and answer none, while something is done.
func cut(l *lasting, do func()) {
	l.lose = func() fate { return unanswered }
	do()
	l.lose = nil
}

// late tells of a result whose answer is lost.
func (p *purse) late(st *session.Step, dollars int64) {
	p.t.Helper()
	if err := p.After(p.t.Context(), session.Outcome{Step: st, Cost: dollars * dollar, Settled: true}); err == nil {
		p.t.Error("no error, though the store did not answer")
	}
}

// A write whose answer was lost is made once, whoever else has written since: what
// it adds is not counted twice, and what it takes back is not taken twice.
func TestALostAnswerThatAnotherHasWrittenOver(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(p *purse, line *lasting)
		want int64 // dollars, beside the other's
	}{
		"usage": {func(p *purse, line *lasting) { cut(line, func() { p.use("part", 10) }) }, 10},
		"a result": {func(p *purse, line *lasting) {
			st := p.ask("part", "c1", 20)
			cut(line, func() { p.late(st, 15) })
		}, 15},
		"a late result that costs less than was counted": {func(p *purse, line *lasting) {
			st := p.ask("part", "c1", 20)
			if err := p.NewAttempt("part"); err != nil {
				t.Fatal(err)
			}
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			cut(line, func() { p.late(st, 1) })
		}, 1},
	} {
		line := &lasting{Store: memory.New(memory.Options{})}
		p, other := newPurse(t, line).look("part"), newPurse(t, &lasting{Store: line.Store})
		other.pay(other.ask("part", "b0", 20), 20)
		c.lose(p, line)
		other.pay(other.ask("part", "b1", 2), 2)
		if err := p.Flush(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fresh := newPurse(t, line).look("part")
		if p.want(22 + c.want); t.Failed() {
			t.Fatal(name)
		}
		if fresh.want(22 + c.want); t.Failed() {
			t.Fatal(name, "in another process")
		}
	}
}

// Where so many others have written since that nobody knows what became of the
// write, it counts rather too much: what it adds is added again, and what it takes
// back is not taken again.
func TestALostAnswerThatManyHaveWrittenOver(t *testing.T) {
	begin := func() (*lasting, *purse, *session.Step) {
		line := &lasting{Store: memory.New(memory.Options{})}
		p := newPurse(t, line)
		st := p.ask("part", "c1", 20)
		if err := p.NewAttempt("part"); err != nil {
			t.Fatal(err)
		}
		if err := p.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		return line, p, st
	}
	others := func(line *lasting) {
		for range ledger.MaxWriters {
			q := newPurse(t, line)
			q.pay(q.ask("part", "", 1), 1)
		}
	}
	told := func(line *lasting, p *purse, dollars int64) {
		t.Helper()
		if err := p.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		newPurse(t, line).look("part").want(dollars)
	}
	line, p, st := begin()
	cut(line, func() { p.late(st, 1) })
	others(line)
	told(line, p, 1+ledger.MaxWriters)

	line, p, st = begin()
	line.lose = func() fate { return unheard }
	p.late(st, 1)
	line.lose = nil
	others(line)
	told(line, p, 20+ledger.MaxWriters)

	line, p, _ = begin()
	cut(line, func() { p.use("part", 3) })
	others(line)
	told(line, p, 20+2*3+ledger.MaxWriters)
}
