package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/chain/run/host"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// bench runs a chain with a policy, abilities that take a second each, and
// one answer to all questions.
type bench struct {
	clock    *session.VirtualClock
	calls    *host.Recorder
	chain    *chain.Chain
	registry registry.Registry
	answers  []actions.Answer // the next first; the last goes on
}

func newBench(t *testing.T, chainText, policy string, abilities run.AbilityFunc) *bench {
	t.Helper()
	b := &bench{clock: session.NewVirtualClock(start), chain: parse(t, chainText)}
	p, faults := dsl.ParsePolicy("test.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	if err := b.registry.Load(p); err != nil {
		t.Fatal(err)
	}
	b.calls = &host.Recorder{Clock: b.clock, Abilities: run.AbilityFunc(func(ctx context.Context, name string, args json.RawMessage) (run.Output, error) {
		b.clock.Advance(time.Second)
		return abilities(ctx, name, args)
	})}
	return b
}

func (b *bench) answer(_ context.Context, q *actions.Question) ([]actions.Answer, error) {
	answers := make([]actions.Answer, len(q.Rules))
	for i := range answers {
		answers[i] = b.answers[0]
	}
	if len(b.answers) > 1 {
		b.answers = b.answers[1:]
	}
	return answers, nil
}

func (b *bench) run(t *testing.T) *run.Result {
	t.Helper()
	s, err := session.New(session.Options{ID: "s", Registry: &b.registry, Clock: b.clock, Store: memory.New(memory.Options{Now: b.clock.Now})})
	if err != nil {
		t.Fatal(err)
	}
	gate := &actions.Gate{Session: s, Clock: b.clock, Confirmer: b.calls.Confirmer(actions.ConfirmFunc(b.answer))}
	r, err := run.New(run.Options{Chain: b.chain, Gate: gate, Abilities: b.calls})
	if err != nil {
		t.Fatal(err)
	}
	result, _ := r.Run(t.Context(), nil, chain.Host)
	return result
}

// mixed puts out a text, JSON, an error, and a panic, by the name of the ability.
func mixed(_ context.Context, name string, _ json.RawMessage) (run.Output, error) {
	switch name {
	case "price.get":
		return run.JSON(json.RawMessage(`{"p":1.10}`))
	case "bank.pay":
		return run.Output{}, &run.AbilityError{Class: "NetworkError", Message: "502 <html>"}
	case "user.panic":
		panic("at the disco")
	}
	return run.Text("ok <b>"), nil
}

func TestRecorder_Receipts(t *testing.T) {
	b := newBench(t, `id: pay
steps:
  - {id: look, ability: price.get, args: {n: 12345678901234567890.10}}
  - {id: send, ability: bank.pay, on_failure: continue}
  - {id: tell, ability: user.tell}
  - {id: fall, ability: user.panic}
`, "B:a>1|warn", mixed)
	if got := string(must(t)(b.calls.ReceiptsJSON())); got != "[]\n" {
		t.Errorf("before the run: %s", got)
	}
	result := b.run(t)
	if result.Status != run.Failed {
		t.Fatalf("got %+v", result)
	}
	want := `[
  {
    "step": "look",
    "ability": "price.get",
    "args": {
      "n": 12345678901234567890.10
    },
    "output": {
      "p": 1.10
    },
    "started": "2026-01-05T09:00:00Z",
    "took": "1s"
  },
  {
    "step": "send",
    "ability": "bank.pay",
    "args": {},
    "error": {
      "class": "NetworkError",
      "message": "502 <html>"
    },
    "started": "2026-01-05T09:00:01Z",
    "took": "1s"
  },
  {
    "step": "tell",
    "ability": "user.tell",
    "args": {},
    "output": "ok <b>",
    "started": "2026-01-05T09:00:02Z",
    "took": "1s"
  },
  {
    "step": "fall",
    "ability": "user.panic",
    "args": {},
    "error": {
      "class": "ToolError",
      "message": "the ability panicked"
    },
    "started": "2026-01-05T09:00:03Z",
    "took": "1s"
  }
]
`
	if diff := cmp.Diff(want, string(must(t)(b.calls.ReceiptsJSON()))); diff != "" {
		t.Error(diff)
	}
}

