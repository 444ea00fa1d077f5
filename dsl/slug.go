package dsl

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// maxSlug is how long a derived id may get before it is cut and marked with a hash.
const maxSlug = 60

var opSlugs = [...]string{Greater: "gt", GreaterEqual: "ge", Less: "lt", LessEqual: "le", Equal: "eq", NotEqual: "ne"}

// slug derives an id from the condition, such as "amount-gt-1000". Where the
// words alone do not determine the condition, eight hex digits of a hash of
// the canonical text follow, so that different conditions get different ids.
func (c Condition) slug() string {
	s := slugger{exact: true}
	for i, a := range c {
		if i > 0 {
			s.word("and")
		}
		s.atom(a)
	}
	text := s.String()
	if s.exact && len(text) <= maxSlug && !(s.named && endsLikeHash(text)) {
		return text
	}
	sum := sha256.Sum256([]byte(c.String()))
	return cut(text, maxSlug) + "-" + hex.EncodeToString(sum[:4])
}

// cut shortens the text so that a hash can follow.
func cut(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	if s = strings.TrimRight(s, "-."); s == "" {
		return "rule"
	}
	return s
}

// endsLikeHash reports whether the text could be taken for one with a hash.
func endsLikeHash(s string) bool {
	_, err := strconv.ParseUint(s[max(0, len(s)-8):], 16, 32)
	return err == nil && len(s) > 8 && s[len(s)-9] == '-'
}

// slugger writes words joined by "-" and notes when they do not say everything.
type slugger struct {
	strings.Builder
	exact bool // the words determine the condition
	named bool // the last word comes from a name or a pattern
}

func (s *slugger) atom(a Atom) {
	switch a := a.(type) {
	case *Threshold:
		s.name(string(a.Key))
		s.word(opSlugs[a.Op])
		if a.Value.Param != "" {
			s.name(string(a.Value.Param))
			return
		}
		s.word(a.Value.String())
	case *Frequency:
		s.word("frequency")
		if a.Name != "" {
			s.name(string(a.Name))
		}
		if a.Scope != ScopeChain {
			s.word("at")
			s.word(a.Scope.String())
		}
		s.word("gt")
		s.word(strconv.FormatInt(a.Count, 10))
		s.word(a.Window.String())
	case *Ability:
		s.negation(a.Not)
		s.word("ability")
		s.name(string(a.Name))
	case *After:
		s.negation(a.Not)
		s.word("after")
		s.name(string(a.Name))
	case *Match:
		s.negation(a.Not)
		s.word(a.Subject.String())
		s.name(string(a.Key))
		s.match(a)
	case *When:
		s.word("when")
		s.name(a.Expr)
		s.exact = false
	}
}

func (s *slugger) match(a *Match) {
	if a.Kind == InUser || a.Kind == InOutputs {
		s.word("in")
		s.word(a.Kind.String())
		return
	}
	s.word(a.Kind.String())
	if strings.Contains(a.Pattern, "*") { // here no wildcard, so not "any"
		s.exact = false
	}
	s.name(strings.ReplaceAll(a.Pattern, "*", ""))
}

func (s *slugger) negation(not bool) {
	if not {
		s.word("not")
	}
}

// word writes a word of our own.
func (s *slugger) word(w string) {
	if s.Len() > 0 {
		s.WriteByte('-')
	}
	s.WriteString(w)
	s.named = false
}

// name writes somebody's name as far as an id can hold it: "*" as "any", all
// else that is no letter, digit, "_", "." or "-" left out.
func (s *slugger) name(n string) {
	kept := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.', r == '-', r == '*':
			return r
		}
		return -1
	}, n)
	kept = strings.Trim(kept, ".-")
	for strings.Contains(kept, "..") {
		kept = strings.ReplaceAll(kept, "..", ".")
	}
	// A "-" or "any" in a name could be one of ours.
	if kept != n || kept == "" || strings.Contains(kept, "-") || strings.Contains(kept, "any") {
		s.exact = false
	}
	if kept == "" {
		return
	}
	s.word(strings.ReplaceAll(kept, "*", "any"))
	s.named = true
}
