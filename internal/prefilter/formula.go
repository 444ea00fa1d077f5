package prefilter

import (
	"slices"
	"strings"
)

// Bounds of what is kept of one pattern. What is beyond them is not known of it,
// which only makes the prefilter less sharp.
const (
	minLiteral  = 2   // shorter literals are in nearly every text
	maxLiteral  = 32  // bytes
	maxExact    = 16  // alternatives that are spelled out together
	maxClass    = 8   // characters of a class that are spelled out
	maxLiterals = 256 // of one pattern
)

// formula says which literals must occur in a text for a pattern to match it.
type formula struct {
	op      op
	literal string // of opLiteral, canonical
	id      int32  // of the literal, once it has one
	parts   []formula
}

type op uint8

const (
	opUnknown op = iota // nothing must: the zero formula
	opLiteral
	opAll
	opAny // of no parts: nothing matches
)

// literals counts the literals of a formula.
func (f *formula) literals() int {
	if f.op == opLiteral {
		return 1
	}
	n := 0
	for i := range f.parts {
		n += f.parts[i].literals()
	}
	return n
}

func (f *formula) clone() formula {
	c := *f
	c.parts = slices.Clone(f.parts)
	for i := range c.parts {
		c.parts[i] = f.parts[i].clone()
	}
	return c
}

// all is the formula of what needs every part. Parts that tell nothing, and
// those that would be too many, are left out: less must then occur.
func all(parts []formula) formula {
	var kept []formula
	room := maxLiterals
	for _, f := range parts {
		if n := f.literals(); f.op != opUnknown && n <= room {
			kept = append(kept, f)
			room -= n
		}
	}
	switch len(kept) {
	case 0:
		return formula{}
	case 1:
		return kept[0]
	}
	return formula{op: opAll, parts: kept}
}

// oneOf is the formula of what needs one part. If one part tells nothing, or
// they are too many, neither do all.
func oneOf(parts []formula) formula {
	n := 0
	for i := range parts {
		n += parts[i].literals()
		if parts[i].op == opUnknown || n > maxLiterals {
			return formula{}
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return formula{op: opAny, parts: parts}
}

// oneOfTexts is the formula of what contains one of the texts. A text that
// contains another one says nothing beyond it.
func oneOfTexts(texts []string) formula {
	texts = slices.Clone(texts)
	slices.SortFunc(texts, func(a, b string) int { return len(a) - len(b) })
	var parts []formula
	for _, s := range texts {
		if len(s) < minLiteral {
			return formula{}
		}
		if !slices.ContainsFunc(parts, func(f formula) bool { return strings.Contains(s, f.literal) }) {
			parts = append(parts, formula{op: opLiteral, literal: s})
		}
	}
	return oneOf(parts)
}

// holds reports whether the literals that were found are enough.
func (f *formula) holds(found []uint64) bool {
	switch f.op {
	case opLiteral:
		return found[f.id/64]&(1<<(f.id%64)) != 0
	case opAll:
		for i := range f.parts {
			if !f.parts[i].holds(found) {
				return false
			}
		}
		return true
	case opAny:
		for i := range f.parts {
			if f.parts[i].holds(found) {
				return true
			}
		}
		return false
	}
	return true
}
