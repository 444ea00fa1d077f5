// Package meter owns what is counted and timed of a session's work: the tree
// of its tasks, and for each the calls, spend, tokens, clocks, outputs and
// streaks that rules read as meters.
//
// It judges nothing, opens no store and reads no clock: every change brings
// its time, in Unix nanoseconds, and readings are of a time that is given. A
// Tree is not safe for concurrent use; package session locks it.
package meter
