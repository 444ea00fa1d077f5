package trace

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/cbpolicy/cbpolicy/session"
)

// AgentDojo writes one object a run. The runs have no times.

func isAgentDojo(o *outline) bool { return o.has("suite_name", "pipeline_name") }

func readAgentDojo(in *input) {
	in.each(func(d doc, source string) (*Run, error) {
		f := record(d.Value)
		r := agentDojoRun(f, in.source, in.limits)
		return r, f.err()
	})
}

func agentDojoRun(f field, source string, l Limits) *Run {
	attack := f.in("attack_type").text()
	r := &Run{
		Format: AgentDojo, Model: agentDojoModel(f.in("pipeline_name").text(), source), TaskKind: f.in("suite_name").text(),
		ID:       strings.Join(nonEmpty(f.in("suite_name").text(), f.in("user_task_id").text(), attack, f.in("injection_task_id").text()), "/"),
		Labels:   Labels{Success: f.in("utility").known(), Attack: outcome(attack != ""), Error: f.in("error").text()},
		Duration: f.in("duration").seconds(),
	}
	// Without an attack, and on a run that broke off, the flag is true and
	// means nothing.
	if attack != "" && r.Labels.Error == "" {
		r.Labels.Succeeded = f.in("security").known()
	}
	b := newBuilder(r)
	for _, m := range b.filled(f.in("messages")) {
		b.message(0)
		text := m.in("content").words()
		switch role := m.in("role"); role.text() {
		case "system", "user":
			b.user(text)
		case "assistant":
			b.said(text)
			for _, c := range m.in("tool_calls").objects() {
				b.checkArguments(c.in("function").text(), c.in("args"), l)
				b.call(c.in("id").text(), c.in("function").text(), c.in("args").args(l))
			}
		case "tool":
			var failure *session.Failure
			if message := m.in("error").text(); message != "" {
				failure = failed(message)
			}
			// What failed put out nothing: the agent was shown the error.
			shown := cmp.Or(text, m.in("error").text())
			b.result(m.in("tool_call_id").text(), m.at("tool_call", "function").text(), textOutput(shown), failure)
		default:
			role.wrong("system, user, assistant or tool")
		}
	}
	return b.finish()
}

// agentDojoModel is the pipeline's name, or, where that says only that the
// model ran locally, what the path MODEL/SUITE/TASK/ATTACK/FILE says.
func agentDojoModel(pipeline, source string) string {
	const fromEnd = 5
	parts := strings.Split(filepath.ToSlash(source), "/")
	if pipeline != "local" || len(parts) < fromEnd {
		return pipeline
	}
	return parts[len(parts)-fromEnd]
}

func nonEmpty(all ...string) []string {
	var some []string
	for _, s := range all {
		if s != "" {
			some = append(some, s)
		}
	}
	return some
}
