// Package prefilter owns saying quickly that regular expressions cannot match a
// text: by the literals that every match contains, looked for in one pass over
// the text however many expressions there are. It does not match: where it does
// not say no, the expression has to be run.
package prefilter

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/multimatch"
)

// The characters beyond ASCII that fold to ASCII letters.
const (
	kelvin = '\u212a' // folds to k
	longS  = '\u017f' // folds to s
)

// maxText is how many bytes of literals a Filter looks for. The patterns that
// come after them may always match: each byte takes room for all its successors.
const maxText = 1 << 16

// Filter knows what regular expressions need. It is immutable and safe for any
// number of goroutines.
type Filter struct {
	needs    []formula // by pattern
	literals int
	matcher  *multimatch.Matcher
}

// Found is which literals of a Filter a text holds. The zero value is ready for
// a scan; reuse it, a scan overwrites it.
type Found struct{ bits []uint64 }

// New makes a filter for regular expressions. One of which nothing is known may
// always match.
func New(patterns []*Regexp) *Filter {
	x := &Filter{needs: make([]formula, len(patterns))}
	texts := []string{string(kelvin), string(longS)} // literals 0 and 1
	ids := map[string]int32{}
	room := maxText
	for i, p := range patterns {
		needs := p.needs.clone() // the literals get other ids in another filter
		if room -= needs.number(ids, &texts); room < 0 {
			break
		}
		x.needs[i] = needs
	}
	x.literals = len(texts)
	x.matcher = multimatch.New(texts, true)
	return x
}

// number gives every literal an id, the same for the same text, and returns how
// many bytes of text are new.
func (f *formula) number(ids map[string]int32, texts *[]string) (added int) {
	if f.op == opLiteral {
		id, known := ids[f.literal]
		if !known {
			id = int32(len(*texts))
			ids[f.literal] = id
			*texts = append(*texts, f.literal)
			added = len(f.literal)
		}
		f.id = id
	}
	for i := range f.parts {
		added += f.parts[i].number(ids, texts)
	}
	return added
}

// Blind reports whether nothing is known of the pattern, so that it may match
// any text.
func (x *Filter) Blind(pattern int) bool { return x.needs[pattern].op == opUnknown }

// Scan looks for all literals in the text.
func (x *Filter) Scan(text string, f *Found) {
	if x.scan(text, f); f.bits[0]&3 != 0 {
		// So rare that a second pass is cheaper than to read each text canonically.
		x.scan(strings.NewReplacer(string(kelvin), "k", string(longS), "s").Replace(text), f)
	}
}

func (x *Filter) scan(text string, f *Found) {
	words := (x.literals + 63) / 64
	if cap(f.bits) < words {
		f.bits = make([]uint64, words)
	}
	f.bits = f.bits[:words]
	clear(f.bits)
	bits := f.bits
	x.matcher.Find(text, func(id int) bool {
		bits[id/64] |= 1 << (id % 64)
		return true
	})
}

// May reports whether the pattern may match the text that was scanned. If not,
// it does not.
func (x *Filter) May(pattern int, f *Found) bool { return x.needs[pattern].holds(f.bits) }
