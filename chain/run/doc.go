// Package run executes chains: step by step, each let through by a gate, with
// what is put out bound for the steps after it.
//
// It owns the order of steps, conditions, failures and receipts, and the dry
// run of a chain against a recording. What a rule means is decided elsewhere:
// it asks an [actions.Gate] before every step, and once more at the end.
package run
