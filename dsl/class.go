package dsl

import (
	"iter"
	"strings"
	"unicode"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Writes is the class of the abilities that may change something: @writes
// without quotes. In quotes it would be a name.
const Writes NamePattern = "@writes"

// IsClass reports whether the pattern stands for a class of abilities, not
// for names.
func (p NamePattern) IsClass() bool { return p == Writes }

// Covers reports whether the pattern of an atom, folded, covers an ability as
// its host writes it. Letter case does not count, but where a class finds the
// words of a name by it.
func (p NamePattern) Covers(ability string) bool {
	if p.IsClass() {
		return mayWrite(ability)
	}
	return p.Match(Fold(ability))
}

// classHint helps with what begins with "@" and is no class.
func classHint(text string) string {
	if strings.HasPrefix(strings.ToLower(text), "@read") {
		return "what only reads is all but what writes: write !ability:" + string(Writes)
	}
	if diag.Suggest(strings.ToLower(text), []string{string(Writes)}) != "" {
		return "did you mean " + string(Writes) + "?"
	}
	return "the class is " + string(Writes) + "; a name that begins with @ stands in quotes: write " + Quote(text)
}

// Verbs by which a name tells that its ability only reads. Those of looking
// are nouns too (a list, a check), so they tell only where a name begins.
var (
	gettingVerbs = words("get fetch find search retrieve describe lookup")
	lookingVerbs = words(`read list view check show count browse inspect scan peek preview look cat grep
		glob ls stat compare calculate compute estimate analyze summarize explain validate has is exists ping
		think wait help whoami`)
)

// writingVerbs make a writing ability of one that reads first. They are few,
// as what no verb of reading is in writes anyhow.
var writingVerbs = words(`write update create insert upsert add append set put save edit modify replace rename
	move delete remove clear drop send forward reply publish upload submit pay cancel approve execute exec run sql
	wipe purge destroy erase overwrite terminate revoke enable disable install uninstall deploy restart shutdown
	kill rid`)

// joints stand between two things that one ability does.
var joints = words("and or then")

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// mayWrite judges an ability by the words of its name: it reads only if a verb
// says so, and none says that it writes too. What tells neither may write: a
// guard that does not know is wide.
func mayWrite(ability string) bool {
	reads, before := false, ""
	for w := range Words(lastSegment(ability)) {
		begins := before == "" || joints[before]
		verb := gettingVerbs[w] || begins && lookingVerbs[w]
		switch {
		case writingVerbs[w], joints[before] && !verb, before == "check" && (w == "in" || w == "out"):
			return true
		}
		reads = reads || verb
		before = w
	}
	return !reads
}

// lastSegment is what stands behind the plugin, the server or the group that
// an ability belongs to.
func lastSegment(ability string) string {
	if i := strings.LastIndexAny(ability, "./:"); i >= 0 {
		ability = ability[i+1:]
	}
	if i := strings.LastIndex(ability, "__"); i >= 0 {
		ability = ability[i+2:]
	}
	return ability
}

// Words yields the words of a name, folded: runs of letters, of which a
// capital begins a new one (getFile, HTTPGet).
func Words(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		letters := []rune(name)
		for i := 0; i < len(letters); {
			if !unicode.IsLetter(letters[i]) {
				i++
				continue
			}
			start := i
			for i++; i < len(letters) && unicode.IsLetter(letters[i]) && !beginsWord(letters, i); i++ {
			}
			if !yield(Fold(string(letters[start:i]))) {
				return
			}
		}
	}
}

// beginsWord reports whether a letter behind another begins a word: a capital
// after a small letter, or the last of several before a small letter.
func beginsWord(letters []rune, i int) bool {
	if !unicode.IsUpper(letters[i]) {
		return false
	}
	return !unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])
}
