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
	// The same in German and Dutch, where too what counts stands last.
	germanic = words(`empfänger empfaenger adressat adressaten adresse adressen mailadresse emailadresse anschrift konto
		konten bankkonto zielkonto teilnehmer gäste gaeste kontakt kontakte telefon telefonnummer kontonummer ziel
		begünstigter beguenstigter ontvanger ontvangers geadresseerde geadresseerden adres mailadres rekening
		rekeningnummer deelnemer deelnemers gast gasten telefoon telefoonnummer bestemming begunstigde begunstigden`)
	// In French, Spanish, Portuguese and Italian it stands first:
	// correo_electronico, cuentaDestino.
	romance = words(`destinataire destinataires bénéficiaire bénéficiaires beneficiaire beneficiaires adresse adresses
		compte comptes courriel courriels invité invités téléphone lien liens destinatario destinatarios destinatária
		destinatário destinatários destinatari beneficiario beneficiarios beneficiário beneficiari dirección direccion
		direcciones cuenta cuentas correo correos participante participantes asistentes invitado invitados convidados
		teléfono telefono telefone enlace enlaces destino destinos para endereço endereços endereco enderecos conta
		contas indirizzo indirizzi conto conti partecipanti invitati collegamento destinazione`)
	// What stands beside the word that counts: account_number, recipientIds,
	// numero_de_cuenta.
	identifiers = words(`id ids number numbers no name names list handle handles
		nummer nr liste lijst naam namen numéro numero número nombre nom noms nome lista di de du des del della do da`)
	// What a value is turned into or how far it reaches, and no place or
	// person: to_currency, to_date.
	measures = words(`currency currencies unit units language languages lang locale locales format formats
		encoding charset date dates time datetime timestamp timezone day month year`)
	// What stands behind the word that counts where that is a measure:
	// to_currency_code.
	codes = words("code codes")
)

// isDestination judges a key by the words of its last segment, whatever their
// case: what it is about stands last, in Romance languages first, but for the
// kind of identifier, and to_somebody stands for whoever it is, unless it is a
// measure.
func isDestination(key string) bool {
	first, head, last, measure := "", "", "", ""
	for w := range Words(key[strings.LastIndexByte(key, '.')+1:]) {
		if first == "" {
			first = w
		}
		if identifiers[w] {
			continue
		}
		if head == "" {
			head = w
		}
		if last = w; !codes[w] {
			measure = w
		}
	}
	return destinations[last] || germanic[last] || romance[head] || first == "to" && !measures[measure]
}
