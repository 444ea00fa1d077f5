package eval

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Reader splits an input into steps: JSON Lines, or a single JSON document
// over several lines.
type Reader struct {
	in    *bufio.Reader
	any   bool
	ahead [][]byte // lines that were read and are not part of the first step
}

// NewReader returns a reader of steps.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(in, 64<<10)} }

// Next returns the next step, without the line's end, or io.EOF. Blank lines
// are passed over. A line longer than MaxStep is cut there, so that it is
// refused and not read into memory.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if first := !r.any; first {
			r.any = true
			return r.document(line)
		}
		return line, nil
	}
}

// document lets the first step go over several lines: while brackets are
// open, the next line belongs to it. Where they are never closed, the first
// line is a faulty step of JSON Lines, and those after it stand by themselves.
func (r *Reader) document(line []byte) ([]byte, error) {
	if line[0] != '{' {
		return line, nil
	}
	var open brackets
	open.feed(line)
	lines, size := [][]byte{line}, len(line)
	for open.depth > 0 && !open.quoted && size <= MaxStep {
		next, err := r.line()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		open.feed(next)
		lines, size = append(lines, next), size+1+len(next)
	}
	if open.depth > 0 {
		r.ahead = lines[1:]
		return line, nil
	}
	return bytes.Join(lines, []byte("\n")), nil
}

// line returns a line of at most MaxStep+1 bytes; what is longer is dropped.
func (r *Reader) line() ([]byte, error) {
	if len(r.ahead) > 0 {
		next := r.ahead[0]
		r.ahead = r.ahead[1:]
		return next, nil
	}
	var out []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if room := MaxStep + 1 - len(out); room > 0 {
			out = append(out, part[:min(len(part), room)]...)
		}
		switch {
		case err == nil:
			return bytes.TrimRight(out, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		default:
			return nil, err
		}
	}
}

// brackets counts the brackets that are open outside strings. It looks no
// closer: what is wrong inside is for the parser to say.
type brackets struct {
	depth           int
	quoted, escaped bool
}

func (b *brackets) feed(text []byte) {
	for _, c := range text {
		switch {
		case b.escaped:
			b.escaped = false
		case b.quoted && c == '\\':
			b.escaped = true
		case c == '"':
			b.quoted = !b.quoted
		case b.quoted:
		case c == '{' || c == '[':
			b.depth++
		case c == '}' || c == ']':
			b.depth--
		}
	}
}
