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
	const cannot = "  chef_team: I'm sorry, but I don't have access to the kitchen's stock list, so I cannot plan the menu.\n"
	want := "without rules: 14 delegations\nwith the cap:\n" + cannot + cannot +
		"  chef_team has failed 2 times in this session: ask how to go on\n  2 delegations\n" +
		"with a way round:\n" + cannot + cannot + "  chef_team has failed 2 times in this session: give the task to grill_team\n" +
		"  grill_team: Menu for Friday: grilled trout, potato salad, apple tart. All of it is in stock.\n  3 delegations\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
