package session

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// The bounds of what is kept for a review, beside the number of calls.
const (
	MaxRecalled     = 2048 // bytes of each text; what is longer is cut, and ends in …
	maxRecalledSaid = 15   // messages of the user, and as many of the agent
)

// Recalled is what a task did lately, for a review: what the user said in all
// its attempts, and what was done in the current one.
type Recalled struct {
	User  []string // what the user said, the latest last
	Agent []string // what the agent said
	Calls []CallRecord
	// Earlier is how many calls the attempts before this one made.
	Earlier int64
}

// CallRecord is a call and what came of it.
type CallRecord struct {
	At              int64 // Unix nanoseconds of the result
	Ability, Worker string
	Args, Output    string // as JSON and as text
	Failed          bool
	Class, Message  string // of a failure
}

// recaller keeps what tasks did lately. Without a number of calls it keeps nothing.
type recaller struct {
	calls   int
	of      map[string]*Recalled // by task
	flights map[meter.Flight]CallRecord
}

func (r *recaller) task(id string) *Recalled {
	if r.of == nil {
		r.of = map[string]*Recalled{}
	}
	if r.of[id] == nil {
		r.of[id] = &Recalled{}
	}
	return r.of[id]
}

func (r *recaller) user(id, text string) {
	if r.calls > 0 {
		t := r.task(id)
		t.User = appendLast(t.User, cut(text), maxRecalledSaid)
	}
}

func (r *recaller) agent(id, text string) {
	if r.calls > 0 {
		t := r.task(id)
		t.Agent = appendLast(t.Agent, cut(text), maxRecalledSaid)
	}
}

// begin notes a call that is under way.
func (r *recaller) begin(f meter.Flight, rs *registry.Step) {
	if r.calls == 0 {
		return
	}
	if r.flights == nil || len(r.flights) >= meter.MaxFlights {
		r.flights = map[meter.Flight]CallRecord{} // those that nobody reports
	}
	r.flights[f] = CallRecord{Ability: rs.Ability, Worker: WorkerOf(rs), Args: cut(rs.Args.String())}
}

// end keeps a call that has ended.
func (r *recaller) end(id string, f meter.Flight, res meter.Result, class string, at int64) {
	c, known := r.flights[f]
	if !known {
		return
	}
	delete(r.flights, f)
	c.At, c.Failed = at, res.Failed
	if text := cut(res.Output); res.Failed {
		c.Class, c.Message = class, text
	} else {
		c.Output = text
	}
	t := r.task(id)
	t.Calls = appendLast(t.Calls, c, r.calls)
}

// anew forgets what a task did in the attempt that is over, so that the next
// is not blamed for it; what the user asked goes on. It is called before the
// meters forget which calls are under way: those are of that attempt too.
func (r *recaller) anew(k *meter.Task) {
	if t := r.of[k.ID()]; t != nil {
		t.Agent, t.Calls = nil, nil
	}
	maps.DeleteFunc(r.flights, func(f meter.Flight, _ CallRecord) bool { return k.UnderWay(f) })
}

// appendLast appends to a list of a greatest length.
func appendLast[T any](list []T, e T, most int) []T {
	if len(list) >= most {
		list = slices.Delete(list, 0, len(list)-most+1)
	}
	return append(list, e)
}

// cut shortens a text at the end of a character.
func cut(text string) string {
	if len(text) <= MaxRecalled {
		return text
	}
	n := MaxRecalled - len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// Recall returns what a task did lately, as far as Options.Recall has it kept;
// "" is the session's own.
func (s *Session) Recall(task string) Recalled {
	s.mu.Lock()
	defer s.unlock()
	r := s.tasks.recalled.of[task]
	if r == nil {
		return Recalled{}
	}
	return Recalled{
		User: slices.Clone(r.User), Agent: slices.Clone(r.Agent), Calls: slices.Clone(r.Calls),
		Earlier: s.tasks.tree.Task(task).Earlier().Calls,
	}
}
