package meter

import (
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// How outputs are compared: the last Window of them, by the set of their
// first MaxTokens words.
const (
	Window    = 3
	MaxTokens = 512
)

// outputs compares what the agent says with what it said before.
type outputs struct {
	words [2][]uint64 // the sets of the last output and of the one before it, as sorted hashes
	spare []uint64
	pairs [Window - 1]ratio // of the last pairs, the latest first
	n     int               // outputs, at most Window
}

// ratio is num/den.
type ratio struct{ num, den int64 }

func (r ratio) less(s ratio) bool { return r.num*s.den < s.num*r.den }

// add compares an output with the one before it.
func (o *outputs) add(seed maphash.Seed, text string) {
	set := wordSet(seed, text, o.spare[:0])
	if o.n > 0 {
		o.pairs[1], o.pairs[0] = o.pairs[0], jaccard(o.words[0], set)
	}
	o.spare, o.words[1], o.words[0] = o.words[1], o.words[0], set
	o.n = min(o.n+1, Window)
}

// ForgetOutputs begins the comparison of outputs anew.
func (k *Task) ForgetOutputs() {
	k.outputs.reset()
	k.streaks.messages = monologue{}
}

// reset forgets the outputs, and keeps the memory: a user who watches has them
// begin anew with every word.
func (o *outputs) reset() { o.n = 0 }

// similarity is the least similarity of two outputs in a row among the last
// Window; 0 until there are that many.
func (o *outputs) similarity() decimal.Decimal {
	if o.n < Window {
		return decimal.Decimal{}
	}
	least := o.pairs[0]
	if o.pairs[1].less(least) {
		least = o.pairs[1]
	}
	return decimal.Quotient(least.num, least.den)
}

// wordSet appends the hashes of the first words, between blanks, to set, and
// makes it a sorted set.
func wordSet(seed maphash.Seed, text string, set []uint64) []uint64 {
	for n := 0; n < MaxTokens; n++ {
		start, end := nextWord(text)
		if start == end {
			break
		}
		set = append(set, maphash.String(seed, text[start:end]))
		text = text[end:]
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// nextWord returns where the first word of a text begins and ends.
func nextWord(text string) (start, end int) {
	for start < len(text) {
		r, size := utf8.DecodeRuneInString(text[start:])
		if !unicode.IsSpace(r) {
			break
		}
		start += size
	}
	for end = start; end < len(text); {
		r, size := utf8.DecodeRuneInString(text[end:])
		if unicode.IsSpace(r) {
			break
		}
		end += size
	}
	return start, end
}

// jaccard is the size of the common part of two sorted sets over that of both
// together; of two empty sets 1.
func jaccard(a, b []uint64) ratio {
	common := int64(0)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	if both := int64(len(a)+len(b)) - common; both > 0 {
		return ratio{common, both}
	}
	return ratio{1, 1}
}
