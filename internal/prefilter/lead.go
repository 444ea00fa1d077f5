package prefilter

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// maxGap is how many characters may stand in a match before a literal that is
// to tell where the match begins.
const maxGap = 24

// lead is how the matches of a pattern begin: not more than gap characters
// before one of the texts, which are canonical and not empty.
type lead struct {
	known bool
	gap   int
	texts []string
}

// add takes in that a match may also begin like the other, after so many characters.
func (l *lead) add(after int, texts []string) {
	l.gap = max(l.gap, after)
	for _, s := range texts {
		if !slices.Contains(l.texts, s) {
			l.texts = append(l.texts, s)
		}
	}
}

// leadOf returns how the matches of a part begin. Nothing is known of one that
// may match no character.
func (a *analysis) leadOf(re *syntax.Regexp) lead {
	switch whole := a.languageOf(re); {
	case whole.exact && !slices.Contains(whole.texts, ""):
		l := lead{known: true, texts: whole.texts}
		return l.bounded()
	case re.Op == syntax.OpCapture, re.Op == syntax.OpPlus:
		return a.leadOf(re.Sub[0])
	case re.Op == syntax.OpConcat:
		return a.leadOfConcat(re.Sub)
	case re.Op == syntax.OpLiteral && len(re.Rune) > 1: // too long
		half := *re
		half.Rune = re.Rune[:len(re.Rune)/2]
		return a.leadOf(&half)
	case re.Op == syntax.OpAlternate:
		l := lead{known: true}
		for _, sub := range re.Sub {
			one := a.leadOf(sub)
			l.known = l.known && one.known
			l.add(one.gap, one.texts)
		}
		return l.bounded()
	}
	return lead{}
}

// bounded is the lead, or nothing if it has too many texts or too wide a gap.
func (l lead) bounded() lead {
	if !l.known || l.gap > maxGap || len(l.texts) > maxLiterals {
		return lead{}
	}
	return l
}

// leadOfConcat looks for the first texts in what follows each other. What may be
// left out can begin a match itself, or what is behind it does.
func (a *analysis) leadOfConcat(subs []*syntax.Regexp) lead {
	l := lead{known: true}
	gap := 0
	for len(subs) > 0 {
		joined, rest := a.leadingTexts(subs)
		if len(rest) < len(subs) {
			if !slices.Contains(joined, "") {
				l.add(gap, joined)
				return l.bounded()
			}
			gap += longest(joined)
			subs = rest
			continue
		}
		sub, optional := subs[0], subs[0].Op == syntax.OpQuest || subs[0].Op == syntax.OpStar
		if optional {
			sub = sub.Sub[0]
		}
		first, wide := a.leadOf(sub), width(subs[0])
		switch {
		case first.known && !optional:
			l.add(gap+first.gap, first.texts)
			return l.bounded()
		case wide >= 0 && gap+wide <= maxGap: // what is there at times tells less than what is always there
			gap += wide
		case first.known:
			l.add(gap+first.gap, first.texts)
		default:
			return lead{}
		}
		subs = subs[1:]
	}
	return lead{}
}

// leadingTexts spells out as many parts as it can, and returns the others.
func (a *analysis) leadingTexts(subs []*syntax.Regexp) (joined []string, rest []*syntax.Regexp) {
	joined = []string{""}
	for len(subs) > 0 {
		part := a.languageOf(subs[0])
		if !part.exact {
			break
		}
		longer, ok := product(joined, part.texts)
		if !ok {
			break
		}
		joined, subs = longer, subs[1:]
	}
	return joined, subs
}

// longest returns how many characters the longest text has.
func longest(texts []string) int {
	n := 0
	for _, s := range texts {
		n = max(n, utf8.RuneCountInString(s))
	}
	return n
}

// width returns how many characters a match has at most; -1: any number.
func width(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return -1
	}
	sum, most := 0, 0
	for _, sub := range re.Sub {
		wide := width(sub)
		if wide < 0 {
			return -1
		}
		sum, most = sum+wide, max(most, wide)
	}
	if re.Op == syntax.OpAlternate {
		return most
	}
	return sum
}
