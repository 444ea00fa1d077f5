package eval_test

import (
	"regexp"
	"strings"
)

const (
	getting = " get fetch find search retrieve describe lookup "
	looking = " read list view check show count query browse inspect scan peek preview look cat grep glob ls stat " +
		"compare calculate compute estimate analyze summarize explain validate has is exists ping think wait help whoami "
	writing = " write update create insert upsert add append set put save edit modify replace rename move delete " +
		"remove clear drop send forward reply publish upload submit pay cancel approve execute exec run sql "
	joint = " and or then "
)

var (
	lastPart = regexp.MustCompile(`[^./:]*$`)
	// A small letter before a capital, and a capital before one that begins a word.
	hump    = regexp.MustCompile(`([^\P{L}\p{Lu}])(\p{Lu})`)
	acronym = regexp.MustCompile(`(\p{Lu})(\p{Lu}\p{Ll})`)
	noWord  = regexp.MustCompile(`\P{L}+`)
)

// mayWrite: of the name's part behind the last ".", "/" or ":", and then behind
// the last "__", every word is looked at. What only reads has a verb of getting
// anywhere, or one of looking at the beginning or behind a joint; and no verb
// of writing, no joint before what is no verb of reading, and no "check" before
// "in" or "out".
func mayWrite(name string) bool {
	part := lastPart.FindString(name)
	parts := strings.Split(part, "__")
	part = parts[len(parts)-1]
	for range 2 { // matches do not overlap
		part = hump.ReplaceAllString(part, "$1 $2")
		part = acronym.ReplaceAllString(part, "$1 $2")
	}
	ws := strings.Fields(noWord.ReplaceAllString(part, " "))
	reads := false
	for i, w := range ws {
		before := ""
		if i > 0 {
			before = folded(ws[i-1])
		}
		w = folded(w)
		verb := in(getting, w) || (i == 0 || in(joint, before)) && in(looking, w)
		if in(writing, w) || in(joint, before) && !verb || before == "check" && (w == "in" || w == "out") {
			return true
		}
		reads = reads || verb
	}
	return !reads
}

func in(list, w string) bool { return strings.Contains(list, " "+w+" ") }
