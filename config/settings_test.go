package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

const everything = `policies: [p.cbp]
state: redis://guard:secret@db:6379
builtins:
  sets: {monitor: on, loops: enforce, halts: observe}
  limits: {duration_limit: 45m, output_loop: 0.9, tool_call_limit: 60}
breakers:
  - {abilities: "web.*", failure_threshold: 3, reset_timeout_seconds: 9, probe_timeout_seconds: 8, ignore_errors: [Quota], count_errors: [Odd]}
  - {abilities: "mail.*", reset: manual}
  - {abilities: local, off: true}
breaker_alerts: {trips: 2, failure_rate: 0.25, open: 1m, window: 10m}
delegation:
  {cap: 3, tools: true, reset_after: 10m, backoff: 2, max_reset: 1h, alternatives: {chef: [grill, oven]}, escalate: true, max_failed_paths: 4, refusals: {add: [das geht nicht], builtin: off}}
tasks:
  - {task: "nightly.*", limits: {tool_call_limit: 200, idle_timeout: 1h}}
  - {chain: trade, limits: {tool_call_limit: 5}}
interactive: on
prices: table.json
on_unknown_price: deny
edits: [file.write]
policy_watch: 5s
audit: {path: log.jsonl, masks: [/verdict/fired/*/actual, /call_id], rotate_size: 64 MiB, rotate_files: 7, sync: on}
review: {command: [python3, review.py], timeout: 30s, max_reviews: 3, on_exceed: review, role: tester, preamble: p.md, patterns: known.jsonl, mandatory: {calls: 20, duration: 1h, files: 0, critical: ["pay.*"]}}
trim: {threshold: 60, keep_last: 50, max_tokens: 90000, completion_tokens: 8000, system_tokens: 4000, strategy: last}
budget: {estimate: auto, max_output_tokens: 4000}
`

// environment is variables of a test.
func environment(vars map[string]string) config.Environment {
	e := config.ReadEnvironment(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	var names []string
	for name, value := range vars {
		names = append(names, name+"="+value)
	}
	e.Names(names)
	return e
}

func effective(t testing.TB, text string, vars map[string]string) *config.Settings {
	t.Helper()
	c, l := config.Parse("c.yaml", []byte(text))
	if c == nil {
		t.Fatal(l)
	}
	return config.Effective(c, environment(vars))
}

// shown is every setting as a line.
func shown(t testing.TB, s *config.Settings) string {
	t.Helper()
	all, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range all {
		lines = append(lines, e.Key+" = "+e.Value+" ("+e.Origin+")")
	}
	return strings.Join(lines, "\n") + "\n"
}

// Nobody has to say how large a fleet is where nothing is counted locally, or
// nothing shared.
func TestFleet_IsNotNeeded(t *testing.T) {
	for _, text := range []string{
		"state: redis://h\non_store_error: allow", "state: redis://h", "state: file:f\non_store_error: local", "on_store_error: local",
		"state: rediss://h\non_store_error: local\nfleet: 1",
	} {
		if c, l := config.Parse("c.yaml", []byte(text)); c == nil {
			t.Errorf("%q: %v", text, l)
		}
	}
}

func TestSettings_Away(t *testing.T) {
	got := shown(t, effective(t, "on_store_error: local\nstore_timeout: 80ms\nfleet: 40\n", nil))
	const want = "on_store_error = local (c.yaml:1:17)\nstore_timeout = 80ms (c.yaml:2:16)\nfleet = 40 (c.yaml:3:8)\n"
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want it to hold %s", got, want)
	}
}

