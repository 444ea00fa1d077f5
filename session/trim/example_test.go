package trim_test

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/session/trim"
)

// A history of more than 50 messages is trimmed to the last 40, with what the
// user asked for at its beginning.
func ExampleTrim() {
	history := []trim.Message{
		{Role: "system", System: true, Text: "You are a careful engineer."},
		{Role: trim.User, Text: "Make the tests pass."},
	}
	for i := range 30 {
		id := fmt.Sprint("call", i)
		history = append(history,
			trim.Message{Role: "assistant", Text: `{"command":"go test ./..."}`, CallIDs: []string{id}},
			trim.Message{Role: "tool", Text: "FAIL", ResultOf: []string{id}})
	}
	kept, report, err := trim.Trim(history, trim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Why, "-", report.Dropped, "of", len(history), "dropped")
	fmt.Println(kept[1].Text, "…", kept[2].CallIDs)
	// Output:
	// too many messages - 22 of 62 dropped
	// Make the tests pass. … [call11]
}
