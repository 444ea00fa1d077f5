package telemetry_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/telemetry"
)

var at = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// tripped is a task in which a rule triggered.
func tripped(task string, after time.Duration, retries int, s session.Status) session.Metadata {
	when := at.Add(after)
	return session.Metadata{
		Session: "s", Task: task, At: at.Add(time.Hour), ToolCallCount: 80, Warnings: []string{}, QCRecommended: true,
		CircuitBreakerTriggered: true, Rule: "tool_calls_critical", Explain: "80 is at least 80", TrippedAt: &when, RetryCount: retries, FinalStatus: s,
	}
}

// What is written is what is read.
func TestRoundTrip(t *testing.T) {
	want := []session.Metadata{
		tripped("a", time.Minute, 1, session.Completed), {Session: "s", Task: "b", At: at, Warnings: []string{"<&>"}, Duration: 1.25},
	}
	var b strings.Builder
	w := telemetry.NewWriter(&b)
	for _, m := range want {
		w.Task(m)
	}
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	var got []session.Metadata
	for m, err := range telemetry.Read("f", strings.NewReader(b.String())) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWriter_Fails(t *testing.T) {
	w := telemetry.NewWriter(failing{})
	w.Task(session.Metadata{})
	if err := w.Err(); err == nil {
		t.Error("nothing was written, and nothing said")
	}
}

func TestRead_Faults(t *testing.T) {
	text := `{"session":"s","at":"2026-01-05T09:00:00Z","new":1}` + "\n\n{broken\n" + `{"session":"s"}` + "\n" + strings.Repeat("x", telemetry.MaxLine+1)
	var errs []string
	n := 0
	for _, err := range telemetry.Read("f", strings.NewReader(text)) {
		if err == nil {
			n++
			continue
		}
		var at *telemetry.LineError
		if !errors.As(err, &at) {
			t.Errorf("%v", err)
		}
		errs = append(errs, err.Error())
	}
	if n != 1 || len(errs) != 3 || !strings.HasPrefix(errs[0], "f:3: ") || !strings.Contains(errs[1], "f:4: this is no task") || !strings.HasPrefix(errs[2], "f:5: ") {
		t.Errorf("%d tasks, %q", n, errs)
	}
}

// What no writer writes is not counted; what follows it is.
func TestRead_WhatNoWriterWrites(t *testing.T) {
	const fine = `"session":"s","at":"2026-01-05T09:00:00Z"`
	for line, want := range map[string]string{
		`{` + fine + `,"retryCount":-2}`:                          "retryCount is below 0",
		`{` + fine + `,"toolCallCount":-1}`:                       "toolCallCount is below 0",
		`{` + fine + `,"spendCents":-0.5}`:                        "spendCents is below 0",
		`{` + fine + `,"retryCount":0,"retryCount":1}`:            `"retryCount"`,
		`{` + fine + `,"RetryCount":1}`:                           `"RetryCount" is no field; did you mean "retryCount"?`,
		`{` + fine + `,"finalStatus":"splendid"}`:                 `finalStatus "splendid" is none; it is completed, failed or halted`,
		`{` + fine + `,"retryCount":"1"}`:                         "retryCount cannot be a string",
		`[]`:                                                      "this is no task, but a list",
		`{` + fine + `,"x":"` + strings.Repeat("x", 1<<20) + `"}`: "the line is longer than 1048576 bytes",
		strings.Repeat("x", 3<<20):                                "the line is longer than 1048576 bytes",
		`{` + fine + `,"x":` + strings.Repeat("[", 99):            "nested",
	} {
		text := `{` + fine + "}\r\n" + line + "\n" + `{` + fine + `,"new":{"er":[1]}}`
		n, said := 0, ""
		for _, err := range telemetry.Read("f", strings.NewReader(text)) {
			if err != nil {
				said += err.Error()
			} else {
				n++
			}
		}
		if n != 2 || !strings.HasPrefix(said, "f:2: ") || !strings.Contains(said, want) {
			t.Errorf("%.80s: %d tasks, %q, want %q", line, n, said, want)
		}
	}
	exact := `{` + fine + `,"x":""}`
	exact = strings.Replace(exact, `""`, `"`+strings.Repeat("x", telemetry.MaxLine-len(exact))+`"`, 1)
	for _, end := range []string{"", "\n", "\r\n"} {
		for _, err := range telemetry.Read("f", strings.NewReader(exact+end)) {
			if err != nil {
				t.Errorf("a line of %d bytes: %v", len(exact), err)
			}
		}
	}
}

// The reader's error is the last, and half a line before it is none.
func TestRead_TheReaderFails(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(`{"session":"s","at":"2026-01-05T09:00:00Z"}`+"\n{"), iotest.ErrReader(errors.New("the disk is gone")))
	var said []string
	for _, err := range telemetry.Read("f", broken) {
		said = append(said, fmt.Sprint(err))
	}
	if d := cmp.Diff([]string{"<nil>", "f:2: the disk is gone"}, said); d != "" {
		t.Error(d)
	}
}

