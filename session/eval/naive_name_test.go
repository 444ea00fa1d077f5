package eval_test

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// nameMatches: segments split on "."; "*" matches within one segment, a final
// ".*" one or more further segments, "*" alone any name.
func nameMatches(pattern, name string) bool {
	patterns, names := strings.Split(pattern, "."), strings.Split(name, ".")
	for i, p := range patterns {
		if i == len(names) {
			return false
		}
		if p == "*" && i == len(patterns)-1 {
			return name != ""
		}
		if !segmentMatches(p, names[i]) {
			return false
		}
	}
	return len(patterns) == len(names)
}

// segmentMatches tries every length for every star.
func segmentMatches(pattern, s string) bool {
	if pattern == "" {
		return s == ""
	}
	if pattern[0] != '*' {
		return s != "" && s[0] == pattern[0] && segmentMatches(pattern[1:], s[1:])
	}
	for i := 0; i <= len(s); i++ {
		if segmentMatches(pattern[1:], s[i:]) {
			return true
		}
	}
	return false
}

// abilityMatches compares normalised and case-folded, as a guard does; the
// class @writes looks at the words of the name.
func abilityMatches(pattern, name string) bool {
	if pattern == "@writes" {
		return mayWrite(name)
	}
	return nameMatches(folded(pattern), folded(name))
}

// folded is s in Unicode normalisation form C and case-folded.
func folded(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (a ability) judge(_ rule, _ *history, s step) judgement {
	return plain(abilityMatches(a.name, s.ability) != a.not, "matched")
}

func (a after) judge(_ rule, h *history, s step) judgement {
	seen := false
	for _, name := range slices.Concat(h.admitted[s.session], s.history) {
		seen = seen || abilityMatches(a.name, name)
	}
	return plain(seen != a.not, "matched")
}
