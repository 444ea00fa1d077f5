package dsl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// The canonical form of each text; blanks around tokens never change meaning.
func TestParseRule(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`amount>1000|abort|"Transaction exceeds $1000 limit"`, ``},
		{`frequency>10/1h|throttle|"Too many requests per hour"`, ``},
		{`ability:email.send|confirm|"Email send requires confirmation"`, ``},
		{`output:error_msg|contains:fail|abort|"Step produced failure indicator"`, ``},
		{`ability:send_money & after:read_* & !arg:recipient|in:user|confirm|"x"`, ``},
		{" amount\t>=  1000 |  abort ", `amount>=1000|abort`},
		{`amount > 1000 s | abort`, `amount>1000s|abort`},
		{`frequency : email.* @ all > 5 / 1 h | throttle ( 2 m )`, `frequency:email.*@all>5/1h|throttle(2m)`},
		{`frequency@chain>0/1d|warn`, `frequency>0/1d|warn`},
		{`after: "send mail"|warn`, `after:"send mail"|warn`},
		{`ability:@writes & !after: @writes & frequency:@writes@session>5/1h|abort`, `ability:@writes & !after:@writes & frequency:@writes@session>5/1h|abort`},
		{`ability:"@acme/tool"|warn`, ``},
		{`!arg: @destinations | in : user & arg:@destinations|contains:evil|warn`, `!arg:@destinations|in:user & arg:@destinations|contains:evil|warn`},
		{`ability:"plain.name"|warn`, `ability:plain.name|warn`},
		{`ability:größe/時_1-a:b.*|warn`, ``},
		{`output : a.*.b | contains :  two  words  | warn`, `output:a.*.b|contains:two  words|warn`},
		{`arg:x|equals:""|warn`, ``},
		{"arg:x|matches:`a|b & \"c\"`|warn", ``},
		{`arg:x|matches:"a\\d|b"|warn`, "arg:x|matches:`a\\d|b`|warn"},
		{`arg:x|icontains:"a\u{200b}\t"|warn`, ``},
		{"arg:x|contains:a\u202eb|warn", `arg:x|contains:"a\u{202e}b"|warn`},
		{`arg:output|in:outputs|warn`, ``},
		{`arg:x | in : user | warn`, `arg:x|in:user|warn`},
		{`when: a || b && ("x|y" in c) | warn`, `when:a || b && ("x|y" in c)|warn`},
		{`when: [1|2, {a: 'it\'s|'}] == 1 & a>1|warn`, `when:[1|2, {a: 'it\'s|'}] == 1 & a>1|warn`},
		{`amount>{{ order.max-spend }}|warn`, `amount>{{order.max-spend}}|warn`},
		{`a-b>-1.50e+3|warn`, `a-b>-1500|warn`},
		{`task>5|warn`, ``},
		{`task.tool_calls>50|review`, ``},
		{`frequency_x>5|warn`, ``},
		{`a>1|abort|""`, `a>1|abort`},
		{`a>1|abort|id=x`, ``},
		{`a>1|abort|"r"|id="a b",mode=observe,missing=fire,on_store_error=local`, ``},
		{`a>1|abort|mode = enforce , missing = wait , on_store_error = deny`, `a>1|abort|on_store_error=deny`},
		{`a>1|confirm(90s)|"a \"b\" \\ \n\t\u{1F600}"`, `a>1|confirm(90s)|"a \"b\" \\ \n\t😀"`},
	} {
		want := tt.want
		if want == "" {
			want = tt.text
		}
		r, f := dsl.ParseRule("", start, tt.text)
		if f != nil {
			t.Errorf("%s: %v", tt.text, f)
		} else if r.String() != want {
			t.Errorf("%s prints %s, want %s", tt.text, r, want)
		}
	}
}

