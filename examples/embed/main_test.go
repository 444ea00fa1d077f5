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
	const want = `sent to ann@example.org
abort by arg-to-matches-example.net-3983f3ad: argument to matches ` + "`@example\\.net$`" + `
sent to bob@example.org
sent to cy@example.org
abort by frequency-email.send-gt-3-1h: 4 calls of email.send in 1h exceed 3
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
