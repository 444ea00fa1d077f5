package dsl

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// FormatPolicy prints a policy canonically: one rule a line, comments kept,
// more than one blank line made one. Formatting the result again changes
// nothing. It fails if what it printed would not be read back as the same
// policy, such as a rule that outgrows the longest line.
func FormatPolicy(p *Policy) ([]byte, error) {
	w := &formatter{}
	for i := range p.Sections {
		s := &p.Sections[i]
		for _, note := range s.Lead {
			w.note(note)
		}
		if s.Pos.Line > 0 || i > 0 || s.Pattern != "*" {
			w.line("CHAIN:" + quoteName(string(s.Pattern)))
		}
		notes := s.Notes
		for j, rule := range s.Rules {
			notes = w.notes(notes, j)
			w.line("B:" + rule.String())
		}
		w.notes(notes, len(s.Rules))
	}
	out := w.Bytes()
	back, findings := ParsePolicy(p.File, out)
	if len(findings) > 0 {
		return nil, fmt.Errorf("dsl: the formatted policy cannot be read: %w", findings)
	}
	if !equalPolicies(p, back) {
		return nil, fmt.Errorf("dsl: %s: the formatted policy would not mean the same", p.File)
	}
	return out, nil
}

// formatter collects lines and holds blank ones back until text follows.
type formatter struct {
	bytes.Buffer
	blank bool
}

func (w *formatter) line(text string) {
	if w.blank && w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.blank = false
	w.WriteString(text)
	w.WriteByte('\n')
}

func (w *formatter) note(text string) {
	if text == "" {
		w.blank = true
		return
	}
	if !strings.HasPrefix(text, "#") {
		text = "# " + text
	}
	w.line(text)
}

// notes writes those before the rule with the index and returns the others.
func (w *formatter) notes(notes []Note, index int) []Note {
	for len(notes) > 0 && notes[0].Before <= index {
		w.note(notes[0].Text)
		notes = notes[1:]
	}
	return notes
}

// equalPolicies compares patterns and rules.
func equalPolicies(a, b *Policy) bool {
	return slices.EqualFunc(a.withRules(), b.withRules(), func(s, t Section) bool {
		return s.Pattern == t.Pattern && slices.EqualFunc(s.Rules, t.Rules, (*Rule).Equal)
	})
}

// withRules returns the sections that hold rules: an empty one means nothing.
func (p *Policy) withRules() []Section {
	return slices.DeleteFunc(slices.Clone(p.Sections), func(s Section) bool {
		return len(s.Rules) == 0
	})
}
