package chain

import (
	"fmt"
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

// maxTextFaults is how many malformed references of one text are reported.
const maxTextFaults = 20

// splitText cuts a text at its references. A malformed one is reported and
// stays as text. It looks at every character a fixed number of times.
func splitText(s string) (pieces []piece, faults []textFault) {
	from, closing := 0, 0 // cut off up to from; no }} stands between the present {{ and closing
	for open := nextOpen(s, 0); open >= 0 && len(faults) < maxTextFaults; {
		start := open + len("{{")
		if closing = nextClose(s, max(start, closing)); closing < 0 {
			faults = append(faults, textFault{open, len(s), "{{ without }}", refHint})
			break
		}
		if inner := nextOpen(s[:closing], start); inner >= 0 {
			faults = append(faults, textFault{open, inner, "{{ without }}", refHint})
			open = inner
			continue
		}
		end := closing + len("}}")
		key := strings.Trim(s[start:closing], " \t")
		if problem := refProblem(key); problem != "" {
			faults = append(faults, textFault{open, end, problem, refHint})
		} else {
			if from < open {
				pieces = append(pieces, piece{text: s[from:open], offset: from})
			}
			pieces = append(pieces, piece{text: s[open:end], key: dsl.Key(key), offset: open})
			from = end
		}
		open = nextOpen(s, end)
	}
	if from < len(s) {
		pieces = append(pieces, piece{text: s[from:], offset: from})
	}
	return pieces, faults
}

// nextOpen returns the offset of the first {{ from an offset on, or −1.
func nextOpen(s string, from int) int { return indexFrom(s, "{{", from) }

// nextClose returns the offset of the first }} from an offset on, or −1.
func nextClose(s string, from int) int { return indexFrom(s, "}}", from) }

func indexFrom(s, what string, from int) int {
	if i := strings.Index(s[from:], what); i >= 0 {
		return from + i
	}
	return -1
}

func refProblem(key string) string {
	switch {
	case key == "":
		return "{{}} names nothing"
	case len(key) > maxKey:
		return fmt.Sprintf("the key in {{…}} is longer than %d bytes", maxKey)
	case !isKey(key):
		return "what stands in {{…}} is not a key: segments of letters, digits, _ and -, joined by dots"
	}
	return ""
}
