package chain_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
)

// head is a chain to which a fault is added.
const head = "id: c\nsteps:\n  - {id: a, ability: x.y}\n"

func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"no id":              {"steps: [{id: a, ability: x}]", `1:1 syntax: a chain has no id (add id:)`},
		"no steps":           {"id: c", `1:1 syntax: a chain has no steps (add steps:)`},
		"empty steps":        {"id: c\nsteps: []", `2:8 syntax: the chain has no steps (write at least one)`},
		"steps are a map":    {"id: c\nsteps: {a: 1}", `2:8 wrong-type: steps is a list, not an object`},
		"not a map":          {"- id: c", `1:1 wrong-type: a chain is a map of fields, not a list`},
		"id a list":          {"id: [c]\nsteps: [{id: a, ability: x}]", `1:5 wrong-type: the id is a text, not a list`},
		"id no name":         {"id: a b\nsteps: [{id: a, ability: x}]", `1:5 syntax: "a b" cannot be the id of a chain (letters, digits, "_", "-", "/" and ":", with "." between)`},
		"id a pattern":       {"id: a*\nsteps: [{id: a, ability: x}]", `1:5 syntax: "a*" cannot be the id of a chain (letters, digits, "_", "-", "/" and ":", with "." between)`},
		"id of a model":      {"id: Nyaya/x\nsteps: [{id: a, ability: x}]", `1:5 syntax: ids that begin with nyaya/ belong to chains that a model writes (choose another id)`},
		"unknown field":      {head + "step: 1", `4:1 unknown-field: a chain has no field "step" (did you mean steps?)`},
		"a risk":             {head + "risk: high", `4:1 unknown-field: a chain has no field "risk" (a block says its risk, D:domain|high; of a chain what its abilities do and how many steps it has counts)`},
		"half-open probes":   {head + "circuit_breaker: {failure_threshold: 5, half_open_max: 2}", `4:56 syntax: half_open_max cannot be 2: a half-open breaker lets one call through as a probe (write 1, or leave it out)`},
		"failure threshold":  {head + "circuit_breaker: {failure_threshold: 0}", `4:38 syntax: failure_threshold cannot be 0 (a whole number from 1 to 1000000)`},
		"breaker field":      {head + "circuit_breaker: {reset_timeout: 5}", `4:19 unknown-field: a circuit_breaker has no field "reset_timeout" (did you mean reset_timeout_seconds?)`},
		"duplicate field":    {head + "id: d", `4:1 syntax: duplicate key "id" (remove one of the two)`},
		"args in catalogue":  {"id: c\nsteps:\n  - {id: a, ability: x, args: {q: 1}}\n  - {id: b, ability: x, params: {q: 1}}", `3:25 unknown-field: a step has no field "args" (in a chain with params or depends_on the arguments of a step are its params)`},
		"unknown dependency": {"id: c\nsteps:\n  - {id: fetch, ability: x}\n  - {id: b, ability: x, depends_on: [fetsh]}", `4:38 dangling-reference: step "b" depends on "fetsh", which is no step of this chain (did you mean fetch?)`},
		"cycle":              {"id: c\nsteps:\n  - {id: z, ability: x}\n  - {id: a, ability: x, depends_on: [b, z]}\n  - {id: b, ability: x, depends_on: [c]}\n  - {id: c, ability: x, depends_on: [a]}", `4:38 cycle: steps wait for each other: "a" → "b" → "c" → "a" (remove one of these from depends_on)`},
		"waits for itself":   {"id: c\nsteps:\n  - {id: a, ability: x, depends_on: [a]}", `3:38 cycle: steps wait for each other: "a" → "a" (remove one of these from depends_on)`},
		"cycle behind":       {"id: c\nsteps:\n  - {id: z, ability: x, depends_on: [a]}\n  - {id: a, ability: x, depends_on: [a]}", `4:38 cycle: steps wait for each other: "a" → "a" (remove one of these from depends_on)`},
		"one id, ordered":    {"id: c\nsteps:\n  - {id: a, ability: x, depends_on: [b]}\n  - {id: b, ability: x}\n  - {id: b, ability: x}", `5:5 syntax: a second step "b" (every step has an id of its own)`},
		"input is no step":   {"id: c\nsteps:\n  - {id: input, ability: x, params: {}}", `3:10 syntax: the id of a step cannot be "input": {{input.x}} is a parameter (choose another name)`},
		"input is no output": {"id: c\nsteps:\n  - {id: a, ability: x, output_key: input, params: {}}", `3:37 syntax: an output_key cannot be "input": {{input.x}} is a parameter (choose another name)`},
		"depends_on a text":  {"id: c\nsteps:\n  - {id: a, ability: x, depends_on: b}", `3:37 wrong-type: depends_on is a list, not a text`},
		"depends_on a list":  {"id: c\nsteps:\n  - {id: a, ability: x, depends_on: [[b]]}", `3:38 wrong-type: a step that is depended on is a text, not a list`},
		"params a list":      {"id: c\nsteps:\n  - {id: a, ability: x, params: [q]}", `3:33 wrong-type: params is a map of named values, not a list`},
		"breaker of a step":  {"id: c\nsteps:\n  - {id: a, ability: x, circuit_breaker: {}}", `3:25 unknown-field: a step has no field "circuit_breaker" (it stands beside the steps)`},
		"breaker a list":     {head + "circuit_breaker: [{condition: amount>5}]", `4:18 wrong-type: a circuit_breaker is a map of fields, not a list`},
		"breaker a rule":     {head + "circuit_breaker: {condition: amount>5}", `4:19 unknown-field: a circuit_breaker has no field "condition" (a rule stands in circuit_breakers, which is a list)`},
		"reset a fraction":   {head + "circuit_breaker: {reset_timeout_secs: 0.5}", `4:39 syntax: reset_timeout_secs cannot be 0.5 (a whole number from 1 to 31536000)`},
		"reset a text":       {head + "circuit_breaker: {reset_timeout_secs: 30s}", `4:39 wrong-type: reset_timeout_secs is a whole number from 1 to 31536000, not a text`},
		"reset twice":        {head + "circuit_breaker: {reset_timeout_secs: 5, reset_timeout_seconds: 6}", `4:65 syntax: reset_timeout_seconds and reset_timeout_secs are two names for one thing (remove one of the two)`},
		"misspelt continue":  {"id: c\nsteps:\n  - {id: a, ability: x, on_failure: contineu}", `3:37 dangling-reference: on_failure names no step of this chain: "contineu" (did you mean continue?)`},
		"step without id":    {"id: c\nsteps:\n  - ability: x", `3:5 syntax: a step has no id (add id:)`},
		"no ability":         {"id: c\nsteps:\n  - id: x", `3:5 syntax: a step has no ability (add ability:)`},
		"empty ability":      {"id: c\nsteps:\n  - {id: x, ability: ''}", `3:23 syntax: the ability is empty (name what the step calls, such as trading.get_price)`},
		"ability template":   {"id: c\nsteps:\n  - {id: x, ability: 'a.{{b}}'}", `3:23 syntax: the ability holds a template (write the ability's name: rules are chosen by it before the chain runs)`},
		"ability zero width": {"id: c\nsteps:\n  - {id: x, ability: \"a\u200bb\"}", `3:24 syntax: the ability holds a character that cannot be seen: "a\u{200b}b" (remove it)`},
		"ability bidi":       {"id: c\nsteps:\n  - {id: x, ability: \"\u202eab\"}", `3:23 syntax: the ability holds a character that cannot be seen: "\u{202e}ab" (remove it)`},
		"step id":            {"id: c\nsteps:\n  - {id: 1a, ability: x}", `3:10 syntax: the id of a step cannot be "1a" (a letter or "_", then letters, digits, "_" and "-", at most 256)`},
		"step id long":       {"id: c\nsteps:\n  - {id: " + strings.Repeat("a", 257) + ", ability: x}", `3:10 syntax: the id of a step cannot be "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" (a letter or "_", then letters, digits, "_" and "-", at most 256)`},
		"step id dotted":     {"id: c\nsteps:\n  - {id: a.b, ability: x}", `3:10 syntax: the id of a step cannot be "a.b" (a letter or "_", then letters, digits, "_" and "-", at most 256)`},
		"step id reserved":   {"id: c\nsteps:\n  - {id: task, ability: x}", `3:10 syntax: the id of a step cannot be "task", which begins conditions of rules (choose another name)`},
		"output reserved":    {"id: c\nsteps:\n  - {id: a, ability: x, output_key: output}", `3:37 syntax: an output_key cannot be "output", which begins conditions of rules (choose another name)`},
		"same step":          {"id: c\nsteps:\n  - {id: a, ability: x}\n  - {id: a, ability: y}", `4:5 syntax: a second step "a" (every step has an id of its own)`},
		"dangling":           {"id: c\nsteps:\n  - {id: fetch, ability: x, on_failure: fetsh}", `3:41 dangling-reference: on_failure names no step of this chain: "fetsh" (did you mean fetch?)`},
		"args a list":        {"id: c\nsteps:\n  - {id: a, ability: x, args: [1]}", `3:31 wrong-type: args is a map of named values, not a list`},
		"args case":          {"id: c\nsteps:\n  - {id: a, ability: x, args: {To: 1, to: 2}}", `3:39 syntax: the argument "to" differs from another only in case (what is judged must be what runs: choose another name)`},
		"args twice":         {"id: c\nsteps:\n  - {id: a, ability: x, args: {to: 1, to: 2}}", `3:39 syntax: duplicate key "to" (remove one of the two)`},
		"args hidden":        {"id: c\nsteps:\n  - {id: a, ability: x, args: {v: [{\"a\u200b\": 1}]}}", `3:37 syntax: the name of an argument holds a character that cannot be seen: "a\u{200b}" (remove it)`},
		"args without name":  {"id: c\nsteps:\n  - {id: a, ability: x, args: {'': 1}}", `3:32 syntax: an argument without a name`},
		"args template name": {"id: c\nsteps:\n  - {id: a, ability: x, args: {'{{a}}': 1}}", `3:32 syntax: the name of an argument holds a template (only values do)`},
		"open template":      {"id: c\nsteps:\n  - {id: a, ability: x, args: {v: 'é {{b'}}", `3:38 syntax: {{ without }} (write {{name}} or {{step.output}})`},
		"empty template":     {"id: c\nsteps:\n  - {id: a, ability: x, args: {v: 'é {{ }}'}}", `3:38 syntax: {{}} names nothing (write {{name}} or {{step.output}})`},
		"two words":          {"id: c\nsteps:\n  - {id: a, ability: x, args: {v: '{{a b}}'}}", `3:36 syntax: what stands in {{…}} is not a key: segments of letters, digits, _ and -, joined by dots (write {{name}} or {{step.output}})`},
		"filter":             {"id: c\nsteps:\n  - {id: a, ability: x, args: {v: '{{a|upper}}'}}", `3:36 syntax: what stands in {{…}} is not a key: segments of letters, digits, _ and -, joined by dots (write {{name}} or {{step.output}})`},
		"no quotes":          {"id: c\nsteps:\n  - {id: a, ability: x, args: {v: {{b}}}}", `3:36 syntax: a map as a key (a template stands in quotes: "{{name}}")`},
		"op":                 {"id: c\nsteps:\n  - {id: a, ability: x, condition: {ref_key: k, op: lessthan, value: 1}}", `3:53 syntax: op cannot be "lessthan" (did you mean less_than?)`},
		"no value":           {"id: c\nsteps:\n  - {id: a, ability: x, condition: {ref_key: k, op: equals}}", `3:36 syntax: a condition with equals has no value (add value:)`},
		"value a list":       {"id: c\nsteps:\n  - {id: a, ability: x, condition: {ref_key: k, op: equals, value: [1]}}", `3:68 wrong-type: the value of a condition is a text or a number, not a list`},
		"ref_key":            {"id: c\nsteps:\n  - {id: a, ability: x, condition: {ref_key: '{{k}}', op: is_empty}}", `3:47 syntax: ref_key cannot be "{{k}}" (write the key without braces, such as current_price or fetch.output)`},
		"condition a text":   {"id: c\nsteps:\n  - {id: a, ability: x, condition: k > 1}", `3:36 wrong-type: a condition is a map of fields, not a text`},
		"param type":         {head + "params: [{name: p, param_type: numbr}]", `4:32 syntax: param_type cannot be "numbr" (did you mean number?)`},
		"param name":         {head + "params: [{name: a b}]", `4:17 syntax: the name of a parameter cannot be "a b" (a letter or "_", then letters, digits, "_" and "-", at most 256)`},
		"param twice":        {head + "params: [{name: p}, {name: p}]", `4:21 syntax: a second parameter "p" (remove one, or choose another name)`},
		"param without name": {head + "params: [{param_type: text}]", `4:10 syntax: a parameter has no name (add name:)`},
		"required":           {head + "params: [{name: p, required: yes}]", `4:30 wrong-type: required is true or false, not a text`},
		"default":            {head + "params: [{name: p, param_type: number, default: much}]", `4:49 wrong-type: "much" is not a number`},
		"default too large":  {head + "params: [{name: p, param_type: number, default: 1e3, max: 999}]", `4:49 wrong-type: 1e3 is greater than max 999`},
		"default too small":  {head + "params: [{name: p, param_type: number, default: -1, min: 0}]", `4:49 wrong-type: -1 is less than min 0`},
		"default not listed": {head + "params: [{name: p, default: c, enum: [a, b]}]", `4:29 wrong-type: "c" is none of "a", "b"`},
		"min and max":        {head + "params: [{name: p, param_type: number, min: 2, max: 1}]", `4:10 wrong-type: min 2 is greater than max 1`},
		"min of a text":      {head + "params: [{name: p, min: 2}]", `4:10 wrong-type: min and max bound numbers, and the parameter is of the type text (use enum, or param_type: number)`},
		"max no number":      {head + "params: [{name: p, param_type: number, max: NaN}]", `4:45 wrong-type: max is a number`},
		"enum empty":         {head + "params: [{name: p, enum: []}]", `4:26 syntax: enum allows no value (list the values, or leave enum out)`},
		"enum type":          {head + "params: [{name: p, param_type: number, enum: [1, a]}]", `4:50 wrong-type: "a" is not a number`},
		"rule action":        {head + "circuit_breakers: [{condition: amount>5, action: abrot}]", `4:50 syntax`},
		"rule condition":     {head + "circuit_breakers:\n  - condition: \"amount>\"\n    action: abort", `5:24 syntax`},
		"rule without":       {head + "circuit_breakers: [{action: abort}]", `4:20 syntax: a rule has no condition (add condition:)`},
		"no action":          {head + "circuit_breakers: [{condition: amount>5}]", `4:20 syntax: a rule has no action (add action:)`},
		"rule mode":          {head + "circuit_breakers: [{condition: amount>5, action: abort, mode: observ}]", `4:63 syntax: mode cannot be "observ" (did you mean observe?)`},
		"rule missing":       {head + "circuit_breakers: [{condition: amount>5, action: abort, missing: ignore}]", `4:66 syntax: missing cannot be "ignore" (write one of wait, fire, skip)`},
		"rule id":            {head + "circuit_breakers: [{condition: amount>5, action: abort, id: a b}]", `4:61 syntax: "a b" cannot be the id of a rule (letters, digits, "_", "-", "/" and ":", with "." between)`},
		"store error":        {head + "circuit_breakers: [{condition: amount>5, action: abort, on_store_error: allow}]", `4:57 unknown-field: a rule has no field "on_store_error" (only rules of the operator have it)`},
		"whole line":         {head + "circuit_breakers: ['amount>5|abort']", `4:20 wrong-type: a rule is a map of fields, not a text`},
		"rule twice":         {head + "circuit_breakers:\n  - {condition: amount>5, action: abort}\n  - {condition: amount > 5, action: warn}", `6:17 duplicate-rule: a second rule "amount-gt-5" (remove one, or tell them apart with id:)`},
		"unobservable":       {head + "circuit_breakers: [{condition: frequency>10000/1d, action: abort}]", `4:42 unobservable-frequency`},
	} {
		c, l := chain.Parse("c.yaml", []byte(tt.in))
		if c != nil || len(l) != 1 {
			t.Errorf("%s: chain %v, %d findings:\n%v", name, c != nil, len(l), l)
			continue
		}
		f := l[0]
		got := strings.Replace((&diag.Finding{Pos: f.Pos, Message: f.ID + ": " + f.Message, Hint: f.Hint}).Error(), ": ", " ", 1)
		if !strings.HasPrefix(got, tt.want) || strings.Contains(tt.want, ": ") && got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
		if line := strings.Split(tt.in, "\n")[f.Pos.Line-1]; f.Text != line {
			t.Errorf("%s: the finding shows %q, want %q", name, f.Text, line)
		}
	}
}
