package chain

import (
	"iter"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// maxKey is the longest key or name, in bytes.
const maxKey = 256

// isSegment reports whether a text is one segment of a key: a letter or "_",
// then letters, digits, "_" and "-", all of them ASCII.
func isSegment(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= maxKey
}

// isKey reports whether a text is a key: segments joined by ".".
func isKey(s string) bool {
	if len(s) > maxKey {
		return false
	}
	for segment := range strings.SplitSeq(s, ".") {
		if !isSegment(segment) {
			return false
		}
	}
	return true
}

// prefixes yields the names under which a key's value may be bound, longest
// first, and what is left of the key to look up inside the value.
func prefixes(key dsl.Key) iter.Seq2[string, string] {
	return func(yield func(name, rest string) bool) {
		name := string(key)
		for name != "" {
			if !yield(name, strings.TrimPrefix(string(key[len(name):]), ".")) {
				return
			}
			name = name[:max(strings.LastIndexByte(name, '.'), 0)]
		}
	}
}

// covers reports whether a value bound to name is, or holds, the key's value.
func covers(name string, key dsl.Key) bool {
	rest, ok := strings.CutPrefix(string(key), name)
	return ok && name != "" && (rest == "" || rest[0] == '.')
}
