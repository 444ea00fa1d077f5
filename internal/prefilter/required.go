package prefilter

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// language is what is known of the texts that a part of a pattern matches.
type language struct {
	exact bool     // texts are all of them, canonical, without duplicates
	texts []string // of an exact one
	must  formula  // of any other: what they all contain
}

// needs is what every text of the language contains.
func (l *language) needs() formula {
	if l.exact {
		return oneOfTexts(l.texts)
	}
	return l.must
}

// nothing is the language of parts that match no character, such as \b.
func nothing() language { return language{exact: true, texts: []string{""}} }

// analysis is what is known of the parts of a pattern, each worked out once: both
// what a match contains and what it begins with are made of the same.
type analysis struct {
	tree  *syntax.Regexp // nil: the pattern is none
	known map[*syntax.Regexp]language
}

func analyse(pattern string) *analysis {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return &analysis{}
	}
	return &analysis{tree: tree.Simplify(), known: map[*syntax.Regexp]language{}}
}

// required returns what every match of the pattern contains. Of a pattern that
// regexp.Compile does not take nothing is known.
func (a *analysis) required() formula {
	if a.tree == nil {
		return formula{}
	}
	l := a.languageOf(a.tree)
	return l.needs()
}

func (a *analysis) languageOf(re *syntax.Regexp) language {
	l, known := a.known[re]
	if !known {
		l = a.workOut(re)
		a.known[re] = l
	}
	return l
}

func (a *analysis) workOut(re *syntax.Regexp) language {
	switch re.Op {
	case syntax.OpNoMatch:
		return language{exact: true}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nothing()
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCharClass:
		return classOf(re.Rune)
	case syntax.OpCapture:
		return a.languageOf(re.Sub[0])
	case syntax.OpConcat:
		return a.concat(re.Sub)
	case syntax.OpAlternate:
		return a.alternate(re.Sub)
	case syntax.OpQuest:
		return union([]language{nothing(), a.languageOf(re.Sub[0])})
	case syntax.OpPlus:
		once := a.languageOf(re.Sub[0])
		return language{must: once.needs()}
	case syntax.OpRepeat: // Simplify leaves none
		if re.Min > 0 {
			once := a.languageOf(re.Sub[0])
			return language{must: once.needs()}
		}
	}
	return language{} // any character, or any number of times
}

// literalOf spells a literal out, in each spelling of its letters that the
// canonical form keeps apart.
func literalOf(re *syntax.Regexp) language {
	if text, ok := asciiText(re.Rune); ok {
		return language{exact: true, texts: []string{text}}
	}
	letters := make([]language, len(re.Rune))
	for i, r := range re.Rune {
		if r < utf8.RuneSelf { // all that fold to it have one canonical form
			letters[i] = language{exact: true, texts: []string{canonical(r)}}
			continue
		}
		orbit := []rune{r, r}
		if re.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				orbit = append(orbit, f, f)
			}
		}
		letters[i] = classOf(orbit)
	}
	return concatLanguages(letters)
}

// asciiText is the one canonical text of a literal of ASCII characters that is
// not too long, as most are: spelling it out by letters is most of the work of
// compiling a pattern.
func asciiText(runes []rune) (text string, ok bool) {
	if len(runes) > maxLiteral {
		return "", false
	}
	var b [maxLiteral]byte
	for i, r := range runes {
		if r >= utf8.RuneSelf {
			return "", false
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		b[i] = byte(r)
	}
	return string(b[:len(runes)]), true
}

// classOf spells out a class, given as pairs of first and last characters. An
// invalid byte matches as U+FFFD does, so that this one is not spelled out.
func classOf(pairs []rune) language {
	l := language{exact: true}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1]-pairs[i] >= maxClass || pairs[i] <= utf8.RuneError && utf8.RuneError <= pairs[i+1] {
			return language{}
		}
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if s := canonical(r); !slices.Contains(l.texts, s) {
				l.texts = append(l.texts, s)
			}
		}
		if len(l.texts) > maxClass {
			return language{}
		}
	}
	return l
}

// canonical is the form in which characters are looked for. ASCII letters lose
// their case, and the two other characters that fold to one become it.
func canonical(r rune) string {
	switch {
	case r == kelvin:
		return "k"
	case r == longS:
		return "s"
	case 'A' <= r && r <= 'Z':
		r += 'a' - 'A'
	}
	return string(r)
}

func (a *analysis) concat(subs []*syntax.Regexp) language {
	parts := make([]language, len(subs))
	for i, sub := range subs {
		parts[i] = a.languageOf(sub)
	}
	return concatLanguages(parts)
}

// concatLanguages joins what follows each other into longer texts, as long as
// these are few.
func concatLanguages(parts []language) language {
	joined := nothing()
	var musts []formula
	for _, part := range parts {
		if part.exact {
			if product, ok := product(joined.texts, part.texts); ok {
				joined.texts = product
				continue
			}
		}
		musts = append(musts, joined.needs())
		if joined = part; !part.exact {
			musts, joined = append(musts, part.must), nothing()
		}
	}
	if len(musts) == 0 {
		return joined
	}
	return language{must: all(append(musts, joined.needs()))}
}

// product joins each of the first texts with each of the second. It reports
// false if that makes too many or too long ones.
func product(first, second []string) (out []string, ok bool) {
	if len(first)*len(second) > maxExact*maxClass {
		return nil, false
	}
	for _, a := range first {
		for _, b := range second {
			s := a + b
			if len(s) > maxLiteral {
				return nil, false
			}
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out, len(out) <= max(maxExact, len(first), len(second))
}

func (a *analysis) alternate(subs []*syntax.Regexp) language {
	parts := make([]language, len(subs))
	for i, sub := range subs {
		parts[i] = a.languageOf(sub)
	}
	return union(parts)
}

// union is what matches one of the parts.
func union(parts []language) language {
	whole := language{exact: true}
	for _, part := range parts {
		whole.exact = whole.exact && part.exact
		for _, s := range part.texts {
			if !slices.Contains(whole.texts, s) {
				whole.texts = append(whole.texts, s)
			}
		}
	}
	if whole.exact && len(whole.texts) <= maxLiterals {
		return whole
	}
	needs := make([]formula, len(parts))
	for i := range parts {
		needs[i] = parts[i].needs()
	}
	return language{must: oneOf(needs)}
}
