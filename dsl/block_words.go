package dsl

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// readWords reads T:, L: and R:.
func (r *blockReader) readWords(l blockLine) {
	text := trimBlank(l.Text)
	if text == "" {
		r.report(l.fault(l.Tag+": is empty", "leave the line out"))
		return
	}
	if l.Tag == "R" {
		r.readRephrasings(l)
		return
	}
	if len(text) > MaxBlockWords {
		r.report(withID(l.fault(l.Tag+": is too long", fmt.Sprintf("at most %d bytes are allowed", MaxBlockWords)), LimitID))
		return
	}
	switch {
	case !r.once(l):
	case l.Tag == "T":
		r.block.Trigger = text
	default:
		r.block.Label = text
	}
}

// readRephrasings reads R:words|words.
func (r *blockReader) readRephrasings(l blockLine) {
	for from := 0; from <= len(l.Text); {
		end := from + len(firstPart(l.Text[from:]))
		words := trimBlank(l.Text[from:end])
		var f *diag.Finding
		switch {
		case words == "":
			f = l.text.fault(from, max(end, from+1), "a rephrasing is empty", "write words, or leave it out")
		case len(words) > MaxBlockWords:
			f = withID(l.text.fault(from, end, "a rephrasing is too long", fmt.Sprintf("at most %d bytes are allowed", MaxBlockWords)), LimitID)
		case len(r.block.Rephrasings) == MaxRephrasings:
			f = l.text.tooMany(from, end, "rephrasings", MaxRephrasings)
		}
		if f != nil {
			r.report(f)
			return
		}
		r.block.Rephrasings = append(r.block.Rephrasings, words)
		from = end + 1
	}
}

// firstPart is the text up to the first "|".
func firstPart(text string) string {
	part, _, _ := strings.Cut(text, "|")
	return part
}