func TestParseRuleFields(t *testing.T) {
	r, f := dsl.ParseRule("p.cbp", diag.Position{Line: 4, Column: 3}, `  amount>{{max}} & when: a > 1 |confirm(5m)| "時 r" | id=x  `)
	if f != nil {
		t.Fatal(f)
	}
	span := func(from, to int) dsl.Span {
		return dsl.Span{Start: diag.Position{Line: 4, Column: from}, End: diag.Position{Line: 4, Column: to}}
	}
	th, wh := r.Condition[0].(*dsl.Threshold), r.Condition[1].(*dsl.When)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"key", th.Key, dsl.Key("amount")}, {"op", th.Op, dsl.Greater}, {"param", th.Value.Param, dsl.Key("max")},
		{"threshold", th.At, span(5, 19)}, {"when", wh.At, span(22, 33)}, {"expression", wh.Expr, "a > 1"}, {"expression at", wh.ExprAt, span(28, 33)},
		{"action", r.Action, dsl.Action{Kind: dsl.Confirm, Limit: dsl.Duration{N: 5, Unit: 'm'}}},
		{"limit", r.Action.Limit.Time(), 5 * time.Minute}, {"reason", r.Reason, "時 r"}, {"id", r.ID(), "x"}, {"rule", r.Pos, span(5, 60)},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct{ name, text, id string }{
		{"more than 4 KiB", `a>1|abort|"` + long + `"`, dsl.LimitID},
		{"pattern over 1,000 bytes", `arg:x|matches:` + long[:1001] + `|abort`, dsl.LimitID},
		{"pattern that grows", `arg:x|matches:` + strings.Repeat("a{1000}", 11) + `|abort`, dsl.LimitID},
		{"number over 1,000 digits", `a>` + strings.Repeat("1", 1001) + `|abort`, dsl.LimitID},
		{"count at the cap", `frequency>10000/1h|abort`, dsl.UnobservableID},
		{"window over the longest duration", `frequency>1/2562048h|abort`, dsl.LimitID},
		{"limit over the longest duration", `a>1|confirm(106752d)`, dsl.LimitID},
		{"NUL", "a>1\x00|abort", dsl.SyntaxID},
		{"NUL in a pattern", "arg:x|contains:a\x00|abort", dsl.SyntaxID},
		{"line feed", "a>1|abort|\"a\nb\"", dsl.SyntaxID},
		{"C1 control", "a>1|abort|\"\u0085\"", dsl.SyntaxID},
		{"not UTF-8", "a>1|abort|\"\xff\"", dsl.SyntaxID},
		{"zero-width in a key", "a\u200bb>1|abort", dsl.SyntaxID},
		{"bidi in a name", "ability:a\u202eb|abort", dsl.SyntaxID},
		{"zero-width in a quoted name", "ability:\"a\u200bb\"|abort", dsl.SyntaxID},
		{"escaped zero-width in a name", `ability:"a\u{200b}b"|abort`, dsl.SyntaxID},
		{"invisible letter in a name", "ability:a\u3164b|abort", dsl.SyntaxID},
		{"zero-width in an id", `a>1|abort|id="a\u{200b}b"`, dsl.SyntaxID},
		{"bidi in an expression", "when: a == \"\u202e\"|abort", dsl.SyntaxID},
		{"digits of another script", "a>١٢|abort", dsl.SyntaxID},
		{"reserved word as a parameter", "a>{{after}}|abort", dsl.SyntaxID},
		{"unknown meter", "session.calls>1|abort", dsl.SyntaxID},
		{"no regular expression", `arg:x|matches:a(|abort`, dsl.SyntaxID},
		{"backreference", `arg:x|matches:(a)\1|abort`, dsl.SyntaxID},
		{"wildcard in an id", `a>1|abort|id=a*`, dsl.SyntaxID},
		{"blank in a name", `ability:x . y|abort`, dsl.SyntaxID},
		{"surrogate escape", `a>1|abort|"\u{d800}"`, dsl.SyntaxID},
		{"escape of too many digits", `a>1|abort|"\u{0000041}"`, dsl.SyntaxID},
		{"nothing", ``, dsl.SyntaxID},
	} {
		r, f := dsl.ParseRule("", start, tt.text)
		if f == nil {
			t.Errorf("%s: accepted as %s", tt.name, r)
		} else if f.ID != tt.id {
			t.Errorf("%s: %s, want %s: %s", tt.name, f.ID, tt.id, f.Error())
		}
	}
}

