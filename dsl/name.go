package dsl

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key names a value: segments joined by ".".
type Key string

// NamePattern is a pattern over ability names or chain ids, as written
// without quotes. Segments split on "."; "*" matches within one segment, a
// final ".*" one or more further segments, and "*" alone anything. In the atoms
// about abilities it may be a class: Writes.
type NamePattern string

// KeyPattern is a Key in which "*" works as in a NamePattern. After arg: it may
// be a class: Destinations.
type KeyPattern string

// reserved are the words that begin atoms. They cannot be keys, step ids or output keys.
var reserved = [...]string{"frequency", "ability", "after", "output", "arg", "when"}

// meterPrefixes begin the names of meters. They cannot be step ids or output keys.
var meterPrefixes = [...]string{"task", "worker", "tool", "session"}

// meters are the meters there are, by their full name.
var meters = [...]string{
	"task.tool_calls", "task.turn_calls", "task.spend_cents", "task.input_tokens", "task.output_tokens", "task.context_tokens",
	"task.duration", "task.idle", "task.messages", "task.output_similarity", "task.same_call_streak",
	"task.same_ability_streak", "task.alternation", "task.error_streak", "task.growing_edit_streak",
	"task.same_message_streak", "task.stuck_below",
	"worker.failures", "tool.failures",
	"session.tool_calls", "session.spend_cents", "session.duration",
}

// Meters returns the names of all meters.
func Meters() []string { return append([]string(nil), meters[:]...) }

// IsMeter reports whether the key is the name of a meter.
func (k Key) IsMeter() bool {
	return slices.Contains(meters[:], string(k))
}

// Segments splits the key at its dots.
func (k Key) Segments() []string { return strings.Split(string(k), ".") }

// IsReserved reports whether a word begins an atom or a meter, so that no
// step id or output key may be it. A threshold key may not be the former.
func IsReserved(word string) bool { return reservedKey(word) || isMeterPrefix(word) }

// Fold brings a name to the form in which rules compare it: Unicode
// normalisation form C, case-folded. A lower-case ASCII name is returned as it is.
func Fold(s string) string {
	if Folded(s) {
		return s
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
		}
	}
	return strings.ToLower(s)
}

// Folded reports whether a name is lower-case ASCII, which folds to itself. Of
// others it says nothing.
func Folded(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// Fold returns the pattern in the form in which rules compare it.
func (p NamePattern) Fold() NamePattern { return NamePattern(Fold(string(p))) }

// Match reports whether the pattern covers a name. Both are compared as they
// are: fold them first where case does not count. To Match a class is a name
// like any other; Covers knows it.
func (p NamePattern) Match(name string) bool {
	if p == "*" {
		return name != ""
	}
	return matchSegments(string(p), name)
}

// Literal reports whether the pattern is one name: it holds no "*" and is no class.
func (p NamePattern) Literal() bool { return !strings.Contains(string(p), "*") && !p.IsClass() }

// Match reports whether the pattern covers a key's full path.
func (p KeyPattern) Match(key string) bool {
	if p.IsClass() {
		return isDestination(key)
	}
	return NamePattern(p).Match(key)
}

// Literal reports whether the pattern holds no "*".
func (p KeyPattern) Literal() bool { return NamePattern(p).Literal() && !p.IsClass() }

func matchSegments(pattern, name string) bool {
	for {
		p, prest, pmore := strings.Cut(pattern, ".")
		n, nrest, nmore := strings.Cut(name, ".")
		if !pmore && p == "*" {
			return name != "" // the final ".*": whatever is left, at least one segment
		}
		if !matchSegment(p, n) {
			return false
		}
		if !pmore || !nmore {
			return pmore == nmore
		}
		pattern, name = prest, nrest
	}
}

// matchSegment matches "*" against any run of characters, remembering only
// the last star, which is enough and keeps the time at most quadratic.
func matchSegment(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// reservedKey reports whether a word begins an atom, so that no key may be it.
func reservedKey(word string) bool { return slices.Contains(reserved[:], word) }

func isMeterPrefix(word string) bool { return slices.Contains(meterPrefixes[:], word) }

// metersOf returns the meters that begin with a prefix.
func metersOf(prefix string) []string {
	return slices.DeleteFunc(Meters(), func(m string) bool { return !strings.HasPrefix(m, prefix+".") })
}
