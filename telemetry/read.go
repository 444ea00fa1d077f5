package telemetry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
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
// over, as the writer may be newer. A line that cannot be read, or says what no
// Writer writes, is a [*LineError], after which the next follows; the first
// error of the reader is the last.
func Read(file string, r io.Reader) iter.Seq2[session.Metadata, error] {
	return func(yield func(session.Metadata, error) bool) {
		lines := bufio.NewReader(r)
		for number := 1; ; number++ {
			line, end := readLine(lines)
			long := errors.Is(end, errLong)
			if len(line) > 0 || long {
				m, err := session.Metadata{}, end
				if !long {
					m, err = decode(line)
				}
				if err != nil {
					err = &LineError{file, number, err}
				}
				if !yield(m, err) {
					return
				}
			}
			if end != nil && !long {
				if !errors.Is(end, io.EOF) {
					yield(session.Metadata{}, &LineError{file, number, end})
				}
				return
			}
		}
	}
}

// errLong: the line is not kept, as it is longer than a line may be.
var errLong = fmt.Errorf("the line is longer than %d bytes", MaxLine)

// readLine reads a line without its end. The error is errLong, after which the
// next line follows, or the reader's, with what came before it: io.EOF after the
// last line.
func readLine(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		body := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(body) > MaxLine {
			long, line, body = true, nil, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err // half a line says nothing
		case long:
			return nil, errLong // the end of the file is found again
		default:
			return body, err
		}
	}
}

// nested is how deep a line may be nested, with room for what newer writers add.
const nested = 20

// decode reads a task. What could be read in two ways is refused, such as a
// field that is there twice.
func decode(line []byte) (m session.Metadata, err error) {
	v, err := jsonv.Parse(line, jsonv.Limits{Depth: nested, ReplaceSurrogates: true})
	if err != nil {
		return m, err
	}
	if v.Kind() != jsonv.Object {
		return m, fmt.Errorf("this is no task, but %s", v.Kind())
	}
	names := fields()
	for i := range v.Len() {
		for _, name := range names { // the decoder takes no note of capitals
			if key := v.Key(i); key != name && strings.EqualFold(key, name) {
				return m, fmt.Errorf("%q is no field; did you mean %q?", key, name)
			}
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return session.Metadata{}, wrongType(err)
	}
	if err := check(&m); err != nil {
		return session.Metadata{}, err
	}
	return m, nil
}

// wrongType says of a field with a wrong value what it is, not of which type of
// this program it should be.
func wrongType(err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s cannot be a %s", wrong.Field, wrong.Value)
	}
	return err
}

// fields are the names of a task's fields.
func fields() (names []string) {
	for field := range reflect.TypeFor[session.Metadata]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// check says what of a task no Writer writes.
func check(m *session.Metadata) error {
	if m.At.IsZero() || m.Session == "" {
		return errors.New("this is no task: it has no session, or no time")
	}
	switch m.FinalStatus {
	case "", session.Completed, session.Failed, session.Halted:
	default:
		return fmt.Errorf("finalStatus %q is none; it is completed, failed or halted", m.FinalStatus)
	}
	for _, count := range []struct {
		name  string
		below bool
	}{
		{"toolCallCount", m.ToolCallCount < 0}, {"messageCount", m.MessageCount < 0}, {"retryCount", m.RetryCount < 0},
		{"estimatedContextTokens", m.EstimatedContextTokens < 0}, {"duration", m.Duration < 0}, {"spendCents", m.SpendCents < 0},
	} {
		if count.below {
			return fmt.Errorf("%s is below 0", count.name)
		}
	}
	return nil
}
