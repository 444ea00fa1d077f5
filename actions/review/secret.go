package review

import (
	"errors"
	"net/url"
	"strings"
)

const (
	minSecret = 4       // bytes; what is shorter is no secret, but a word that endpoints without keys are given
	minQuery  = 8       // bytes of a value of a query; versions and the like are shorter
	maxSecret = 8 << 10 // bytes of a key; servers take no longer headers
)

// hidden are the texts that nothing an endpoint says may bring to light: it
// knows the key, and may cite it wherever it says something.
type hidden []secret

// secret is a text and what stands in its place. The text is in lower case and
// without backslashes, as matching takes no note of either.
type secret struct{ text, shown string }

// secretsOf returns the key, and what in the query of an address may be one.
func secretsOf(key string, address *url.URL) (s hidden) {
	add := func(text, shown string, least int) {
		if text = lower(strings.ReplaceAll(text, `\`, "")); len(text) >= least {
			s = append(s, secret{text, shown})
		}
	}
	add(key, "(the key)", minSecret)
	for _, values := range address.Query() {
		for _, v := range values {
			add(v, "(from the address)", minQuery)
		}
	}
	return s
}

// hideIn returns the error without secrets. One that holds some loses what it
// wraps, as that could be printed on its own.
func (s hidden) hideIn(err error) error {
	if said := err.Error(); s.hide(said) != said {
		return errors.New(s.hide(said))
	}
	return err
}

// hide takes the secrets out of a text, whether they stand there as they are
// or escaped as in JSON, however often, or as in an address. It has to see the
// text before that is cut, for a part of a secret is not found.
func (s hidden) hide(text string) string {
	for i := range s {
		text = s[i].hide(text)
	}
	return text
}

func (s *secret) hide(text string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); {
		start := i
		i = pastBackslashes(text, i)
		switch end := s.endIn(text, i); {
		case end > 0:
			b.WriteString(text[from:start])
			b.WriteString(s.shown)
			from, i = end, end
		case i == start:
			i++
		}
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// endIn returns where the secret ends that begins at a place; 0: none does.
func (s *secret) endIn(text string, at int) int {
	for i := 0; i < len(s.text); i++ {
		at = pastBackslashes(text, at)
		switch rest := text[at:]; {
		case len(rest) > 0 && lowerByte(rest[0]) == s.text[i]:
			at++
		case len(rest) >= 5 && lowerByte(rest[0]) == 'u' && rest[1:3] == "00" && isHex(rest[3:5], s.text[i]):
			at += 5
		case len(rest) >= 3 && rest[0] == '%' && isHex(rest[1:3], s.text[i]):
			at += 3
		default:
			return 0
		}
	}
	return at
}

func pastBackslashes(text string, at int) int {
	for at < len(text) && text[at] == '\\' {
		at++
	}
	return at
}

// isHex reports whether two digits are those of a character in either case.
func isHex(two string, c byte) bool {
	hi, ok1 := hexValue(two[0])
	lo, ok2 := hexValue(two[1])
	return ok1 && ok2 && lowerByte(hi<<4|lo) == c
}

func hexValue(c byte) (byte, bool) {
	switch c = lowerByte(c); {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

// lower folds ASCII alone, so that every byte stays at its place.
func lower(text string) string {
	b := []byte(text)
	for i := range b {
		b[i] = lowerByte(b[i])
	}
	return string(b)
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
