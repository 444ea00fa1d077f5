package telemetry_test

import (
	"errors"
	"strings"
	"testing"
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
