package jsonv

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
	after := p.i
	if strings.HasPrefix(p.s[p.i:], `\u`) {
		p.i += 2
		if low, ok := p.hex4(); ok {
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, nil
			}
		}
	}
	if p.limits.ReplaceSurrogates {
		p.i = after
		return utf8.RuneError, nil
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
