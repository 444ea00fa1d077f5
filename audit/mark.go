package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrChanged: the log is not what this writer has left: lines that it wrote, or
// has seen, are not there any more. Nothing is appended to it.
var ErrChanged = errors.New("the log was changed while it was written")

func (l *Log) changed(format string, args ...any) error {
	return fmt.Errorf("audit: %s: %w: %s, and line %d was written before; put back what was there, or restart this program to go on with what is there now",
		l.path, ErrChanged, fmt.Sprintf(format, args...), l.last.Seq)
}

// mark is where a line stands that was seen in the file: the last, when it was
// looked at. The zero mark is none.
type mark struct {
	at   int64 // where the line begins
	head []byte
	end  int64 // behind the line's end
}

// headOf is how a line begins: all but the record, of which it has the hash.
func headOf(l *Line) []byte {
	empty := Line{Seq: l.Seq, Prev: l.Prev, Hash: l.Hash}
	return bytes.TrimSuffix(empty.append(nil), []byte("}\n"))
}

// in reports whether the line stands in a file of some size where it stood.
func (m *mark) in(f *os.File, size int64) (bool, error) {
	if size < m.end {
		return false, nil
	}
	head := make([]byte, len(m.head))
	if _, err := f.ReadAt(head, m.at); err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("audit: %w", err)
	}
	return bytes.Equal(head, m.head), nil
}

// inFile is in for a file by its name; it is not where there is no such file.
func (m *mark) inFile(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("audit: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("audit: %w", err)
	}
	return m.in(f, info.Size())
}

// fits checks that the line that was seen last is where it was, in the file as
// large as it is now.
func (l *Log) fits(size int64) error {
	if l.mark.end == 0 {
		return nil
	}
	here, err := l.mark.in(l.file, size)
	if err == nil && !here {
		return l.changed("lines are cut off or changed")
	}
	return err
}

// lookTries is how often it is looked where a file has gone to: others may put
// files aside, and remove some, while one looks.
const lookTries = 10

// moved checks that a file that is not at its path any more was put aside, by
// this process or another, so that a new one may be begun or gone on with.
func (l *Log) moved() error {
	if l.mark.end == 0 {
		return nil
	}
	for range lookTries {
		if known, err := l.goesOn(); err != nil || known {
			return err
		}
	}
	return l.changed("the file was moved away, removed or replaced")
}

// goesOn reports whether what is there now goes on behind what was seen. A copy
// that was put in the place of the file is as good as the file.
func (l *Log) goesOn() (bool, error) {
	for _, path := range []string{l.path, aside(l.path, l.first)} {
		if there, err := l.mark.inFile(path); err != nil || there {
			return there, err
		}
	}
	// What was put aside may have been removed since, or moved away by hand: then
	// what is left begins behind it.
	files, err := Files(l.path)
	if err != nil || len(files) == 0 {
		return false, err
	}
	first, err := firstOf(files[0])
	return err == nil && first > l.last.Seq, nil
}
