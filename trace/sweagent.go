package trace

import (
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// SWE-agent writes one object a run. An action is a line of a shell, whose
// first word is the tool; there are no times, no flag on what failed, and
// usage only of the run as a whole.

func isSWEAgent(o *outline) bool {
	return o.has("trajectory") && (o.hasAny("environment", "info", "history") || o.hasAny("trajectory.[].action", "trajectory.[].observation"))
}

func readSWEAgent(in *input) {
	in.each(func(d doc, _ string) (*Run, error) {
		f := record(d.Value)
		return sweAgentRun(f), f.err()
	})
}

func sweAgentRun(f field) *Run {
	info := f.in("info").object()
	r := &Run{Format: SWEAgent, TaskKind: f.in("environment").text(), Labels: Labels{Stop: info.in("exit_status").text()}}
	switch why := strings.TrimSuffix(strings.TrimPrefix(r.Labels.Stop, "submitted ("), ")"); why {
	case "exit_api", "exit_environment_error", "exit_error":
		r.Labels.Error = why
	}
	b := newBuilder(r)
	b.sweAgentTask(f.in("history"))
	for _, step := range b.filled(f.in("trajectory")) {
		b.message(0)
		b.said(step.in("thought").words())
		action := step.in("action").text()
		if strings.TrimSpace(action) == "" {
			continue
		}
		args := &registry.Values{}
		args.Bind("command", registry.Text(action))
		id := "#" + strconv.Itoa(len(b.calls)+1) // steps have none; a result is its own step's
		b.call(id, shellTool(action), args)
		if seen := step.in("observation"); !seen.none() { // of one that is not there nobody knows what came of it
			b.message(0)
			b.result(id, "", textOutput(seen.text()), nil)
		}
	}
	stats := info.in("model_stats").object()
	spent := session.Event{MessageID: "model_stats", Tokens: meter.Tokens{
		Input: stats.in("tokens_sent").count(), Output: stats.in("tokens_received").count(),
	}}
	cost := stats.in("instance_cost")
	if cost.none() {
		cost = stats.in("total_cost")
	}
	spent.Cost, spent.HasCost = cost.dollars()
	b.spent(spent)
	return b.finish()
}

// sweAgentTask adds the system prompt and the task. The later messages of the
// history that stand there as the user's are observations, and demonstrations
// are runs of somebody else.
func (b *builder) sweAgentTask(history field) {
	for _, m := range history.objects() {
		if m.in("is_demo").Kind() == jsonv.Bool && m.in("is_demo").yes() {
			continue
		}
		switch m.in("role").text() {
		case "system":
			b.message(0).user(m.in("content").words())
		case "user":
			b.message(0).user(m.in("content").words())
			return
		default:
			return
		}
	}
}

// shell is the tool of a line that does not begin with the name of one.
const shell = "shell"

// shellTool returns the first word of a line of a shell, if that is a name.
func shellTool(line string) string {
	word := strings.Fields(line)[0]
	for i, c := range []byte(word) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && c != '.' && (c < '0' || c > '9')) {
			return shell
		}
	}
	return word
}
