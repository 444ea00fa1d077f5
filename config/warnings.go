package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
)

// warn tells of what was set and is not in effect, or cannot do what it is for.
func (s *Settings) warn() {
	s.warnUnwatched()
	s.warnOrder()
	if s.config.origin(budgetMaxOutput) != "" && !s.Budget.Estimate {
		s.warning("%s: max_output_tokens is not in effect, as nothing is estimated: add estimate: auto", s.config.origin(budgetMaxOutput))
	}
}

func (s *Settings) warning(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// monitored reports whether the thresholds of the set monitor are in force for
// all, or at least for some tasks.
func (s *Settings) monitored() bool {
	return s.Builtins.Sets[setMonitor] || slices.ContainsFunc(s.Tasks, func(t Task) bool { return t.Monitor != nil && *t.Monitor })
}

// toolCallLimit is the rule in whose place the set monitor has one.
const toolCallLimit = "tool_call_limit"

// thresholds are the rules of the set monitor that warn, each with the one that
// acts on the same meter.
var thresholds = [...]struct{ warns, acts string }{
	{"tool_calls_high", "tool_calls_critical"}, {"messages_high", "messages_critical"}, {"context_high", "context_critical"},
}

// warnOrder tells of warnings that come no sooner than what they warn of.
func (s *Settings) warnOrder() {
	if !s.monitored() {
		return
	}
	rules, err := s.Builtins.Rules()
	if err != nil {
		return // which registry.TuneBuiltins says
	}
	limits := map[string]registry.BuiltinLimit{}
	for _, r := range rules {
		limits[r.Rule.ID()] = registry.BuiltinLimit{Value: limitOf(r.Rule), From: r.From}
	}
	for _, t := range thresholds {
		warns, acts := limits[t.warns], limits[t.acts]
		s.late(cmp.Or(warns.From, acts.From), t.warns, warns.Value, t.acts, acts.Value)
		for i := range s.Tasks {
			own := s.Tasks[i].Limits
			if own[t.warns] == "" {
				continue
			}
			from := s.config.origin(fmt.Sprintf("tasks[%d].limits.%s", i, t.warns))
			s.late(from, t.warns, own[t.warns], t.acts, cmp.Or(own[t.acts], acts.Value))
		}
	}
}

// late tells of one warning that comes no sooner than what it warns of.
func (s *Settings) late(from, warns, at, acts, then string) {
	a, isNumber := decimal.Parse(at)
	b, isLimit := decimal.Parse(then)
	if isNumber && isLimit && a.Cmp(b) >= 0 {
		s.warning("%s: %s at %s warns of nothing, as %s is at %s: it should be lower", from, warns, at, acts, then)
	}
}

// warnUnwatched tells of limits that were set of the rules of the set monitor
// while it is off for all that they are said of.
func (s *Settings) warnUnwatched() {
	some := s.monitored()
	for _, rule := range monitorRules() {
		if !some {
			s.unwatched(rule, s.Builtins.Limits[rule].From, s.Builtins.Limits[toolCallLimit].From)
		}
		for i, t := range s.Tasks {
			if some && (t.Monitor == nil || *t.Monitor) { // where it says nothing of its own, another entry may
				continue
			}
			limits := fmt.Sprintf("tasks[%d].limits.", i)
			s.unwatched(rule, s.config.origin(limits+rule), s.config.origin(limits+toolCallLimit))
		}
	}
}

// unwatched tells of a limit, unless what set it also set that of the halt: one
// of the two is in force.
func (s *Settings) unwatched(rule, from, halt string) {
	if from != "" && from != halt {
		s.warning("%s: %s is not in force, as the set %s is off", from, rule, setMonitor)
	}
}

// RunWarnings tell of entries of tasks that name the chain of a run by task:,
// given the id of the run's task.
func (s *Settings) RunWarnings(task, chain string) (all []string) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Task == "" || t.Task.Fold().Match(dsl.Fold(task)) || !t.Task.Fold().Match(dsl.Fold(chain)) {
			continue
		}
		all = append(all, fmt.Sprintf("%s: task: %s is not the task of this run, which is called %s: to name its chain write chain:",
			s.origin(fmt.Sprintf("tasks[%d]", i)), t.Task, task))
	}
	return all
}
