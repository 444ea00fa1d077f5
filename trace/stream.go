package trace

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// stream reads JSON values one after the other, and what is inside a list or
// an object one by one, so that a file need not fit into memory. It finds
// where a value ends by its brackets and quotes; that the value is JSON is
// seen when it is parsed.
type stream struct {
	source string
	limits Limits
	in     *bufio.Reader
	line   int                        // of the next byte, from 1
	column int                        // of the next byte, from 1, in code points
	last   struct{ line, column int } // of the byte that was read last
	buf    []byte
}

func newStream(source string, in *bufio.Reader, l Limits) *stream {
	return &stream{source: source, limits: l, in: in, line: 1, column: 1}
}

// doc is a value with the place where it begins.
type doc struct {
	jsonv.Value
	line, column int
}

// next returns the next byte, or io.EOF.
func (s *stream) next() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	s.last.line, s.last.column = s.line, s.column
	switch {
	case c == '\n':
		s.line, s.column = s.line+1, 1
	case c < utf8.RuneSelf || utf8.RuneStart(c):
		s.column++
	}
	return c, nil
}

// peek returns the first byte that is not blank without reading it. At the
// end of the input the error is io.EOF.
func (s *stream) peek() (byte, error) {
	for {
		b, err := s.in.Peek(1)
		if err != nil {
			return 0, err
		}
		switch b[0] {
		case ' ', '\t', '\r', '\n':
			s.next()
		default:
			return b[0], nil
		}
	}
}

// fault is an error at the place that is to be read next.
func (s *stream) fault(message string) *Error {
	return &Error{Source: s.source, Line: s.line, Column: s.column, Err: &SyntaxError{Message: message}}
}

// faultAt is an error at the byte that was read last.
func (s *stream) faultAt(message string) *Error {
	return &Error{Source: s.source, Line: s.last.line, Column: s.last.column, Err: &SyntaxError{Message: message}}
}

// failed is an error of reading: at the end of the input, one of syntax.
func (s *stream) failed(err error) error {
	if errors.Is(err, io.EOF) {
		return s.fault("the input ends in the middle of a value")
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Source: s.source, Line: s.line, Err: err}
}

// value reads and parses the next value.
func (s *stream) value() (doc, error) {
	if _, err := s.peek(); err != nil {
		return doc{}, s.failed(err)
	}
	d := doc{line: s.line, column: s.column}
	s.buf = s.buf[:0]
	if err := s.span(true); err != nil {
		return doc{}, err
	}
	var err error
	d.Value, err = parse(s.buf, s.limits)
	if err != nil {
		return doc{}, placed(s.source, d.line, d.column, err)
	}
	return d, nil
}

// parse reads a value within the limits.
func parse(raw []byte, l Limits) (jsonv.Value, error) {
	v, err := jsonv.Parse(raw, jsonv.Limits{Depth: maxDepth, Values: l.RunValues, ReplaceSurrogates: true})
	var j *jsonv.Error
	if errors.As(err, &j) && j.TooMany {
		return v, &LimitError{What: "a run", Limit: int64(l.RunValues), Unit: "values"}
	}
	return v, err
}

// skip passes over the next value. Of it only the brackets and quotes are
// checked.
func (s *stream) skip() error {
	if _, err := s.peek(); err != nil {
		return s.failed(err)
	}
	return s.span(false)
}

// span reads up to the end of the value that begins here, and keeps its bytes
// in buf if asked to.
func (s *stream) span(keep bool) error {
	var open []byte // the brackets that are to come
	for n := int64(0); ; n++ {
		if len(open) == 0 && n > 0 {
			return nil
		}
		c, err := s.next()
		if err != nil {
			return s.failed(err)
		}
		if keep {
			if n >= s.limits.RunBytes {
				return &Error{Source: s.source, Line: s.line, Err: &LimitError{What: "a run", Limit: s.limits.RunBytes, Unit: "bytes"}}
			}
			s.buf = append(s.buf, c)
		}
		switch c {
		case '{', '[':
			if len(open) == maxDepth {
				return s.faultAt("nested too deep")
			}
			open = append(open, c+2) // the bracket that closes it, in ASCII
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return s.faultAt("a bracket that closes nothing")
			}
			open = open[:len(open)-1]
		case '"':
			k, err := s.quoted(keep)
			if err != nil {
				return err
			}
			n += k
		case ' ', '\t', '\r', '\n':
		default:
			if len(open) == 0 {
				return s.scalar(keep)
			}
		}
	}
}

// quoted reads up to the quote that closes a text, and returns how many bytes
// that are.
func (s *stream) quoted(keep bool) (n int64, err error) {
	escaped := false
	for {
		c, err := s.next()
		if err != nil {
			return n, s.failed(err)
		}
		if n++; keep {
			if int64(len(s.buf)) >= s.limits.RunBytes {
				return n, &Error{Source: s.source, Line: s.line, Err: &LimitError{What: "a run", Limit: s.limits.RunBytes, Unit: "bytes"}}
			}
			s.buf = append(s.buf, c)
		}
		switch {
		case c < ' ':
			return n, s.faultAt("a text is not closed on its line")
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			return n, nil
		}
	}
}

// maxScalar is how long a number, or true, false or null, may be.
const maxScalar = 4096

// scalar reads on to the end of a value that is neither a text nor has
// brackets.
func (s *stream) scalar(keep bool) error {
	for n := 0; ; n++ {
		b, err := s.in.Peek(1)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.failed(err)
		}
		switch b[0] {
		case ' ', '\t', '\r', '\n', ',', ']', '}', '{', '[', '"', ':':
			return nil
		}
		if n == maxScalar {
			return s.fault("want a value")
		}
		c, _ := s.next()
		if keep {
			s.buf = append(s.buf, c)
		}
	}
}

// end reports an error if anything comes after the last value.
func (s *stream) end() error {
	_, err := s.peek()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return s.failed(err)
	}
	return s.fault("something comes after the last value")
}

// skipLine reads up to the end of the line.
func (s *stream) skipLine() error {
	for {
		c, err := s.next()
		if err != nil || c == '\n' {
			return err
		}
	}
}
