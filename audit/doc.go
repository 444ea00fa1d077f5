// Package audit owns the log of decisions: JSON Lines in a hash chain, of
// which every line holds a decision record, so that what was decided can be
// shown, checked for changes, and decided once more. It masks what must not be
// written down and begins a new file when one is full. It does not own what a
// record is, nor how a decision is repeated; package session does.
//
// A line is
//
//	{"seq":7,"prev":"…","hash":"…","record":{…}}
//
// without blanks, where the hash is the SHA-256 of the sequence number, of the
// hash of the line before and of the bytes of the record. Any byte that is
// changed, and any line that is added, dropped or moved, breaks the chain. What
// the chain alone cannot show is a log whose last lines are cut off: keep the
// hash of the last line elsewhere, and compare.
//
// The file may be written by any number of processes: each line is appended
// under a lock of the file. Nothing is appended to what is no log, nor where the
// lines that this writer has left, or seen, are not there any more.
package audit