func TestLimitsAllowTheirEdge(t *testing.T) {
	for _, text := range []string{
		`a>1|abort|"` + strings.Repeat("x", dsl.MaxLine-12) + `"`,
		`arg:x|matches:` + strings.Repeat("x", dsl.MaxRegexp) + `|abort`,
		`frequency>9999/2562047h|abort`,
		`a>` + strings.Repeat("1", 1000) + `|abort`,
		`a>1e400|abort`,
	} {
		mustParse(t, text)
	}
}

func TestParseCondition(t *testing.T) {
	pos := diag.Position{Line: 3, Column: 14}
	c, f := dsl.ParseCondition("c.yaml", pos, `amount>{{max}} & output:x|contains:"a|b"`)
	if f != nil || c.String() != `amount>{{max}} & output:x|contains:"a|b"` {
		t.Errorf("got %s, %v", c, f)
	}
	for text, want := range map[string]string{
		`amount>1|abort`: "c.yaml:3:22: a condition ends before the |",
		`amount>`:        "c.yaml:3:21: expected a number",
		`a>1 &`:          "c.yaml:3:19: expected a condition",
		``:               "c.yaml:3:14: expected a condition",
		`amount>1 b`:     `c.yaml:3:23: expected "&" and another condition, found "b"`,
	} {
		if _, f := dsl.ParseCondition("c.yaml", pos, text); f == nil || !strings.HasPrefix(f.Error(), want) {
			t.Errorf("%q: %v, want %s", text, f, want)
		}
	}
}

func TestParseAction(t *testing.T) {
	pos := diag.Position{Line: 3, Column: 14}
	if a, f := dsl.ParseAction("c.yaml", pos, ` confirm( 5m ) `); f != nil || a.String() != "confirm(5m)" {
		t.Errorf("got %s, %v", a, f)
	}
	for text, want := range map[string]string{
		`abrot`:        `c.yaml:3:14: unknown action "abrot" (did you mean abort?)`,
		`confirm(5)`:   "c.yaml:3:22: the limit has no unit",
		`confirm(0s)`:  "c.yaml:3:22: a limit of 0",
		`abort|"r"`:    "c.yaml:3:19: expected nothing more",
		``:             "c.yaml:3:14: expected an action",
		"abort\x00":    "c.yaml:3:19: control character U+0000",
		`abort(5m)`:    "c.yaml:3:19: abort takes no limit",
		`abort, warn`:  "c.yaml:3:19: a rule has one action",
		`throttle(5m `: `c.yaml:3:26: expected ")"`,
	} {
		if _, f := dsl.ParseAction("c.yaml", pos, text); f == nil || !strings.HasPrefix(f.Error(), want) {
			t.Errorf("%q: %v, want %s", text, f, want)
		}
	}
}

// Lines that could cost a parser far more time than their length.
func TestHardLinesEndInTime(t *testing.T) {
	fill := func(prefix, part string) string {
		return prefix + strings.Repeat(part, (dsl.MaxLine-len(prefix))/len(part))
	}
	for _, text := range []string{
		fill("when: ", "("), fill("when: ", "a("), fill("when: ", "'"), fill("when: ", "\"a\""), fill("when: ", "(|"),
		fill("when: ", "[]"), fill("", "a>1&"), fill("", "!"), fill("", "&"), fill("", "|"), fill("", "\""), fill("", "`"),
		fill("", "時"), fill("", "{{"), fill("ability:", "a."), fill("ability:", "."), fill("a>1|abort|", "|"),
		fill("a>1|abort|", "id=x,"), fill("a>1|abort|id=x", ",id=x"), fill("", "ability:a&"), fill("a>", "1,"), fill("a>1", "_1"),
		fill("output:x|contains:", "a"), fill("", "output:x|contains:a&"), fill("a>1|abort|\"", "\\\""), fill("x>", "("),
		"arg:x|matches:" + strings.Repeat("(", 900), "arg:x|matches:" + strings.Repeat("a{1000}", 140), "arg:x|matches:" + strings.Repeat(`\pL{1000}`, 110),
	} {
		begin := time.Now()
		_, _ = dsl.ParseRule("", start, text)
		if d := time.Since(begin); d > 30*time.Second { // a hang, not a slow machine
			t.Errorf("%.40s… took %v", text, d)
		}
	}
}
