package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// catchUp makes sure that the file is still what this log has left, and reads
// its end if another process has written to it.
func (l *Log) catchUp() error {
	info, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if !info.Mode().IsRegular() {
		l.size = 0 // a device or a pipe keeps nothing that could be read
		return nil
	}
	if err := l.fits(info.Size()); err != nil || info.Size() == l.size {
		return err
	}
	size, tail := info.Size(), []byte(nil)
	l.size, l.first = -1, 0 // until all is known
	if size > 0 {
		if tail, size, err = l.mend(size); err != nil {
			return err
		}
	}
	var last Line
	if size == 0 {
		last, err = l.before()
	} else {
		last, err = l.lastLine(tail)
	}
	if err != nil {
		return err
	}
	if last.Seq < l.last.Seq || last.Seq == l.last.Seq && last.Hash != l.last.Hash {
		return l.changed("its last line is %d", last.Seq)
	}
	if size > 0 {
		if l.first, err = readFirst(l.file); err != nil {
			return err
		}
		l.mark = mark{size - int64(len(tail)) - 1, headOf(&last), size}
	}
	l.last, l.size = Line{Seq: last.Seq, Hash: last.Hash}, size
	return nil
}

// lastLine reads the line that the file ends with.
func (l *Log) lastLine(tail []byte) (Line, error) {
	last, err := parseLine(tail)
	if err != nil {
		return last, fmt.Errorf("audit: the last line of %s: %w", l.path, err)
	}
	return last, nil
}

// mend returns the last line of the file and the size it then has. What a
// process that was killed has left of a line is cut off: it was never
// acknowledged. A line of which only the end is missing may have been, and gets
// its end. Nothing is touched but what can only be that: what stands behind a
// line of ours, and begins as the next one would.
func (l *Log) mend(size int64) (line []byte, end int64, err error) {
	line, rest, err := l.tail(size)
	if err != nil || len(rest) == 0 {
		return line, size, err
	}
	var last Line // before the rest; the zero Line: there is none
	if line != nil {
		if last, err = l.lastLine(line); err != nil {
			return nil, 0, err
		}
	}
	whole := bytes.TrimRight(rest, "\x00") // a disk that lost power leaves zeros
	if _, err := parseLine(whole); err == nil {
		end = size - int64(len(rest)) + int64(len(whole))
		if err := l.file.Truncate(end); err != nil {
			return nil, 0, fmt.Errorf("audit: %w", err)
		}
		if _, err := l.file.Write([]byte("\n")); err != nil {
			return nil, 0, fmt.Errorf("audit: %w", err)
		}
		return whole, end + 1, nil
	}
	if _, err := parseLine(rest[:len(rest)-1]); err == nil {
		return nil, 0, fmt.Errorf("audit: the last line of %s ends with the byte %#02x instead of a line end: it was changed", l.path, rest[len(rest)-1])
	}
	if json.Valid(whole) { // what is torn off is not whole
		return nil, 0, fmt.Errorf("audit: the last line of %s was changed, and has no end", l.path)
	}
	if line == nil && !isLog(rest) {
		return nil, 0, fmt.Errorf("%w: %s", ErrNoLog, l.path)
	}
	if line != nil && !begunAfter(&last, whole) {
		return nil, 0, fmt.Errorf("audit: what stands behind line %d of %s is no part of a line, and is left as it is: move the file away, or cut that off", last.Seq, l.path)
	}
	end = size - int64(len(rest))
	if err := l.file.Truncate(end); err != nil {
		return nil, 0, fmt.Errorf("audit: %w", err)
	}
	return line, end, nil
}

// begunAfter reports whether a text is the beginning of a line that follows
// another, as far as it goes.
func begunAfter(last *Line, text []byte) bool {
	head := fmt.Appendf(nil, `{"seq":%d,"prev":"%s","hash":"`, last.Seq+1, last.Hash)
	n := min(len(head), len(text))
	return bytes.Equal(head[:n], text[:n])
}

// tail returns the last line that has an end, and what is behind it; the line
// is nil if none has.
func (l *Log) tail(size int64) (line, rest []byte, err error) {
	var buf []byte
	for from := size; ; {
		n := min(from, 64<<10)
		from -= n
		chunk := make([]byte, n, int(n)+len(buf))
		if _, err := l.file.ReadAt(chunk, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, fmt.Errorf("audit: %w", err)
		}
		buf = append(chunk, buf...)
		whole := bytes.LastIndexByte(buf, '\n')
		if whole < 0 && from == 0 {
			return nil, buf, nil
		}
		if whole >= 0 {
			if begin := bytes.LastIndexByte(buf[:whole], '\n'); begin >= 0 || from == 0 {
				return buf[begin+1 : whole], buf[whole+1:], nil
			}
		}
		if len(buf) > 2*MaxLine {
			return nil, nil, fmt.Errorf("audit: the end of %s is no line: it is longer than %d bytes", l.path, MaxLine)
		}
	}
}

// ErrNoLog: the file is something else than a log of decisions. It is left as
// it is.
var ErrNoLog = errors.New("audit: the file is no log of decisions, and is left as it is")

// lineForm is how a line goes on behind its number, up to the record; 0 stands
// for a hexadecimal digit.
var lineForm = []byte(`,"prev":"` + strings.Repeat("\x00", 2*sha256.Size) + `","hash":"` + strings.Repeat("\x00", 2*sha256.Size) + `","record":{`)

// numberOf is the number of the line that a text is the beginning of. It is
// none, if the text has another form, as far as it goes, or says too little.
func numberOf(text []byte) (seq uint64, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"seq":`))
	digits := bytes.IndexByte(rest, ',')
	if !ok || digits < 0 {
		return 0, false
	}
	seq, err := strconv.ParseUint(string(rest[:digits]), 10, 64)
	rest = rest[digits:]
	if err != nil || len(rest) <= len(`,"prev":"`) {
		return 0, false
	}
	for i, want := range lineForm[:min(len(lineForm), len(rest))] {
		if got := rest[i]; got != want && (want != 0 || !strings.ContainsRune("0123456789abcdef", rune(got))) {
			return 0, false
		}
	}
	return seq, true
}

// isLog reports whether a file may be a log by how it begins.
func isLog(head []byte) bool {
	_, ok := numberOf(head)
	return ok
}

// headLength is how much of a file tells of its first line: its number has up
// to 20 digits.
const headLength = 48

// readHead reads how a file begins.
func readHead(f *os.File) ([]byte, error) {
	head := make([]byte, headLength)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return head[:n], nil
}

// readFirst reads the number of a file's first line, after which it is called
// when it is put aside.
func readFirst(f *os.File) (first uint64, err error) {
	head, err := readHead(f)
	if err != nil {
		return 0, err
	}
	first, ok := numberOf(head)
	if !ok {
		return 0, fmt.Errorf("audit: the first line of %s has no number", f.Name())
	}
	return first, nil
}
