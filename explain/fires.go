package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// fires says when the condition holds: first in one sentence, then what
// belongs to each of its atoms.
func (e *explainer) fires() {
	c := e.rule.Condition
	if len(c) == 1 {
		e.say("It fires when %s.", holds(c[0]))
	} else {
		parts := make([]string, len(c))
		for i, a := range c {
			parts[i] = holds(a)
		}
		e.say("It fires when all of this is so: %s.", strings.Join(parts, "; "))
	}
	for _, a := range c {
		e.details(a)
	}
}

// holds says when an atom does, as the rest of "it fires when".
func holds(a dsl.Atom) string {
	switch a := a.(type) {
	case *dsl.Threshold:
		return fmt.Sprintf("%s %s %s", a.Key, compared[a.Op], limit(a))
	case *dsl.Frequency:
		return exceeded(a)
	case *dsl.Ability:
		return abilityIs(a)
	case *dsl.After:
		return admitted(a)
	case *dsl.Match:
		return matches(a)
	case *dsl.When:
		return fmt.Sprintf("the expression %s is true", a.Expr)
	}
	return a.String()
}

func admitted(a *dsl.After) string {
	const before = "was admitted before in this session"
	switch {
	case !a.Not:
		return fmt.Sprintf("%s %s", names(a.Name, "ability"), before)
	case a.Name == "*":
		return "nothing at all " + before
	case a.Name.IsClass():
		return "no ability that may write " + before
	case a.Name.Literal():
		return fmt.Sprintf("the ability %s was not admitted before in this session", a.Name)
	}
	return fmt.Sprintf("no ability that %s covers %s", a.Name, before)
}

var compared = [...]string{
	dsl.Greater: "is greater than", dsl.GreaterEqual: "is at least", dsl.Less: "is less than",
	dsl.LessEqual: "is at most", dsl.Equal: "equals", dsl.NotEqual: "differs from",
}

// limit renders a threshold's right side, a time also in seconds.
func limit(a *dsl.Threshold) string {
	v := a.Value
	if v.Param != "" {
		return "the parameter " + string(v.Param)
	}
	if v.Unit == 0 {
		return v.Number.String()
	}
	seconds, ok := v.Number.TimesInt(v.Unit.Seconds())
	if !ok {
		return v.String()
	}
	return fmt.Sprintf("%s (%s)", v, secondsText(seconds))
}

func secondsText(d decimal.Decimal) string {
	if d.String() == "1" {
		return "1 second"
	}
	return d.String() + " seconds"
}

// exceeded says which entry is one too many: N are admitted, the next is not.
func exceeded(a *dsl.Frequency) string {
	thing, of := "execution", ""
	switch {
	case a.Name == "*":
		thing, of = "call", " of any ability"
	case a.Name.IsClass():
		thing, of = "call", " of any ability that may write"
	case a.Name != "":
		thing, of = "call", " of "+string(a.Name)
	}
	if a.Count == 0 {
		return fmt.Sprintf("%s %s%s is tried at all: none is allowed", article(thing), thing, of)
	}
	where := map[dsl.Scope]string{dsl.ScopeSession: " in this session", dsl.ScopeAll: " anywhere"}[a.Scope]
	return fmt.Sprintf("there would be, with this one, more than %s%s in %s%s, so that the %s is one too many",
		plural(a.Count, thing), of, a.Window, where, ordinal(a.Count+1))
}

// ordinal renders 1st, 2nd, 3rd, 11th.
func ordinal(n int64) string {
	suffix := "th"
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}

func abilityIs(a *dsl.Ability) string {
	switch {
	case a.Name == "*" && a.Not:
		return "the step has no ability, which never is so"
	case a.Name == "*":
		return "a step is about to run, whatever its ability"
	case a.Name.IsClass() && a.Not:
		return "the step's ability only reads"
	case a.Name.IsClass():
		return "the step's ability may write"
	case a.Name.Literal() && a.Not:
		return fmt.Sprintf("the step's ability is not %s", a.Name)
	case a.Name.Literal():
		return fmt.Sprintf("the step's ability is %s", a.Name)
	case a.Not:
		return fmt.Sprintf("the step's ability is not covered by %s", a.Name)
	}
	return fmt.Sprintf("the step's ability is covered by %s", a.Name)
}

