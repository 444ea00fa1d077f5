package review_test

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

// A runaway is reviewed without a model. What is known of failures like it is
// offered, the guidance is handed to the agent, and the outcome is remembered.
func Example() {
	var patterns review.Patterns
	c := &review.Case{
		Task: "t1", Attempt: 1,
		Rule: review.Rule{ID: "same_call", Explain: "same call streak 5 reaches 5"},
	}
	for range 5 {
		c.Calls = append(c.Calls, review.Call{Ability: "jobs.status", Args: `{"id":17}`, Output: "queued"})
	}
	c.Known = patterns.Similar(c)
	g, err := review.Ask(context.Background(), "rules", review.Rules{}, c, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g.Text())

	id := patterns.Record(c, g)
	// … the next attempt runs, with the guidance …
	if err := patterns.Outcome(id, true); err != nil {
		fmt.Println(err)
	}
	again := patterns.Similar(c)[0]
	fmt.Printf("\n%s: similarity %v, helped %d of %d\n", again.ID, again.Similarity, again.Helped, again.Offered)
	// Output:
	// A review of your earlier attempt at this task (rules). It is advice: every rule and limit holds as before.
	//
	// What went wrong:
	// - Attempt 1 was stopped after 5 calls by the rule same_call (same call streak 5 reaches 5). The call “jobs.status {"id":17}” was made 5 times with the same arguments and the same result.
	//
	// Mistakes not to repeat:
	// - Calling “jobs.status” again although its result was known and could not change.
	//
	// A better approach:
	// 1. Use the result of “jobs.status” that is there already; do not make this call again.
	// 2. Before each call, say what new it will tell. If it tells nothing new, take another step or finish.
	//
	// p1: similarity 1, helped 1 of 1
}

func ExampleAssess() {
	e := review.Assess(review.Work{Abilities: []string{"repo.read", "k8s.deploy"}, Calls: 14, Files: 3})
	fmt.Println(e.Review, e.Score, e.Level)
	for _, r := range e.Reasons {
		fmt.Printf("%3d %v %s\n", r.Weight, r.Mandatory, r.What)
	}
	// Output:
	// true 60 complex
	//  30 true the ability “k8s.deploy” is critical
	//  21 true tool calls expected: 14 (limit 10)
	//   9 false files expected to change: 3 (limit 5)
}
