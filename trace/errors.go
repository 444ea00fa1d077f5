package trace

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Error is what is wrong with a run, and where.
type Error struct {
	Source string // the file, or the name that a stream was given
	Line   int    // counted from 1; 0: the fault has no line
	Column int    // counted from 1 in code points; 0: it has no column
	Err    error
}

// Error renders "file:line:column: what is wrong".
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Source + ": " + e.Err.Error()
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %v", e.Source, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Source, e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// UnknownFormatError says that the content is of no format that is read.
type UnknownFormatError struct {
	Tried []string
}

// Error names the formats that were tried.
func (e *UnknownFormatError) Error() string {
	return "this is none of the formats that are read: " + strings.Join(e.Tried, ", ") + "; if it is one of them, name it (--input-format)"
}

// AmbiguousFormatError says that the content could be of several formats.
type AmbiguousFormatError struct {
	Formats []string
}

// Error names the formats that match.
func (e *AmbiguousFormatError) Error() string {
	return "this may be " + strings.Join(e.Formats, " or ") + ": name the format (--input-format)"
}

// NoSuchFormatError refuses the name of a format that there is not.
type NoSuchFormatError struct {
	Name  string
	Known []string
}

// Error names the formats that there are.
func (e *NoSuchFormatError) Error() string {
	return fmt.Sprintf("there is no format %q; there are %s", e.Name, strings.Join(e.Known, ", "))
}

// LimitError says that the input is larger than is read.
type LimitError struct {
	What  string // such as "a line"
	Limit int64
	Unit  string // such as "bytes"
}

// Error names the limit, of bytes in MiB or GiB where it is a whole number of them.
func (e *LimitError) Error() string {
	limit, unit := e.Limit, e.Unit
	if unit == "bytes" && limit > 0 {
		switch {
		case limit%(1<<30) == 0:
			limit, unit = limit>>30, "GiB"
		case limit%(1<<20) == 0:
			limit, unit = limit>>20, "MiB"
		}
	}
	return fmt.Sprintf("%s of more than %d %s, the most that is read", e.What, limit, unit)
}

// placed puts a fault of a JSON value at its place in the file. The value
// begins at line and column.
func placed(source string, line, column int, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var j *jsonv.Error
	if !errors.As(err, &j) {
		return &Error{Source: source, Line: line, Err: err}
	}
	if j.Line > 1 {
		column = 1
	}
	what := j.Message
	if j.Path != "" {
		what += " in " + j.Path
	}
	return &Error{Source: source, Line: line + j.Line - 1, Column: column + j.Column - 1, Err: &SyntaxError{Message: what, Cause: j}}
}

// SyntaxError says that the input is not the JSON it should be.
type SyntaxError struct {
	Message string
	Cause   error // nil, or the fault as the reader of JSON saw it, with positions of its own
}

// Error returns the message.
func (e *SyntaxError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Cause }

// EmptyError says that a list holds nothing, whose elements are the runs.
type EmptyError struct {
	Path string // such as samples
}

// Error names the list.
func (e *EmptyError) Error() string { return e.Path + ": the list holds nothing" }

// FieldError says that a part of a run is not what its format has there.
type FieldError struct {
	Path string // such as messages[3].tool_calls
	Want string // such as "a list"
	Got  string // such as "a text"
}

// Error says what was wanted where, and what is there.
func (e *FieldError) Error() string { return fmt.Sprintf("%s: want %s, not %s", e.Path, e.Want, e.Got) }
