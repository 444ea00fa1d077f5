// Package telemetry owns what is written down of tasks that are over, and the
// questions that are asked of it: which tasks tripped, when, by which rule,
// and whether those that were reviewed came to a good end. It decides nothing
// and measures nothing; a session hands it figures.
package telemetry
