package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// Options say how runs are read. The zero Options find the format and have
// the default limits.
type Options struct {
	Format string // one of Formats; "": found from the content
	Limits Limits
	// PassedOver is told of every file below a directory that is no recording;
	// nil: nobody is.
	PassedOver func(file string)
}

// Open reads every run of a file, or of all the files below a directory, as
// Files lists them. Of each pair one is nil: a run that cannot be read is an
// [*Error], after which the next run or file follows.
func Open(path string, o Options) iter.Seq2[*Run, error] {
	return func(yield func(*Run, error) bool) {
		for file, err := range Files(path, o) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for r, err := range openFile(file, o) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func openFile(path string, o Options) iter.Seq2[*Run, error] {
	return func(yield func(*Run, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, unread(path, err))
			return
		}
		defer f.Close()
		Read(path, f, o)(yield)
	}
}

// unread is an error of the file system, without its repetition of the name.
func unread(path string, err error) *Error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{Source: path, Err: err}
}

// Read reads every run of a stream, which may be compressed with gzip. The
// source is what its runs and errors call it.
func Read(source string, r io.Reader, o Options) iter.Seq2[*Run, error] {
	return func(yield func(*Run, error) bool) {
		in, f, err := begin(source, r, o)
		if err != nil {
			yield(nil, &Error{Source: source, Err: err})
			return
		}
		in.yield = yield
		f.read(in)
	}
}

// errEmpty says that a file holds nothing at all.
var errEmpty = &SyntaxError{Message: "the file is empty"}

// begin unpacks a stream and finds its format.
func begin(source string, r io.Reader, o Options) (*input, format, error) {
	limits := o.Limits.withDefaults()
	buf, prefix, err := unpacked(r, limits)
	switch {
	case err != nil:
		return nil, format{}, err
	case len(prefix) == 0:
		return nil, format{}, errEmpty
	}
	if err := checkEncoding(prefix); err != nil {
		return nil, format{}, err
	}
	shape, f, wrong := detectIn(prefix)
	if o.Format == "" && unknown(wrong) && mayTellLater(prefix) {
		if buf, prefix, err = beginning(buf, outlineFar); err != nil {
			return nil, format{}, err
		}
		shape, f, wrong = detectIn(prefix)
	}
	if bytes.HasPrefix(prefix, []byte(byteOrderMark)) {
		if _, err := buf.Discard(len(byteOrderMark)); err != nil {
			return nil, format{}, err
		}
	}
	if o.Format != "" {
		f, wrong = named(o.Format)
	}
	if wrong != nil {
		return nil, format{}, wrong
	}
	in := newInput(source, buf, limits, shape.lines, nil)
	in.lines = in.lines && !shape.broad
	return in, f, nil
}

// gzipMark begins what is compressed with gzip.
const gzipMark = "\x1f\x8b"

// unpacked returns a stream without its compression, and what it begins with.
func unpacked(r io.Reader, l Limits) (*bufio.Reader, []byte, error) {
	buf, prefix, err := beginning(&sticky{r: r}, outlineBytes)
	if err != nil || !bytes.HasPrefix(prefix, []byte(gzipMark)) {
		return buf, prefix, err
	}
	z, err := gzip.NewReader(buf)
	if err != nil {
		return nil, nil, fmt.Errorf("the file cannot be unpacked: %w", err)
	}
	buf, prefix, err = beginning(&sticky{r: &bounded{z, l.Unpacked, l.Unpacked}}, outlineBytes)
	if err == nil && bytes.HasPrefix(prefix, []byte(gzipMark)) {
		err = &SyntaxError{Message: "the file is compressed twice: unpack it once"}
	}
	return buf, prefix, err
}

// beginning returns what a stream begins with, up to a length, which is still
// to be read.
func beginning(r io.Reader, length int) (*bufio.Reader, []byte, error) {
	buf := bufio.NewReaderSize(r, length)
	prefix, err := buf.Peek(length)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf, prefix, err
}

// sticky repeats the first error of a reader, so that none is lost where it is
// only looked ahead.
type sticky struct {
	r   io.Reader
	err error
}

func (s *sticky) Read(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	n, s.err = s.r.Read(p)
	return n, s.err
}

// bounded reads up to a limit, and fails beyond it.
type bounded struct {
	io.Reader
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &LimitError{What: "a compressed file", Limit: b.limit, Unit: "bytes"}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("the file cannot be unpacked: %w", err)
	}
	return n, err
}
