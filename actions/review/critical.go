package review

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Critical reports whether an ability is critical by the words of its name:
// whether it moves money, destroys, goes live, runs anything, or changes who may
// do what. A name is read as its tool's maker wrote it: the last segment (behind
// a ".", "/", ":" or "__") says what is done, by its first verb, and what is
// before it says of what; capitals within a word begin a new one. A verb of
// looking first, or a noun that only tells (charge_status), is harmless.
//
// It is what names say, and so a guess: a name that hides what it does is not
// found, and of names that nobody had thought of before, about one critical in
// four was missed. Where that is too few, give Limits.Critical patterns.
func Critical(ability string) bool {
	segments := segmentsOf(ability)
	if len(segments) == 0 {
		return false
	}
	before, last := segments[:len(segments)-1], segments[len(segments)-1]
	if interprets(last) {
		return true
	}
	around := slices.Concat(before...)
	for part := range parts(last) {
		if does(part, around) {
			return true
		}
	}
	// delete.file: the verb alone in the segment before.
	return len(before) > 0 && headOf(last) < 0 && len(before[len(before)-1]) == 1 &&
		does(slices.Concat(before[len(before)-1], last), nil)
}

// segmentsOf are the words of each segment of a name.
func segmentsOf(name string) [][]string {
	var segments [][]string
	for text := range strings.FieldsFuncSeq(strings.ReplaceAll(name, "__", "/"), func(r rune) bool { return strings.ContainsRune("./:", r) }) {
		words := slices.Collect(dsl.Words(text))
		if folded := dsl.Fold(text); len(words) > 1 && strings.ContainsAny(folded, "0123456789") {
			words = append([]string{folded}, words...) // k8s
		}
		if len(words) > 0 {
			segments = append(segments, words)
		}
	}
	return segments
}

// parts yields what stands between joints: get_and_delete does two things.
func parts(words []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for len(words) > 0 {
			i := slices.IndexFunc(words, func(w string) bool { return joints[w] })
			if i < 0 || slices.Contains(words, "drag") {
				yield(words)
				return
			}
			if i > 0 && !yield(words[:i]) {
				return
			}
			words = words[i+1:]
		}
	}
}

// interprets reports whether a segment names nothing but what runs code.
func interprets(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return interpreters[w] }) &&
		!slices.ContainsFunc(words, func(w string) bool { return !interpreters[w] && !trimmings[w] })
}

// headOf is where the first verb is; -1: nowhere.
func headOf(words []string) int {
	return slices.IndexFunc(words, func(w string) bool {
		return looking[w] || handling[w] || slices.ContainsFunc(deeds, func(d deed) bool { return d.verbs[w] })
	})
}

// does judges words with one verb.
func does(words, around []string) bool {
	head := headOf(words)
	if head < 0 || looking[words[head]] {
		return false
	}
	object := keys(words[head+1:])
	around = keys(slices.Concat(around, words[:head]))
	return slices.ContainsFunc(deeds, func(d deed) bool { return d.verbs[words[head]] && d.is(object, around) })
}

// is reports whether the deed is critical of an object, with what is around.
func (d *deed) is(object, around []string) bool {
	all := slices.Concat(around, object)
	if len(all) == 0 && d.bare {
		return true
	}
	if d.but.any(all) || d.noun && len(object) > 0 && (telling.has(object[len(object)-1]) || looking.any(object)) {
		return false
	}
	of := object
	switch {
	case d.wide:
		of = all
	case len(object) == 0:
		of = around
	}
	if d.last {
		of = lastOf(of)
	}
	return d.of == nil || d.of.any(of)
}

// lastOf is the last word before a preposition, which says what words are
// about: the user, of user_to_group.
func lastOf(words []string) []string {
	if i := slices.IndexFunc(words, func(w string) bool { return prepositions[w] }); i >= 0 {
		words = words[:i]
	}
	return words[max(len(words)-1, 0):]
}

// keys writes an API key, an access token, a bucket policy and their like as
// one word: other keys, tokens and policies open nothing.
func keys(words []string) []string {
	var out []string
	for i, w := range words {
		switch {
		case i > 0 && openers[words[i-1]] && opened.has(w):
			w = "accesskey"
		case i > 0 && ruled[words[i-1]] && policies.has(w):
			w = "accesspolicy"
		}
		out = append(out, w)
	}
	return out
}

// any reports whether the set has one of the words.
func (s wordSet) any(words []string) bool { return slices.ContainsFunc(words, s.has) }

// has reports whether the set has a word, or that of which it is the plural.
func (s wordSet) has(w string) bool {
	if s[w] || s[strings.TrimSuffix(w, "s")] {
		return true
	}
	stem, plural := strings.CutSuffix(w, "ies")
	return plural && s[stem+"y"]
}
