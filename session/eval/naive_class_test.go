package eval_test

import (
	"regexp"
	"strings"
)

const (
	getting = " get fetch find search retrieve describe lookup "
	looking = " read list view check show count browse inspect scan peek preview look cat grep glob ls stat " +
		"compare calculate compute estimate analyze summarize explain validate has is exists ping think wait help whoami "
	writing = " write update create insert upsert add append set put save edit modify replace rename move delete " +
		"remove clear drop send forward reply publish upload submit pay cancel approve execute exec run sql " +
		"wipe purge destroy erase overwrite terminate revoke enable disable install uninstall deploy restart shutdown kill rid "
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
	ws := nameWords(part)
	reads := false
	for i, w := range ws {
		before := ""
		if i > 0 {
			before = ws[i-1]
		}
		verb := in(getting, w) || (i == 0 || in(joint, before)) && in(looking, w)
		if in(writing, w) || in(joint, before) && !verb || before == "check" && (w == "in" || w == "out") {
			return true
		}
		reads = reads || verb
	}
	return !reads
}

// nameWords are the words of a name, folded.
func nameWords(name string) []string {
	for range 2 { // matches do not overlap
		name = hump.ReplaceAllString(name, "$1 $2")
		name = acronym.ReplaceAllString(name, "$1 $2")
	}
	ws := strings.Fields(noWord.ReplaceAllString(name, " "))
	for i := range ws {
		ws[i] = folded(ws[i])
	}
	return ws
}

const (
	destination = " to cc bcc recipient recipients receiver receivers addressee addressees payee payees beneficiary " +
		"beneficiaries participant participants attendee attendees invitee invitees email emails mail mails address " +
		"addresses account accounts iban ibans wallet wallets phone phones telephone mobile fax url urls uri uris href " +
		"link links webhook webhooks endpoint endpoints callback host hosts hostname hostnames domain domains " +
		"destination destinations dest "
	identifier = " id ids number numbers no name names list handle handles "
	// Some of the words that other languages have for them. In Romance ones what
	// counts stands first; "de" and its like count for nothing.
	germanic = " empfaenger kontonummer "
	romance  = " destinatario cuenta "
	beside   = identifier + "nummer numero de "
	measure  = " currency currencies unit units language languages lang locale locales format formats encoding charset " +
		"date dates time datetime timestamp timezone day month year "
)

// saysWhere: of the last segment of a path, the last word that is no kind of
// identifier says where something goes, in Romance languages the first; or the first word is "to", and the last
// that is neither a kind of identifier nor "code" is no measure.
func saysWhere(path string) bool {
	ws := nameWords(path[strings.LastIndex(path, ".")+1:])
	if last := lastBut(beside, ws); last != "" && in(destination+germanic, last) {
		return true
	}
	for _, w := range ws {
		if !in(beside, w) {
			if in(romance, w) {
				return true
			}
			break
		}
	}
	return len(ws) > 0 && ws[0] == "to" && !in(measure, lastBut(beside+"code codes ", ws))
}

// lastBut is the last word that is not in a list; "": all are.
func lastBut(list string, ws []string) string {
	for i := len(ws) - 1; i >= 0; i-- {
		if !in(list, ws[i]) {
			return ws[i]
		}
	}
	return ""
}

func in(list, w string) bool { return strings.Contains(list, " "+w+" ") }
