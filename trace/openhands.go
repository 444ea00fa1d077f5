package trace

import (
	"cmp"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// OpenHands writes a list of events, each an action or the observation of one,
// and in an evaluation an object a line that holds such a list.

func isOpenHands(o *outline) bool {
	events := o.list && o.has("source", "timestamp") && o.hasAny("action", "observation")
	evaluation := o.has("instance_id") && o.hasAny("history", "instruction", "metadata", "metrics")
	return events || evaluation
}

func readOpenHands(in *input) {
	if c, err := in.peek(); err == nil && c == '[' {
		d, err := in.value()
		if err == nil {
			err = in.end()
		}
		if err != nil {
			in.finish(err)
			return
		}
		f := loose(d.Value)
		r := &Run{Format: OpenHands, Source: in.source}
		r = openHandsRun(r, f, field{}, in.limits)
		in.emit(r, f.err(), d.line)
		return
	}
	in.each(func(d doc, _ string) (*Run, error) {
		f := record(d.Value)
		r := &Run{
			Format: OpenHands, ID: f.in("instance_id").text(), Model: f.at("metadata", "llm_config", "model").text(),
			Labels: Labels{Error: f.in("error").text(), Success: f.at("test_result", "report", "resolved").known()},
		}
		history := f.in("history")
		if r.Labels.Error == "" { // a run that never began has no history
			history.must("a list")
		}
		r = openHandsRun(r, history, f.in("metrics"), in.limits)
		return r, f.err()
	})
}

// openHands is a list of events that is being read.
type openHands struct {
	*builder
	limits Limits
	calls  map[string]bool // by id of the action
	told   meter.Tokens    // by the events
}

func openHandsRun(r *Run, history, metrics field, l Limits) *Run {
	o := openHands{builder: newBuilder(r), limits: l, calls: map[string]bool{}}
	events := history.objects()
	if len(events) == 0 && r.Labels.Error == "" {
		r.defects.empty = cmp.Or(history.path, "events")
	}
	for _, e := range events {
		o.message(e.in("timestamp").instant())
		if !e.in("action").none() {
			o.action(e)
		} else {
			o.observation(e)
		}
	}
	if metrics.fault != nil {
		o.rest(metrics)
	}
	return o.finish()
}

// The actions that call a tool, also where they do not say which.
var openHandsTools = map[string]bool{
	"run": true, "run_ipython": true, "read": true, "write": true, "edit": true, "browse": true,
	"browse_interactive": true, "mcp": true, "call_tool_mcp": true,
}

func (o *openHands) action(e field) {
	kind, args, source := e.in("action").text(), e.in("args"), e.in("source").text()
	said := cmp.Or(args.in("content").text(), e.in("message").text())
	switch {
	case kind == "system":
		o.user(said)
	case kind == "message" && source == "user":
		o.user(said)
	case source != "agent":
	case kind == "message":
		o.said(said)
		o.usage(e)
	case kind == "finish":
		o.said(cmp.Or(args.in("final_thought").text(), args.in("thought").text(), e.in("message").text()))
		o.usage(e)
	case kind == "delegate":
		o.usage(e)
		o.calls[e.in("id").name()] = true
		o.delegate(e.in("id").name(), kind, args.in("agent").text(), args.in("inputs").args(o.limits))
	case openHandsTools[kind] || !e.in("tool_call_metadata").none():
		o.said(args.in("thought").text())
		o.usage(e)
		o.calls[e.in("id").name()] = true
		tool := cmp.Or(e.at("tool_call_metadata", "function_name").text(), kind)
		o.call(e.in("id").name(), tool, o.arguments(e))
	}
}

// arguments returns what the model gave to the tool. Where the answer of the
// model is not kept they are those of the action, without what the program
// itself adds.
func (o *openHands) arguments(e field) *registry.Values {
	meta := e.in("tool_call_metadata")
	id := meta.in("tool_call_id").text()
	for _, choice := range meta.at("model_response", "choices").objects() {
		for _, c := range choice.at("message", "tool_calls").objects() {
			if id != "" && c.in("id").text() == id {
				o.checkArguments(c.at("function", "name").text(), c.at("function", "arguments"), o.limits)
				return c.at("function", "arguments").args(o.limits)
			}
		}
	}
	args := e.in("args")
	if args.Kind() != jsonv.Object {
		return args.args(o.limits)
	}
	vs := &registry.Values{}
	for i := range args.Len() {
		switch name := args.Key(i); name {
		case "thought", "confirmation_state", "security_risk", "hidden", "is_input", "blocking", "keep_prompt", "impl_source", "cwd":
		default:
			vs.Bind(name, registry.JSON(args.Elem(i)))
		}
	}
	return vs
}

// usage adds what the answer took that an action came from.
func (o *openHands) usage(e field) {
	response := e.at("tool_call_metadata", "model_response")
	u := response.in("usage").object()
	tokens := openAIUsage(u)
	before := len(o.events)
	o.spent(session.Event{MessageID: response.in("id").text(), Model: response.in("model").text(), Tokens: tokens})
	if len(o.events) > before {
		o.told.Input = plus(plus(o.told.Input, tokens.Input), plus(tokens.CacheRead, tokens.CacheWrite))
		o.told.Output = plus(o.told.Output, tokens.Output)
	}
}

// rest adds what the metrics of the run tell beyond what its events did.
func (o *openHands) rest(metrics field) {
	u := metrics.in("accumulated_token_usage").object()
	all := meter.Tokens{Input: u.in("prompt_tokens").count(), Output: u.in("completion_tokens").count()}
	if u.none() {
		for _, u := range metrics.in("token_usages").objects() {
			all.Input = plus(all.Input, u.in("prompt_tokens").count())
			all.Output = plus(all.Output, u.in("completion_tokens").count())
		}
	}
	more := session.Event{MessageID: "metrics", Tokens: meter.Tokens{
		Input: max(all.Input-o.told.Input, 0), Output: max(all.Output-o.told.Output, 0),
	}}
	more.Cost, more.HasCost = metrics.in("accumulated_cost").dollars()
	o.spent(more)
}

func (o *openHands) observation(e field) {
	cause := e.in("cause").name()
	if !o.calls[cause] {
		return
	}
	kind, content := e.in("observation").text(), e.in("content").words()
	o.result(cause, "", textOutput(content), openHandsFailure(kind, content, e))
}

// openHandsFailure tells a failure by its kind, the exit code of a command, the
// word it begins with, or the flag that says so.
func openHandsFailure(kind, content string, e field) *session.Failure {
	extras := e.in("extras")
	code := extras.at("metadata", "exit_code")
	if code.none() {
		code = extras.in("exit_code")
	}
	success := e.in("success")
	if success.none() {
		success = extras.in("success")
	}
	switch {
	case kind == "user_rejected":
		return &session.Failure{Class: session.ClassCancelled, Message: content}
	case kind == "error":
		return failed(content)
	case strings.HasPrefix(content, "ERROR"):
		return &session.Failure{Class: session.ClassTool, Message: content}
	// -1 stands for a command that has not ended yet.
	case code.Kind() == jsonv.Number && code.Text() != "0" && code.Text() != "-1",
		code.none() && success.Kind() == jsonv.Bool && !success.yes():
		return &session.Failure{Class: session.ClassTool, Message: content}
	}
	return nil
}
