package jsonv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits bound what Parse reads.
type Limits struct {
	// Depth is how deep lists and objects may be nested; 0: DefaultDepth.
	Depth int
	// Values is how many values there may be, the outermost included; 0: any number.
	Values int
	// KeepDuplicates keeps members of equal name instead of refusing them.
	KeepDuplicates bool
	// ReplaceSurrogates puts U+FFFD in the place of half a surrogate pair
	// instead of refusing it, for what is read as a record and not judged as
	// it runs: programs that count in UTF-16 cut texts in the middle of a pair.
	ReplaceSurrogates bool
}

// DefaultDepth is the nesting that Limits allow by default.
const DefaultDepth = 1000

// Parse reads one JSON value and nothing after it. The error is an [*Error].
func Parse(data []byte, l Limits) (Value, error) { return ParseString(string(data), l) }

// ParseString is Parse for a string, of which texts in the value are parts.
func ParseString(s string, l Limits) (Value, error) {
	p := parser{s: s, limits: l}
	return p.document()
}

// Offsets tells where in the source each part of a value begins, in bytes, in
// the order of reading: a value's own, then for each member of an object its
// key and the member, for a list each element.
type Offsets []int

// ParseOffsets is ParseString that also tells where everything stands.
func ParseOffsets(s string, l Limits) (Value, Offsets, error) {
	p := parser{s: s, limits: l, locate: true}
	v, err := p.document()
	return v, p.offsets, err
}

func (p *parser) document() (Value, error) {
	if p.limits.Depth == 0 {
		p.limits.Depth = DefaultDepth
	}
	p.blanks()
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.blanks()
	if p.i < len(p.s) {
		return Value{}, p.fail("unexpected text after the value")
	}
	return v, nil
}

type parser struct {
	s       string
	i       int
	limits  Limits
	elems   []Value  // of the lists and objects that are open
	keys    []string // of the objects that are open
	values  int
	locate  bool // collect offsets
	offsets Offsets
}

func (p *parser) fail(format string, args ...any) *Error { return p.failAt(p.i, format, args...) }

func (p *parser) failAt(at int, format string, args ...any) *Error {
	before := p.s[:min(at, len(p.s))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (p *parser) blanks() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) value(depth int) (Value, error) {
	if p.i >= len(p.s) {
		return Value{}, p.fail("unexpected end, want a value")
	}
	if p.values++; p.limits.Values > 0 && p.values > p.limits.Values {
		err := p.fail("more than %d values", p.limits.Values)
		err.TooMany = true
		return Value{}, err
	}
	p.mark()
	switch c := p.s[p.i]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == '"':
		s, err := p.text()
		return Value{kind: String, text: s}, err
	case c == '-' || c-'0' <= 9:
		return p.number()
	}
	for _, w := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(p.s[p.i:], w) {
			p.i += len(w)
			if w == "null" {
				return Value{}, nil
			}
			return Value{kind: Bool, text: w}, nil
		}
	}
	return Value{}, p.fail("want a value: a text in double quotes, a number, true, false, null, a list or an object")
}

// mark notes the offset of what begins here.
func (p *parser) mark() {
	if p.locate {
		p.offsets = append(p.offsets, p.i)
	}
}

func (p *parser) enter(depth int) error {
	if depth < p.limits.Depth {
		return nil
	}
	err := p.fail("nested more than %d deep", p.limits.Depth)
	err.TooDeep = true
	return err
}

// list and object collect what they read on the parser's stacks and take an
// exact copy when they close, so that each costs one or two allocations.

func (p *parser) list(depth int) (Value, error) {
	if err := p.enter(depth); err != nil {
		return Value{}, err
	}
	v := Value{kind: List}
	p.i++
	if p.blanks(); p.take(']') {
		return v, nil
	}
	from := len(p.elems)
	for n := 0; ; n++ {
		p.blanks()
		e, err := p.value(depth + 1)
		if err != nil {
			return Value{}, within("["+strconv.Itoa(n)+"]", err)
		}
		p.elems = append(p.elems, e)
		p.blanks()
		if p.take(']') {
			v.elems = p.popElems(from)
			return v, nil
		}
		if !p.take(',') {
			return Value{}, p.fail("want a comma or ] in the list")
		}
	}
}

func (p *parser) object(depth int) (Value, error) {
	if err := p.enter(depth); err != nil {
		return Value{}, err
	}
	v := Value{kind: Object}
	names := names{}
	p.i++
	if p.blanks(); p.take('}') {
		return v, nil
	}
	from, fromKey := len(p.elems), len(p.keys)
	for {
		p.blanks()
		key, err := p.key(&names, fromKey)
		if err != nil {
			return Value{}, err
		}
		p.keys = append(p.keys, key)
		e, err := p.value(depth + 1)
		if err != nil {
			return Value{}, within(key, err)
		}
		p.elems = append(p.elems, e)
		p.blanks()
		if p.take('}') {
			v.elems, v.keys = p.popElems(from), slices.Clone(p.keys[fromKey:])
			p.keys = p.keys[:fromKey]
			return v, nil
		}
		if !p.take(',') {
			return Value{}, p.fail("want a comma or } in the object")
		}
	}
}

// popElems takes what the list or object that closes has put on the stack.
func (p *parser) popElems(from int) []Value {
	own := slices.Clone(p.elems[from:])
	p.elems = p.elems[:from]
	return own
}

// key reads a member's name, the colon and the blanks around it.
func (p *parser) key(names *names, from int) (string, error) {
	at := p.i
	p.mark()
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		return "", p.fail("want a key in double quotes")
	}
	key, err := p.text()
	if err != nil {
		return "", err
	}
	if !p.limits.KeepDuplicates && !names.add(key, p.keys[from:]) {
		return "", p.failAt(at, "duplicate key %s", strconv.QuoteToASCII(key))
	}
	if p.blanks(); !p.take(':') {
		return "", p.fail("want a colon after the key")
	}
	p.blanks()
	return key, nil
}

// names finds duplicates: by looking through the few keys of a small object,
// by a map in a large one.
type names struct{ seen map[string]bool }

const fewNames = 16

func (n *names) add(key string, keys []string) bool {
	if len(keys) < fewNames {
		return !slices.Contains(keys, key)
	}
	if n.seen == nil {
		n.seen = make(map[string]bool, 2*fewNames)
		for _, k := range keys {
			n.seen[k] = true
		}
	}
	if n.seen[key] {
		return false
	}
	n.seen[key] = true
	return true
}

func (p *parser) take(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) digits() bool {
	start := p.i
	for p.i < len(p.s) && p.s[p.i]-'0' <= 9 {
		p.i++
	}
	return p.i > start
}

func (p *parser) number() (Value, error) {
	start := p.i
	p.take('-')
	if !p.take('0') && !p.digits() {
		return Value{}, p.fail("want a digit")
	}
	if p.take('.') && !p.digits() {
		return Value{}, p.fail("want a digit after the point")
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return Value{}, p.fail("want a digit in the exponent")
		}
	}
	return Value{kind: Number, text: p.s[start:p.i]}, nil
}