// matches says when a match atom holds. Of a positive one a hit is enough; of
// a negated one there must be none.
func matches(a *dsl.Match) string {
	what := matched(a)
	verb := map[dsl.MatchKind]string{
		dsl.Contains: "contains", dsl.IContains: "contains, whatever the case,", dsl.Equals: "equals", dsl.Matches: "matches the expression",
	}[a.Kind]
	switch a.Kind {
	case dsl.InUser, dsl.InOutputs:
		where := "what the user or the operator's system prompt wrote in this session"
		if a.Kind == dsl.InOutputs {
			where = "an earlier output"
		}
		if a.Not {
			return fmt.Sprintf("something in %s does not occur in %s", what, where)
		}
		return fmt.Sprintf("everything in %s occurs in %s", what, where)
	}
	if a.Not {
		return fmt.Sprintf("nothing in %s %s %s", what, verb, dsl.QuotePattern(a.Pattern))
	}
	return fmt.Sprintf("something in %s %s %s", what, verb, dsl.QuotePattern(a.Pattern))
}

// details says what else decides an atom.
func (e *explainer) details(a dsl.Atom) {
	switch a := a.(type) {
	case *dsl.Threshold:
		e.thresholdDetails(a)
	case *dsl.Ability:
		e.nameDetails(a.Name)
	case *dsl.After:
		e.nameDetails(a.Name)
		e.say("A step that was refused was not admitted.")
	case *dsl.Frequency:
		if a.Name != "" {
			e.nameDetails(a.Name)
		}
	case *dsl.Match:
		e.matchDetails(a)
	case *dsl.When:
		e.say("An error in the expression counts as true, such as reading a key that is not there without asking has() first.")
	}
}

func (e *explainer) thresholdDetails(a *dsl.Threshold) {
	if a.Key.IsMeter() {
		e.say("Numbers are compared exactly.")
	} else {
		e.say("Numbers are compared exactly; where the key has several values, one that fits is enough.")
		e.say("A value that is no number, such as \"$1,200\" or an empty text, counts as fitting (malformed).")
	}
	if a.Value.Param != "" {
		e.say("Where the parameter %s is not exactly one number, it fires as well (malformed).", a.Value.Param)
	}
}

func (e *explainer) nameDetails(p dsl.NamePattern) {
	if s := wildcards(string(p)); s != "" {
		e.say("%s", s)
	}
	if p == "*" {
		return
	}
	if p.IsClass() {
		e.say("An ability may write unless its name says that it only reads: it begins with a verb such as get, list or search, and none of its words is one such as update or send.")
		return
	}
	if e.rule.Exact {
		e.say("Abilities are compared letter by letter.")
	} else {
		e.say("Upper and lower case make no difference in abilities.")
	}
}

func (e *explainer) matchDetails(a *dsl.Match) {
	if s := wildcards(string(a.Key)); s != "" {
		e.say("%s", s)
	}
	if a.Key.IsClass() {
		e.say("An argument says where something goes by the last word of its name, however deep it lies: recipient, to, email, address, account, URL and the like, also in German, Dutch, French, Spanish, Portuguese and Italian; or by to as its first word. One with nothing in it is left out.")
	}
	missing := "Where there is no such %s, " + e.no() + "."
	if a.Not {
		missing = "With the ! before it, it holds too where there is no such %s."
	}
	thing := "output"
	if a.Subject == dsl.Arg {
		thing = "argument"
	}
	if a.Key != "*" || a.Not {
		e.say(missing, thing)
	}
	switch a.Kind {
	case dsl.InUser, dsl.InOutputs:
		e.say("Whole words are compared, whatever their case; a mail address, a URL or an account number is one word.")
		if a.Kind == dsl.InUser {
			e.say("A prompt that a model wrote, such as that of a delegation, is not the user's.")
		}
	case dsl.Matches:
		e.say("The expression is RE2 and may match anywhere; ^ and $ tie it to the ends.")
	}
	if a.Subject == dsl.Output && !a.Not && (a.Kind == dsl.Contains || a.Kind == dsl.IContains || a.Kind == dsl.Matches) {
		e.say("It is looked for in the text as it is written, and as it reads: with escapes and entities undone.")
	}
	e.say("A value that cannot be read to its ground counts as fitting (malformed).")
}