func TestSettings_All(t *testing.T) {
	got := shown(t, effective(t, everything, map[string]string{
		"BB_CIRCUIT_BREAKER_TOOL_CAP": "80", "BB_CIRCUIT_BREAKER_IDLE_SECS": "60",
	}))
	const want = `policies = p.cbp (c.yaml:1:11)
policy_keys = none (default)
policy_watch = 5s (c.yaml:20:15)
state = redis://guard:xxxxx@db:6379 (c.yaml:2:8)
on_store_error = deny (default)
store_timeout = the address's, or 50ms (default)
fleet = 1 (default)
builtins.sets.halts = observe (c.yaml:4:46)
builtins.sets.monitor = enforce (c.yaml:4:19)
builtins.sets.loops = enforce (c.yaml:4:30)
builtins.limits.tool_call_limit = 60 (c.yaml:5:68)
builtins.limits.token_spend_limit = 5000 (default)
builtins.limits.duration_limit = 2700s (c.yaml:5:28)
builtins.limits.idle_timeout = 60s (BB_CIRCUIT_BREAKER_IDLE_SECS)
builtins.limits.output_loop = 0.9 (c.yaml:5:46)
builtins.limits.delegation_limit = 3 (c.yaml:12:9)
builtins.limits.tool_calls_high = 50 (default)
builtins.limits.messages_high = 150 (default)
builtins.limits.context_high = 100000 (default)
builtins.limits.tool_calls_critical = 80 (default)
builtins.limits.messages_critical = 200 (default)
builtins.limits.context_critical = 120000 (default)
builtins.limits.same_call = 5 (default)
builtins.limits.alternation = 6 (default)
builtins.limits.error_streak = 3 (default)
builtins.limits.edit_streak = 10 (default)
builtins.limits.growing_edits = 5 (default)
builtins.limits.same_message = 3 (default)
builtins.limits.child_stuck = 1 (default)
breakers[0].abilities = web.* (c.yaml:7:5)
breakers[0].failure_threshold = 3 (c.yaml:7:5)
breakers[0].reset = auto (c.yaml:7:5)
breakers[0].reset_timeout_seconds = 9 (c.yaml:7:5)
breakers[0].probe_timeout_seconds = 8 (c.yaml:7:5)
breakers[0].count_errors = Odd (c.yaml:7:5)
breakers[0].ignore_errors = Quota (c.yaml:7:5)
breakers[1].abilities = mail.* (c.yaml:8:5)
breakers[1].failure_threshold = 5 (c.yaml:8:5)
breakers[1].reset = manual (c.yaml:8:5)
breakers[1].probe_timeout_seconds = 60 (c.yaml:8:5)
breakers[1].count_errors = none (c.yaml:8:5)
breakers[1].ignore_errors = none (c.yaml:8:5)
breakers[2].abilities = local (c.yaml:9:5)
breakers[2].off = true (c.yaml:9:5)
breakers[3].abilities = * (default)
breakers[3].failure_threshold = 5 (default)
breakers[3].reset = auto (default)
breakers[3].reset_timeout_seconds = 30 (default)
breakers[3].probe_timeout_seconds = 60 (default)
breakers[3].count_errors = none (default)
breakers[3].ignore_errors = none (default)
breaker_alerts.trips = 2 (c.yaml:10:25)
breaker_alerts.failure_rate = 0.25 (c.yaml:10:42)
breaker_alerts.calls = 10 (default)
breaker_alerts.open = 1m (c.yaml:10:54)
breaker_alerts.window = 10m (c.yaml:10:66)
delegation.tools = true (c.yaml:12:19)
delegation.reset_after = 10m (c.yaml:12:38)
delegation.backoff = 2 (c.yaml:12:52)
delegation.max_reset = 1h (c.yaml:12:66)
delegation.alternatives = chef: grill, oven (c.yaml:12:84)
delegation.refusals = as in the file (c.yaml:12:154)
delegation.escalate = true (c.yaml:12:117)
delegation.max_failed_paths = 4 (c.yaml:12:141)
tasks[0].task = nightly.* (c.yaml:14:5)
tasks[0].limits.idle_timeout = 3600s (c.yaml:14:70)
tasks[0].limits.tool_call_limit = 200 (c.yaml:14:51)
tasks[1].chain = trade (c.yaml:15:5)
tasks[1].limits.tool_call_limit = 5 (c.yaml:15:46)
interactive = true (c.yaml:16:14)
prices = table.json (c.yaml:17:9)
on_unknown_price = deny (c.yaml:18:19)
budget.estimate = auto (c.yaml:24:20)
budget.max_output_tokens = 4000 (c.yaml:24:45)
edits = file.write (c.yaml:19:8)
review.command = python3 review.py (c.yaml:22:19)
review.timeout = 30s (c.yaml:22:50)
review.max_reviews = 3 (c.yaml:22:68)
review.on_exceed = review (c.yaml:22:82)
review.role = tester (c.yaml:22:96)
review.preamble = p.md (c.yaml:22:114)
review.patterns = known.jsonl (c.yaml:22:130)
review.mandatory = on (c.yaml:22:154)
review.mandatory.calls = 20 (c.yaml:22:162)
review.mandatory.duration = 1h (c.yaml:22:176)
review.mandatory.files = 0 (c.yaml:22:187)
review.mandatory.critical = pay.* (c.yaml:22:200)
trim.enabled = true (default)
trim.threshold = 60 (c.yaml:23:19)
trim.keep_last = 50 (c.yaml:23:34)
trim.max_tokens = 90000 (c.yaml:23:50)
trim.completion_tokens = 8000 (c.yaml:23:76)
trim.system_tokens = 4000 (c.yaml:23:97)
trim.strategy = last (c.yaml:23:113)
check.sources = the usual ones (default)
check.sinks = the usual ones (default)
check.plugins = none (default)
check.abilities = none (default)
check.fail_on = warning (default)
audit.path = log.jsonl (c.yaml:21:15)
audit.masks = /verdict/fired/*/actual, /call_id (c.yaml:21:33)
audit.rotate_size = 64MiB (c.yaml:21:83)
audit.rotate_files = 7 (c.yaml:21:105)
audit.sync = true (c.yaml:21:114)
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Nobody has to set anything, and everything is shown all the same.
func TestSettings_Defaults(t *testing.T) {
	got := shown(t, config.Effective(&config.Config{}, environment(nil)))
	for _, want := range []string{
		"policies = none (default)\n", "builtins.sets.halts = enforce (default)\n", "builtins.sets.monitor = off (default)\n",
		"builtins.sets.loops = observe (default)\n", "builtins.limits.duration_limit = 1800s (default)\n",
		"breakers[0].abilities = * (default)\n", "delegation.reset_after = never (default)\n", "edits = edit, write, multiedit, multi_edit, edit_file, ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(strings.ReplaceAll(got, "(default)", ""), "(") {
		t.Errorf("something was set:\n%s", got)
	}
}

// A value that cannot be falls back to the next lower source, with a warning.
func TestEnvironment(t *testing.T) {
	for _, tt := range []struct{ name, value, limit, warning string }{
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "1", "tool_call_limit 1", ""},
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "", "", ""},
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "0", "", "BB_CIRCUIT_BREAKER_TOOL_CAP: 0 is no whole number of at least 1; tool_call_limit is not changed by it"},
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "-5", "", "at least 1"},
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "fifty", "", `"fifty" is no number`},
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "50.5", "", "no whole number"},
		{"BB_CIRCUIT_BREAKER_TOOL_CAP", "99999999999999999999", "", "99999999999999999999 is more than 9223372036854775807"},
		{"BB_CIRCUIT_BREAKER_COST_CAP_CENTS", "250", "token_spend_limit 250", ""},
		{"BB_CIRCUIT_BREAKER_DURATION_SECS", "60", "duration_limit 60", ""},
		{"BB_CIRCUIT_BREAKER_DURATION_SECS", "1m", "", `"1m" is no number`},
		{"BB_CIRCUIT_BREAKER_IDLE_SECS", "1", "idle_timeout 1", ""},
		{"BB_CIRCUIT_BREAKER_JACCARD", "1", "output_loop 1", ""},
		{"BB_CIRCUIT_BREAKER_JACCARD", "0.01", "output_loop 0.01", ""},
		{"BB_CIRCUIT_BREAKER_JACCARD", "0", "", "not above 0"},
		{"BB_CIRCUIT_BREAKER_JACCARD", "1.001", "", "at most 1"},
		{"BB_CIRCUIT_BREAKER_JACCARD", "NaN", "", "no number"},
	} {
		e := environment(map[string]string{tt.name: tt.value})
		limit := ""
		for rule, l := range e.Limits {
			limit = rule + " " + l.Value
			if l.From != tt.name {
				t.Errorf("%s: from %q", tt.name, l.From)
			}
		}
		if warned := strings.Join(e.Warnings, "\n"); limit != tt.limit || !strings.Contains(warned, tt.warning) || tt.warning == "" && warned != "" {
			t.Errorf("%s=%s: %q, %q; want %q, %q", tt.name, tt.value, limit, warned, tt.limit, tt.warning)
		}
	}
}

// What is set reaches the rules and the session: task before file before
// environment before default.
func TestPrecedence(t *testing.T) {
	vars, monitored := map[string]string{"BB_CIRCUIT_BREAKER_TOOL_CAP": "4"}, map[string]string{"CIRCUIT_BREAKER_ENABLED": "true"}
	for _, tt := range []struct {
		file string
		vars map[string]string
		task string
		want int
	}{
		{"{}", nil, "t", 50},
		{"{}", vars, "t", 4},
		{"builtins: {limits: {tool_call_limit: 3}}", vars, "t", 3},
		{"builtins: {limits: {tool_call_limit: 3}}\ntasks: [{task: t, limits: {tool_call_limit: 2}}]", vars, "t", 2},
		{"builtins: {limits: {tool_call_limit: 3}}\ntasks: [{task: t, limits: {tool_call_limit: 2}}]", vars, "u", 3},
		{"tasks: [{task: t, enabled: true}]", nil, "t", 79},
		{"tasks: [{task: t, enabled: true}]", nil, "u", 50},
		{"tasks: [{task: t, enabled: true, maxToolCalls: 7}]", nil, "t", 6},
		{"tasks: [{task: t, enabled: true}, {task: '*', maxToolCalls: 7}]", nil, "t", 6},
		{"tasks: [{task: t, enabled: false}, {task: '*', enabled: true}]", nil, "t", 50},
		{"tasks: [{task: t, enabled: false}, {task: '*', enabled: true}]", nil, "u", 79},
		{"{}", monitored, "t", 79},
		{"tasks: [{task: t, enabled: false}]", monitored, "t", 50},
		{"tasks: [{task: t, enabled: false}]", monitored, "u", 79},
		{"tasks: [{task: t, enabled: false, maxToolCalls: 7}]", monitored, "t", 7},
		{"builtins: {sets: {monitor: off}}\ntasks: [{task: t, enabled: true}]", monitored, "t", 79},
		{"builtins: {sets: {monitor: on}}\ntasks: [{task: t, enabled: false}]", nil, "t", 50},
		{"builtins: {sets: {monitor: on, halts: off}}\ntasks: [{task: t, enabled: false}]", nil, "t", 100},
		{"builtins: {sets: {monitor: observe}}\ntasks: [{task: t, enabled: false}]", nil, "u", 50},
	} {
		s := effective(t, tt.file, tt.vars)
		var reg registry.Registry
		if err := reg.TuneBuiltins(s.Builtins); err != nil {
			t.Fatal(err)
		}
		o := session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: session.NewVirtualClock(time.Unix(1e9, 0))}
		s.Apply(&o)
		in, err := session.New(o)
		if err != nil {
			t.Fatal(err)
		}
		in.StartTask(tt.task, "", "")
		var v registry.Verdict
		calls := 0
		for in.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: tt.task}, &v); !v.Decision.Blocks() && calls < 100; calls++ {
			in.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: tt.task}, &v)
		}
		if calls != tt.want {
			t.Errorf("%s %v: %d calls of task %s, want %d", tt.file, tt.vars, calls, tt.task, tt.want)
		}
	}
}

// No finding shows a password, in its words or in the line that it shows; nor
// does what is in force.
func TestPasswordsAreHidden(t *testing.T) {
	for _, text := range []string{
		"state: rediz://u:s3cret@h", "state: redis://u:s3cret@h/one", "state: redis://u:s3cret/x@h:1",
		"{state: 'redis://u:s3cret@h', statee: 1}", "stat: redis://u:s3cret@h", "[redis://u:s3cret@h]",
	} {
		_, findings := config.Parse("c.yaml", []byte(text))
		if findings.Err() == nil {
			t.Errorf("%s is accepted", text)
		}
		for _, f := range findings {
			if shown := f.Message + f.Hint + f.Text; strings.Contains(shown, "s3cret") {
				t.Errorf("%s: a finding shows %q", text, shown)
			}
		}
	}
	if got := shown(t, effective(t, "state: redis://u:s3cret@h?master=m&sentinel_password=s3cret&timeout=1s\n", nil)); strings.Contains(got, "s3cret") || !strings.Contains(got, "timeout=1s") {
		t.Errorf("config shows %s", got)
	}
}
