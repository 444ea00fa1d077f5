package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestParse(t *testing.T) {
	c, l := config.Parse("conf/cbpolicy.yaml", []byte(`check:
  sources: [mail.read, "browser.*"]
  sinks: [mail.send]
  plugins: [plugins, /abs]
  abilities: [abilities.txt]
  fail_on: error
`))
	if c == nil {
		t.Fatal(l)
	}
	c.Resolve("conf/cbpolicy.yaml")
	want := &config.Config{Check: config.Check{
		Sources: []dsl.NamePattern{"mail.read", "browser.*"}, Sinks: []dsl.NamePattern{"mail.send"},
		Plugins: []string{"conf/plugins", "/abs"}, Abilities: []string{"conf/abilities.txt"}, FailOn: "error",
	}}
	if d := cmp.Diff(want, c, cmpopts.IgnoreUnexported(config.Config{})); d != "" {
		t.Error(d)
	}
	if c, l := config.Parse("c.yaml", []byte("{}")); c == nil || len(l) > 0 {
		t.Errorf("nothing said: %v", l)
	}
}

func TestParse_Refuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"chek: {}", `1:1: a configuration has no field "chek"`},
		{"check: {fail-on: error}", "did you mean fail_on?"},
		{"check: {fail_on: info}", `1:18: fail_on cannot be "info"`},
		{"check: {sources: mail.read}", "1:18: "},
		{"check: {sinks: ['a b']}", `1:17: "a b" is no pattern of abilities`},
		{"check: {sinks: ['x&y>1']}", "is no pattern of abilities"},
		{"check: {plugins: ['']}", "1:19: an entry of plugins is empty"},
		{"[1, 2]", "1:1: a configuration is a map"},
		{"policies: p", "1:11: policies is a list"},
		{"on_unknown_price: free", `1:19: on_unknown_price cannot be "free"`},
		{"state: postgres://x", `1:8: state: its kind is "postgres": want memory, file:PATH, or an address`},
		{"state: ''", "1:8: state: want memory, file:PATH"},
		{"state: file://s.db", "1:8: state: behind file:// stands no host"},
		{"state: redis://h?cluser=true", `1:8: state: it has an unknown parameter "cluser"`},
		{"state: redis:10.0.0.5:6380", "1:8: state: behind redis: stands //"},
		{"store_timeout: 50", `1:16: store_timeout cannot be "50" (write a time with its unit, such as 50ms`},
		{"on_store_error: Local", `1:17: on_store_error cannot be "Local" (write deny, allow or local)`},
		{"on_store_error: [local]", "1:17: on_store_error cannot be a list"},
		{"store_timeout: 0s", `1:16: store_timeout cannot be "0s"`},
		{"fleet: 0", `1:8: fleet cannot be "0"`},
		{"fleet: 1000001", `1:8: fleet cannot be "1000001" (write a whole number of at most 1000000)`},
		{"state: redis://h\non_store_error: local", "2:17: local, with a state that is shared, needs fleet (write fleet: and how many"},
		{"on_store_error: local\nstate: unix:///run/redis.sock", "1:17: local, with a state that is shared, needs fleet"},
		{"fleet: many", "write a whole number of at least 1"},
		{"builtins: {sets: {halt: off}}", `1:19: sets has no field "halt" (did you mean halts?)`},
		{"builtins: {sets: {halts: maybe}}", `1:26: the set halts cannot be "maybe"`},
		{"builtins: {limits: {tool_call_limits: 9}}", "did you mean tool_call_limit?"},
		{"builtins: {limits: {tool_call_limit: 0}}", `1:38: the limit of tool_call_limit cannot be "0"`},
		{"builtins: {limits: {tool_call_limit: 9223372036854775808}}", "write a whole number of at most 9223372036854775807"},
		{"breakers: [{abilities: x, reset_timeout_seconds: 99999999999}]", "write a whole number of at most 1000000000"},
		{"breakers: [{abilities: x, reset_timeout_seconds: 99999999999999999999}]", "write a whole number of at most 1000000000"},
		{"builtins: {limits: {tool_call_limit: 1.5}}", "write a whole number of at least 1"},
		{"builtins: {limits: {tool_call_limit: 5m}}", "write a whole number of at least 1"},
		{"builtins: {limits: {duration_limit: 1.5s}}", "or a time such as 30m"},
		{"builtins: {limits: {duration_limit: [1]}}", "the limit of duration_limit cannot be a list"},
		{"builtins: {limits: {output_loop: 1.01}}", "write a number above 0 and at most 1"},
		{"builtins: {limits: {output_loop: 0}}", "write a number above 0 and at most 1"},
		{"limits: {}", "limits belong to builtins"},
		{"breakers: [{}]", "1:12: a breaker has no abilities"},
		{"breakers: [{abilities: 'a b'}]", `"a b" is no pattern of abilities`},
		{"breakers: [{abilities: '*', failure_threshold: 0}]", `failure_threshold cannot be "0"`},
		{"breakers: [{abilities: '*', half_open_max: 2}]", "there is always one probe"},
		{"breakers: [{abilities: '*', reset: never}]", `reset cannot be "never"`},
		{"breakers: [{abilities: '*', count_errors: [a], ignore_errors: [a]}]", `the error class "a" is both counted and ignored`},
		{"breaker_alerts: {failure_rate: 2}", `1:32: failure_rate cannot be "2"`},
		{"breaker_alerts: {trip: 2}", "did you mean trips?"},
		{"delegation: {cap: 0}", `1:19: cap cannot be "0"`},
		{"delegation: {cap: 2, tools: yep}", `tools cannot be "yep"`},
		{"delegation: {backoff: 2}", "1:13: backoff and max_reset say nothing without reset_after"},
		{"delegation: {reset_after: -1s}", `reset_after cannot be "-1s"`},
		{"delegation: {refusals: {add: ['(a|b']}}", `1:31: "(a|b" is no phrase: `},
		{"delegation: {refusals: {phrases: []}}", "did you mean add?"},
		{"delegation: {alternatives: [a]}", "alternatives is a map"},
		{"builtins: {limits: {delegation_limit: 3}}\ndelegation: {cap: 2}", "2:19: the limit of delegation_limit is said already, at c.yaml:1:39"},
		{"tasks: [{limits: {tool_call_limit: 5}}]", "an entry of tasks names no task"},
		{"tasks: [{task: a}]", "1:9: an entry of tasks sets nothing"},
		{"tasks: [{task: a, limits: {tool_calls: 5}}]", "did you mean tool_call_limit?"},
		{"policy_watch: fast", `1:15: policy_watch cannot be "fast"`},
		{"policy_watch: 1ms", "write a time of at least 10ms, or off"},
		{"policy_watch: 0s", `1:15: policy_watch cannot be "0s"`},
		{"audit: {}", "1:8: audit has no path"},
		{"audit: log.jsonl", "1:8: audit is a map"},
		{"audit: {path: ''}", `1:15: path cannot be ""`},
		{"audit: {path: a, mask: []}", "did you mean masks?"},
		{"audit: {path: a, masks: /verdict}", "1:25: masks is a list"},
		{"audit: {path: a, masks: [/at, verdict]}", `1:31: "verdict" is no JSON pointer: it begins with / (such as /verdict/fired/*/actual)`},
		{"audit: {path: a, masks: [/verdict/fired/*/actul]}", `1:26: "/verdict/fired/*/actul" names nothing: a record at /verdict/fired/* has no "actul", only`},
		{"audit: {path: a, masks: ['']}", "1:26: an entry of masks is empty"},
		{"audit: {path: a, rotate_size: 0}", `1:31: rotate_size cannot be "0"`},
		{"audit: {path: a, rotate_size: 1.5MB}", "write a whole number of bytes of at least 1, or a size such as 100MB or 64MiB"},
		{"audit: {path: a, rotate_size: 100m}", `rotate_size cannot be "100m"`},
		{"audit: {path: a, rotate_size: 9000000000TB}", `rotate_size cannot be "9000000000TB"`},
		{"audit: {path: a, rotate_files: 0}", `1:32: rotate_files cannot be "0"`},
		{"audit: {path: a, sync: perhaps}", `1:24: sync cannot be "perhaps"`},
		{"check: {", "1:"},
	} {
		got, l := config.Parse("c.yaml", []byte(c.text))
		if got != nil || !strings.Contains(l.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, l, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("tasks: [{task: a, enabled: off, maxToolCalls: 1, qcOnExceed: true, maxRetries: 0}]\nreview: {url: 'http://h', model: m}"))
	f.Add([]byte("check: {sources: [a.b], fail_on: error}"))
	f.Add([]byte("policy_watch: 2s\naudit: {path: a, masks: [/at], rotate_size: 64MiB}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, l := config.Parse("c.yaml", data)
		if (c == nil) != (l.Err() != nil) {
			t.Errorf("%v, %v", c, l)
		}
	})
}
