package trace

import (
	"time"

	"github.com/cbpolicy/cbpolicy/session"
)

// Run is one recorded run of an agent.
type Run struct {
	// Source is where the run was read: "file.json", "file.jsonl:12" for the
	// run that begins on line 12, "file.json#3" for the fourth of several in a list,
	// "file.json#id" for one of several traces whose spans are mixed.
	Source string
	Format string // one of Formats

	ID       string // as the source names it; "": it does not
	Chain    string // the chain that ran; "": none
	Model    string // of the agent; "": not told
	TaskKind string // what kind of task it was, such as the suite of a benchmark; "": not told
	Labels   Labels

	// Events are what the agent, its user and its tools did, in order.
	Events []session.Event
	// UserEvents are the calls, results and usage of a simulated user that has
	// tools of its own. They are not the agent's doing, and none of Events.
	UserEvents []session.Event

	// Timed: the source tells when things happened.
	Timed bool
	// Duration is how long the run took, as the source says, or else from its
	// first time to its last; 0: not known.
	Duration time.Duration

	// Unanswered are the ids of calls that no result was recorded of.
	Unanswered []string
	// Orphans is the number of results that belong to no call. Their events
	// carry ids that no call has.
	Orphans int

	// Broken says why the recording does not tell what the run did, although it
	// could be read: the run ended with an error, results or whole messages are
	// missing. "": nothing is wrong. The calls of an agent's last turn may be
	// without a result, as the recording ended there.
	Broken string

	defects defects // what Broken is made of
}

// Outcome is a yes or a no that may not be known. The zero Outcome is Unknown.
type Outcome uint8

// The outcomes.
const (
	Unknown Outcome = iota
	No
	Yes
)

// String returns "unknown", "no" or "yes".
func (o Outcome) String() string { return [...]string{"unknown", "no", "yes"}[o%3] }

// outcome is a fact that is known.
func outcome(b bool) Outcome {
	if b {
		return Yes
	}
	return No
}

// Labels are what the source says of how a run went. The zero Labels say
// nothing.
type Labels struct {
	Success   Outcome // the task was solved
	Attack    Outcome // somebody planted instructions in what the agent read
	Succeeded Outcome // the attack reached its goal; Unknown without an attack
	Stop      string  // why the run ended, in the source's words
	Error     string  // what went wrong with the run as a whole, in the source's words
}
