package jsonv

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits bound what Parse reads.
type Limits struct {
	// Depth is how deep lists and objects may be nested; 0: DefaultDepth.
	Depth int
	// KeepDuplicates keeps members of equal name instead of refusing them.
	KeepDuplicates bool
}

// DefaultDepth is the nesting that Limits allow by default.
const DefaultDepth = 1000

// Error says what is wrong in a JSON text and where. Line and Column count
// from 1, columns in code points.
type Error struct {
	Line, Column int
	Message      string
	TooDeep      bool
}

// Error renders the position and the message.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// IsTooDeep reports whether Parse gave up because of Limits.Depth.
func IsTooDeep(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.TooDeep
}

// Parse reads one JSON value and nothing after it. The error is an [*Error].
func Parse(data []byte, l Limits) (Value, error) { return ParseString(string(data), l) }

// ParseString is Parse for a string, of which texts in the value are parts.
func ParseString(s string, l Limits) (Value, error) {
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	p := parser{s: s, limits: l}
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
	s      string
	i      int
	limits Limits
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

func (p *parser) enter(depth int) error {
	if depth < p.limits.Depth {
		return nil
	}
	err := p.fail("nested more than %d deep", p.limits.Depth)
	err.TooDeep = true
	return err
}

func (p *parser) list(depth int) (Value, error) {
	if err := p.enter(depth); err != nil {
		return Value{}, err
	}
	v := Value{kind: List}
	p.i++
	if p.blanks(); p.take(']') {
		return v, nil
	}
	for {
		p.blanks()
		e, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.elems = append(v.elems, e)
		p.blanks()
		if p.take(']') {
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
	for {
		p.blanks()
		at := p.i
		if p.i >= len(p.s) || p.s[p.i] != '"' {
			return Value{}, p.fail("want a key in double quotes")
		}
		key, err := p.text()
		if err != nil {
			return Value{}, err
		}
		if !p.limits.KeepDuplicates && !names.add(key, v.keys) {
			return Value{}, p.failAt(at, "duplicate key %s", strconv.QuoteToASCII(key))
		}
		if p.blanks(); !p.take(':') {
			return Value{}, p.fail("want a colon after the key")
		}
		p.blanks()
		e, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.keys, v.elems = append(v.keys, key), append(v.elems, e)
		p.blanks()
		if p.take('}') {
			return v, nil
		}
		if !p.take(',') {
			return Value{}, p.fail("want a comma or } in the object")
		}
	}
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

// text reads a string. One without escapes is a part of the source.
func (p *parser) text() (string, error) {
	p.i++
	start := p.i
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			s := p.s[start:p.i]
			p.i++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.fail("a control character in a text must be escaped")
		case c < utf8.RuneSelf:
			p.i++
		default:
			r, n := utf8.DecodeRuneInString(p.s[p.i:])
			if r == utf8.RuneError && n == 1 {
				return "", p.fail("invalid UTF-8")
			}
			p.i += n
		}
	}
	return "", p.failAt(start-1, "the text is not closed")
}

// escaped reads on from the first escape of a string.
func (p *parser) escaped(start int) (string, error) {
	b := append(make([]byte, 0, p.i-start+16), p.s[start:p.i]...)
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			return string(b), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
		case c < 0x20:
			return "", p.fail("a control character in a text must be escaped")
		default:
			r, n := utf8.DecodeRuneInString(p.s[p.i:])
			if r == utf8.RuneError && n == 1 {
				return "", p.fail("invalid UTF-8")
			}
			b = append(b, p.s[p.i:p.i+n]...)
			p.i += n
		}
	}
	return "", p.failAt(start-1, "the text is not closed")
}

const escapes = "\"\"\\\\//b\bf\fn\nr\rt\t" // pairs: what is written, what it means

func (p *parser) escape() (rune, error) {
	at := p.i
	p.i++
	if p.i >= len(p.s) {
		return 0, p.failAt(at, "the escape is not complete")
	}
	c := p.s[p.i]
	p.i++
	if c == 'u' {
		return p.unicode(at)
	}
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == c {
			return rune(escapes[i+1]), nil
		}
	}
	return 0, p.failAt(at, "unknown escape")
}

func (p *parser) unicode(at int) (rune, error) {
	r, ok := p.hex4()
	if !ok {
		return 0, p.failAt(at, `want four hexadecimal digits after \u`)
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if strings.HasPrefix(p.s[p.i:], `\u`) {
		p.i += 2
		if low, ok := p.hex4(); ok {
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, nil
			}
		}
	}
	return 0, p.failAt(at, "half a surrogate pair")
}

func (p *parser) hex4() (rune, bool) {
	if p.i+4 > len(p.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.i += 4
	return rune(n), true
}
