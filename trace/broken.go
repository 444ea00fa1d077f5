package trace

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session"
)

// A recording can be read and still not tell what its run did: results are
// missing from it, or the run broke off with an error. What rules say of such a
// run holds only for the part that is there.

// defects are what is wrong with a recording that could be read.
type defects struct {
	empty      string   // the list that holds nothing; "": none does
	cut        bool     // a part of the run could not be read
	nameless   mentions // calls that name no tool
	arguments  mentions // calls whose arguments are no JSON
	unanswered mentions // calls without a result, after which the agent went on
}

// mentions are calls of which the first is named and the rest are counted.
type mentions struct {
	first string
	n     int
}

func (m *mentions) add(number int, name string) {
	if m.n++; m.n == 1 {
		m.first = fmt.Sprintf("call %d", number)
		if name != "" {
			m.first += " (" + name + ")"
		}
	}
}

// text says what is wrong with the calls; "" if there are none.
func (m *mentions) text(wrong string) string {
	switch m.n {
	case 0:
		return ""
	case 1:
		return m.first + " " + wrong
	}
	return fmt.Sprintf("%s %s (and %d more)", m.first, wrong, m.n-1)
}

// broken says all that is wrong with the run.
func (r *Run) broken() string {
	var failed, empty, cut, orphans string
	if r.defects.cut {
		cut = "a part of the run cannot be read"
	}
	if r.Labels.Error != "" {
		failed = "the run ended with an error: " + brief(r.Labels.Error)
	}
	switch {
	case r.defects.empty != "":
		empty = (&EmptyError{Path: r.defects.empty}).Error()
	case len(r.Events) == 0 && failed == "":
		empty = "nothing of the run was recorded"
	}
	if r.Orphans > 0 {
		orphans = "a result for a call that is not there"
	}
	if r.Orphans > 1 {
		orphans += fmt.Sprintf(" (and %d more)", r.Orphans-1)
	}
	return strings.Join(nonEmpty(failed, empty, cut, r.defects.nameless.text("names no tool"), r.defects.arguments.text("has arguments that are no JSON"),
		r.defects.unanswered.text("has no result"), orphans), "; ")
}

// brief is the first line of a message, as far as it fits into a report.
func brief(message string) string {
	const shown = 200
	line, _, more := strings.Cut(strings.TrimSpace(message), "\n")
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > shown {
		line, more = string(runes[:shown]), true
	}
	if more {
		line += "…"
	}
	return line
}

// filled returns the elements of a list that must be there, and notes that it
// has none: a run of which nothing was recorded.
func (b *builder) filled(list field) []field {
	all := list.must("a list").objects()
	if len(all) == 0 {
		b.run.defects.empty = list.path
	}
	return all
}

// checkArguments notes arguments of the next call that should be JSON in a text
// and are not: they were cut, and no rule can tell what they were.
func (b *builder) checkArguments(name string, args field, l Limits) {
	if args.Kind() != jsonv.String || strings.TrimSpace(args.Text()) == "" {
		return
	}
	if _, err := parse([]byte(args.Text()), l); err != nil {
		b.run.defects.arguments.add(len(b.calls)+1, name)
	}
}

// checkObject is checkArguments where a text need not be JSON: only one that
// begins like an object of it must be.
func (b *builder) checkObject(name string, args field, l Limits) {
	if strings.HasPrefix(strings.TrimSpace(args.Text()), `{"`) {
		b.checkArguments(name, args, l)
	}
}

// pending is a call that has no result.
type pending struct {
	number  int // among the calls of the run, from 1
	ability string
	task    string
	turn    int
}

// checkResults notes the calls without a result after which their agent went
// on to a later turn: latest has the last one of every task. The calls of that
// one may be without a result, as the recording ended there.
func (r *Run) checkResults(all []pending, latest map[string]int) {
	for _, c := range all {
		if c.turn < latest[c.task] {
			r.defects.unanswered.add(c.number, c.ability)
		}
	}
}

// pending lists the calls that have no result, in the order of the events.
func (b *builder) pending() []pending {
	open := map[string]*call{}
	for _, c := range b.calls {
		if !c.answered && !c.dropped {
			open[c.id] = c
		}
	}
	var all []pending
	number := 0
	for i := range b.run.Events {
		e := &b.run.Events[i]
		if !isCall(e) {
			continue
		}
		number++
		if c := open[e.CallID]; c != nil {
			all = append(all, pending{number, called(e), c.task, c.turn})
		}
	}
	return all
}

// called is the name of what an event calls.
func called(e *session.Event) string { return cmp.Or(e.Ability, e.Worker) }

// isCall reports whether an event is a call of a tool or of another agent.
func isCall(e *session.Event) bool {
	return e.Type == session.ToolUse || e.Type == session.Delegate
}
