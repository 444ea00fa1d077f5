// Package host gathers what a host offers to a chain: which ability is which
// program or tool, what was called with which arguments, and what came of it.
//
// It owns the table of abilities, the receipts of calls and the recording that
// can be made of them. How a program or a tool is called is the business of
// the packages command and mcptool.
package host
