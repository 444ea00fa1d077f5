package config_test

import (
	stdcmp "cmp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

func TestReview(t *testing.T) {
	for text, want := range map[string]config.Review{
		"{}":         {},
		"review: {}": {},
		"review: {reviewer: rules, max_reviews: 0}":                           {By: config.RulesReviewer, Most: -1},
		"review: {reviewer: none, mandatory: off}":                            {Mandatory: config.Mandatory{Asked: config.Never}},
		"review: {mandatory: on, on_exceed: abort}":                           {Mandatory: config.Mandatory{Asked: config.Always}, OnExceed: registry.AbortOnExceed},
		"review: {url: https://h/v1, model: m, key_env: KEY, timeout: 5}":     {By: config.ModelReview, URL: "https://h/v1", Model: "m", KeyEnv: "KEY", Timeout: 5 * time.Second},
		"review: {command: [a, b c], preamble: p, patterns: q, role: tester}": {By: config.CommandReview, Command: []string{"a", "b c"}, Preamble: "p", Patterns: "q", Role: "tester"},
		"review: {mandatory: {calls: 0, duration: 1m, files: 3, critical: []}}": {Mandatory: config.Mandatory{Asked: config.Always,
			Limits: review.Limits{Calls: -1, Duration: time.Minute, Files: 3, Critical: []dsl.NamePattern{}}}},
	} {
		c, l := config.Parse("c.yaml", []byte(text))
		if c == nil {
			t.Errorf("%s: %v", text, l)
			continue
		}
		if d := cmp.Diff(want, c.Review); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, tt := range []struct {
		asked    config.Asked
		reviewer bool
		want     bool
	}{{config.IfReviewer, false, false}, {config.IfReviewer, true, true}, {config.Always, false, true}, {config.Never, true, false}} {
		if got := (&config.Mandatory{Asked: tt.asked}).Asks(tt.reviewer); got != tt.want {
			t.Errorf("%v with a reviewer %v: %v", tt.asked, tt.reviewer, got)
		}
	}
}

func TestParse_RefusesReviewsTrimmingAndTasks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"review: {reviewer: model}", `1:20: reviewer cannot be "model" (write rules, or none`},
		{"review: {reviewer: rules, url: https://h, model: m}", "1:32: url and reviewer both say who reviews"},
		{"review: {command: [a], url: https://h, model: m}", "1:29: url and command both say who reviews"},
		{"review: {url: https://h}", "1:15: the model behind url is not named"},
		{"review: {url: ftp://h, model: m}", "1:15: the address of the reviewer must begin with http:// or https:// and a host"},
		{"review: {url: https://me:pw@h, model: m}", "give the key apart from it"},
		{"review: {model: m}", "1:17: model says nothing without url"},
		{"review: {key_env: K}", "1:19: key_env says nothing without url"},
		{"review: {key: sk-1}", "did you mean key_env?"},
		{"review: {command: []}", "1:19: command names no program"},
		{"review: {command: python3}", "1:19: command is a list"},
		{"review: {max_reviews: 11}", `1:23: max_reviews cannot be "11" (write a whole number from 0 to 10`},
		{"review: {max_reviews: -1}", `1:23: max_reviews cannot be "-1"`},
		{"review: {on_exceed: true}", `1:21: on_exceed cannot be "true" (write review, or abort)`},
		{"review: {timeout: 0}", `1:19: timeout cannot be "0"`},
		{"review: {role: ''}", "1:16: role is empty"},
		{"review: {mandatory: maybe}", `mandatory cannot be "maybe"`},
		{"review: {mandatory: {abilities: [a]}}", "did you mean critical?"},
		{"budget: {estimate: on}", `1:20: estimate cannot be "on" (write auto, or off)`},
		{"budget: {estimate: [auto]}", "estimate cannot be a list"},
		{"budget: {max_output_tokens: 0}", `1:29: max_output_tokens cannot be "0"`},
		{"budget: {cap: 5}", "the cap on money is builtins"},
		{"trim: {threshold: 10, keep_last: 20}", "1:7: trim keeps more messages (keep_last) than there may be (threshold)"},
		{"trim: {max_tokens: 20000}", "1:7: trim leaves no tokens for messages"},
		{"trim: {keep_last: 0}", `1:19: keep_last cannot be "0"`},
		{"trim: {strategy: first}", `1:18: strategy cannot be "first" (write last: it is the last messages that are kept)`},
		{"trim: {strategy: [last]}", "1:18: strategy cannot be a list"},
		{"tasks: [{task: a, enabled: perhaps}]", `1:28: enabled cannot be "perhaps"`},
		{"tasks: [{task: a, enabled: true, monitor: true}]", "1:43: monitor sets what is set already, at c.yaml:1:28"},
		{"tasks: [{task: a, limits: {tool_calls_critical: 9}, maxToolCalls: 9}]", "1:67: maxToolCalls sets what is set already, at c.yaml:1:49"},
		{"tasks: [{task: a, maxDuration: 1m, limits: {duration_limit: 60}}]", "1:61: duration_limit sets what is set already, at c.yaml:1:32"},
		{"tasks: [{task: a, qcOnExceed: true, on_exceed: review}]", "1:48: on_exceed sets what is set already, at c.yaml:1:31"},
		{"tasks: [{task: a, qcRole: a, role: a}]", "1:36: role sets what is set already"},
		{"tasks: [{task: a, qcPreamblePath: a, preamble: a}]", "preamble sets what is set already"},
		{"tasks: [{task: a, maxRetries: 1, max_reviews: 1}]", "max_reviews sets what is set already"},
		{"tasks: [{task: a, maxToolCalls: 0}]", `1:33: maxToolCalls cannot be "0" (write a whole number of at least 1)`},
		{"tasks: [{task: a, maxDuration: soon}]", "or a time such as 30m"},
		{"tasks: [{task: a, maxContext: 1.5}]", `maxContext cannot be "1.5"`},
		{"tasks: [{task: a, maxRetries: 99}]", `maxRetries cannot be "99"`},
		{"tasks: [{task: a, qcOnExceed: review}]", `qcOnExceed cannot be "review" (write true or false)`},
		{"tasks: [{task: a, maxToolcalls: 5}]", "did you mean maxToolCalls?"},
		{"tasks: [{maxToolCalls: 5}]", "an entry of tasks names no task"},
		{"tasks: [{task: x, limits: {}}]", "1:9: an entry of tasks sets nothing"},
		{"tasks: [{task: x, limits: {tool_call_limit: }}]", "1:9: an entry of tasks sets nothing"},
	} {
		got, l := config.Parse("c.yaml", []byte(c.text))
		if got != nil || !strings.Contains(l.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, l, c.want)
		}
	}
}

