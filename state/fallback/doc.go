// Package fallback is a home of the state that goes on while another one, a
// shared one, cannot be reached: it asks the shared home within a deadline,
// and while that does not answer it does what the rules and the operator say,
// deny, allow or local (see registry.Window.Modes and Readers), with a local
// home. A caller's deadline that is shorter counts like the store's own.
//
// After the first failure the shared home is left alone but for a probe now
// and then, so that a dead server does not cost every decision its deadline.
// What is admitted meanwhile is kept, and told to the shared home when it is
// back; until all of it is told, steps are decided locally, and each waits for
// that, a deadline at most.
//
// # What the limits come to
//
// While the shared home is away each process of the fleet admits by its own
// counts, with each limit divided by the size of the fleet and rounded down. Its
// own counts hold what it has admitted at the shared home before, too. So with a
// limit of L, and a fleet of K processes of which each may lose sight of the
// home at other times, no window ever holds more than L + (K−1)·⌊L/K⌋
// admitted entries; with K = 1 that is L. Windows in which the home answered
// nobody hold at most L. This asks for processes that live as long as
// the windows: one that begins while the home is away knows nothing of what was
// before.
//
// It asks as well for a home that forgets nothing. One that is restarted empty is
// told what was admitted while it was away, but not again what it had counted
// before, and nobody notices: each time it happens a window may hold L more, also
// with K = 1.
//
// # What becomes of what
//
//   - An entry that was admitted locally is told to the home at the time at which
//     it is told, for no home goes back in time: it stays in its windows too long,
//     never too short. One that has left every window meanwhile is not told.
//   - A claim whose answer was lost may have been taken by the home as well. With
//     a call's identity it counts once, and one that is refused here is given
//     back; without one it may count twice, or though it was refused, unless the
//     home undoes it by itself, as that on Redis does. This takes
//     a call to be one process's: nobody else asks for it at the same time.
//   - There is a place for the end of each call in flight, also where no more
//     claims can be kept, for up to twice Options.MaxKept calls. What is let pass
//     then the home never counts; Grant.Away says so, and Status.Lost.
//   - Limits of reservations are divided like those of windows. What was reserved
//     and settled is told.
//   - Approvals that lie in the home are not held meanwhile: a confirm rule asks
//     again. Those that are given meanwhile are held by this process, and
//     handed over in the end if they are unused.
//   - Leases are local: each process may have its own probe of a breaker. From
//     when on they may be taken is by the clock of the local home.
//   - Cells begin as they were last seen, or confirmed. One that is written is handed over in
//     the end, unless somebody else has written it in the home: then theirs stands.
//   - Cells of money, see state.HomeCells, only the home answers for, as several
//     processes add to them. While it is away a claim is decided without them, and
//     refused where nobody has heard what they are (state.Claim.HomeOnly); every
//     other request that names one fails with state.ErrAway. Whoever has money to
//     write keeps it, and writes it when the home is back.
//
// The package does not judge rules, nor know how a home keeps what it keeps. A
// home must heed the end of a context: a call that does not is waited for.
package fallback
