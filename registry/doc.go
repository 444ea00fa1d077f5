// Package registry turns rules into verdicts.
//
// It owns which rules apply to a step (scopes, origins, trust), the compiled
// index over them, and the two pure functions that decide: [Set.Plan] judges
// every atom that needs no counter, [Set.Decide] completes the verdict with
// the counts that a store found. It holds the built-in rules as data.
//
// It owns no state: counting is the business of package state, which is asked
// once between the two. It reads no clock and no file.
package registry
