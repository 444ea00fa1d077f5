package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// MaxLine is how long a line may be, in bytes.
const MaxLine = 64 << 20

// LineError says which line of a log is wrong, and why.
type LineError struct {
	File string
	Line int
	Err  error
}

// Error names the place.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// ReadFile reads a file of a log. Every line is checked by itself, and that it
// follows the one before in the file. A [*LineError] is the last.
func ReadFile(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Line{}, fmt.Errorf("audit: %w", err))
			return
		}
		defer f.Close()
		for l, err := range Read(path, f) {
			if !yield(l, err) {
				return
			}
		}
	}
}

// Read is ReadFile for a stream.
func Read(name string, r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var last Line
		for number := 1; ; number++ {
			raw, err := readLine(in)
			if errors.Is(err, io.EOF) && len(raw) == 0 {
				return
			}
			var l Line
			switch {
			case errors.Is(err, io.EOF):
				err = errors.New("half a line: its end is missing")
			case err == nil:
				if l, err = parseLine(raw[:len(raw)-1]); err == nil && number > 1 {
					err = follows(last, l)
				}
			}
			if err != nil {
				yield(Line{}, &LineError{name, number, err})
				return
			}
			if last = l; !yield(l, nil) {
				return
			}
		}
	}
}

// readLine reads to the end of a line, within bounds.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > MaxLine {
			return nil, fmt.Errorf("the line is longer than %d bytes", MaxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// follows checks that a line follows another.
func follows(before, l Line) error {
	switch {
	case l.Seq != before.Seq+1:
		return fmt.Errorf("line %d follows line %d: lines are missing, or were moved", l.Seq, before.Seq)
	case l.Prev != before.Hash:
		return fmt.Errorf("line %d does not follow the one before it: a line was changed", l.Seq)
	}
	return nil
}

// ErrBeginning: a log, or a file of one, does not begin where it should. Lines
// were cut off, or older files are not there any more.
var ErrBeginning = errors.New("the line is not the first: those before it are missing")

// ReadAll reads a log as it is at one moment, its files one after the other, and
// checks that each goes on where the one before it ends. The oldest file must
// begin with the line that it is called after, which is line 1 for one that was
// never put aside; where older files were moved away, first is the line that the
// log is known to begin with, else 0. Writers may go on meanwhile. The error of a
// log that is not there is [os.ErrNotExist].
func ReadAll(path string, first uint64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		files, size, err := snapshot(path)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("audit: %s: there is no such log: %w", path, os.ErrNotExist)
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer closeAll(files)
		var last Line
		for i, f := range files {
			in := io.Reader(f)
			if size >= 0 && i == len(files)-1 {
				in = io.LimitReader(f, size) // what is being written behind it is no line yet
			}
			number := 0
			for l, err := range Read(f.Name(), in) {
				if number++; err == nil && number == 1 {
					if err = begins(f.Name(), &last, &l, first); err != nil {
						err = &LineError{f.Name(), 1, err}
					}
				}
				if !yield(l, err) || err != nil {
					return
				}
				last = l
			}
		}
	}
}

// begins checks the first line of a file.
func begins(file string, last, l *Line, first uint64) error {
	if last.Seq > 0 {
		return follows(*last, *l)
	}
	want := calledAfter(file)
	if first > 0 {
		want = first
	}
	switch {
	case l.Seq != want:
		return fmt.Errorf("%w: it has number %d, not %d", ErrBeginning, l.Seq, want)
	case l.Seq == 1 && l.Prev != Hash{}:
		return errors.New("line 1 follows another: it was changed")
	}
	return nil
}
