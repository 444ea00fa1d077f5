// Package document owns reading a YAML or JSON text into one tree in which
// everything has a position, and the strictness that goes with it: duplicate
// keys, tags, merge keys, second documents and bombs are refused, and scalars
// keep their source text.
//
// Of YAML's scalars only null, true, false and decimal numbers as JSON writes
// them have a type of their own; yes, 0x10, 007, +5, .inf and dates are texts.
// It knows nothing of chains or recordings.
package document

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Identifiers of the findings that this package makes.
const (
	SyntaxID       = "syntax"
	LimitID        = "limit-exceeded"
	WrongTypeID    = "wrong-type"
	UnknownFieldID = "unknown-field"
)

// Limits bound a text. Each must be positive.
type Limits struct {
	Bytes int // of the whole text; YAML is bounded by MaxYAML as well
	Depth int // of lists and maps in each other
	Nodes int // values there may be, those that aliases repeat counted again
}

// MaxYAML is the most bytes of YAML that are read: its parser takes some two
// hundred times the memory of what it reads.
const MaxYAML = 1 << 20

// MaxFindings is how many findings a document may have; further ones are dropped.
const MaxFindings = 1000

// maxLineShown is the longest source line, in bytes, that a finding carries.
const maxLineShown = 4096

// Document is a text that was read, and what was found wrong with it.
type Document struct {
	File string
	Root *Node // nil if the text could not be read

	text     string
	lines    []int         // offsets at which the lines begin
	marks    map[int][]int // of long lines: offsets of every markEvery-th character
	limits   Limits
	findings diag.List
}

// Parse reads a text. A file named *.json is JSON; any other is YAML, and is
// read as JSON if it is that. What is wrong stands in Findings.
func Parse(file string, data []byte, l Limits) *Document {
	d := &Document{File: file, limits: l}
	if len(data) > l.Bytes {
		d.Report(LimitID, diag.Position{}, fmt.Sprintf("the file is %d bytes long; at most %d are read", len(data), l.Bytes), "")
		return d
	}
	d.text = strings.TrimPrefix(string(data), "\ufeff")
	d.lines = lineStarts(d.text)
	jsonFile := strings.EqualFold(filepath.Ext(file), ".json")
	if (jsonFile || looksLikeJSON(d.text)) && d.parseJSON(jsonFile) {
		return d
	}
	if len(d.text) > MaxYAML {
		d.Report(LimitID, diag.Position{}, fmt.Sprintf("the file is %d bytes of YAML; at most %d are read", len(d.text), MaxYAML), "write it as JSON")
		return d
	}
	d.parseYAML()
	return d
}

func looksLikeJSON(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[')
}

func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns a source line without its end; "" if there is none.
func (d *Document) line(number int) string {
	if number < 1 || number > len(d.lines) {
		return ""
	}
	rest := d.text[d.lines[number-1]:]
	if number < len(d.lines) {
		rest = rest[:d.lines[number]-d.lines[number-1]-1]
	}
	return strings.TrimSuffix(rest, "\r")
}

// Lines longer than longLine bytes get marks, so that finding a column in
// them does not take time in proportion to it.
const longLine, markEvery = 1024, 256

// from returns a source line from a position on.
func (d *Document) from(pos diag.Position) string {
	line := d.line(pos.Line)
	if len(line) <= longLine {
		return skipRunes(line, pos.Column-1)
	}
	marks, ok := d.marks[pos.Line]
	if !ok {
		n := 0
		for offset := range line {
			if n++; n%markEvery == 1 {
				marks = append(marks, offset)
			}
		}
		if d.marks == nil {
			d.marks = map[int][]int{}
		}
		d.marks[pos.Line] = marks
	}
	m := min((pos.Column-1)/markEvery, len(marks)-1)
	return skipRunes(line[marks[m]:], pos.Column-1-m*markEvery)
}

func skipRunes(s string, n int) string {
	for ; n > 0 && s != ""; n-- {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}

// Report adds an error finding and returns it, so that the caller can add to it.
func (d *Document) Report(id string, pos diag.Position, message, hint string) *diag.Finding {
	f := &diag.Finding{ID: id, File: d.File, Pos: pos, Message: message, Hint: hint}
	d.Add(f)
	return f
}

// Add adds a finding that another reader made about a part of the document.
func (d *Document) Add(f *diag.Finding) {
	if line := d.line(f.Pos.Line); len(line) <= maxLineShown {
		f.Text = strings.Clone(line) // keeps no large text alive
	}
	if len(d.findings) < MaxFindings {
		d.findings = append(d.findings, f)
	}
}

// Findings returns what was found so far, in the order of the text.
func (d *Document) Findings() diag.List {
	d.findings.Sort()
	return d.findings
}
