package dsl

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

var (
	opNames     = [...]string{Greater: ">", GreaterEqual: ">=", Less: "<", LessEqual: "<=", Equal: "==", NotEqual: "!="}
	scopeNames  = [...]string{ScopeChain: "chain", ScopeSession: "session", ScopeAll: "all"}
	kindNames   = [...]string{Contains: "contains", IContains: "icontains", Equals: "equals", Matches: "matches", InUser: "user", InOutputs: "outputs"}
	actionNames = [...]string{Warn: "warn", Throttle: "throttle", Confirm: "confirm", Review: "review", Abort: "abort"}
	modeNames   = [...]string{Enforce: "enforce", Observe: "observe"}
	missNames   = [...]string{MissingWait: "wait", MissingFire: "fire", MissingSkip: "skip"}
	storeNames  = [...]string{StoreDefault: "", StoreDeny: "deny", StoreAllow: "allow", StoreLocal: "local"}
)

// String returns the operator as written, such as ">=".
func (o Op) String() string { return opNames[o] }

// String returns "chain", "session" or "all".
func (s Scope) String() string { return scopeNames[s] }

// String returns the kind as written: "contains", "icontains", "equals",
// "matches", or for provenance "user" or "outputs".
func (k MatchKind) String() string { return kindNames[k] }

// String returns the action's word.
func (k ActionKind) String() string { return actionNames[k] }

// String returns "enforce" or "observe".
func (m Mode) String() string { return modeNames[m] }

// String returns "wait", "fire" or "skip".
func (m Missing) String() string { return missNames[m] }

// String returns "deny", "allow", "local", or "" if the rule does not say.
func (o OnStoreError) String() string { return storeNames[o] }

// MarshalText renders the word as in String, and the zero value as deny.
func (o OnStoreError) MarshalText() ([]byte, error) {
	if o == StoreDefault {
		o = StoreDeny
	}
	return []byte(o.String()), nil
}

// UnmarshalText reads deny, allow or local.
func (o *OnStoreError) UnmarshalText(text []byte) error {
	for _, known := range []OnStoreError{StoreDeny, StoreAllow, StoreLocal} {
		if known.String() == string(text) {
			*o = known
			return nil
		}
	}
	return fmt.Errorf("dsl: on_store_error cannot be %q, want deny, allow or local", text)
}

// String returns the unit's letter, or "".
func (u Unit) String() string {
	if u == 0 {
		return ""
	}
	return string(rune(u))
}

// String prints the duration as written, such as "1h".
func (d Duration) String() string { return strconv.FormatInt(d.N, 10) + d.Unit.String() }

// String prints the value: a number with its unit, or {{parameter}}.
func (v Value) String() string {
	if v.Param != "" {
		return "{{" + string(v.Param) + "}}"
	}
	return v.Number.String() + v.Unit.String()
}

// String prints the rule canonically, without "B:". Parsing the text gives
// an equal rule.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Condition.String() + "|" + r.Action.String())
	if r.Reason != "" {
		b.WriteString("|" + Quote(r.Reason))
	}
	if o := r.Options.String(); o != "" {
		b.WriteString("|" + o)
	}
	return b.String()
}

// String prints the condition canonically.
func (c Condition) String() string {
	if len(c) == 1 {
		return c[0].String()
	}
	atoms := make([]string, len(c))
	for i, a := range c {
		atoms[i] = a.String()
	}
	return strings.Join(atoms, " & ")
}

// String prints the action, such as "confirm(5m)".
func (a Action) String() string {
	if a.Limit.IsZero() {
		return a.Kind.String()
	}
	return a.Kind.String() + "(" + a.Limit.String() + ")"
}

// String prints the options that differ from their defaults.
func (o Options) String() string {
	var parts []string
	if o.ID != "" {
		parts = append(parts, "id="+quoteName(o.ID))
	}
	if o.Mode != Enforce {
		parts = append(parts, "mode="+o.Mode.String())
	}
	if o.Missing != MissingWait {
		parts = append(parts, "missing="+o.Missing.String())
	}
	if o.OnStoreError != StoreDefault {
		parts = append(parts, "on_store_error="+o.OnStoreError.String())
	}
	return strings.Join(parts, ",")
}

