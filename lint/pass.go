package lint

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// pass holds what was read, and collects what is found.
type pass struct {
	report     Report
	data       map[string][]byte // of every file, without a byte order mark
	commented  []string          // files that may hold suppressions: policies and chains
	marks      map[*diag.Finding]mark
	made       map[string]int                    // findings of the checks, by file
	ends       map[registry.Source]diag.Position // of rules; nil until asked for
	policies   []*dsl.Policy
	chains     []*flowChain
	patched    []*flowChain // copies of chains that blocks have changed
	blocks     []*dsl.Block
	recordings []*run.Recording
	abilities  *Abilities
	sources    []dsl.NamePattern
	sinks      []dsl.NamePattern
	// fleetUnknown is Options.FleetUnknown.
	fleetUnknown bool
	unread       bool // some document could not be read, and may be a chain
}

// mark says what of the line a finding is about, as readers keep the place of
// a larger piece only.
type mark struct {
	key dsl.Key
	ref bool // it is written {{key}}
	// open: the key is a {{ with what follows it, and no }} closes it.
	open bool
	// below: if it is not in the line, it stands in one of the next.
	below bool
}

// maxFindings is how many findings the checks make about one file.
const maxFindings = dsl.MaxFindings

// add takes a finding over and returns it. The first that is too many for
// its file is replaced by one that says so; those behind it are dropped.
func (p *pass) add(f *diag.Finding) *diag.Finding {
	p.made[f.File]++
	switch n := p.made[f.File]; {
	case n == maxFindings+1:
		p.report.Findings = append(p.report.Findings, &diag.Finding{ID: dsl.LimitID, File: f.File, Pos: f.Pos, End: f.End,
			Message: fmt.Sprintf("more than %d findings; the others are left out", maxFindings), Hint: "correct these first"})
	case n <= maxFindings:
		p.report.Findings = append(p.report.Findings, f)
	}
	return f
}

// full reports whether no more findings about a file are taken.
func (p *pass) full(file string) bool { return p.made[file] > maxFindings }

// addKey is add for a finding about a key within its place.
func (p *pass) addKey(f *diag.Finding, key dsl.Key, ref bool) {
	p.marks[p.add(f)] = mark{key: key, ref: ref}
}

// maxLineShown is the longest source line, in bytes, that a finding carries.
const maxLineShown = dsl.MaxLine

// finish orders the findings and gives each the line that it is about. Lines
// are counted forward only, as a file may be large.
func (p *pass) finish() Report {
	p.suppress()
	p.report.Findings.Sort()
	var at cursor
	for _, f := range p.report.Findings {
		if f.Pos.Line == 0 || f.Text != "" && p.marks[f] == (mark{}) {
			continue // a finding about a file, or one of a reader that knows the line
		}
		if at.file != f.File {
			at = cursor{file: f.File, line: 1, rest: p.data[f.File]}
		}
		line := at.to(f.Pos.Line)
		if len(line) > maxLineShown {
			continue
		}
		f.Text = string(line)
		if m, ok := p.marks[f]; ok && !m.narrow(f) && m.below {
			m.lookBelow(f, at)
		}
	}
	p.report.Findings.Sort()
	return p.report
}

// narrow places a finding at its key, if its line shows it.
func (m mark) narrow(f *diag.Finding) bool {
	from := byteOffset(f.Text, f.Pos.Column)
	end := len(f.Text)
	if f.End.Line == f.Pos.Line && f.End.Column > f.Pos.Column {
		end = byteOffset(f.Text, f.End.Column)
	}
	start, length := m.find(f.Text[from:end])
	if start < 0 {
		return false
	}
	f.Pos.Column += utf8.RuneCountInString(f.Text[from : from+start])
	f.End = diag.Position{Line: f.Pos.Line, Column: f.Pos.Column + length}
	return true
}

// linesBelow is how many lines a rule of a chain may take.
const linesBelow = 10

// lookBelow looks for the key in the lines that follow.
func (m mark) lookBelow(f *diag.Finding, at cursor) {
	for range linesBelow {
		line := string(at.to(at.line + 1))
		if start, length := m.find(line); start >= 0 && len(line) <= maxLineShown {
			f.Text, f.Pos = line, diag.Position{Line: at.line, Column: 1 + utf8.RuneCountInString(line[:start])}
			f.End = diag.Position{Line: at.line, Column: f.Pos.Column + length}
			return
		}
	}
}

// find returns where the mark stands in a text, and its length; −1: nowhere.
func (m mark) find(text string) (start, length int) {
	if m.open {
		return m.findOpen(text)
	}
	if !m.ref {
		return strings.Index(text, string(m.key)), len(m.key)
	}
	for at := 0; ; {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			return -1, 0
		}
		open += at
		inside, _, closed := strings.Cut(text[open+2:], "}}")
		if closed && strings.Trim(inside, " \t") == string(m.key) {
			return open, len(inside) + len("{{}}")
		}
		at = open + 2
	}
}

// findOpen is find for what is not closed.
func (m mark) findOpen(text string) (start, length int) {
	for at := 0; ; {
		start := strings.Index(text[at:], string(m.key))
		if start < 0 {
			return -1, 0
		}
		at += start + len(m.key)
		if inside, _, closed := strings.Cut(text[at:], "}}"); !closed || strings.ContainsAny(inside, "{}") {
			return at - len(m.key), utf8.RuneCountInString(string(m.key))
		}
	}
}

// byteOffset returns the offset of a column, which counts characters from 1.
func byteOffset(s string, column int) int {
	n := 0
	for i := range s {
		if n++; n == column {
			return i
		}
	}
	return len(s)
}

// cursor walks over the lines of a file.
type cursor struct {
	file string
	line int // of the start of rest
	rest []byte
}

// to returns a line at or after the one the cursor stands at.
func (c *cursor) to(number int) []byte {
	for c.line < number {
		i := bytes.IndexByte(c.rest, '\n')
		if i < 0 {
			return nil
		}
		c.rest = c.rest[i+1:]
		c.line++
	}
	line, _, _ := bytes.Cut(c.rest, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
