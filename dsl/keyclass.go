package dsl

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Destinations is the class of the keys that say where something goes or whom
// it reaches, however deep they lie: @destinations after arg:. Where nothing is
// in a value (no leaf, or only blanks), it is none of them.
const Destinations KeyPattern = "@destinations"

// IsClass reports whether the pattern stands for a class of keys.
func (p KeyPattern) IsClass() bool { return p == Destinations }

// keyClassHint helps with what begins with "@" where a key stands, and is no class.
func keyClassHint(text string) string {
	if diag.Suggest(strings.ToLower(text), []string{string(Destinations)}) != "" {
		return "did you mean " + string(Destinations) + "?"
	}
	return "the class of keys is " + string(Destinations) + "; a key begins with a letter"
}

var (
	// What a key names by its last word: an email_body is a body, a
	// webhook_url is a URL.
	destinations = words(`to cc bcc recipient recipients receiver receivers addressee addressees payee payees
		beneficiary beneficiaries participant participants attendee attendees invitee invitees email emails mail
		mails address addresses account accounts iban ibans wallet wallets phone phones telephone mobile fax
		url urls uri uris href link links webhook webhooks endpoint endpoints callback host hosts hostname hostnames
		domain domains destination destinations dest`)
	// What stands behind the word that counts: account_number, recipientIds.
	identifiers = words("id ids number numbers no name names list handle handles")
)

// isDestination judges a key by the words of its last segment, whatever their
// case: what it is about stands last, but for the kind of identifier, and
// to_somebody stands for whoever it is.
func isDestination(key string) bool {
	first, last := "", ""
	for w := range wordsOf(key[strings.LastIndexByte(key, '.')+1:]) {
		if first == "" {
			first = w
		}
		if !identifiers[w] {
			last = w
		}
	}
	return first == "to" || destinations[last]
}
