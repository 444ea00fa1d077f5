package dsl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// rule turns a parsed line into a Rule and checks what the grammar cannot say.
func (s *source) rule(n *ruleNode) (*Rule, *diag.Finding) {
	c, f := s.condition(&n.Condition)
	if f != nil {
		return nil, f
	}
	a, f := s.action(&n.Action)
	if f != nil {
		return nil, f
	}
	r := &Rule{Condition: c, Action: a}
	if n.Reason != nil {
		if r.Reason, f = s.unquote(n.Reason.Value, n.Reason.Pos.Offset); f != nil {
			return nil, f
		}
	}
	for _, o := range n.Options {
		if r.Options, f = s.options(o); f != nil {
			return nil, f
		}
	}
	r.Pos = Span{Start: c[0].Span().Start, End: s.at(len(strings.TrimRight(s.text, " \t")))}
	return r, nil
}

func (s *source) condition(n *conditionNode) (Condition, *diag.Finding) {
	c := make(Condition, len(n.Atoms))
	for i, a := range n.Atoms {
		atom, f := s.atom(a)
		if f != nil {
			return nil, f
		}
		c[i] = atom
	}
	return c, nil
}

func (s *source) atom(n *atomNode) (Atom, *diag.Finding) {
	at := s.tokenSpan(n.Tokens)
	not := n.Not != nil
	switch {
	case n.Frequency != nil:
		return s.frequency(n.Frequency, at)
	case n.When != nil:
		return s.when(n.When, at)
	case n.Ability != nil:
		name, f := s.abilityName(n.Ability.Name)
		return &Ability{Not: not, Name: NamePattern(name), At: at}, f
	case n.After != nil:
		name, f := s.abilityName(n.After.Name)
		return &After{Not: not, Name: NamePattern(name), At: at}, f
	case n.Match != nil:
		return s.match(n.Match, not, at)
	}
	return s.threshold(n.Threshold, at)
}

func (s *source) frequency(n *frequencyNode, at Span) (Atom, *diag.Finding) {
	a := &Frequency{At: at}
	if n.Name != nil {
		name, f := s.abilityName(*n.Name)
		if f != nil {
			return nil, f
		}
		a.Name = NamePattern(name)
	}
	if n.Scope != nil {
		a.Scope = map[string]Scope{"chain": ScopeChain, "session": ScopeSession, "all": ScopeAll}[n.Scope.Value]
	}
	var f *diag.Finding
	if a.Count, f = s.integer(n.Count, "a count", 0); f != nil {
		return nil, f
	}
	if a.Count >= MaxHistory {
		f := s.tokenFault(n.Count, fmt.Sprintf("a count of %d can never be observed: a counter keeps %d entries", a.Count, MaxHistory),
			fmt.Sprintf("write at most %d, or a shorter window", MaxHistory-1))
		return nil, withID(f, UnobservableID)
	}
	a.Window, f = s.duration(&n.Window, "a window")
	return a, f
}

func (s *source) when(n *whenNode, at Span) (Atom, *diag.Finding) {
	last := n.Tokens[len(n.Tokens)-1]
	from, to := n.Tag.Pos.Offset+len(n.Tag.Value), last.Pos.Offset+len(last.Value)
	text := s.text[from:to]
	expr := trimBlank(text)
	from += strings.Index(text, expr)
	if expr == "" {
		return nil, s.fault(from, to, "an expression is missing after when:", "such as when: args.amount > 2 * params.limit")
	}
	if i := strings.IndexFunc(expr, func(r rune) bool { return r != '\t' && diag.Invisible(r) }); i >= 0 {
		r, size := utf8.DecodeRuneInString(expr[i:])
		return nil, s.fault(from+i, from+i+size, fmt.Sprintf("invisible character U+%04X in an expression", r),
			fmt.Sprintf(`write it as \u%04x inside a string`, r))
	}
	return &When{Expr: expr, ExprAt: s.span(from, from+len(expr)), At: at}, nil
}

func (s *source) match(n *matchNode, not bool, at Span) (Atom, *diag.Finding) {
	a := &Match{Not: not, Subject: Arg, Key: KeyPattern(n.Path.Value), At: at}
	switch class := n.Path.Value[0] == '@'; {
	case class && !a.Key.IsClass():
		return nil, s.tokenFault(n.Path, "there is no class of keys "+n.Path.Value, keyClassHint(n.Path.Value))
	case class && n.Output:
		return nil, s.tokenFault(n.Path, n.Path.Value+" is a class of arguments; it goes with arg: only", "name the output's key, or * for any")
	}
	if f := s.deep(n.Path); f != nil {
		return nil, f
	}
	if n.Output {
		a.Subject = Output
		if reservedKey(n.Path.Value) {
			return nil, s.tokenFault(n.Path, fmt.Sprintf("no output can be called %q: the word is reserved", n.Path.Value), "name the output's key")
		}
	}
	if n.In != nil {
		if a.Kind = InUser; n.In.Value == "outputs" {
			a.Kind = InOutputs
		}
		if a.Subject == Output {
			return nil, s.tokenFault(*n.In, "in: asks where an argument comes from; it goes with arg: only", "write arg:KEY|in:"+n.In.Value)
		}
		return a, nil
	}
	a.Kind = matchKind(n.Kind)
	text, f := s.pattern(*n.Pattern)
	if f != nil {
		return nil, f
	}
	if a.Pattern = text; a.Kind == Matches {
		if problem, id := checkRegexp(text); problem != "" {
			return nil, withID(s.tokenFault(*n.Pattern, problem, "the syntax is RE2, see golang.org/s/re2syntax"), id)
		}
	}
	return a, nil
}

