// Package file is the home of the state in one local file, shared by any
// number of processes that come and go: guards started once a tool call, and
// servers beside them.
//
// It owns the file: its format, its lock, and what reaches the disk when. What
// was acknowledged survives the end of any process, kill -9 included, and,
// unless Options.NoSync is set, the loss of power as far as the disk keeps
// what it was told to sync. It judges no rule.
//
// # The file
//
// The file is a bbolt database, a copy-on-write B+ tree, because a process that
// opens it, decides and leaves must not read what others have counted: opening
// costs a map of the file and the list of its free pages, a claim the few pages
// of its counters, however many there are. A log of operations would sync once
// where a tree syncs twice, but a short-lived process would have to read it all.
// A write that was torn by a crash leaves the state before it: a new root is
// written and checksummed only after all that it refers to is on the disk. Its
// other pages have no checksums: the branches are checked when a process first
// meets the file, and after every write of another one, records when they are
// read; a leaf that was damaged on the disk may still hide what was in it.
//
// The file is open and locked only while an operation runs, so that processes
// take turns, operation by operation; operations that wait in one process share
// one turn, one transaction and one sync. The lock is the operating system's
// (flock), which network file systems may not honour: keep the file on a local
// disk, readable by its user alone.
//
// # Time
//
// Time is in nanoseconds, the claim's own or else the wall clock, and never
// goes back: it is the latest time that any process has written, or this
// process has seen. A claim that is refused writes nothing, so its time is not
// known to other processes. A file that has seen a time far ahead, of a wall
// clock set wrong, stands still until that time comes, and so lets less through.
package file
