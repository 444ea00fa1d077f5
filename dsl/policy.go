package dsl

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// MaxFindings is how many findings a file may have before reading stops.
const MaxFindings = 1000

// Policy is a policy file (*.cbp): sections of rules.
type Policy struct {
	File     string
	Sections []Section
}

// Section holds the rules of the chains that a pattern covers. Rules before
// the first CHAIN: line are in a section of the pattern "*".
type Section struct {
	Pattern NamePattern
	Pos     diag.Position // of the CHAIN: line; zero where the section has none
	Rules   []*Rule

	// Lead and Notes are comments and blank lines, which only FormatPolicy
	// reads: those before the CHAIN: line, and those between the rules.
	Lead  []string
	Notes []Note
}

// Note is a comment before a rule, or after the last.
type Note struct {
	Before int    // index into Rules; len(Rules): after the last
	Text   string // with its "#"; "": a blank line
}

// Rules returns the number of rules of all sections.
func (p *Policy) Rules() int {
	n := 0
	for i := range p.Sections {
		n += len(p.Sections[i].Rules)
	}
	return n
}

// ParsePolicy reads a policy file. Every faulty line gives a finding (syntax,
// unknown-tag, limit-exceeded or unobservable-frequency), up to MaxFindings.
// The policy holds the lines that could be read; it may be put in force only
// if there is no finding.
func ParsePolicy(file string, data []byte) (*Policy, diag.List) {
	r := &policyReader{policy: &Policy{File: file}}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		r.line(number, bytes.TrimSuffix(line, []byte("\r")))
		if len(r.findings) >= MaxFindings {
			r.findings = append(r.findings, &diag.Finding{ID: LimitID, File: file, Pos: diag.Position{Line: number, Column: 1},
				Message: fmt.Sprintf("more than %d findings; the rest of the file was not read", MaxFindings)})
			break
		}
	}
	r.finish()
	return r.policy, r.findings
}

// policyReader reads a policy file line by line.
type policyReader struct {
	policy   *Policy
	findings diag.List
	pending  []string // comments and blank lines that wait for what follows them
}

func (r *policyReader) line(number int, raw []byte) {
	s := &source{file: r.policy.File, pos: diag.Position{Line: number, Column: 1}}
	if len(raw) > MaxLine {
		r.report(withID(s.fault(0, 0, fmt.Sprintf("the line is %d bytes long; at most %d are allowed", len(raw), MaxLine),
			"split the rule, or shorten its pattern or reason"), LimitID))
		return
	}
	s.text = string(raw)
	if f := s.checkCharacters(); f != nil {
		r.report(f)
		return
	}
	text := strings.TrimLeft(s.text, " \t")
	indent := len(s.text) - len(text)
	switch {
	case text == "":
		r.pending = append(r.pending, "")
	case text[0] == '#':
		r.pending = append(r.pending, strings.TrimRight(text, " \t"))
	default:
		r.tagged(s, indent, text)
	}
}

// policyTags are the words that begin a line of a policy file, with the colon.
var policyTags = []string{"B", "CHAIN"}

// tagged reads a line that is neither blank nor a comment.
func (r *policyReader) tagged(s *source, indent int, text string) {
	tag, rest, found := strings.Cut(text, ":")
	at := indent + len(tag) + 1
	switch trimBlank(tag) {
	case "B":
		if found {
			r.rule(s, at, rest)
			return
		}
	case "CHAIN":
		if found {
			r.section(s, s.at(indent), at, rest)
			return
		}
	}
	r.report(s.unknownTag(indent, text, policyTags, blockOnly))
	if pattern, f := parsePattern(s.sub(at, rest)); found && f == nil {
		// It may have been meant to be CHAIN: what follows is not said of the section before.
		r.policy.Sections = append(r.policy.Sections, Section{Pattern: pattern, Pos: s.at(indent)})
	}
}

func (r *policyReader) rule(s *source, at int, text string) {
	rule, f := parseRule(s.sub(at, text))
	if f != nil {
		r.report(f)
		return
	}
	section := r.current()
	for _, note := range r.pending {
		section.Notes = append(section.Notes, Note{Before: len(section.Rules), Text: note})
	}
	r.pending = nil
	section.Rules = append(section.Rules, rule)
}

func (r *policyReader) section(s *source, pos diag.Position, at int, text string) {
	pattern, f := parsePattern(s.sub(at, text))
	if f != nil {
		r.report(f)
		return
	}
	r.policy.Sections = append(r.policy.Sections, Section{Pattern: pattern, Pos: pos, Lead: r.pending})
	r.pending = nil
}

// current returns the section that a rule belongs to.
func (r *policyReader) current() *Section {
	p := r.policy
	if len(p.Sections) == 0 {
		p.Sections = append(p.Sections, Section{Pattern: "*"})
	}
	return &p.Sections[len(p.Sections)-1]
}

// finish puts the comments at the end of the file into the last section.
func (r *policyReader) finish() {
	if len(r.pending) == 0 {
		return
	}
	section := r.current()
	for _, note := range r.pending {
		section.Notes = append(section.Notes, Note{Before: len(section.Rules), Text: note})
	}
}

func (r *policyReader) report(f *diag.Finding) { r.findings = append(r.findings, f) }

// parsePattern reads the pattern of a CHAIN: line, bare or quoted.
func parsePattern(s *source) (NamePattern, *diag.Finding) {
	if f := s.checkText(); f != nil {
		return "", f
	}
	const hint = `write a pattern over chain ids, such as CHAIN:trade or CHAIN:nyaya/*`
	name, f := s.wholeName(hint)
	return NamePattern(name), f
}

// wholeName reads a text that is one name, bare or quoted.
func (s *source) wholeName(hint string) (string, *diag.Finding) {
	text := trimBlank(s.text)
	from := strings.Index(s.text, text)
	switch {
	case text == "":
		return "", s.fault(0, len(s.text), "a name is missing", hint)
	case text[0] != '"' && !plainName().MatchString(text):
		return "", s.fault(from, from+len(text), inQuotes(text)+" is not a name", "a name with other characters than letters, digits, _ - / : and . stands in double quotes")
	}
	tokens, err := lexAll("ability:" + text)
	if err != nil || len(tokens) != 3 || tokens[1].Value != text || tokenNames()[tokens[1].Type] == "Unclosed" {
		return "", s.fault(from, from+len(text), inQuotes(text)+" is not a name", `a quote inside a quoted name is written \"`)
	}
	t := tokens[1]
	t.Pos.Offset = from
	return s.name(t)
}
