package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/session"
)

// tau-bench writes a list of trajectories in the form of OpenAI's chat API,
// without times or usage. A result that failed says so in its text only.

func isTauBench(o *outline) bool { return o.has("task_id", "reward") && o.hasAny("traj", "info") }

func readTauBench(in *input) {
	in.each(func(d doc, _ string) (*Run, error) {
		f := record(d.Value)
		return tauBenchRun(f, in.limits), f.err()
	})
}

func tauBenchRun(f field, l Limits) *Run {
	r := &Run{Format: TauBench, ID: f.in("task_id").name(), Labels: Labels{Success: rewarded(f.in("reward"))}}
	if trial := f.in("trial").name(); trial != "" {
		r.ID += "/" + trial
	}
	b := newBuilder(r)
	for _, m := range b.filled(f.in("traj")) {
		b.message(0)
		text := m.in("content").words()
		switch role := m.in("role"); role.text() {
		case "system", "user":
			b.user(text)
		case "assistant":
			b.said(text)
			b.openAICalls(m.in("tool_calls"), l)
		case "tool":
			var failure *session.Failure
			if strings.HasPrefix(text, "Error") {
				failure = failed(text)
			}
			b.result(m.in("tool_call_id").text(), m.in("name").text(), textOutput(text), failure)
		default:
			role.wrong("system, user, assistant or tool")
		}
	}
	return b.finish()
}

// rewarded reports whether a reward is the full one.
func rewarded(f field) Outcome {
	const want = "a number"
	d, ok := f.number(want)
	if !ok {
		return Unknown
	}
	return outcome(d.Cmp(one) >= 0)
}
