package main

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		reviewer review.Reviewer
		want     string
	}{
		{nil, "stopped after 79 calls by rule tool_calls_critical: 80 of 80\n\n"},
		{review.Rules{}, "reviewed after 79 calls by rule tool_calls_critical: 80 of 80\n" +
			"  loop: Attempt 1 was stopped after 79 calls by the rule tool_calls_critical (task.tool_calls 80 is at least 80). The call “web.fetch {\"input\":\"ferry Oslo price\"}” was made 79 times with the same arguments and the same result.\n" +
			"attempt 2, with 11 of 159 messages\n" +
			"done after 80 calls: From 49 euros, with a cabin.\n\n"},
	} {
		var out strings.Builder
		if err := run(&out, c.reviewer); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("got\n%swant\n%s", out.String(), c.want)
		}
	}
}
