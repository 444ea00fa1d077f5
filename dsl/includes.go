package dsl

import "strings"

// Includes reports whether the pattern covers every name that another covers. Both
// are compared as they are, as by Match. A class includes itself only.
//
// What a "*" may stand for is anything. So a name in which a character stands for it
// that the pattern does not have is covered by its "*" or not at all, and speaks for
// all the others; but for those in which nothing stands for it, and those of a final
// ".*" with more segments than the pattern has.
func (p NamePattern) Includes(q NamePattern) bool {
	if p.IsClass() || q.IsClass() {
		return p == q
	}
	fresh, ok := p.foreign()
	if !ok {
		return false // not known
	}
	word := strings.ReplaceAll(string(q), "*", fresh)
	names := []string{word, strings.ReplaceAll(string(q), "*", "")}
	if q == "*" || strings.HasSuffix(string(q), ".*") {
		names = append(names, word+strings.Repeat("."+fresh, strings.Count(string(p), ".")+1))
	}
	for _, name := range names {
		if q.Match(name) && !p.Match(name) {
			return false
		}
	}
	return true
}

// foreign is a character that the pattern does not have.
func (p NamePattern) foreign() (string, bool) {
	for c := byte('a'); ; c++ {
		if c != '.' && c != '*' && strings.IndexByte(string(p), c) < 0 {
			return string([]byte{c}), true
		}
		if c == 'a'-1 {
			return "", false
		}
	}
}
