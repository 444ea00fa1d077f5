package dsl

import (
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// sub is the part of a line from an offset on.
func (s *source) sub(at int, text string) *source {
	return &source{file: s.file, pos: s.at(at), text: text, line: s.text}
}

// unknownTag is the finding for a line that begins with no known tag. The
// other tags are known elsewhere; text begins at the offset.
func (s *source) unknownTag(offset int, text string, known []string, other func(tag string) string) *diag.Finding {
	tag, _, found := strings.Cut(text, ":")
	tag = trimBlank(tag)
	end := offset + len(tag)
	list := strings.Join(known, ":, ") + ":"
	var f *diag.Finding
	_, notRule := ParseRule("", diag.Position{}, text)
	switch hint := other(tag); {
	case notRule == nil:
		f = s.fault(offset, offset+len(trimBlank(text)), "the line begins with no known tag", "write B: before a rule")
	case !found || !isTagWord(tag):
		f = s.fault(offset, offset+len(trimBlank(text)), "the line begins with no known tag", "a line begins with one of "+list)
	case hint != "":
		f = s.fault(offset, end, "unknown tag "+inQuotes(tag+":"), hint)
	default:
		f = s.fault(offset, end, "unknown tag "+inQuotes(tag+":"), "a line begins with one of "+list)
		if k := suggestTag(tag, known); k != "" {
			f.Hint = "did you mean " + k + ":?"
		}
	}
	return withID(f, UnknownTagID)
}

// suggestTag also sees a tag in the wrong case, which is too short for Suggest.
func suggestTag(tag string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(k, tag) {
			return k
		}
	}
	return diag.Suggest(tag, known)
}

func isTagWord(s string) bool {
	for _, r := range s {
		if r >= utf8.RuneSelf || r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}
