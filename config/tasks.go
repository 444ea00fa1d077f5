package config

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session"
)

// Task sets up the tasks that its patterns name.
type Task struct {
	session.TaskLimits
	// Monitor says whether the tasks have the thresholds of the set monitor,
	// whatever holds for the others; nil: as the others. Effective makes
	// TaskLimits.Off of it.
	Monitor *bool
	// Preamble is a file with what the operator has to say to the reviewer of
	// the task, relative to the configuration until Resolve. Whoever reads it
	// puts it into TaskLimits.Review.
	Preamble string
}

// setMonitor is the set of rules that enabled concerns.
const setMonitor = "monitor"

// tasks reads what holds for some tasks only. Each setting has its name in the
// file's own style and, where other programs have it, the name that their users
// know; it may be said once.
func (r *reader) tasks(n *document.Node) {
	for i, item := range r.List(n, "tasks", maxList) {
		t := taskReader{reader: r, prefix: "tasks[" + strconv.Itoa(i) + "]"}
		r.mark(t.prefix, item)
		t.read(item)
		r.config.Tasks = append(r.config.Tasks, t.task)
	}
}

// taskReader reads one entry.
type taskReader struct {
	*reader
	prefix string
	task   Task
	sets   bool // it says more than which tasks it is about
}

func (t *taskReader) read(item *document.Node) {
	t.task.Limits = map[string]string{}
	var fields []document.Field
	for _, s := range t.settings() {
		fields = append(fields, document.Field{Name: s.name, Read: func(n *document.Node) {
			t.sets = t.sets || s.name != "limits" || holds(n)
			s.read(n)
		}})
	}
	known := t.Fields(item, "an entry of tasks", append([]document.Field{
		{Name: "task", Read: func(n *document.Node) { t.task.Task = t.name(n, "task") }},
		{Name: "chain", Read: func(n *document.Node) { t.task.Chain = t.name(n, "chain") }},
	}, fields...), map[string]string{
		"id": "did you mean task?", "limit": "did you mean limits?", "circuitBreaker": "write what is in it beside task: and chain:",
		"qcMaxRetries": "did you mean maxRetries?", "max_retries": "did you mean max_reviews?",
	})
	if item.Kind != jsonv.Object || !known {
		return
	}
	if t.task.Task == "" && t.task.Chain == "" {
		t.Report(document.SyntaxID, item.Pos, "an entry of tasks names no task", `add task: or chain:, "*" for every one; limits for everything belong to builtins`)
	}
	if !t.sets {
		t.Report(document.SyntaxID, item.Pos, "an entry of tasks sets nothing", "add limits:, or a setting such as max_reviews:")
	}
}

// holds reports whether a map has a field with a value; what is no map is
// reported by whoever reads it.
func holds(n *document.Node) bool {
	return n.Kind != jsonv.Object || slices.ContainsFunc(n.Items, func(item *document.Node) bool { return item.Kind != jsonv.Null })
}

// taskSetting is a setting of a task by one of its names.
type taskSetting struct {
	name string
	read func(n *document.Node)
}

func (t *taskReader) settings() []taskSetting {
	limit := func(name string, u unit, rules ...string) taskSetting {
		return taskSetting{name, func(n *document.Node) { t.limits(n, name, u, rules) }}
	}
	one := func(setting string, read func(n *document.Node, what string), names ...string) (all []taskSetting) {
		for _, name := range names {
			all = append(all, taskSetting{name, func(n *document.Node) {
				if t.once(setting, name, n) {
					read(n, name)
				}
			}})
		}
		return all
	}
	return slices.Concat(
		[]taskSetting{
			{"limits", func(n *document.Node) {
				t.reader.limits(n, "limits", func(rule string, n *document.Node, limit string) { t.limit(rule, rule, n, limit) })
			}},
			limit("maxToolCalls", things, toolCallLimit, "tool_calls_critical"),
			limit("maxDuration", seconds, "duration_limit"),
			limit("maxContext", things, "context_critical"),
		},
		one("monitor", t.monitor, "monitor", "enabled"),
		one("on_exceed", func(n *document.Node, _ string) { t.task.OnExceed = t.onExceed(n) }, "on_exceed"),
		one("on_exceed", func(n *document.Node, what string) {
			t.task.OnExceed = onExceedOf(t.flag(n, what))
		}, "qcOnExceed"),
		one("role", func(n *document.Node, what string) { t.task.Review.Role = t.filled(n, what) }, "role", "qcRole"),
		one("preamble", func(n *document.Node, what string) { t.task.Preamble = t.filled(n, what) }, "preamble", "qcPreamblePath"),
		one("max_reviews", func(n *document.Node, what string) { t.task.Review.Most = t.reviews(n, what) }, "max_reviews", "maxRetries"),
	)
}

// limits reads one number that is the limit of several rules, of which one is
// in force.
func (t *taskReader) limits(n *document.Node, name string, u unit, rules []string) {
	limit, err := u.read(n.Text, n.Kind == jsonv.Number)
	if err != nil || !n.Scalar() {
		t.wrong(n, name, u.wanted(n.Text))
		return
	}
	for _, rule := range rules {
		if !t.limit(rule, name, n, limit) {
			return // which is said once
		}
	}
}

func (t *taskReader) limit(rule, name string, n *document.Node, limit string) bool {
	if !t.once("limits."+rule, name, n) {
		return false
	}
	t.task.Limits[rule] = limit
	return true
}

// monitor reads whether the task has the thresholds of the set monitor.
func (t *taskReader) monitor(n *document.Node, what string) {
	on := t.flag(n, what)
	t.task.Monitor = &on
}

// fillMonitor has tasks judged by the thresholds of the set monitor, or by what
// those stand in the place of, as is said of each.
func (s *Settings) fillMonitor() {
	s.Tasks, s.Builtins.Standby = slices.Clone(s.Tasks), map[string]bool{}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Monitor == nil {
			continue
		}
		off, err := s.Builtins.TaskSet(setMonitor, *t.Monitor)
		if err != nil {
			return // of a set that is not there: nothing of this comes into force, see registry.TuneBuiltins
		}
		t.Off = off
		for rule, off := range off {
			s.Builtins.Standby[rule] = s.Builtins.Standby[rule] || !off
		}
	}
}

// monitorRules are the rules of the set monitor, by their ids.
func monitorRules() (ids []string) {
	for _, rule := range defaults() {
		if rule.Set == setMonitor {
			ids = append(ids, rule.Rule.Options.ID)
		}
	}
	return ids
}

// once marks a setting of the entry, and reports one that is said already.
func (t *taskReader) once(setting, name string, n *document.Node) bool {
	setting = t.prefix + "." + setting
	if t.config.origin(setting) != "" {
		t.Report(document.SyntaxID, n.Pos, fmt.Sprintf("%s sets what is set already, at %s", name, t.config.origin(setting)), "remove one of the two")
		return false
	}
	t.mark(setting, n)
	return true
}

// name reads a pattern of names that is not empty.
func (r *reader) name(n *document.Node, what string) dsl.NamePattern {
	text, ok := r.Text(n, what)
	if ok && text == "" {
		r.Report(document.SyntaxID, n.Pos, what+" is empty", `write "*" for every one`)
	}
	return dsl.NamePattern(text)
}
