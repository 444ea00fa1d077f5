package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// suppressMark begins a comment that lets a finding pass:
//
//	# cbpolicy:ignore ID why it is right as it is
//
// on the line before, or behind the line. It only changes what is reported.
const suppressMark = "# cbpolicy:ignore"

// suppression is one such comment.
type suppression struct {
	file string
	pos  diag.Position
	text string // the line
	id   string
	line int // that it is about
	used bool
}

// suppress drops the findings that a comment lets pass, and reports comments
// that are wrong, or let nothing pass.
func (p *pass) suppress() {
	var all []*suppression
	for _, name := range p.commented {
		all = append(all, p.suppressions(name)...)
	}
	if len(all) == 0 {
		return
	}
	p.report.Findings = slices.DeleteFunc(p.report.Findings, func(f *diag.Finding) bool {
		if slices.Contains(refused(), f.ID) {
			return false
		}
		hit := false
		for _, s := range all {
			if s.file == f.File && s.line == f.Pos.Line && s.id == f.ID {
				s.used, hit = true, true
			}
		}
		if hit {
			p.report.Suppressed++
		}
		return hit
	})
	for _, s := range all {
		if !s.used {
			p.report.Findings = append(p.report.Findings, &diag.Finding{ID: UnusedSuppressionID, Severity: diag.Warning, File: s.file, Pos: s.pos, Text: s.text,
				Message: fmt.Sprintf("there is no finding %s in line %d that this could let pass", s.id, s.line), Hint: "remove the comment"})
		}
	}
}

// suppressions reads the comments of a file, and reports those that are wrong.
func (p *pass) suppressions(file string) (all []*suppression) {
	data := p.data[file]
	if !bytes.Contains(data, []byte(suppressMark)) {
		return nil
	}
	comments := document.Comments // of a chain
	if slices.ContainsFunc(p.policies, func(x *dsl.Policy) bool { return x.File == file }) {
		comments = wholeLines
	}
	known := comments(data)
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		at := strings.Index(line, suppressMark)
		if at < 0 || !known[strings.TrimSpace(line[at:])] {
			continue
		}
		s := &suppression{file: file, text: line, pos: diag.Position{Line: i + 1, Column: 1 + utf8.RuneCountInString(line[:at])}, line: i + 1}
		if strings.TrimSpace(line[:at]) == "" {
			s.line = nextContent(lines, i+1) + 1
		}
		words := strings.Fields(line[at+len(suppressMark):])
		if fault := badSuppression(words, line[at+len(suppressMark):]); fault != nil {
			fault.ID, fault.File, fault.Pos, fault.Text = BadSuppressionID, file, s.pos, line
			p.report.Findings = append(p.report.Findings, fault)
			continue
		}
		s.id = words[0]
		all = append(all, s)
	}
	return all
}

// badSuppression says what is wrong with the words of a suppression, or nil.
func badSuppression(words []string, rest string) *diag.Finding {
	switch {
	case rest != "" && rest[0] != ' ' && rest[0] != '\t', len(words) == 0:
		return &diag.Finding{Message: "a suppression names a finding and a reason", Hint: suppressMark + " ID reason"}
	case slices.Contains(refused(), words[0]):
		return &diag.Finding{Message: words[0] + " cannot be suppressed: what it is about is not in force", Hint: "correct the line"}
	case !slices.Contains(IDs(), words[0]):
		hint := "the findings are listed under docs/checks"
		if like := diag.Suggest(words[0], IDs()); like != "" {
			hint = "did you mean " + like + "?"
		}
		return &diag.Finding{Message: "there is no finding " + document.Quote(words[0]), Hint: hint}
	case len(words) == 1:
		return &diag.Finding{Message: "the suppression gives no reason", Hint: suppressMark + " " + words[0] + " why it is right as it is"}
	}
	return nil
}

// wholeLines returns the comments of a policy, which are lines of their own.
func wholeLines(data []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '#' {
			lines[string(line)] = true
		}
	}
	return lines
}

// nextContent returns the index of the first line from one on that is neither
// empty nor a comment.
func nextContent(lines []string, from int) int {
	for i := from; i < len(lines); i++ {
		if line := strings.TrimSpace(lines[i]); line != "" && line[0] != '#' {
			return i
		}
	}
	return len(lines)
}
