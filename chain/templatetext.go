package chain

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// piece is a piece of a template's source.
type piece struct {
	text   string // as written
	key    dsl.Key
	offset int
}

// textFault is what is wrong in a template, between two offsets.
type textFault struct {
	from, to      int
	message, hint string
}

const refHint = "write {{name}} or {{step.output}}"

// splitText cuts a text at its references. A malformed one is reported and
// stays as text.
func splitText(s string) (pieces []piece, faults []textFault) {
	at, from := 0, 0 // the text up to at is looked through, up to from cut off
	for {
		open := strings.Index(s[at:], "{{")
		if open < 0 {
			break
		}
		open += at
		inside, _, closed := strings.Cut(s[open+2:], "}}")
		if !closed {
			faults = append(faults, textFault{open, len(s), "{{ without }}", refHint})
			break
		}
		end := open + 2 + len(inside) + 2
		key := strings.Trim(inside, " \t")
		if problem := refProblem(key); problem != "" {
			faults = append(faults, textFault{open, end, problem, refHint})
			at = open + 2
			continue
		}
		if from < open {
			pieces = append(pieces, piece{text: s[from:open], offset: from})
		}
		pieces = append(pieces, piece{text: s[open:end], key: dsl.Key(key), offset: open})
		at, from = end, end
	}
	if from < len(s) {
		pieces = append(pieces, piece{text: s[from:], offset: from})
	}
	return pieces, faults
}

func refProblem(key string) string {
	switch {
	case key == "":
		return "{{}} names nothing"
	case strings.Contains(key, "{{"):
		return "{{ without }}"
	case !isKey(key):
		return "what stands in {{…}} is not a key: segments of letters, digits, _ and -, joined by dots"
	}
	return ""
}
