// Package dslgen draws random rules for property tests. It owns the
// generators only and is imported by tests alone: it depends on a test library.
package dslgen

import (
	"math"
	"regexp"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// Rule draws any rule that can be written, without places.
func Rule(t *rapid.T) *dsl.Rule {
	r := &dsl.Rule{
		Condition: Condition(t),
		Action:    Action(t),
		Options: dsl.Options{
			Mode:         dsl.Mode(rapid.IntRange(0, 1).Draw(t, "mode")),
			Missing:      dsl.Missing(rapid.IntRange(0, 2).Draw(t, "missing")),
			OnStoreError: dsl.OnStoreError(rapid.IntRange(0, 3).Draw(t, "on_store_error")),
		},
	}
	if rapid.Bool().Draw(t, "has reason") {
		r.Reason = Text(t)
	}
	if rapid.Bool().Draw(t, "has id") {
		r.Options.ID = strings.ReplaceAll(Name(t), "*", "x")
	}
	return r
}

// Condition draws one to four atoms.
func Condition(t *rapid.T) dsl.Condition {
	return rapid.SliceOfN(rapid.Custom(Atom), 1, 4).Draw(t, "condition")
}

// Atom draws one atom of any kind.
func Atom(t *rapid.T) dsl.Atom {
	not := rapid.Bool().Draw(t, "not")
	switch rapid.IntRange(0, 5).Draw(t, "atom") {
	case 0:
		return &dsl.Threshold{Key: Key(t), Op: dsl.Op(rapid.IntRange(0, 5).Draw(t, "op")), Value: Value(t)}
	case 1:
		f := &dsl.Frequency{Scope: dsl.Scope(rapid.IntRange(0, 2).Draw(t, "scope")),
			Count: rapid.Int64Range(0, dsl.MaxHistory-1).Draw(t, "count"), Window: Duration(t)}
		if rapid.Bool().Draw(t, "named") {
			f.Name = ability(t)
		}
		return f
	case 2:
		return &dsl.Ability{Not: not, Name: ability(t)}
	case 3:
		return &dsl.After{Not: not, Name: ability(t)}
	case 4:
		return match(t, not)
	}
	return &dsl.When{Expr: Expr(t)}
}

// ability draws the name of an ability, a pattern over names, or a class.
func ability(t *rapid.T) dsl.NamePattern {
	if rapid.IntRange(0, 9).Draw(t, "class") == 0 {
		return dsl.Writes
	}
	return dsl.NamePattern(Name(t))
}

func match(t *rapid.T, not bool) dsl.Atom {
	m := &dsl.Match{Not: not, Subject: dsl.Subject(rapid.IntRange(0, 1).Draw(t, "subject")),
		Key: dsl.KeyPattern(rapid.StringMatching(`(x|\*|ab\*)[a-z0-9*-]{0,3}(\.[a-c_*]{1,3}){0,2}`).Draw(t, "path"))}
	m.Kind = dsl.MatchKind(rapid.IntRange(0, 3).Draw(t, "kind"))
	if m.Subject == dsl.Arg {
		if rapid.IntRange(0, 9).Draw(t, "class of keys") == 0 {
			m.Key = dsl.Destinations
		}
		m.Kind = dsl.MatchKind(rapid.IntRange(0, 5).Draw(t, "kind of arg"))
	}
	switch m.Kind {
	case dsl.InUser, dsl.InOutputs:
	case dsl.Matches:
		m.Pattern = Regexp(t)
	default:
		m.Pattern = Text(t)
	}
	return m
}

// Action draws an action, with a limit where one is possible.
func Action(t *rapid.T) dsl.Action {
	a := dsl.Action{Kind: dsl.ActionKind(rapid.IntRange(0, 4).Draw(t, "action"))}
	if (a.Kind == dsl.Confirm || a.Kind == dsl.Throttle) && rapid.Bool().Draw(t, "limited") {
		a.Limit = Duration(t)
	}
	return a
}

// Duration draws a duration of up to the longest one.
func Duration(t *rapid.T) dsl.Duration {
	u := unit(t)
	most := math.MaxInt64 / int64(time.Second) / u.Seconds()
	return dsl.Duration{N: rapid.Int64Range(1, most).Draw(t, "n"), Unit: u}
}

func unit(t *rapid.T) dsl.Unit {
	return rapid.SampledFrom([]dsl.Unit{'s', 'm', 'h', 'd'}).Draw(t, "unit")
}

// Value draws a number, a number with a unit, or a parameter.
func Value(t *rapid.T) dsl.Value {
	switch rapid.IntRange(0, 2).Draw(t, "value") {
	case 0:
		return dsl.Value{Param: Key(t)}
	case 1:
		d, _ := decimal.Parse(rapid.StringMatching(`[+-]?[0-9]{1,9}(\.[0-9]{1,4})?`).Draw(t, "number"))
		return dsl.Value{Number: d, Unit: unit(t)}
	}
	return dsl.Value{Number: Number(t)}
}

// Number draws a number of the grammar.
func Number(t *rapid.T) decimal.Decimal {
	d, _ := decimal.Parse(rapid.StringMatching(`[+-]?[0-9]{1,24}(\.[0-9]{1,24})?(e[+-]?([0-9]{1,2}|[123][0-9][0-9]|400))?`).Draw(t, "number"))
	return d
}

// Key draws a key that may be compared, often a short one so that two can be equal.
func Key(t *rapid.T) dsl.Key {
	if rapid.IntRange(0, 4).Draw(t, "meter") == 0 {
		return dsl.Key(rapid.SampledFrom(dsl.Meters()).Draw(t, "key"))
	}
	k := rapid.StringMatching(`[a-cX_][a-c0-9_-]{0,3}(\.[a-c_][a-c0-9_-]{0,2}){0,2}`).Draw(t, "key")
	return dsl.Key(k)
}

// Name draws the name of an ability or a pattern over names.
func Name(t *rapid.T) string {
	if rapid.Bool().Draw(t, "plain") {
		return rapid.StringMatching(`[a-cA*é時0_/:-]{1,4}(\.[a-c*]{1,3}){0,3}`).Draw(t, "name")
	}
	return rapid.StringMatching(`[^\s]([^\pC])*`).Filter(func(s string) bool {
		return len(s) < 200 && !strings.ContainsFunc(s, diag.Invisible) && strings.ToValidUTF8(s, "") == s
	}).Draw(t, "quoted name")
}

// Text draws the text of a pattern or reason, with all that needs escapes.
func Text(t *rapid.T) string {
	if rapid.Bool().Draw(t, "nasty") {
		return rapid.StringOfN(rapid.RuneFrom([]rune("ab \t\n\r\x00|&\"`'\\{}()=,:!“”\u200b\u202e\ufeffé時")), 0, 12, -1).Draw(t, "text")
	}
	return strings.ToValidUTF8(rapid.StringN(0, 30, 100).Draw(t, "text"), "")
}

// Regexp draws a regular expression that compiles.
func Regexp(t *rapid.T) string {
	if rapid.Bool().Draw(t, "literal") {
		return regexp.QuoteMeta(rapid.StringOfN(rapid.RuneFrom([]rune("ab|&\"` .*")), 0, 8, -1).Draw(t, "literal regexp"))
	}
	return rapid.SampledFrom([]string{`\d+`, `^/etc/`, `a|b`, `[&"]`, "`", "`\\s\"", `(?i)fail(ed)?`, `^\s*$`, ``, `\x{200b}`, ` a `}).Draw(t, "regexp")
}

// Expr draws an expression in which "|" and "&" stand only where they belong to it.
func Expr(t *rapid.T) string {
	part := rapid.SampledFrom([]string{
		`args.amount > 5`, `a || b && c`, `("a|b" in x)`, `f(a, [1,2], {x: "&"})`, `'it|s' == 'a\'b'`, "`|&` != y", `has(args, "x")`, `(a | b(c & d))`, `!x`,
	})
	return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "expression"), " || ")
}
