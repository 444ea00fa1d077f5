package registry_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
)

func TestMatch_Leaves(t *testing.T) {
	wrap := func(depth int) string { // a text in JSON in a text in JSON …
		s := "rm -rf /"
		for range depth {
			s = "[" + strconv.Quote(s) + "]"
		}
		return `{"cmd":` + strconv.Quote(s) + `}`
	}
	const key, every, sub, not = `B:arg:cmd|contains:"rm -rf"|abort|id=r`, `B:arg:*|contains:"rm -rf"|abort|id=r`,
		`B:arg:cmd.*|contains:"rm -rf"|abort|id=r`, `B:!arg:cmd|contains:"rm -rf"|abort|id=r`
	for _, c := range []struct{ policy, args, want string }{
		{key, `{"cmd":"sudo rm -rf /"}`, "abort r"},
		{key, `{"cmd":["ls",["rm -rf /"]]}`, "abort r"},
		{key, `{"cmd":{"run":{"line":"rm -rf /"}}}`, "abort r"},
		{key, `{"cmd":"[\"ls\",{\"x\":\"rm -rf /\"}]"}`, "abort r"},
		{key, wrap(2), "abort r"},
		{key, wrap(5), "abort r"},
		{key, `{"cmd":"\"rm\\u0020-rf /\""}`, "abort r"}, // a quoted text with an escape
		{key, `{"cmd":"ls"}`, "allow"},
		{key, `{"cmd":{"rm -rf":"ls"}}`, "allow"}, // a name is no leaf
		{key, `{"other":"rm -rf /"}`, "allow"},
		{key, `{}`, "allow"},
		{every, `{"other":["rm -rf /"]}`, "abort r"},
		{every, `{"a":{"b":"{\"c\":\"rm -rf /\"}"}}`, "abort r"},
		{sub, `{"cmd":{"run":"rm -rf /"}}`, "abort r"},
		{sub, `{"cmd":[{"run":"rm -rf /"}]}`, "abort r"},
		{sub, `{"cmd":"{\"run\":\"rm -rf /\"}"}`, "abort r"},
		{sub, `{"cmd":"rm -rf /"}`, "allow"},
		{sub, `{"cmd.run":"rm -rf /"}`, "abort r"},
		{not, `{"cmd":"ls"}`, "abort r"},
		{not, `{"cmd":["ls","rm -rf /"]}`, "allow"},
		{not, `{}`, "abort r"},
		{`B:arg:cmd.run|contains:"rm -rf"|abort|id=r`, `{"cmd":[{"run":"ls"},{"run":["rm -rf /"]}]}`, "abort r"},
		{`B:arg:n|equals:"1500"|abort|id=r`, `{"n":1500}`, "abort r"},
		{`B:arg:n|equals:"1500"|abort|id=r`, `{"n":1500.0}`, "allow"}, // a number by its source text
		{`B:arg:n|equals:"true"|abort|id=r`, `{"n":true}`, "abort r"},
		{`B:arg:n|equals:""|abort|id=r`, `{"n":null}`, "allow"},
		{`B:arg:n|equals:""|abort|id=r`, `{"n":""}`, "abort r"},
		{`B:arg:n|icontains:"straße"|abort|id=r`, `{"n":"in der STRASSE 1"}`, "abort r"},
		{`B:arg:n|contains:"Straße"|abort|id=r`, `{"n":"STRASSE"}`, "allow"},
		{"B:arg:n|matches:`^a+$`|abort|id=r", `{"n":["b","aaa"]}`, "abort r"},
		{"B:arg:n|matches:`^a+$`|abort|id=r", `{"n":"aab"}`, "allow"},
		{"B:arg:@destinations|contains:eve|abort|id=r", `{"a":[{"b":{"SendTo":["bob",{"x":"eve"}]}}]}`, "abort r"},
		{"B:arg:@destinations|contains:eve|abort|id=r", `{"a":"[{\"send_to\":\"eve\"}]"}`, "abort r"},
		{"B:arg:@destinations|contains:eve|abort|id=r", `{"to":"bob","body":"eve"}`, "allow"},
		{"B:arg:@destinations|matches:`^\\s*$`|abort|id=r", `{"to":" ","cc":[""]}`, "allow"}, // nothing is in them
	} {
		if got := judge(t, deciderOf(load(t, c.policy)), registry.Step{Args: values(t, c.args)}); got != c.want {
			t.Errorf("%s\n%s: got %s, want %s", c.policy, c.args, got, c.want)
		}
	}
}

func TestMatch_Outputs(t *testing.T) {
	d := deciderOf(load(t, `B:output:error_msg|contains:fail|abort|id=r`))
	for _, c := range []struct{ outputs, want string }{
		{`{"error_msg":"it failed"}`, "abort r"}, {`{"error_msg":{"why":["fail"]}}`, "abort r"}, {`{"error_msg":"fine"}`, "allow"}, {`{}`, "allow"},
	} {
		if got := judge(t, d, registry.Step{Outputs: values(t, c.outputs)}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.outputs, got, c.want)
		}
	}
	if got := judge(t, d, registry.Step{Args: values(t, `{"error_msg":"fail"}`)}); got != "allow" {
		t.Errorf("an argument is no output: %s", got)
	}
}

