package trace

import (
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/session"
)

// tau2 writes an experiment: what was set up, the tasks, and a list of
// simulations, each of which is a run. The simulated user has tools of its own.

func isTau2(o *outline) bool {
	return o.has("info") && o.hasAny("info.agent_info", "info.environment_info", "simulations") && !o.has("traj")
}

// one is a full reward.
var one = decimal.FromInt(1)

func readTau2(in *input) {
	var setup tau2Setup
	found, n := false, 0
	err := in.members(func(key string) error {
		switch key {
		case "info":
			d, err := in.value()
			if err != nil {
				return err
			}
			f := record(d.Value)
			setup = tau2Setup{
				model: f.at("agent_info", "llm").text(), domain: f.at("environment_info", "domain_name").text(),
				policy: f.at("environment_info", "policy").text(),
			}
			return f.err()
		case "simulations":
			found = true
			return in.elements(func(i int) error {
				n++
				return in.element(i, func(d doc, _ string) (*Run, error) {
					f := record(d.Value)
					return tau2Run(f, setup, in.limits), f.err()
				})
			})
		}
		return in.skip()
	})
	if err == nil {
		err = in.end()
	}
	switch {
	case err != nil:
	case !found:
		err = &FieldError{Path: "simulations", Want: "a list", Got: "nothing"}
	case n == 0:
		err = &EmptyError{Path: "simulations"}
	}
	in.finish(err)
}

// tau2Setup is what all runs of an experiment have in common.
type tau2Setup struct {
	model, domain string
	policy        string // the agent's system prompt, which is none of its messages
}

func tau2Run(f field, setup tau2Setup, l Limits) *Run {
	r := &Run{
		Format: Tau2, Model: setup.model, TaskKind: setup.domain, ID: f.in("id").name(), Duration: f.in("duration").seconds(),
		Labels: Labels{Success: rewarded(f.at("reward_info", "reward")), Stop: f.in("termination_reason").text()},
	}
	switch r.Labels.Stop {
	case "infrastructure_error", "agent_error", "user_error", "unexpected_error":
		r.Labels.Error = r.Labels.Stop
	}
	b, user := newBuilder(r), newBuilder(&Run{})
	for i, m := range b.filled(f.in("messages")) {
		if b.message(m.in("timestamp").instant()); i == 0 {
			b.user(setup.policy)
		}
		user.now, user.first, user.run.Timed = b.now, b.first, r.Timed
		tau2Message(b, user, m, l)
	}
	r.UserEvents = user.finish().Events
	return b.finish()
}

// tau2Message adds a message to the agent's side or the user's.
func tau2Message(b, user *builder, m field, l Limits) {
	text := m.in("content").words()
	switch role := m.in("role"); role.text() {
	case "system":
		b.user(text)
	case "user":
		b.user(text)
		tau2Turn(user, m, l)
	case "assistant":
		b.said(text)
		tau2Turn(b, m, l)
	case "tool":
		if several := m.in("tool_messages"); !several.none() {
			for _, one := range several.objects() {
				tau2Message(b, user, one, l)
			}
			return
		}
		if m.in("requestor").text() == "user" {
			b = user
		}
		var failure *session.Failure
		if m.in("error").yes() {
			failure = failed(text)
		}
		b.result(m.in("id").text(), "", textOutput(text), failure)
	default:
		role.wrong("system, user, assistant or tool")
	}
}

// tau2Turn adds the usage and the calls of a message.
func tau2Turn(b *builder, m field, l Limits) {
	u := session.Event{Tokens: openAIUsage(m.in("usage").object())}
	u.Cost, u.HasCost = m.in("cost").dollars()
	b.spent(u)
	for _, c := range m.in("tool_calls").objects() {
		b.checkArguments(c.in("name").text(), c.in("arguments"), l)
		b.call(c.in("id").text(), c.in("name").text(), c.in("arguments").args(l))
	}
}
