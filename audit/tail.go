package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// catchUp reads the end of the file if another process has written to it.
func (l *Log) catchUp() error {
	info, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if info.Size() == l.size {
		return nil
	}
	size, tail := info.Size(), []byte(nil)
	l.size, l.first = -1, 0 // until all is known
	if size > 0 {
		if tail, size, err = l.mend(size); err != nil {
			return err
		}
	}
	if size == 0 {
		if l.last, err = l.before(); err == nil {
			l.size = 0
		}
		return err
	}
	if l.last, err = parseLine(tail); err != nil {
		return fmt.Errorf("audit: the last line of %s: %w", l.path, err)
	}
	if l.first, err = readFirst(l.file); err == nil {
		l.size = size
	}
	return err
}

// mend returns the last line of the file and the size it then has. What a
// process that was killed has left of a line is cut off: it was never
// acknowledged. A line of which only the end is missing may have been, and gets
// its end; one whose end is another byte was changed, and is left for people.
func (l *Log) mend(size int64) (line []byte, end int64, err error) {
	line, rest, err := l.tail(size)
	if err != nil || len(rest) == 0 {
		return line, size, err
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
	end = size - int64(len(rest))
	if err := l.file.Truncate(end); err != nil {
		return nil, 0, fmt.Errorf("audit: %w", err)
	}
	return line, end, nil
}

// tail returns the last line that has an end, and what is behind it.
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
	}
}

// readFirst reads the number of a file's first line, after which it is called
// when it is put aside.
func readFirst(f *os.File) (first uint64, err error) {
	head := make([]byte, 32)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("audit: %w", err)
	}
	if _, err := fmt.Sscanf(string(head[:n]), `{"seq":%d,`, &first); err != nil {
		return 0, fmt.Errorf("audit: the first line of %s has no number", f.Name())
	}
	return first, nil
}
