package explain

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// watches says what the rule looks at, atom by atom.
func (e *explainer) watches() {
	for _, a := range e.rule.Condition {
		switch a := a.(type) {
		case *dsl.Threshold:
			e.watchesKey(a)
		case *dsl.Frequency:
			e.watchesCount(a)
		case *dsl.Ability:
			e.say("The ability of the step that is about to run.")
		case *dsl.After:
			e.say("The abilities that were admitted earlier in this session.")
		case *dsl.Match:
			e.watchesMatch(a)
		case *dsl.When:
			e.say("An expression, which may read the step about to run, the outputs so far, the chain's parameters, and the meters of the session.")
		}
	}
}

func (e *explainer) watchesKey(a *dsl.Threshold) {
	if what, ok := meters[a.Key]; ok {
		e.say("The meter %s: %s.", a.Key, what)
	} else {
		e.say("The key %s, in the arguments of the step that is about to run, in the outputs so far, and in the chain's parameters.", a.Key)
		if strings.Contains(string(a.Key), ".") {
			e.say("As it has a dot, it is also looked up inside JSON values; lists are crossed, to any element.")
		}
	}
	if a.Value.Param != "" {
		e.say("The limit is the chain's parameter %s.", a.Value.Param)
	}
}

func (e *explainer) watchesCount(a *dsl.Frequency) {
	switch {
	case a.Name == "":
		e.say("How often the chain was executed in the last %s.", a.Window)
	case a.Name == "*" || a.Name.Literal() || a.Name.IsClass():
		e.say("How often %s was admitted in the last %s.", names(a.Name, "ability"), a.Window)
	default:
		e.say("How often abilities that %s covers were admitted in the last %s, all of them together.", a.Name, a.Window)
	}
}

func (e *explainer) watchesMatch(a *dsl.Match) {
	what := matched(a)
	e.say("%s: every text and number in %s, also inside JSON.", upper(what), pronoun(a))
}

// matched names what a match looks at.
func matched(a *dsl.Match) string {
	thing, of := "output", "outputs so far"
	if a.Subject == dsl.Arg {
		thing, of = "argument", "arguments of the step that is about to run"
	}
	switch {
	case a.Key == "*":
		return "the " + of
	case a.Key.Literal():
		return fmt.Sprintf("the %s %s", thing, a.Key)
	case a.Key.IsClass():
		return "the arguments that say where something goes"
	}
	return fmt.Sprintf("the %ss that %s covers", thing, a.Key)
}

func pronoun(a *dsl.Match) string {
	if a.Key.Literal() {
		return "it"
	}
	return "them"
}

// meters says what each meter measures, and in which unit.
var meters = map[dsl.Key]string{
	"task.tool_calls":          "the tool calls and delegations of this task, the one about to run included",
	"task.turn_calls":          "the tool calls and delegations of this task since the user last wrote, the one about to run included",
	"task.spend_cents":         "what this task has cost and has set aside, in cents, its child tasks included",
	"task.input_tokens":        "the tokens that models were reported to have read for this task",
	"task.output_tokens":       "the tokens that models were reported to have written for this task",
	"task.context_tokens":      "the tokens in the model's context, estimated where they are not reported",
	"task.duration":            "the seconds since the task began, without those in which it waited for its user",
	"task.idle":                "the seconds since the task was last heard of, without those in which it waited for its user",
	"task.messages":            "the user, assistant and result messages of this task",
	"task.output_similarity":   "how alike the last three outputs of the assistant are, from 0 to 1; 0 until there are three",
	"task.same_call_streak":    "how many calls in a row, the one about to run included, had the same ability, arguments and output",
	"task.same_ability_streak": "how many calls in a row, the one about to run included, were of the same ability; one that asks again and is told something else begins anew",
	"task.alternation":         "how long two equal calls with equal outputs have been taking turns",
	"task.error_streak":        "the failed calls in a row",
	"task.growing_edit_streak": "the edits in a row each of which wrote more text than the one before it",
	"task.same_message_streak": "how many messages of the agent in a row said the same, with no call between them",
	"task.stuck_below":         "how many open tasks below this one go round in circles, as a rule over a streak says of each",
	"worker.failures":          "the failed delegations, in this session, to the worker that is about to be called",
	"tool.failures":            "the failures in a row, as far as they count, of the ability that is about to be called",
	"session.tool_calls":       "the tool calls and delegations of the whole session, the one about to run included",
	"session.spend_cents":      "what the whole session has cost and has set aside, in cents",
	"session.duration":         "the seconds since the session began, without those in which it waited for its user",
}

// applies says where the rule is in force, who wrote it, and in which mode.
func (e *explainer) applies() {
	r := e.rule
	p := dsl.NamePattern(pattern(r))
	switch r.Scope.Origin {
	case registry.Operator:
		e.say("It is the operator's and applies to the steps of %s.", chains(p))
	case registry.Chain:
		e.say("It belongs to the chain %s and applies to its steps alone, beside the operator's rules.", p)
	case registry.Model:
		e.say("A model wrote it for the chain %s: it applies to its steps in that session alone, with counters of its own.", p)
	case registry.Builtin:
		e.say("It comes with the program and applies to the steps of %s.", chains(p))
	}
	if s := wildcards(string(p)); s != "" {
		e.say("%s", s)
	}
	switch {
	case r.Scope.Origin == registry.Operator:
		e.say("Only the operator can change it or turn it off.")
	case r.Scope.Origin != registry.Builtin:
		e.say("It can only add to what the operator's rules refuse.")
	default:
		e.say("Only the operator can tune it or turn it off.")
	}
	if r.Stepless() {
		e.say("It is judged before every step, and also where no step is about to be done, such as after a chain's last one.")
	} else {
		e.say("It is judged before every step; as it asks about the step itself, it is not judged after a chain's last one.")
	}
}

func chains(p dsl.NamePattern) string {
	switch {
	case p == "*":
		return "every chain"
	case p.Literal():
		return "the chain " + string(p)
	}
	return "the chains that " + string(p) + " covers"
}