// The keys that users of other programs know set what the file's own do.
func TestTasks_KnownKeys(t *testing.T) {
	known, l := config.Parse("c.yaml", []byte(`tasks:
  - {task: a, enabled: false, maxToolCalls: 100, maxDuration: 10m, maxContext: 90000, qcOnExceed: true, qcRole: tester, qcPreamblePath: qc.md, maxRetries: 1}
  - {task: b, enabled: true, qcOnExceed: false, maxRetries: 0}
`))
	if known == nil {
		t.Fatal(l)
	}
	own, l := config.Parse("c.yaml", []byte(`tasks:
  - {task: a, monitor: off, limits: {tool_call_limit: 100, tool_calls_critical: 100, duration_limit: 600, context_critical: 90000}, on_exceed: review, role: tester, preamble: qc.md, max_reviews: 1}
  - {task: b, monitor: on, on_exceed: abort, max_reviews: 0}
`))
	if own == nil {
		t.Fatal(l)
	}
	if d := cmp.Diff(own.Tasks, known.Tasks); d != "" {
		t.Error(d)
	}
	want := config.Task{Monitor: new(bool), Preamble: "dir/qc.md", TaskLimits: session.TaskLimits{
		Task: "a", OnExceed: registry.ReviewOnExceed, Review: session.TaskReview{Role: "tester", Most: 1},
		Limits: map[string]string{"tool_call_limit": "100", "tool_calls_critical": "100", "duration_limit": "600", "context_critical": "90000"},
	}}
	known.Resolve("dir/c.yaml")
	if d := cmp.Diff(want, known.Tasks[0]); d != "" {
		t.Error(d)
	}
	if got := known.Tasks[1]; !*got.Monitor || got.OnExceed != registry.AbortOnExceed || got.Review.Most != -1 {
		t.Errorf("%+v", got)
	}
}

