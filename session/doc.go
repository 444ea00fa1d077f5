// Package session owns a live agent: what it was admitted to do, what was
// said and put out, and the two calls around every step, [Session.Before] and
// [Session.After].
//
// What happens may be told by events instead, see [Session.Observe]: of calls that
// nobody was asked about, and of what became of steps that Before let through. A
// result counts once, however often and by whomever it is told. Of the breaker of
// an ability that only events tell of, a session knows what it last heard of the
// store: a success that it sees nothing to change by asks for nothing, so that
// failures of other sessions stay in their row. A failure whose answer was lost is
// looked for before it is told again, and may count twice if another has come since.
//
// Money is reserved before a call, in its task and in every one above it, and
// settled after: Step.Estimate is what a call may cost at most. If that is so
// for every call, no task's spending passes the limit of a rule over
// task.spend_cents; else it does by at most the open overrun, which is what the
// calls under way come to beyond their estimates: the next is refused. A limit
// that is reached ends the task whose it is, and with it those below.
//
// In a store that outlives the process, see state.Ephemeral, money is kept for
// ledger.Keep after it moved last: a session of the same id goes on with it in
// another process, or in several at once. A claim says what its step was judged
// by, and where that is no longer so the step is judged again. What the store
// cannot be told is told with what comes next, or by Flush, and is lost only with the
// process that knows it. A write whose answer was lost is made once, unless
// ledger.MaxWriters others have written before it is looked at: what it adds counts
// twice then, at most, and what it takes back is not taken.
//
// While a store is away that package fallback stands in for, a step that is decided
// without it is judged by the money as this process knows it, and refused where it
// sets money aside, or a limit of money is read, in a task of which this process was
// never told, unless the session is Fresh. Others that have the session do the same:
// nobody divides among them what is left.
//
// What is set aside for a call when its process dies stays so until the same call is
// asked for again, and has ended: one with its id, in its task, which was not closed or
// begun anew before, in either process. No other call can be asked for again, such as
// one without an id: what was set aside for it counts until End, or for ledger.Keep, as
// the money may be gone. What stands for usage, see Pricing.MaxOutput, goes with the
// next usage of its task, and is another's than what the host has set aside for the
// same call in another process. A call that is asked for again while it is under way
// is judged by the greatest estimate that it was asked for with, by any process, and
// has that set aside, until the first of its results. A call is one process's: who
// settles what another has begun, and goes on with, has it counted twice. A session
// that somebody has ended takes its money with it: what another process tells late of
// its calls, and what that could not tell before, is held against none of the same id
// that comes after it. Everything else that is counted here is the process's own.
//
// It joins the pure functions of package registry with a store of package
// state, and makes a record of every decision. It neither waits nor asks nor
// runs anything: who can, uses a gate of package actions.
package session
