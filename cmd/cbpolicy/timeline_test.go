package main

import (
	"bufio"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/registry"
)

// shown prints a run as a terminal of so many columns shows it.
func shown(t *testing.T, r *run.Result, columns int, colour bool) string {
	t.Helper()
	var b strings.Builder
	w := bufio.NewWriter(&b)
	timeline{w, colour, columns}.print(r, nil)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var halted = &run.Result{
	Status: run.Throttled, Chain: "pay",
	Steps: []run.StepResult{
		{Step: "fetch_exchange_rate", Ability: "rates.get", Outcome: run.Ran, Verdict: &registry.VerdictJSON{Decision: "allow"}, Took: 1200},
		{Step: "等", Ability: "rates.wait", Outcome: run.Skipped, At: 1200},
		{Step: "send", Ability: "money.send", Outcome: run.Refused, At: 61_200, Verdict: &registry.VerdictJSON{
			Decision: "throttle", Fired: []registry.FiredJSON{{
				Rule: "often", Action: "throttle", Reason: "Once an hour", Explain: "2 calls in 1h exceed 1",
				Origin: "chain", Source: "pay.yaml:3:5",
			}}}},
	},
	Halt: &run.Halt{Step: "send", Rule: "often", Reason: "Once an hour", RetryAfterMS: 3_600_000},
}

func TestTimelineFitsTheTerminal(t *testing.T) {
	const below = `           often (throttle): Once an hour
             2 calls in 1h exceed 1
             chain rule at pay.yaml:3:5
throttled at send by rule often: Once an hour
  room in 1h
`
	const wide = `chain pay
     +0s ✓ fetch_exchange_rate  rates.get   allow  1.2s
   +1.2s – 等                   rates.wait  skipped
 +1m1.2s ■ send                 money.send  throttle
` + below
	const narrow = `chain pay
     +0s ✓ fetch_exchange_rate  allow
           rates.get  1.2s
   +1.2s – 等  skipped
           rates.wait
 +1m1.2s ■ send  throttle
           money.send
` + below
	for columns, want := range map[int]string{120: wide, 80: wide, 52: wide, 51: narrow, 40: narrow} {
		if got := shown(t, halted, columns, false); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, got, want)
		}
	}
}

func TestTimelineColoursMarksAndVerdicts(t *testing.T) {
	got := shown(t, halted, 80, true)
	for _, want := range []string{"\x1b[32m✓\x1b[0m", "\x1b[2m–\x1b[0m", "\x1b[31m■\x1b[0m", "\x1b[31mthrottle\x1b[0m", "\x1b[31mthrottled\x1b[0m at send"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%q", want, got)
		}
	}
}

// What comes from data moves no cursor and hides nothing.
func TestTimelineEscapesData(t *testing.T) {
	const evil = "x\x1b[2J\u202e\ny"
	got := shown(t, &run.Result{
		Status: run.Failed, Chain: evil,
		Steps: []run.StepResult{{
			Step: evil, Ability: evil, Outcome: run.StepFailed, Error: &run.StepError{Class: evil, Message: evil},
			Verdict: &registry.VerdictJSON{Decision: "warn", Fired: []registry.FiredJSON{
				{Rule: evil, Action: "warn", Reason: evil, Explain: evil + evil, Origin: "operator", Source: evil}}},
		}},
		Halt: &run.Halt{Step: evil, Rule: evil, Reason: evil, RetryAfterMS: -1},
	}, 80, false)
	if strings.ContainsAny(got, "\x1b\u202e") || strings.Count(got, "\n") != 8 {
		t.Errorf("%q", got)
	}
	if !strings.Contains(got, `x\u{1b}[2J\u{202e}\ny`) || !strings.Contains(got, "no time is known") {
		t.Errorf("%q", got)
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0s", 1: "1ms", 1200: "1.2s", 60_000: "1m", 61_200: "1m1.2s", 3_600_000: "1h", 3_660_000: "1h1m",
		86_400_000: "1d", 93_600_000: "1d2h", 86_401_000: "1d1s", 1_728_000_000: "20d",
	} {
		if got := duration(ms); got != want {
			t.Errorf("%d ms: %s, want %s", ms, got, want)
		}
	}
}
