package dsl

import (
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Identifiers of the findings that this package makes.
const (
	SyntaxID       = "syntax"
	UnknownTagID   = "unknown-tag"
	LimitID        = "limit-exceeded"
	UnobservableID = "unobservable-frequency"
	NoBlockID      = "no-block" // of ExtractBlock: the text holds no tag at all
)

const (
	maxFindingText   = MaxLine // bytes of a source line that a finding carries
	maxFoundInQuotes = 24      // characters of the text that a message repeats
)

// source is a piece of text and where it stands. Offsets are bytes.
type source struct {
	file string
	pos  diag.Position // of the text's first character
	text string
	skip int    // bytes at the start of text that are not in the file
	line string // the whole source line, for carets; "": not known
}

// at returns the position of an offset.
func (s *source) at(offset int) diag.Position {
	offset = min(offset, len(s.text))
	return diag.Position{Line: s.pos.Line, Column: s.pos.Column + utf8.RuneCountInString(s.text[:offset]) - s.skip}
}

// span returns the place of the text between two offsets.
func (s *source) span(from, to int) Span { return Span{Start: s.at(from), End: s.at(to)} }

// fault makes a syntax finding about the text between two offsets.
func (s *source) fault(from, to int, message, hint string) *diag.Finding {
	span := s.span(from, to)
	line := s.line
	if line == "" && s.pos.Column == 1 {
		line = s.text[s.skip:]
	}
	return &diag.Finding{ID: SyntaxID, File: s.file, Pos: span.Start, End: span.End,
		Message: message, Hint: hint, Text: boundedText(line)}
}

// boundedText copies a line that is short enough to show, so that a finding
// keeps no large file alive; a longer one is left out.
func boundedText[T string | []byte](line T) string {
	if len(line) > maxFindingText {
		return ""
	}
	return strings.Clone(string(line))
}

// withID changes the identifier of a finding.
func withID(f *diag.Finding, id string) *diag.Finding {
	f.ID = id
	return f
}

// inQuotes repeats a piece of the input in a message: shortened, and with
// what does not show escaped.
func inQuotes(s string) string {
	if utf8.RuneCountInString(s) > maxFoundInQuotes {
		s = string([]rune(s)[:maxFoundInQuotes]) + "…"
	}
	return `"` + diag.Escape(s) + `"`
}
