package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
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
	acting := false // the agent has just called a tool in words
	for _, m := range b.filled(f.in("traj")) {
		b.message(0)
		text := m.in("content").words()
		switch role := m.in("role"); role.text() {
		case "system", "user":
			if observed, is := strings.CutPrefix(text, actionResult); is && acting {
				b.tauBenchResult("", "", strings.TrimPrefix(observed, " "))
			} else {
				b.user(text)
			}
			acting = false
		case "assistant":
			text, acting = b.tauBenchAction(text, l)
			b.said(text)
			b.openAICalls(m.in("tool_calls"), l)
		case "tool":
			b.tauBenchResult(m.in("tool_call_id").text(), m.in("name").text(), text)
		default:
			role.wrong("system, user, assistant or tool")
		}
	}
	return b.finish()
}

func (b *builder) tauBenchResult(id, name, text string) {
	var failure *session.Failure
	if strings.HasPrefix(text, "Error") {
		failure = failed(text)
	}
	b.result(id, name, textOutput(text), failure)
}

// What stands before an agent's action, and before what came of it, where its
// strategy is to act in words and not by calls of the API.
const (
	actionBegins = "Action:"
	actionResult = "API output:"
	respond      = "respond" // the action that is a message to the user
)

// tauBenchAction takes the action out of an answer that ends in one, an object
// with a name and arguments: it adds the call of a tool, and returns what is
// said beside it, or to the user.
func (b *builder) tauBenchAction(text string, l Limits) (said string, acting bool) {
	i := strings.LastIndex(text, actionBegins)
	if i < 0 {
		return text, false
	}
	call := textField(strings.TrimSpace(text[i+len(actionBegins):])).inner(l)
	name, args := call.in("name"), call.in("arguments")
	if name.Kind() != jsonv.String || args.Kind() != jsonv.Object {
		return text, false
	}
	if name.Text() == respond {
		return args.in("content").Text(), false
	}
	b.said(text[:i])
	b.call("", name.Text(), args.args(l))
	return "", true
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
