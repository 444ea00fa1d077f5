package registry

import (
	"regexp"
	"strings"
	"sync"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// reason is a rule's reason with the places where values are filled in.
type reason struct {
	texts []string // around the keys: one more than there are keys
	keys  []*keyRef
}

// hole is a reference in a reason.
var hole = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{ *([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*) *\}\}`)
})

// compileReason returns nil for a reason in which nothing is filled in.
func compileReason(text string) *reason {
	if !strings.Contains(text, "{{") {
		return nil
	}
	r, last := &reason{}, 0
	for _, at := range hole().FindAllStringSubmatchIndex(text, -1) {
		r.texts = append(r.texts, text[last:at[0]])
		r.keys = append(r.keys, newKeyRef(dsl.Key(text[at[2]:at[3]])))
		last = at[1]
	}
	r.texts = append(r.texts, text[last:])
	if len(r.keys) == 0 {
		return nil
	}
	return r
}

// maxFilled is how much of a value a reason takes in, in bytes.
const maxFilled = 200

// fill puts in the first value of each key: of the arguments, the outputs,
// the parameters. A key without one stays as it was written. What is put in
// is data: nothing in it is filled in again.
func (r *reason) fill(st *Step) string {
	var b strings.Builder
	for i, k := range r.keys {
		b.WriteString(r.texts[i])
		value := "{{" + string(k.name) + "}}"
		k.each(st, func(text string, _ decimal.Decimal, _ bool) bool {
			value = text
			return false
		})
		if len(value) > maxFilled {
			value = strings.ToValidUTF8(value[:maxFilled], "") + "…"
		}
		b.WriteString(value)
	}
	b.WriteString(r.texts[len(r.keys)])
	return b.String()
}
