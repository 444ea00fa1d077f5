package review

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// kind is what an ability does, as far as its name and arguments tell.
type kind string

// The kinds. other is everything else.
const (
	other    kind = "other"
	reads    kind = "read"   // looks at something
	searches kind = "search" // looks for something
	edits    kind = "edit"   // changes a file or a record
	sends    kind = "send"   // acts upon the world: mail, money, orders
	verifies kind = "verify" // tests, checks, builds
	executes kind = "exec"   // runs a command that tells no more
	hands    kind = "hand"   // delegates
)

// kindWords are the words by which names tell what they do.
var kindWords = []struct {
	kind  kind
	words []string
}{
	{hands, strings.Fields("delegate handoff subagent")},
	{verifies, strings.Fields("test tests check verify validate lint build compile assert typecheck pytest diagnose")},
	{searches, strings.Fields("search find grep rg glob query lookup locate")},
	{sends, strings.Fields("send email mail post publish pay payment transfer order buy sell trade book reserve submit deploy push notify reply tweet invite purchase refund merge")},
	{edits, strings.Fields("edit write create update delete remove replace patch insert append modify set move rename save put add upload multiedit")},
	{reads, strings.Fields("read get view cat open list ls show fetch load browse inspect diff status describe head tail watch poll wait download visit navigate")},
	{executes, strings.Fields("bash shell exec execute run terminal command sh python code")},
}

// kindOf tells the kind of a call: by the name's last part before the others,
// and in a part by its first word that tells. A shell is judged by the words
// of its command.
func kindOf(c *Call) kind {
	if c.Worker != "" {
		return hands
	}
	found := other
	parts := strings.FieldsFunc(strings.ReplaceAll(c.Ability, "__", "."), func(r rune) bool { return strings.ContainsRune("./:", r) })
	for _, part := range slices.Backward(parts) {
		switch k := kindOfWords(nameWords(part)); k {
		case other:
		case executes:
			found = executes
		default:
			return k
		}
	}
	if found == executes {
		if k := kindOfWords(first(nameWords(commandOf(c)), 12)); k != other {
			return k
		}
	}
	return found
}

// commandOf returns the command of a shell's call; "": it tells none.
func commandOf(c *Call) string {
	args, err := jsonv.ParseString(c.Args, jsonv.Limits{})
	if err != nil {
		return ""
	}
	for _, key := range []string{"command", "cmd", "script", "code"} {
		if v, ok := args.Member(key); ok && v.Kind() == jsonv.String {
			return v.Text()
		}
	}
	return ""
}

// kindOfWords returns the kind of the first word that tells more than that
// something is run.
func kindOfWords(words []string) kind {
	found := other
	for _, w := range words {
		for _, k := range kindWords {
			if !slices.Contains(k.words, w) {
				continue
			}
			if k.kind != executes {
				return k.kind
			}
			found = executes
		}
	}
	return found
}

// nameWords splits a name into lower-case words: at everything that is no
// letter, and where a small letter meets a capital.
func nameWords(name string) []string {
	var words []string
	begin, small := -1, false
	runes := []rune(cut(name, MaxName))
	for i, r := range append(runes, ' ') {
		switch {
		case !unicode.IsLetter(r):
			if begin >= 0 {
				words = append(words, strings.ToLower(string(runes[begin:i])))
			}
			begin, small = -1, false
		case begin < 0:
			begin, small = i, unicode.IsLower(r)
		case small && unicode.IsUpper(r):
			words = append(words, strings.ToLower(string(runes[begin:i])))
			begin, small = i, false
		default:
			small = unicode.IsLower(r)
		}
	}
	return words
}

// fileKeys are the arguments under which tools are told a file.
var fileKeys = strings.Fields("file_path path filepath filename file target_file notebook_path uri document_id doc_id id key name")

// textKeys are the arguments in which editing tools take new text.
var textKeys = strings.Fields("new_string new_str content contents file_text text new_text insert_text replacement body patch input")

// edit is what an editing call does.
type edit struct {
	file string // "": not told
	size int    // bytes of new text; 0: not told
}

// editOf reads the arguments of an editing call. Arguments that were cut are
// no JSON; they tell nothing.
func editOf(c *Call) edit {
	args, err := jsonv.ParseString(c.Args, jsonv.Limits{})
	if err != nil {
		return edit{}
	}
	var e edit
	for _, key := range fileKeys {
		if v, ok := args.Member(key); ok && v.Kind() == jsonv.String && v.Text() != "" {
			e.file = v.Text()
			break
		}
	}
	for _, key := range textKeys {
		if v, ok := args.Member(key); ok && v.Kind() == jsonv.String {
			e.size = len(v.Text())
			if e.file == "" {
				e.file = patchedFile(v.Text())
			}
			break
		}
	}
	return e
}

// patchedFile returns the file that a patch is for.
func patchedFile(patch string) string {
	for line := range strings.SplitSeq(patch, "\n") {
		for _, mark := range []string{"*** Update File: ", "*** Add File: ", "+++ b/"} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}
