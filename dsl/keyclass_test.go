package dsl_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestDestinations(t *testing.T) {
	for _, c := range []struct {
		why    string
		covers bool
		keys   []string
	}{
		{"the word itself", true, []string{"to", "cc", "bcc", "recipient", "recipients", "email", "url", "iban", "participants", "phone"}},
		{"whatever the case", true, []string{"To", "RECIPIENT", "Url", "IBAN"}},
		{"what a name is about stands last", true, []string{"user_email", "webhook_url", "toAddress", "replyTo", "target-host", "callbackURL", "send_to"}},
		{"the kind of identifier does not count", true, []string{"account_number", "recipientId", "attendee_names", "email_list", "account_id_no"}},
		{"to somebody", true, []string{"to_user", "toChannel", "to_id", "to_language_team", "to_code"}},
		{"to a recipient, whatever stands before", true, []string{"to_currency_account", "toDateRecipients"}},
		{"to a currency", false, []string{"to_currency", "toCurrency", "to_currency_code", "to_currencies"}},
		{"to a unit", false, []string{"to_unit", "toUnits", "to_unit_id"}},
		{"to a language", false, []string{"to_language", "toLang", "to_locale", "to_language_codes", "to_target_language"}},
		{"to a format", false, []string{"to_format", "toFileFormat", "to_encoding", "to_charset", "to_format_name"}},
		{"to a time", false, []string{"to_date", "toTime", "to_datetime", "to_timestamp", "to_timezone", "to_year"}},
		{"however deep", true, []string{"message.to", "order.lines.ship_to", "a.b.c.recipient"}},
		{"in German and Dutch", true, []string{"empfaenger", "Empfänger", "zahlungs_empfaenger", "kontonummer", "ziel-adresse", "teilnehmerListe", "ontvanger", "rekening_nr"}},
		{"in French, Spanish, Portuguese and Italian", true, []string{"destinataires", "adresse_courriel", "numero_de_cuenta", "correo_electronico", "CuentaDestino", "endereço", "destinatário_id", "indirizzo"}},
		{"what counts stands last, or first", false, []string{"konto_art", "empfaenger_alter", "tipo_cuenta", "asunto_correo", "objet", "betreff", "nombre", "numero", "de"}},
		{"the last segment counts", false, []string{"to.body", "recipient.age"}},
		{"a word before the last one", false, []string{"email_body", "account_type", "url_title", "phone_brand", "add_to_cart"}},
		{"another word", false, []string{"amount", "subject", "body", "file_id", "name", "id", "token", "total", "curl", "emailing", "x", "_"}},
	} {
		for _, key := range c.keys {
			if got := dsl.Destinations.Match(key); got != c.covers {
				t.Errorf("%s: @destinations covers %s: %t", c.why, key, got)
			}
		}
	}
	if dsl.Destinations.Literal() || !dsl.Destinations.IsClass() || dsl.KeyPattern("*").IsClass() {
		t.Error("@destinations is the only class of keys")
	}
}
