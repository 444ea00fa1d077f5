// Package explain owns rules in plain words: what a rule watches, when it
// fires, what then happens, what it does while its key is unbound, how it
// counts and where it applies. It makes sentences; it judges nothing and
// prints nothing.
package explain