// TestMatch_ExplainShowsThePatternAsWritten holds that an expression reads as it
// does in the policy, with no backslash that is not there.
func TestMatch_ExplainShowsThePatternAsWritten(t *testing.T) {
	for _, c := range []struct{ condition, want string }{
		{`arg:cmd|matches:^rm\S+`, "argument cmd matches `^rm\\S+`"},
		{`arg:cmd|matches:"^rm\\S+"`, "argument cmd matches `^rm\\S+`"},
		{"!arg:cmd|contains:`a\\b`", "no leaf of argument cmd contains `a\\b`"},
		{`arg:cmd|icontains:rm`, `argument cmd contains (whatever the case) "rm"`},
		{`when:args.cmd matches "^rm\\S+"`, `the expression holds: args.cmd matches "^rm\\S+"`},
	} {
		st := registry.Step{Chain: "trade", Ability: "sh", Now: start.UnixNano(), Args: values(t, `{"cmd":"rm-x"}`)}
		var v registry.Verdict
		deciderOf(load(t, "B:"+c.condition+"|abort|id=r")).Decide(t.Context(), &st, &v)
		if len(v.Fired) != 1 || v.Fired[0].Explain() != c.want {
			t.Errorf("%s: %+v, want %s", c.condition, v.Fired, c.want)
		}
	}
}

// TestMatch_AsItReads: what is looked for in an output is found behind escapes,
// entities and characters that only look different. That may make a rule hold,
// and never keeps one from holding.
func TestMatch_AsItReads(t *testing.T) {
	const regexp, every, text, folded = "B:output:page|matches:`\\bignore all\\b`|abort|id=r", "B:output:*|matches:`\\bignore all\\b`|abort|id=r",
		`B:output:page|contains:"ignore all"|abort|id=r`, `B:output:page|icontains:"IGNORE ALL"|abort|id=r`
	for _, c := range []struct{ policy, page, want string }{
		{regexp, `a: "Lunch.\nignore all"`, "abort r"},
		{every, `a: "Lunch.\nignore all"`, "abort r"},
		{every, `a: "Lunch.\\nignore\u0020all"`, "abort r"},
		{every, "ignore\\\n   \\ all", "abort r"},
		{every, "ignore&nbsp;all", "abort r"},
		{every, `{"a":"b: \"\\nignore all\""}`, "abort r"},
		{text, `ignore\u0020all`, "abort r"},
		{text, "ig\u200bnore all", "abort r"},
		{text, "ｉｇｎｏｒｅ all", "abort r"},
		{folded, `Ignore\tAll`, "allow"},
		{folded, `Ignore\ All`, "abort r"},
		{text, `\ignore all`, "abort r"}, // as it is written, too
		{text, `C:\new`, "allow"},
		{`B:output:page|contains:"\\n"|abort|id=r`, `a\nb`, "abort r"},
		{`B:output:page|equals:"a b"|abort|id=r`, `a\ b`, "allow"},
		{`B:!output:page|contains:"ok"|abort|id=r`, `\u006fk`, "abort r"},
		{`B:!output:*|contains:"ok"|abort|id=r`, `\u006fk`, "abort r"},
	} {
		b, err := json.Marshal(map[string]string{"page": c.page})
		if err != nil {
			t.Fatal(err)
		}
		for name, outputs := range map[string]*registry.Values{"bound": values(t, string(b)), "texts": registry.Texts(map[string]string{"page": c.page})} {
			d := deciderOf(load(t, c.policy))
			for range 2 { // what is remembered of a value changes nothing
				if got := judge(t, d, registry.Step{Outputs: outputs}); got != c.want {
					t.Errorf("%s\n%s, %s: got %s, want %s", c.policy, c.page, name, got, c.want)
				}
			}
		}
	}
	args := registry.Step{Args: values(t, `{"page":"ignore\\u0020all"}`)}
	if got := judge(t, deciderOf(load(t, `B:arg:page|contains:"ignore all"|abort|id=r`)), args); got != "allow" {
		t.Errorf("an argument is what it is written as: %s", got)
	}
}

// TestMatch_TooDeepToReadHolds nests a text deeper than is read: whether it
// holds the pattern cannot be known, so a rule and its negation both hold.
func TestMatch_TooDeepToReadHolds(t *testing.T) {
	deep := strconv.Quote(strings.Repeat("[", 100_000) + `"x"` + strings.Repeat("]", 100_000))
	inner := `"x"`
	for range 20 {
		inner = strconv.Quote("[" + inner + "]")
		if len(inner) > 1<<20 {
			break
		}
	}
	for name, value := range map[string]string{"nested": deep, "in a list": "[" + deep + "]", "in an object": `{"k":` + deep + `}`, "text in text": inner} {
		for _, policy := range []string{
			`B:arg:cmd|contains:"rm"|abort|id=r`, `B:!arg:cmd|contains:"x"|abort|id=r`,
			`B:arg:*|contains:"rm"|abort|id=r`, `B:!arg:*|contains:"x"|abort|id=r`,
			`B:arg:cmd|in:user|abort|id=r`, `B:!arg:cmd|in:user|abort|id=r`, `B:arg:cmd|equals:"rm"|abort|id=r`,
		} {
			st := registry.Step{Args: values(t, `{"cmd":`+value+`}`), Words: userSaid("x")}
			if got := judge(t, deciderOf(load(t, policy)), st); got != "abort r" {
				t.Errorf("%s, %s: got %s", name, policy, got)
			}
		}
	}
	for _, policy := range []string{`B:arg:cmd.k.*|contains:"rm"|abort|id=r`, `B:cmd.k.amount>5|abort|id=r,missing=skip`, `B:arg:cmd.k.x|contains:"rm"|abort|id=r`} {
		st := registry.Step{Args: values(t, `{"cmd":[{"k":[`+deep+`]}]}`)}
		if got := judge(t, deciderOf(load(t, policy)), st); got != "abort r" {
			t.Errorf("below a key, %s: got %s", policy, got)
		}
	}
}