func TestStats(t *testing.T) {
	var s telemetry.Stats
	for _, m := range []session.Metadata{
		tripped("late", 2*time.Minute, 1, session.Completed), tripped("early", time.Minute, 0, session.Halted),
		tripped("again", 3*time.Minute, 2, session.Failed), {Session: "s", Task: "quiet", At: at, FinalStatus: session.Completed},
		{Session: "s", Task: "nobody said", At: at},
	} {
		s.Add(m)
	}
	s.Sort()
	if s.Tasks != 5 || s.Triggered != 3 || s.Recommended != 3 || s.ByRule["tool_calls_critical"] != 3 {
		t.Errorf("%+v", s)
	}
	want := []telemetry.Outcomes{{Tasks: 2, Completed: 1, Failed: 1}, {Tasks: 1, Halted: 1}, {Tasks: 2, Completed: 1}}
	if d := cmp.Diff(want, []telemetry.Outcomes{s.Reviewed, s.Unreviewed, s.Quiet}); d != "" {
		t.Error(d)
	}
	var order []string
	for _, trip := range s.Trips {
		order = append(order, trip.Task)
	}
	if d := cmp.Diff([]string{"early", "late", "again"}, order); d != "" {
		t.Error(d)
	}
	if r, known := s.Reviewed.SuccessRate(); r != 0.5 || !known {
		t.Errorf("%v, %v", r, known)
	}
	if _, known := (telemetry.Outcomes{Tasks: 1}).SuccessRate(); known {
		t.Error("a rate of nothing is known")
	}
}

// Work that was reviewed before it began is told from work that was not, and
// from work that tripped.
func TestStats_ReviewedBefore(t *testing.T) {
	var s telemetry.Stats
	before := session.Metadata{Session: "s", Task: "well", At: at, QCRecommended: true, ReviewedBefore: true, FinalStatus: session.Completed}
	ranAway := tripped("ran away", time.Minute, 0, session.Halted)
	ranAway.ReviewedBefore = true
	refused := tripped("refused", time.Minute, 0, session.Halted)
	refused.Rule = "mandatory_review"
	for _, m := range []session.Metadata{before, ranAway, refused} {
		s.Add(m)
	}
	if s.Recommended != 3 || s.Triggered != 2 || s.ByRule["mandatory_review"] != 1 {
		t.Errorf("%+v", s)
	}
	want := []telemetry.Outcomes{{Tasks: 1, Halted: 1}, {Tasks: 1, Halted: 1}, {Tasks: 1, Completed: 1}, {}}
	if d := cmp.Diff(want, []telemetry.Outcomes{s.Reviewed, s.Unreviewed, s.ReviewedBefore, s.Quiet}); d != "" {
		t.Error(d)
	}
}

// What tasks came to is added up over all their attempts.
func TestStats_Totals(t *testing.T) {
	var s telemetry.Stats
	again := tripped("again", time.Minute, 1, session.Completed)
	again.ToolCallCount, again.MessageCount, again.Duration = 11, 22, 1.5
	again.Totals = session.Totals{ToolCallCount: 90, MessageCount: 180, Duration: 61.5}
	old := session.Metadata{Session: "s", Task: "of an older writer", At: at, ToolCallCount: 2, MessageCount: 3, Duration: 0.5}
	s.Add(again)
	s.Add(old)
	if d := cmp.Diff(session.Totals{ToolCallCount: 92, MessageCount: 183, Duration: 62}, s.Totals); d != "" {
		t.Error(d)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"session":"s","at":"2026-01-05T09:00:00Z"}` + "\n{")
	f.Fuzz(func(t *testing.T, text string) {
		for m, err := range telemetry.Read("f", strings.NewReader(text)) {
			if err == nil && m.Session == "" {
				t.Errorf("a task of no session: %+v", m)
			}
		}
	})
}
