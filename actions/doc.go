// Package actions owns what a verdict makes happen: waiting for room, asking
// a person, having a task reviewed, and stopping with an error that says which
// rule and why.
//
// It holds no decision logic. A [Gate] is a loop over a session's Before: it
// waits or asks, and then has the step judged again.
package actions
