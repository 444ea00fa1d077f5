package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	const want = `stopped after 50 calls by rule tool_call_limit: 51 of 50
  noticed: The same call with the same result, again and again (task.same_call_streak 51 is at least 5)
  noticed: The same ability many times in a row (task.same_ability_streak 51 is at least 10)
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
