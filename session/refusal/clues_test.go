package refusal_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session/refusal"
)

// Clues are summed up: each counts once, in the last sentence of several with
// what it closes with, and what the answer shows counts too.
func TestClues(t *testing.T) {
	d, err := refusal.New([]refusal.Pattern{
		{Text: "rain", Role: refusal.Clue, Points: 20},
		{Text: "umbrella", Role: refusal.Clue, Points: -20},
		{Text: "thunder", Role: refusal.Clue, Closing: 20},
		{Text: "quits", Role: refusal.GivesUp},
		{Text: "~ they <cannot>", Role: refusal.Cannot},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ output, phrase, pattern string }{
		{"There was rain.", "rain", "rain"},
		{"There was rain. We had an umbrella.", "", ""},
		{"There was rain. There was rain. We had an umbrella.", "", ""},
		{"There was thunder.", "", ""},
		{"There was thunder. We went home.", "", ""},
		{"We went home. There was Thunder.", "Thunder", "thunder"},
		{"There was thunder. We went home. There was thunder.", "thunder", "thunder"},
		{"The sun quits under its umbrella.", "quits", "quits"},
		{"They cannot go.", "They cannot", "~ they <cannot>"},
		{"They cannot go without an umbrella.", "", ""},
		{"There was rain. " + strings.Repeat("A word of something else. ", 25), "", ""},
	} {
		if v := d.Judge(c.output); v.Phrase != c.phrase || v.Pattern != c.pattern {
			t.Errorf("%.60q: got %+v", c.output, v)
		}
	}
}

// Without clues in its table a detector judges by its other phrases alone.
func TestNoClues(t *testing.T) {
	d, err := refusal.New([]refusal.Pattern{{Text: "~ they <cannot>", Role: refusal.Cannot}})
	if err != nil {
		t.Fatal(err)
	}
	if v := d.Judge("They cannot go to the 3 shops. Which one is it?"); v.Kind != refusal.Refusal {
		t.Errorf("got %+v", v)
	}
	if v := d.Judge("Which one is it?"); v.Failed() {
		t.Errorf("got %+v", v)
	}
}

// Whoever only asks hands the task back, in the words of the question.
func TestAsks(t *testing.T) {
	d := refusal.Default()
	for output, phrase := range map[string]string{
		"Which of the two printers do you mean?":                         "Which of the two printers do you mean",
		"Hello! What size should the poster be?":                         "What size should the poster be",
		"The room is booked for 10:00, code QX12. Shall I order coffee?": "",
	} {
		v := d.Judge(output)
		if v.Phrase != phrase || v.Failed() != (phrase != "") || v.Failed() && v.Kind != refusal.HandedBack {
			t.Errorf("%q: got %+v", output, v)
		}
	}
}

func TestBadClues(t *testing.T) {
	for _, c := range []struct {
		p    refusal.Pattern
		want string
	}{
		{refusal.Pattern{Text: "a", Points: 1}, `phrase 1 "a": only a clue has points`},
		{refusal.Pattern{Text: "a", Role: refusal.Asks, Closing: 1}, `phrase 1 "a": only a clue has points`},
		{refusal.Pattern{Text: "a", Role: refusal.Clue}, `phrase 1 "a": a clue has from 1 to 20 points, for a failure or against it`},
		{refusal.Pattern{Text: "a", Role: refusal.Clue, Points: -21}, `phrase 1 "a": a clue has from 1 to 20 points`},
		{refusal.Pattern{Text: "a", Role: refusal.Clue, Points: 1, Closing: 21}, `phrase 1 "a": a clue has from 1 to 20 points`},
	} {
		if _, err := refusal.New([]refusal.Pattern{c.p}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c.p, err)
		}
	}
}
