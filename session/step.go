package session

import (
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Step is one thing about to be done: the agent's call and what the host
// knows of it. The same Step goes to Before, again after a wait or an
// answer, and then to After.
type Step struct {
	Call

	// Chain and Run say which execution of which chain the step belongs to.
	// Without a chain, leave both empty: the session is the run.
	Chain, Run string
	ID         string // the chain step's id
	Task       string
	Worker     string // for a delegation
	Risk       string
	Params     *registry.Values
	// Outputs are what the chain's steps have put out; nil: the session's own.
	Outputs *registry.Values
	// Declared tells what became of unbound keys; nil: nothing is declared.
	Declared registry.Declarations
	// PastRuns are executions of the chain that the store does not know of,
	// as Unix nanoseconds, ascending.
	PastRuns []int64
	// Estimate is what the step may cost at most, in nano-dollars, which is
	// reserved until its result is reported, also if the process dies: see the
	// package's comment. 0: nothing is, or what Pricing.MaxOutput has estimated;
	// below 0: nothing.
	Estimate int64
	// Held names the rules that held at the run's last step, by their Key. At
	// the final check only an abort fires a second time.
	Held map[string]bool
	// Final asks for the check after the last step: no step is about to be
	// done, and only rules that look at none apply.
	Final bool

	// The flags are side by side, which keeps a Step small: every call makes one.
	repeated bool
	reported bool         // its result was: a second report says nothing
	attempt  int          // of its task, in which it was judged last
	call     *underway    // nil: not admitted
	flight   meter.Flight // of the call, if that is still it
	// What the store is still to be told of it; nil: nothing.
	unsettled *ended
}

// Repeated reports whether the step was admitted as a call that is under way
// already: the same id, ability and arguments, whose result was not yet
// reported. It took no place in a window. A host that makes such a call a
// second time, and not only asks a second time, gives the agent more calls
// than the rules count.
func (st *Step) Repeated() bool { return st.repeated }

// Attempt returns the attempt of its task in which the step was judged last,
// from 1; 0: it was not judged.
func (st *Step) Attempt() int { return st.attempt }

// Outcome is the result of an admitted step.
type Outcome struct {
	Step *Step
	// Output is what the step put out; nil: nothing.
	Output *registry.Value
	// Failed says that the step did not succeed; Class and Message say how.
	Failed         bool
	Class, Message string
	// Cost is what the step came to, in nano-dollars, if Settled. Otherwise the
	// step's Estimate counts as spent: where usage is reported by events, settle
	// with a Cost of 0. So it does where an event tells of the result first.
	Cost    int64
	Settled bool
}

// complete is the step as the rules see it: the agent's call, the host's
// facts and the session's memory. It is good until the next is completed.
func (s *Session) complete(st *Step) *registry.Step {
	rs := &s.judged
	*rs = registry.Step{
		Chain: st.Chain, Run: st.Run, Session: s.id, Task: st.Task, ID: st.ID,
		Ability: st.Ability, Worker: st.Worker, CallID: st.Call.ID, Risk: st.Risk,
		Args: st.Args, Outputs: st.Outputs, Params: st.Params,
		Declared: st.Declared, History: &s.history, Words: provenance{s}, Now: s.now(), PastRuns: st.PastRuns,
	}
	if rs.Outputs == nil {
		rs.Outputs = s.outputs
	}
	return rs
}

// provenance answers in:user and in:outputs from the session's memory.
type provenance struct{ s *Session }

// InUser implements registry.Provenance.
func (p provenance) InUser(text string) bool { return p.s.user.Has(text) }

// InOutputs implements registry.Provenance.
func (p provenance) InOutputs(text string) bool { return p.s.seen.Has(text) }