// String prints the atom canonically, such as "amount>1000".
func (a *Threshold) String() string { return string(a.Key) + a.Op.String() + a.Value.String() }

// String prints the atom canonically, such as "frequency:email.*@all>5/1h".
func (a *Frequency) String() string {
	s := "frequency"
	if a.Name != "" {
		s += ":" + abilityText(a.Name)
	}
	if a.Scope != ScopeChain {
		s += "@" + a.Scope.String()
	}
	return s + ">" + strconv.FormatInt(a.Count, 10) + "/" + a.Window.String()
}

// String prints the atom canonically, such as "ability:email.send".
func (a *Ability) String() string { return bang(a.Not) + "ability:" + abilityText(a.Name) }

// String prints the atom canonically, such as "after:read_*".
func (a *After) String() string { return bang(a.Not) + "after:" + abilityText(a.Name) }

// String prints the atom canonically, such as "output:error_msg|contains:fail".
func (a *Match) String() string {
	s := bang(a.Not) + a.Subject.String() + ":" + string(a.Key) + "|"
	if a.Kind == InUser || a.Kind == InOutputs {
		return s + "in:" + a.Kind.String()
	}
	return s + a.Kind.String() + ":" + barePattern(a.Pattern)
}

// String returns "output" or "arg".
func (s Subject) String() string {
	if s == Arg {
		return "arg"
	}
	return "output"
}

// String prints the atom canonically, such as "when:args.amount > 5".
func (a *When) String() string { return "when:" + a.Expr }

func bang(not bool) string {
	if not {
		return "!"
	}
	return ""
}

// Quote prints text as a quoted string of the language. Characters that do
// not show are escaped; what is not UTF-8 becomes U+FFFD.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case diag.Invisible(r):
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainName matches names that need no quotes.
var plainName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^` + nameSegment + `(?:\.` + nameSegment + `)*$`)
})

// quoteName prints a name, in quotes only if it needs them.
func quoteName(name string) string {
	if plainName().MatchString(name) && !hasInvisible(name) {
		return name
	}
	return Quote(name)
}

// abilityText prints the name of an atom about abilities.
func abilityText(p NamePattern) string {
	if p.IsClass() {
		return string(p)
	}
	return quoteName(string(p))
}

// barePattern prints a pattern in the plainest form that reads back: bare if
// it can be, else as QuotePattern does.
func barePattern(p string) string {
	if p != "" && !strings.ContainsAny(p, "|&\"`") && trimBlank(p) == p && !looksQuoted(p) && !hasInvisible(p) && utf8.ValidString(p) {
		return p
	}
	return QuotePattern(p)
}

// QuotePattern prints a pattern so that a sentence shows where it ends, and as
// it stands in a policy: between backquotes, which know no escapes, if it
// holds backslashes or quotes, else quoted.
func QuotePattern(p string) string {
	if strings.ContainsAny(p, "\\\"") && !strings.Contains(p, "`") && !hasInvisible(p) && utf8.ValidString(p) {
		return "`" + p + "`"
	}
	return Quote(p)
}

func hasInvisible(s string) bool { return strings.IndexFunc(s, diag.Invisible) >= 0 }

// looksQuoted reports whether a bare pattern was most likely meant to be
// quoted: it begins with a typographic quote, or stands in single quotes.
// Taken literally, such a guard would look for the quotes as well and never find them.
func looksQuoted(p string) bool {
	first, _ := utf8.DecodeRuneInString(p)
	return isTypographicQuote(first) || len(p) > 1 && p[0] == '\'' && p[len(p)-1] == '\''
}

func isTypographicQuote(r rune) bool {
	return r != utf8.RuneError && strings.ContainsRune("“”„‟«»‘’‚‛", r)
}

func trimBlank(s string) string { return strings.Trim(s, " \t") }