// What the environment says counts where the file says nothing.
func TestEnvironment_ReviewsAndTrimming(t *testing.T) {
	vars := map[string]string{
		"CIRCUIT_BREAKER_ENABLED": "true", "CIRCUIT_BREAKER_TOOL_WARNING": "40", "CIRCUIT_BREAKER_MAX_TOOL_CALLS": "70", "CIRCUIT_BREAKER_MAX_DURATION": "15m",
		"CIRCUIT_BREAKER_MAX_CONTEXT": "110000", "CIRCUIT_BREAKER_MESSAGE_WARNING": "120", "CIRCUIT_BREAKER_MAX_MESSAGES": "180",
		"MESSAGE_TRIM_THRESHOLD": "60", "MESSAGE_TRIM_KEEP_LAST": "45", "MESSAGE_TRIM_MAX_TOKENS": "90000", "MESSAGE_TRIM_STRATEGY": "last", "MESSAGE_TRIM_ENABLED": "yes",
		"QC_ENABLED": "1", "QC_ON_EXCEED": "true", "QC_ROLE": "tester", "QC_PREAMBLE_PATH": "qc.md", "QC_MAX_RETRIES": "1", "QC_TIMEOUT_SECONDS": "60", "QC_AUTO_ENABLE": "true",
	}
	s := effective(t, "{}", vars)
	if len(s.Warnings) > 0 {
		t.Error(s.Warnings)
	}
	got := shown(t, s)
	for _, want := range []string{
		"builtins.sets.monitor = enforce (CIRCUIT_BREAKER_ENABLED)", "builtins.limits.tool_calls_high = 40 (CIRCUIT_BREAKER_TOOL_WARNING)",
		"builtins.limits.tool_calls_critical = 70 (CIRCUIT_BREAKER_MAX_TOOL_CALLS)", "builtins.limits.tool_call_limit = 70 (CIRCUIT_BREAKER_MAX_TOOL_CALLS)",
		"builtins.limits.duration_limit = 900s (CIRCUIT_BREAKER_MAX_DURATION)", "builtins.limits.context_critical = 110000 (CIRCUIT_BREAKER_MAX_CONTEXT)",
		"builtins.limits.messages_high = 120 (CIRCUIT_BREAKER_MESSAGE_WARNING)", "builtins.limits.messages_critical = 180 (CIRCUIT_BREAKER_MAX_MESSAGES)",
		"trim.enabled = true (MESSAGE_TRIM_ENABLED)", "trim.threshold = 60 (MESSAGE_TRIM_THRESHOLD)", "trim.keep_last = 45 (MESSAGE_TRIM_KEEP_LAST)",
		"trim.max_tokens = 90000 (MESSAGE_TRIM_MAX_TOKENS)", "review.reviewer = rules (QC_ENABLED)", "review.on_exceed = review (QC_ON_EXCEED)",
		"review.role = tester (QC_ROLE)", "review.preamble = qc.md (QC_PREAMBLE_PATH)", "review.max_reviews = 1 (QC_MAX_RETRIES)",
		"review.timeout = 1m (QC_TIMEOUT_SECONDS)", "review.mandatory = on (QC_AUTO_ENABLE)",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if s.Builtins.OnExceed != registry.ReviewOnExceed {
		t.Error("on_exceed does not reach the rules")
	}
	file := `builtins: {sets: {monitor: off}, limits: {duration_limit: 60}}
review: {url: https://h/v1, model: m, max_reviews: 2, on_exceed: abort, mandatory: off, timeout: 5s, role: own, preamble: own.md}
trim: {enabled: off, threshold: 90}
`
	got = shown(t, effective(t, file, vars))
	for _, want := range []string{
		"builtins.sets.monitor = off (c.yaml:1:28)", "builtins.limits.duration_limit = 60s (c.yaml:1:59)", "review.url = https://h/v1 (c.yaml:2:15)",
		"review.max_reviews = 2 (c.yaml:2:52)", "review.on_exceed = abort (c.yaml:2:66)", "review.mandatory = off (c.yaml:2:84)", "review.timeout = 5s (c.yaml:2:98)",
		"review.role = own (c.yaml:2:108)", "review.preamble = own.md (c.yaml:2:123)", "trim.enabled = false (c.yaml:3:17)", "trim.threshold = 90 (c.yaml:3:33)", "trim.keep_last = 45 (MESSAGE_TRIM_KEEP_LAST)",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "(QC_") {
		t.Errorf("the environment has come before the file:\n%s", got)
	}
}

// A value that cannot be is passed over with a warning, and nothing else.
func TestEnvironment_Warnings(t *testing.T) {
	for _, tt := range []struct {
		vars map[string]string
		file string
		want string // the warnings; "": none
	}{
		{map[string]string{"CIRCUIT_BREAKER_ENABLED": "maybe"}, "", `CIRCUIT_BREAKER_ENABLED: "maybe" is neither true nor false; builtins.sets.monitor is not changed by it`},
		{map[string]string{"CIRCUIT_BREAKER_MAX_TOOL_CALLS": "many"}, "", `CIRCUIT_BREAKER_MAX_TOOL_CALLS: "many" is no number; tool_call_limit is not changed by it`},
		{map[string]string{"CIRCUIT_BREAKER_MAX_DURATION": "soon"}, "", `"soon" is no time; duration_limit is not changed by it`},
		{map[string]string{"CIRCUIT_BREAKER_MAX_DURATION": "900", "BB_CIRCUIT_BREAKER_DURATION_SECS": "60"}, "", "CIRCUIT_BREAKER_MAX_DURATION: BB_CIRCUIT_BREAKER_DURATION_SECS has said it already, and counts"},
		{map[string]string{"CIRCUIT_BREAKER_TOOL_CRITICAL": "70"}, "", "CIRCUIT_BREAKER_TOOL_CRITICAL: tool_calls_critical is not in force, as the set monitor is off"},
		{map[string]string{"CIRCUIT_BREAKER_TOOL_CRITICAL": "70"}, "builtins: {sets: {monitor: observe}}", ""},
		{map[string]string{"CIRCUIT_BREAKER_MAX_TOOL_CALLS": "70"}, "", ""},
		{map[string]string{"CIRCUIT_BREAKER_TOOL_WARNNG": "3"}, "", "CIRCUIT_BREAKER_TOOL_WARNNG: there is no such variable, and it sets nothing; did you mean CIRCUIT_BREAKER_TOOL_WARNING?"},
		{map[string]string{"QC_ENABLE": "true"}, "", "QC_ENABLE: there is no such variable, and it sets nothing; did you mean QC_ENABLED?"},
		{map[string]string{"BB_CIRCUIT_BREAKER_CAP": "9"}, "", "BB_CIRCUIT_BREAKER_CAP: there is no such variable, and it sets nothing; there are BB_CIRCUIT_BREAKER_TOOL_CAP, BB_CIRCUIT_BREAKER_COST_CAP_CENTS,"},
		{map[string]string{"QC_ENABLE": "", "CIRCUIT_BREAKERS": "9", "MY_QC_ENABLE": "x", "QCENABLE": "x"}, "", ""},
		{map[string]string{"QC_KEY": "secret"}, "review: {url: https://h, model: m, key_env: QC_KEY}", ""},
		{map[string]string{"QC_KEY": "secret"}, "", "QC_KEY: there is no such variable, and it sets nothing; there are QC_ENABLED,"},
		{map[string]string{"CIRCUIT_BREAKER_ENABLED": "on", "CIRCUIT_BREAKER_TOOL_WARNING": "90", "CIRCUIT_BREAKER_TOOL_CRITICAL": "80"}, "", "CIRCUIT_BREAKER_TOOL_WARNING: tool_calls_high at 90 warns of nothing, as tool_calls_critical is at 80: it should be lower"},
		{map[string]string{"CIRCUIT_BREAKER_ENABLED": "on", "CIRCUIT_BREAKER_TOOL_WARNING": "80"}, "", "tool_calls_high at 80 warns of nothing, as tool_calls_critical is at 80"},
		{map[string]string{"CIRCUIT_BREAKER_ENABLED": "on", "CIRCUIT_BREAKER_TOOL_WARNING": "79"}, "", ""},
		{map[string]string{"CIRCUIT_BREAKER_ENABLED": "on", "CIRCUIT_BREAKER_MAX_MESSAGES": "100"}, "", "CIRCUIT_BREAKER_MAX_MESSAGES: messages_high at 150 warns of nothing, as messages_critical is at 100"},
		{nil, "builtins: {sets: {monitor: on}, limits: {context_high: 200000}}", "c.yaml:1:56: context_high at 200000 warns of nothing, as context_critical is at 120000"},
		{nil, "tasks: [{task: a, enabled: true, limits: {tool_calls_high: 60, tool_calls_critical: 60}}]", "c.yaml:1:60: tool_calls_high at 60 warns of nothing, as tool_calls_critical is at 60"},
		{nil, "tasks: [{task: a, enabled: true, limits: {tool_calls_high: 90}}]", "c.yaml:1:60: tool_calls_high at 90 warns of nothing, as tool_calls_critical is at 80"},
		{nil, "budget: {max_output_tokens: 99}", "c.yaml:1:29: max_output_tokens is not in effect, as nothing is estimated: add estimate: auto"},
		{nil, "budget: {estimate: auto, max_output_tokens: 99}", ""},
		{nil, "tasks: [{task: a, maxContext: 9}]", "c.yaml:1:31: context_critical is not in force, as the set monitor is off"},
		{nil, "tasks: [{task: a, maxToolCalls: 9}]", ""},
		{nil, "tasks: [{task: a, enabled: true, maxContext: 9}]", ""},
		{nil, "tasks: [{task: a, maxContext: 9}, {task: 'a*', enabled: true}]", ""},
		{nil, "builtins: {sets: {monitor: on}}\ntasks: [{task: a, enabled: false, maxContext: 9}]", "c.yaml:2:47: context_critical is not in force, as the set monitor is off"},
		{map[string]string{"CIRCUIT_BREAKER_TOOL_CRITICAL": "70"}, "tasks: [{task: a, enabled: true}]", ""},
		{map[string]string{"MESSAGE_TRIM_THRESHOLD": "0"}, "", `MESSAGE_TRIM_THRESHOLD: "0" is no whole number from 1 to 1000000000; trim.threshold is not changed by it`},
		{map[string]string{"MESSAGE_TRIM_THRESHOLD": "30", "MESSAGE_TRIM_KEEP_LAST": "31"}, "", "MESSAGE_TRIM_THRESHOLD, MESSAGE_TRIM_KEEP_LAST: trim keeps more messages"},
		{map[string]string{"MESSAGE_TRIM_MAX_TOKENS": "9000"}, "", "MESSAGE_TRIM_MAX_TOKENS: trim leaves no tokens for messages"},
		{map[string]string{"MESSAGE_TRIM_STRATEGY": "first"}, "", `"first" is none: it is the last messages that are kept`},
		{map[string]string{"QC_MAX_RETRIES": "11"}, "", `QC_MAX_RETRIES: "11" is no whole number from 0 to 10; review.max_reviews is not changed by it`},
		{map[string]string{"QC_TIMEOUT": "2m", "QC_TIMEOUT_SECONDS": "3"}, "", "QC_TIMEOUT_SECONDS: QC_TIMEOUT has said it already"},
		{map[string]string{"QC_TIMEOUT": "-2"}, "", `QC_TIMEOUT: "-2" is no time such as 120 (seconds) or 2m`},
		{map[string]string{"QC_ENABLED": ""}, "", ""},
		{map[string]string{"QC_ENABLED": " \r"}, "", ""},
		{map[string]string{"QC_ENABLED": "true maybe"}, "", `"true maybe" is neither true nor false`},
		{nil, "review: {reviewer: , mandatory: {critical: }}", "c.yaml:1:10: reviewer has no value, and is as good as left out\nc.yaml:1:34: critical has no value, and is as good as left out"},
		{nil, "budget: {estimate: null}", "c.yaml:1:10: estimate has no value, and is as good as left out"},
		{nil, "tasks: [{task: a, limits: {tool_call_limit: 5}, role: }]", "c.yaml:1:49: role has no value, and is as good as left out"},
	} {
		s := effective(t, stdcmp.Or(tt.file, "{}"), tt.vars)
		got := strings.Join(s.Warnings, "\n")
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%v %s: %q, want %q", tt.vars, tt.file, got, tt.want)
		}
		if tt.file == "" && strings.Contains(got, "trim") && s.Trim.Options != (trim.Options{}) {
			t.Errorf("%v: trim is %+v", tt.vars, s.Trim)
		}
	}
}

