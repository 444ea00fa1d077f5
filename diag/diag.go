// Package diag owns findings: what is wrong, where, and what would be right.
//
// A finding is data. Packages that read text return findings or errors that
// carry them; only the renderers in this package turn them into output. The
// package imports nothing else of cbpolicy and knows nothing about rules.
package diag

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Severity says how much a finding matters. The zero value is Error.
type Severity int

// The severities, strongest first.
const (
	Error Severity = iota
	Warning
	Info
)

var severityNames = [...]string{"error", "warning", "info"}

// String returns "error", "warning" or "info".
func (s Severity) String() string { return severityNames[s] }

// MarshalText renders the severity as in String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Confidence says whether a finding was shown or only suspected. The zero value is Proved.
type Confidence int

// The confidences.
const (
	Proved Confidence = iota
	Possible
)

// String returns "proved" or "possible".
func (c Confidence) String() string {
	if c == Possible {
		return "possible"
	}
	return "proved"
}

// MarshalText renders the confidence as in String.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Position is a place in a file. Line and Column count from 1; Column counts
// code points. The zero Position means "the file as a whole".
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Before reports whether p stands before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Related is a second place that explains a finding, such as the first of two equal rules.
type Related struct {
	File    string
	Pos     Position
	Message string
}

// Finding is one thing wrong at one place.
type Finding struct {
	ID         string // stable identifier, such as "syntax"
	Severity   Severity
	Confidence Confidence
	File       string
	Pos        Position
	End        Position // the first position after the text; zero: unknown
	Message    string
	Hint       string // what would be right; may be empty
	Related    []Related
	Witness    json.RawMessage // a step that shows the finding, or nil
	Text       string          // the source line at Pos, for carets; may be empty
}

// Error renders the finding on one line: file:line:col: message (hint).
// Characters that do not show are escaped as in Escape.
func (f *Finding) Error() string {
	var b strings.Builder
	b.WriteString(f.where())
	b.WriteString(Escape(f.Message))
	if f.Hint != "" {
		b.WriteString(" (" + Escape(f.Hint) + ")")
	}
	return b.String()
}

// where returns "file:line:col: " with what is unknown left out.
func (f *Finding) where() string { return place(f.File, f.Pos) }

func place(file string, pos Position) string {
	var b strings.Builder
	if file != "" {
		b.WriteString(Escape(file) + ":")
	}
	if pos != (Position{}) {
		b.WriteString(strconv.Itoa(pos.Line) + ":" + strconv.Itoa(pos.Column) + ":")
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String()
}

// List is a set of findings that is also an error, so that a reader can
// report every fault of a file at once.
type List []*Finding

// Error renders one finding a line.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, f := range l {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As reach the single findings.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, f := range l {
		out[i] = f
	}
	return out
}

// Err returns nil if no finding of the list is an error, else the list.
func (l List) Err() error {
	if slices.ContainsFunc(l, func(f *Finding) bool { return f.Severity == Error }) {
		return l
	}
	return nil
}

// Count returns how many findings have the severity.
func (l List) Count(s Severity) int {
	n := 0
	for _, f := range l {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Sort orders the findings by file, position, severity and id, so that output is stable.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Finding) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Severity, b.Severity),
			strings.Compare(a.ID, b.ID),
			strings.Compare(a.Message, b.Message),
		)
	})
}
