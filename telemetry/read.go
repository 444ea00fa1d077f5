package telemetry

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cbpolicy/cbpolicy/session"
)

// MaxLine is how long a line may be, in bytes.
const MaxLine = 1 << 20

// LineError says which line cannot be read, and why.
type LineError struct {
	File string
	Line int
	Err  error
}

// Error names the place.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Read reads tasks that a Writer wrote. Fields that are not known are passed
// over, as the writer may be newer. A line that cannot be read is a
// [*LineError], after which the next follows; the first error of the reader is
// the last.
func Read(file string, r io.Reader) iter.Seq2[session.Metadata, error] {
	return func(yield func(session.Metadata, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, MaxLine)
		number := 0
		for lines.Scan() {
			number++
			if len(lines.Bytes()) == 0 {
				continue
			}
			m, err := decode(lines.Bytes())
			if err != nil {
				err = &LineError{file, number, err}
			}
			if !yield(m, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("the line is longer than %d bytes", MaxLine)
			}
			yield(session.Metadata{}, &LineError{file, number + 1, err})
		}
	}
}

func decode(line []byte) (m session.Metadata, err error) {
	if err := json.Unmarshal(line, &m); err != nil {
		return session.Metadata{}, err
	}
	if m.At.IsZero() || m.Session == "" {
		return session.Metadata{}, errors.New("this is no task: it has no session, or no time")
	}
	return m, nil
}
