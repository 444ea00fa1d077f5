// Package suggest owns learning limits from recorded runs: what meters and
// abilities came to in runs that ended well, the limits that leave room for
// it, and which runs each limit would have stopped. Out comes a policy file with
// the evidence in comments.
//
// It judges nothing itself: readings and stops are those of package replay,
// and the runs are read by package trace. Equal runs give equal policies,
// whatever the number of workers.
package suggest
