package dsl_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/dsl/dslgen"
)

var start = diag.Position{Line: 1, Column: 1}

func mustParse(t testing.TB, text string) *dsl.Rule {
	t.Helper()
	r, f := dsl.ParseRule("", start, text)
	if f != nil {
		t.Fatalf("ParseRule(%q): %v", text, f)
	}
	return r
}

func TestParseReadsWhatIsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := dslgen.Rule(t)
		text := r.String()
		back, f := dsl.ParseRule("", start, text)
		if f != nil {
			t.Fatalf("%s: %v", text, f)
		}
		if !r.Equal(back) {
			t.Fatalf("%s reads as %s\n%#v\n%#v", text, back, r, back)
		}
		if again := back.String(); again != text {
			t.Fatalf("printed %s, then %s", text, again)
		}
	})
}

func TestPartsReadWhatIsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := dslgen.Condition(t)
		if back, f := dsl.ParseCondition("", start, c.String()); f != nil || !back.Equal(c) {
			t.Fatalf("%s reads as %s, %v", c, back, f)
		}
		a := dslgen.Action(t)
		if back, f := dsl.ParseAction("", start, a.String()); f != nil || back != a {
			t.Fatalf("%s reads as %s, %v", a, back, f)
		}
	})
}

func TestEqualSeesEveryField(t *testing.T) {
	texts := []string{
		`a>1|abort`, `a>=1|abort`, `b>1|abort`, `a>2|abort`, `a>1s|abort`, `a>{{p}}|abort`, `a>{{q}}|abort`, `a>1|warn`,
		`a>1|abort|"r"`, `a>1|abort|id=x`, `a>1|abort|mode=observe`, `a>1|abort|missing=skip`, `a>1|abort|on_store_error=deny`,
		`a>1 & a>1|abort`, `frequency>1/1h|abort`, `frequency>2/1h|abort`, `frequency>1/1d|abort`, `frequency>1/2h|abort`,
		`frequency:n>1/1h|abort`, `frequency@all>1/1h|abort`, `ability:a|abort`, `!ability:a|abort`, `ability:b|abort`,
		`after:a|abort`, `!after:a|abort`, `after:b|abort`, `output:a|contains:x|abort`, `!output:a|contains:x|abort`,
		`arg:a|contains:x|abort`, `output:b|contains:x|abort`, `output:a|equals:x|abort`, `output:a|contains:y|abort`,
		`arg:a|in:user|abort`, `arg:a|in:outputs|abort`, `when:a|abort`, `when:b|abort`, `a>1|confirm`, `a>1|confirm(1m)`, `a>1|confirm(2m)`,
	}
	for i, x := range texts {
		for j, y := range texts {
			if got := mustParse(t, x).Equal(mustParse(t, y)); got != (i == j) {
				t.Errorf("%s equals %s: %v", x, y, got)
			}
		}
	}
}

func TestOnStoreError_Text(t *testing.T) {
	for text, want := range map[string]dsl.OnStoreError{"deny": dsl.StoreDeny, "allow": dsl.StoreAllow, "local": dsl.StoreLocal} {
		var o dsl.OnStoreError
		if err := o.UnmarshalText([]byte(text)); err != nil || o != want {
			t.Errorf("%q: got %v, %v", text, o, err)
		}
		if got, err := o.MarshalText(); err != nil || string(got) != text {
			t.Errorf("%q is printed as %q, %v", text, got, err)
		}
	}
	if got, _ := dsl.StoreDefault.MarshalText(); string(got) != "deny" {
		t.Errorf("the default is printed as %q", got)
	}
	for _, text := range []string{"", "Deny", "deny ", "memory"} {
		if err := new(dsl.OnStoreError).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestQuotePattern(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{`fail`, `"fail"`},
		{``, `""`},
		{`^rm\S+$`, "`^rm\\S+$`"},
		{`say "no"`, "`say \"no\"`"},
		{"a`b", "\"a`b\""},
		{"\\S`", "\"\\\\S`\""},
		{"a\\\nb", `"a\\\nb"`},
	} {
		if got := dsl.QuotePattern(tt.pattern); got != tt.want {
			t.Errorf("QuotePattern(%q) = %s, want %s", tt.pattern, got, tt.want)
		}
		r := mustParse(t, "arg:x|contains:"+tt.want+"|abort")
		if got := r.Condition[0].(*dsl.Match).Pattern; got != tt.pattern {
			t.Errorf("%s reads as %q, want %q", tt.want, got, tt.pattern)
		}
	}
}
