package session

import (
	"log/slog"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// Options set up a session. Registry, Store and ID are required.
type Options struct {
	ID string
	// Fresh says that there was no session of this ID before, and that no other
	// process has it, as its money begins at 0 then: a store that is away need not be
	// asked. One that answers knows better.
	Fresh    bool
	Registry *registry.Registry
	Store    state.Store
	// Clock is the time of every decision; nil: the store's own.
	Clock Clock
	// Record receives a record of every decision, while the session is
	// locked: it must not call back. An error is as for a [Decider]. nil: none
	// is made.
	Record func(*Record) error
	// Judged is that of the session's [Decider], called like Record.
	Judged func(*registry.Step, *registry.Plan, *registry.Tally)
	// Breakers give abilities a half-open breaker; nil: none has one. See DefaultBreakers.
	Breakers []Breaker
	// OnBreaker is told when a breaker changes; it may call back. nil: nobody is.
	OnBreaker func(BreakerChange)
	// Metrics is told of every call that a breaker watches, and of every breaker that
	// the session finds in another phase. It may belong to any number of sessions.
	// nil: nobody is.
	Metrics *breaker.Metrics
	// Log receives a line for every task that is ended, every failed and every
	// refused delegation, and every breaker that moves; nil: none.
	Log *slog.Logger
	// Delegation says what becomes of workers that have failed.
	Delegation Delegation
	// Pricing says what usage costs that comes without a cost.
	Pricing Pricing
	// TaskLimits set built-in rules and reviews up for some tasks.
	TaskLimits []TaskLimits
	// Review is how every other task is reviewed.
	Review TaskReview
	// Interactive says that the user watches: what he says begins the streaks
	// and the comparison of outputs anew. Otherwise an agent that repeats
	// itself does so whatever is said between.
	Interactive bool
	// OnTask is told of every task that is closed, and by FinishTask("") or End of
	// the session's own, if anything was done in it; it may call back. nil: nobody is.
	OnTask func(Metadata)
	// Recall is how many of each task's latest calls are kept, with what came of
	// them, for a review; 0: none.
	Recall int
	// Edits are the abilities that edit files, as far as the growing-edit
	// streak is concerned; nil: meter.EditPatterns.
	Edits []dsl.NamePattern
}