// Blanks around a value, such as the end of a line that a file of variables
// has left there, change nothing.
func TestEnvironment_Blanks(t *testing.T) {
	for name, value := range map[string]string{
		"QC_ENABLED": "true", "QC_MAX_RETRIES": "1", "QC_TIMEOUT": "60", "QC_ROLE": "tester", "QC_PREAMBLE_PATH": "qc.md",
		"CIRCUIT_BREAKER_MAX_TOOL_CALLS": "10", "CIRCUIT_BREAKER_MAX_DURATION": "15m", "BB_CIRCUIT_BREAKER_JACCARD": "0.9",
		"MESSAGE_TRIM_THRESHOLD": "60", "MESSAGE_TRIM_STRATEGY": "last", "CIRCUIT_BREAKER_ENABLED": "off",
	} {
		want := effective(t, "{}", map[string]string{name: value})
		for _, text := range []string{value + " ", " " + value, value + "\r", "\t" + value + "\r\n"} {
			got := effective(t, "{}", map[string]string{name: text})
			if len(got.Warnings) > 0 || shown(t, got) != shown(t, want) {
				t.Errorf("%s=%q: %q\n%s", name, text, got.Warnings, shown(t, got))
			}
		}
	}
}

// What may be a key does not show.
func TestSettings_AddressWithoutKeys(t *testing.T) {
	for address, want := range map[string]string{
		"https://h/v1":                    "https://h/v1",
		"https://h/v1?key=sk-1":           "https://h/v1?key=xxxxx",
		"https://h/v1?api-version=2&sk-1": "https://h/v1?api-version=xxxxx&xxxxx",
		"https://h/v1?key=sk-1;x=sk-1&":   "https://h/v1?key=xxxxx&",
		"https://h/v1?k=a=sk-1&&k=sk-1":   "https://h/v1?k=xxxxx&&k=xxxxx",
		"https://h/v1?key=sk-1#sk-1":      "https://h/v1?key=xxxxx#xxxxx",
		"https://h/v1#sk-1":               "https://h/v1#xxxxx",
		"https://h/v1#a?sk-1":             "https://h/v1#xxxxx",
		"https://h/v1?":                   "https://h/v1?",
	} {
		s := effective(t, "review: {url: '"+address+"', model: m}", nil)
		if got := shown(t, s); !strings.Contains(got, "review.url = "+want+" (") || strings.Contains(got, "sk-1") {
			t.Errorf("%s: want %s in\n%s", address, want, got)
		}
	}
}

// What the file names is relative to the file; a program without a path is
// looked for where programs are.
func TestResolve_Reviews(t *testing.T) {
	for _, tt := range []struct{ path, program, want string }{
		{"c.yaml", "python3", "python3"}, {"sub/c.yaml", "python3", "python3"}, {"c.yaml", "./review.sh", "./review.sh"},
		{"sub/c.yaml", "./review.sh", "sub/review.sh"}, {"sub/c.yaml", "../review.sh", "./review.sh"}, {"sub/c.yaml", "/bin/review", "/bin/review"},
	} {
		c, l := config.Parse(tt.path, []byte("review: {command: ['"+tt.program+"', x], preamble: p.md, patterns: /k.jsonl}"))
		if c == nil {
			t.Fatal(l)
		}
		c.Resolve(tt.path)
		if c.Review.Command[0] != tt.want || c.Review.Patterns != "/k.jsonl" || c.Review.Preamble != map[bool]string{true: "p.md", false: "sub/p.md"}[tt.path == "c.yaml"] {
			t.Errorf("%s: %+v, want %s", tt.path, c.Review, tt.want)
		}
	}
}