// TestRecorder_ADryRunOfTheRecordingGoesTheSameWay, whatever happened: every
// verdict, output and time of the receipt is the same.
func TestRecorder_ADryRunOfTheRecordingGoesTheSameWay(t *testing.T) {
	const text = `id: pay
steps:
  - {id: look, ability: price.get, output_key: price}
  - {id: send, ability: bank.pay, args: {price: "{{price}}"}, on_failure: tell}
  - {id: never, ability: user.tell}
  - {id: tell, ability: user.tell, args: {why: "{{send_error}}"}, output_key: told}
`
	for name, c := range map[string]struct {
		policy  string
		answers []actions.Answer
	}{
		"recovered":                 {"B:a>1|warn", nil},
		"a rule aborts":             {"B:ability:user.*|abort|id=no", nil},
		"approved once":             {"B:ability:bank.*|confirm|id=ask\nB:ability:user.*|confirm|id=ask2", []actions.Answer{actions.Yes}},
		"approved for the run":      {"B:ability:*|confirm|id=ask", []actions.Answer{actions.ForRun}},
		"declined at the last step": {"B:ability:*|confirm|id=ask", []actions.Answer{actions.Yes, actions.Yes, actions.No}},
		"throttled for a while":     {"B:frequency:*>1/10s|throttle", nil},
		"throttled for good":        {"B:frequency:*>1/1h|throttle", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, text, c.policy, mixed)
			b.answers = c.answers
			want := must(t)(json.Marshal(b.run(t)))
			data, err := b.calls.Recording(b.chain, map[string]chain.Value{}, start)
			if err != nil {
				t.Fatal(err)
			}
			rec, faults := run.ParseRecording("rec.json", data)
			if faults.Err() != nil {
				t.Fatal(faults)
			}
			dry := newBench(t, text, c.policy, mixed)
			result, _ := run.DryRun(t.Context(), run.DryRunOptions{Chain: dry.chain, Recording: rec, Session: session.Options{Registry: &dry.registry}})
			if diff := cmp.Diff(string(want), string(must(t)(json.Marshal(result)))); diff != "" {
				t.Errorf("%s\n%s", diff, data)
			}
		})
	}
}

// TestRecorder_YesAndNoToOneRuleIsNoRecording: a recording has one answer.
func TestRecorder_YesAndNoToOneRuleIsNoRecording(t *testing.T) {
	r := &host.Recorder{}
	answers := []actions.Answer{actions.Yes}
	c := r.Confirmer(actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) { return answers, nil }))
	rule := &registry.Rule{}
	rule.ID = "ask"
	q := &actions.Question{Step: "send", Rules: []registry.Fired{{Rule: rule}}}
	for _, a := range []actions.Answer{actions.Yes, actions.ForRun} {
		answers[0] = a
		if _, err := c.Confirm(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	pay := parse(t, threeSteps)
	if _, err := r.Recording(pay, nil, start); err != nil {
		t.Errorf("two times yes: %v", err)
	}
	answers[0] = actions.No
	if _, err := c.Confirm(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if data, err := r.Recording(pay, nil, start); err == nil {
		t.Errorf("got %s", data)
	}
}

func TestRecorder_AQuestionWithoutAnAnswerLeavesNone(t *testing.T) {
	r := &host.Recorder{}
	nobody := errors.New("nobody is there")
	c := r.Confirmer(actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) { return nil, nobody }))
	if _, err := c.Confirm(t.Context(), &actions.Question{Step: "send"}); !errors.Is(err, nobody) {
		t.Errorf("got %v", err)
	}
	data := string(must(t)(r.Recording(parse(t, threeSteps), nil, start)))
	if want := "{\n  \"chain\": \"pay\",\n  \"start\": \"2026-01-05T09:00:00Z\",\n  \"steps\": []\n}\n"; data != want {
		t.Errorf("got %s", data)
	}
}

// must fails the test on an error.
func must(t *testing.T) func(data []byte, err error) []byte {
	return func(data []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}
