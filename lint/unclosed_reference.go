package lint

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// unclosedReference reports reasons with a {{ that is not closed by }}: who
// is asked would be shown the braces in place of the value.
func unclosedReference(p *pass) {
	p.everyRule(func(file string, r *dsl.Rule) {
		fragment, found := unclosed(r.Reason)
		if !found {
			return
		}
		f := p.add(&diag.Finding{ID: UnclosedReferenceID, Severity: diag.Warning, Confidence: diag.Possible, File: file, Pos: r.Pos.Start,
			Message: fmt.Sprintf("the reason of rule %s has %q, which is not closed: it is shown as it is", r.ID(), fragment),
			Hint:    "write {{name}}"})
		// In a chain the place of the rule is that of its condition.
		p.marks[f] = mark{key: dsl.Key(fragment), open: true, below: true}
	})
}

// unclosed returns the first {{ with the name behind it that no }} follows.
func unclosed(text string) (fragment string, found bool) {
	for {
		_, after, open := strings.Cut(text, "{{")
		if !open {
			return "", false
		}
		inside, rest, closed := strings.Cut(after, "}}")
		if !closed || strings.ContainsAny(inside, "{}") {
			name := strings.TrimLeft(after, " \t")
			end := strings.IndexFunc(name, func(r rune) bool { return strings.ContainsRune("{} \t\n\"", r) })
			if end < 0 {
				end = len(name)
			}
			return "{{" + after[:len(after)-len(name)+end], true
		}
		text = rest
	}
}
