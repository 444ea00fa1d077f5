// Package process starts child processes that do not outlive, outlast or
// outtalk the program: each in a process group of its own, which is killed as
// a whole, with what it says on standard error kept in bounded memory. A child
// that makes itself a group or session of its own, as daemons and setsid do, is
// out of reach.
//
// It owns command lines, process groups and the tail of an output. What a
// process is for, and what its output means, is for its callers.
package process
