// Package eval answers single steps given as JSON: one step in, one verdict
// out, on state that lives as long as the evaluator. It is what the eval verb
// does, for tests, scripts and other programs.
//
// It is a host: unlike a session it believes every field of the step. It
// never waits, asks or stops for good.
package eval
