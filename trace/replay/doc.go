// Package replay owns what a policy would have done to recorded runs: it has
// every call of a run judged as it would have been, on the recorded clock, and
// tells where the run would have been stopped and what that would have saved.
// It does not read recordings, which package trace does, and decides nothing
// itself.
//
// Each run is a session of its own, with a state of its own, so that runs can
// be replayed at the same time, and the result is the same however many are.
// A run ends at the first verdict that blocks: what an agent would have done
// instead is in no recording. A throttle that a gate would have waited for
// moves the rest of the run by that time.
package replay
