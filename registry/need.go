package registry

import "time"

// CounterID names one counter in every home of the state, across processes
// and policy reloads. Spec says what is counted and in which scope, such as
// "chain calls email.*"; Subject says for whom: a chain id, a session id, or
// nothing.
type CounterID struct {
	Spec    string `json:"spec"`
	Subject string `json:"subject,omitempty"`
}

// Window is a limit over the newest Span of a counter. It is exceeded when
// the entries in (now−Span, now], with the one the step would add, are more
// than Limit.
type Window struct {
	Span  time.Duration `json:"span"`
	Limit int64         `json:"limit"`
	// Refuses: a rule that asks for nothing but this window refuses when it is exceeded.
	Refuses bool `json:"refuses,omitempty"`
	// Modes are what those rules say about a store that cannot be reached.
	Modes Modes `json:"modes,omitempty"`
	// Readers are what all rules say about it that read the window, also those
	// that have further atoms or never refuse.
	Readers Modes `json:"readers,omitempty"`
}

// Need is one counter that a step reads and, if it is admitted, adds to.
type Need struct {
	Counter CounterID `json:"counter"`
	// Windows are distinct. The slice is shared by all plans of a Set: do not write to it.
	Windows []Window `json:"windows"`
	// Front indexes the windows that matter first: while none of them is
	// exceeded no other window is. Shared like Windows.
	Front []int `json:"front"`
	// Run: the entry is a chain's execution, added once a run; otherwise it is one a call.
	Run bool `json:"run,omitempty"`
	// Past are times, ascending, that count for this claim only: executions
	// or calls that the host knows of and the store does not.
	Past []int64 `json:"past,omitempty"`
}

// Count is what a store found in one window.
type Count struct {
	// N is the number of entries in the window, with the one that this step would add.
	N int64 `json:"n"`
	// Free is the time, in Unix nanoseconds, at which the window is no longer
	// exceeded if nothing else is admitted: when the entry expires whose
	// leaving makes room. 0: not exceeded, or no time is known.
	Free int64 `json:"free,omitempty"`
}

// WindowRef names window Window of need Need of a plan.
type WindowRef struct {
	Need   int `json:"need"`
	Window int `json:"window"`
}

// Guard refuses the step if every one of its windows is exceeded (a guard
// without windows: always), unless an approval of the given digest is held.
// It stands for one rule whose other atoms hold.
type Guard struct {
	Windows []WindowRef `json:"windows,omitempty"`
	// Approval is what would satisfy the rule; the zero Digest: nothing does.
	Approval Digest `json:"approval,omitzero"`
	// Modes is what the rule says about a store that cannot be reached.
	Modes Modes `json:"modes,omitempty"`
}

// Digest is a SHA-256.
type Digest [32]byte

// Tally is what a store answers about the needs and guards of a plan.
type Tally struct {
	// Counts holds, for each need that is not quiet, one Count per window, in order.
	Counts []Count `json:"counts,omitempty"`
	// At gives for each need where its counts begin in Counts; -1: quiet, no
	// window of it is exceeded.
	At []int `json:"at"`
	// Approved tells for each guard whether its approval was held.
	Approved []bool `json:"approved,omitempty"`
	// Now is the time of the claim in Unix nanoseconds, by the store's clock.
	Now int64 `json:"now"`
	// Away: the store could not be reached, and this is what was done instead;
	// nil: it answered. It is shared by many tallies: do not write to it.
	Away *Away `json:"away,omitempty"`
}

// Count returns what was found in a window; the zero Count if its need is quiet.
func (t *Tally) Count(w WindowRef) Count {
	if at := t.At[w.Need]; at >= 0 {
		return t.Counts[at+w.Window]
	}
	return Count{}
}