// matchKind reads the kind out of a token such as "| contains :".
func matchKind(token string) MatchKind {
	word := strings.Trim(token, "|: \t")
	for k, name := range kindNames {
		if name == word {
			return MatchKind(k)
		}
	}
	return Contains
}

func (s *source) pattern(t lexer.Token) (string, *diag.Finding) {
	switch t.Value[0] {
	case '"':
		return s.unquote(t.Value, t.Pos.Offset)
	case '`':
		return t.Value[1 : len(t.Value)-1], nil
	}
	text := trimBlank(t.Value)
	if looksQuoted(text) {
		return "", s.tokenFault(t, "these are not the quotes of a pattern", `use straight double quotes, as in contains:"fail"`)
	}
	return text, nil
}

func (s *source) threshold(n *thresholdNode, at Span) (Atom, *diag.Finding) {
	key, f := s.key(n.Key)
	if f != nil {
		return nil, f
	}
	if f := s.meter(n.Key); f != nil {
		return nil, f
	}
	a := &Threshold{Key: key, At: at}
	for op, name := range opNames {
		if name == n.Op {
			a.Op = Op(op)
		}
	}
	if n.Param != nil {
		a.Value.Param, f = s.key(*n.Param)
		return a, f
	}
	number, ok := decimal.Parse(n.Number.Value)
	if !ok {
		f := s.tokenFault(*n.Number, "the number is too long or its exponent too large",
			fmt.Sprintf("at most %d digits and exponents up to %d", decimal.MaxDigits, decimal.MaxExponent))
		return nil, withID(f, LimitID)
	}
	a.Value.Number = number
	if n.Unit != "" {
		a.Value.Unit = Unit(n.Unit[0])
		if _, ok := number.TimesInt(a.Value.Unit.Seconds()); !ok {
			f := s.tokenFault(*n.Number, "the number has too many digits to be turned into seconds", "write it in seconds, without a unit")
			return nil, withID(f, LimitID)
		}
	}
	return a, nil
}

func (s *source) key(t lexer.Token) (Key, *diag.Finding) {
	if !reservedKey(t.Value) {
		return Key(t.Value), s.deep(t)
	}
	hint := "reserved are " + strings.Join(reserved[:], ", ")
	if t.Value == "frequency" {
		hint = "a frequency is written frequency>5/1h: more than 5 in an hour"
	}
	return "", s.tokenFault(t, fmt.Sprintf("%q is a reserved word and cannot be a key", t.Value), hint)
}

// MaxSegments is how many segments a key may have. Each way to split a key is
// looked up, as names may hold dots, so that a longer one would cost much.
const MaxSegments = 32

// deep refuses a key with too many segments.
func (s *source) deep(t lexer.Token) *diag.Finding {
	n := strings.Count(t.Value, ".") + 1
	if n <= MaxSegments {
		return nil
	}
	return withID(s.tokenFault(t, fmt.Sprintf("the key has %d segments; at most %d are allowed", n, MaxSegments), "name what stands less deep"), LimitID)
}

// meter refuses keys that begin like a meter and are none.
func (s *source) meter(t lexer.Token) *diag.Finding {
	first, _, dotted := strings.Cut(t.Value, ".")
	if !dotted || !isMeterPrefix(first) || Key(t.Value).IsMeter() {
		return nil
	}
	hint := "the meters of " + first + " are " + strings.Join(metersOf(first), ", ")
	if m := diag.Suggest(t.Value, meters[:]); m != "" {
		hint = "did you mean " + m + "?"
	}
	return s.tokenFault(t, fmt.Sprintf("there is no meter %s", inQuotes(t.Value)), hint)
}

// name reads a name, bare or quoted.
func (s *source) name(t lexer.Token) (string, *diag.Finding) {
	name := t.Value
	if name[0] == '"' {
		var f *diag.Finding
		if name, f = s.unquote(t.Value, t.Pos.Offset); f != nil {
			return "", f
		}
	}
	if trimBlank(name) == "" {
		return "", s.tokenFault(t, "the name is empty", "write the name, such as email.send, or * for any")
	}
	for _, r := range name {
		if diag.Invisible(r) {
			return "", s.tokenFault(t, fmt.Sprintf("invisible character U+%04X in a name", r), "remove it")
		}
	}
	return name, nil
}

// abilityName reads the name of an ability, a pattern over names, or a class.
func (s *source) abilityName(t lexer.Token) (string, *diag.Finding) {
	if t.Value[0] == '@' {
		if NamePattern(t.Value).IsClass() {
			return t.Value, nil
		}
		return "", s.tokenFault(t, "there is no class of abilities "+t.Value, classHint(t.Value))
	}
	name, f := s.name(t)
	if f == nil && NamePattern(name).IsClass() {
		return "", s.tokenFault(t, name+" is a class of abilities, and stands without quotes", "write "+name)
	}
	return name, f
}

// tokenSpan is the place of some tokens, without blanks at the end.
func (s *source) tokenSpan(tokens []lexer.Token) Span {
	last := tokens[len(tokens)-1]
	return s.span(tokens[0].Pos.Offset, last.Pos.Offset+len(strings.TrimRight(last.Value, " \t")))
}

func (s *source) tokenFault(t lexer.Token, message, hint string) *diag.Finding {
	return s.fault(t.Pos.Offset, t.Pos.Offset+len(strings.TrimRight(t.Value, " \t")), message, hint)
}

func (s *source) tokensFault(tokens []lexer.Token, message, hint string) *diag.Finding {
	f := s.tokenFault(tokens[0], message, hint)
	f.End = s.tokenSpan(tokens).End
	return f
}
