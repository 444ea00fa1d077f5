package dsl

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// comparisonWords are words people write for operators.
var comparisonWords = map[string]string{
	"is": "==", "equals": "==", "equal": "==", "eq": "==", "not": "!=", "ne": "!=", "isnt": "!=",
	"exceeds": ">", "over": ">", "above": ">", "gt": ">", "greater": ">", "greater_than": ">", "more": ">",
	"under": "<", "below": "<", "lt": "<", "less": "<", "less_than": "<", "gte": ">=", "ge": ">=", "lte": "<=", "le": "<=",
}

// slipComparison: something else where the operator belongs.
func slipComparison(p *stop) (advice, bool) {
	if p.field > 0 || p.shape != "Key" {
		return none()
	}
	switch {
	case p.value(p.at) == "=":
		next := p.value(p.at + 1)
		if p.kind(p.at+1) == "Op" && p.adjacent(p.at+1) {
			return around(p.at, p.at+1, "unknown comparison "+inQuotes("="+next), "write "+next[:1]+"=")
		}
		if next == "!" {
			return around(p.at, p.at+1, `unknown comparison "=!"`, "write !=")
		}
		return p.here(`unknown comparison "="`, "write == for equal, >= or <=")
	case p.value(p.at) == "!" && p.value(p.at+1) == "=":
		return around(p.at, p.at+1, `unknown comparison "! ="`, "write !=")
	case p.is("Word") && comparisonWords[strings.ToLower(p.value(p.at))] != "":
		return p.here("expected "+wantOp+", found "+p.found(), "write "+comparisonWords[strings.ToLower(p.value(p.at))])
	case p.ends() && p.at > 0 && !isAction(p.value(p.at-1)):
		return p.here("expected "+wantOp+", found "+p.found(), "such as "+p.value(p.at-1)+">1000")
	}
	return none()
}

// slipValue: something else where a threshold's number belongs.
func slipValue(p *stop) (advice, bool) {
	if p.field > 0 || p.shape != "Key Op" {
		return none()
	}
	value, op := p.value(p.at), p.value(p.at-1)
	switch {
	case p.is("Op"), value == "=", value == "!":
		return p.doubledOp(op, value)
	case value == "." && p.kind(p.at+1) == "Number":
		return around(p.at, p.at+1, "a number begins with a digit", "write 0."+p.value(p.at+1))
	case p.currency():
		last := p.numberEnd(p.at + 1)
		if last > p.at {
			return around(p.at, last, "a number stands without a currency sign", "write "+p.digits(p.at+1, last))
		}
		return p.here("a number stands without a currency sign", "write it as digits, such as 1000")
	case (value == "-" || value == "+") && p.is("Bad") && p.kind(p.at+1) == "Word":
		p.at++
		return p.wordAsValue(p.value(p.at))
	case value == "{" || value == "$":
		return p.here("expected "+wantValue+", found "+p.found(), "a parameter is written {{max_spend}}")
	case p.is("String"):
		return p.here("a comparison takes a number, not a quoted text", "compare text with output:KEY|equals:"+value+" or arg:KEY|equals:"+value)
	case p.is("Word"):
		return p.wordAsValue(value)
	}
	return none()
}

func (p *stop) doubledOp(op, value string) (advice, bool) {
	meant := "one comparison"
	switch op + value {
	case "<>", "><":
		meant = "!="
	case "===", "!==", ">==", "<==":
		meant = op
	case ">=", "<=":
		meant = op + value
	case ">>", "<<":
		meant = op
	}
	return around(p.at-1, p.at, "unknown comparison "+inQuotes(op+value), "write "+meant)
}

// currency reports whether the token is a currency sign before digits.
func (p *stop) currency() bool {
	r, _ := utf8.DecodeRuneInString(p.value(p.at))
	return p.is("Bad") && unicode.Is(unicode.Sc, r) && p.kind(p.at+1) != "Word" && p.value(p.at+1) != "{"
}

func (p *stop) wordAsValue(word string) (advice, bool) {
	switch strings.ToLower(strings.TrimLeft(word, "+-")) {
	case "nan", "inf", "infinity":
		return p.here(word+" is not a number that a rule can compare with", "write a number such as 1000; a value that is no number makes the rule fire by itself")
	case "true", "false", "null", "none", "nil":
		return p.here("a comparison takes a number, not "+word, "compare text with output:KEY|equals:"+word+" or arg:KEY|equals:"+word)
	}
	return p.here("expected "+wantValue+", found "+p.found(), "a parameter is written {{"+word+"}}")
}

// slipNumber: a number that goes on in a way the grammar does not have.
func slipNumber(p *stop) (advice, bool) {
	if p.field > 0 || !strings.HasSuffix(p.shape, "Op Number") {
		return none()
	}
	value, number := p.value(p.at), p.value(p.at-1)
	last := p.numberEnd(p.at - 1)
	switch {
	case last > p.at-1:
		return around(p.at-1, last, "a number is written without separators", "write "+p.digits(p.at-1, last))
	case value == ".":
		return around(p.at-1, p.at, "digits are missing after the point", "write "+number+" or "+number+".0")
	case strings.HasPrefix(p.shape, "frequency"):
		return none()
	case !p.adjacent(p.at):
		if p.is("Word") && knownUnitWord(value) {
			return p.here("unknown unit "+inQuotes(value), unitHint(number, value))
		}
		return none()
	case value == "%":
		return around(p.at-1, p.at, "a number has no percent sign", "write a fraction such as 0.95")
	case p.is("Word") && (value[0] == 'E' || value[0] == 'e'):
		return around(p.at-1, p.at, inQuotes(number+value)+" is not a number", "an exponent is written like 1e5 or 1e-5")
	case p.is("Word"), p.is("Bad") && strings.IndexFunc(value, unicode.IsLetter) == 0:
		return p.here("unknown unit "+inQuotes(value), unitHint(number, value))
	}
	return none()
}

// numberEnd returns the index of the last token of a number written with
// separators (1,000 or 1_000 or 1'000) that begins at token i, or i.
func (p *stop) numberEnd(i int) int {
	if p.kind(i) != "Number" {
		return i - 1
	}
	for {
		v := p.value(i + 1)
		switch {
		case (v == "," || v == "'" || v == "’") && p.kind(i+2) == "Number" && p.adjacent(i+1) && p.adjacent(i+2):
			i += 2
		case strings.HasPrefix(v, "_") && strings.Trim(v, "_0123456789") == "" && p.adjacent(i+1):
			i++
		default:
			return i
		}
	}
}

// digits returns the tokens' text without separators.
func (p *stop) digits(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString(strings.Map(func(r rune) rune {
			if r == '_' || r == ',' || r == '\'' || r == '’' {
				return -1
			}
			return r
		}, p.value(i)))
	}
	return b.String()
}

// slipNot: a "!" before what it cannot turn round.
func slipNot(p *stop) (advice, bool) {
	if p.field > 0 || p.shape != "!" {
		return none()
	}
	const message = `"!" stands only before ability:, after:, output: and arg:`
	switch {
	case p.is("WhenTag"):
		return around(p.at-1, p.at, message, "write the ! inside: when: !(…)")
	case p.value(p.at) == "frequency", p.is("FrequencyTag"):
		return around(p.at-1, p.at, message, "a frequency cannot be negated")
	case p.is("Word") && p.value(p.at+1) != ":":
		return around(p.at-1, p.at, message, "turn the comparison round, such as <= for >")
	}
	return none()
}

// slipName: a name of an ability that needs quotes or has an empty segment.
func slipName(p *stop) (advice, bool) {
	if p.field > 0 {
		return none()
	}
	tag := p.kind(p.start)
	if tag == "Not" {
		tag = p.kind(p.start + 1)
	}
	if tag != "AbilityTag" && tag != "AfterTag" && tag != "FrequencyTag" {
		return none()
	}
	switch {
	case p.kind(p.at-1) == "Class" && tag != "FrequencyTag" && !p.ends() && !p.conjunction():
		text, last := p.rest(p.at - 1)
		return around(p.at-1, last, "there is no class of abilities "+text, classHint(text))
	case p.kind(p.at-1) == tag && p.value(p.at) == ".", p.kind(p.at-1) == "Name" && p.value(p.at) == ".":
		return p.here("a name has no empty segment", "remove the dot, or write .* for all below")
	case p.kind(p.at-1) == "Name" && tag != "FrequencyTag" && !p.ends() && !p.conjunction():
		text, last := p.rest(p.at - 1)
		return around(p.at-1, last, "a name with other characters than letters, digits, _ - / : and . stands in quotes", "write "+Quote(text))
	}
	return none()
}

// conjunction reports whether the token is a word for "&" or "|", not part of a name.
func (p *stop) conjunction() bool {
	w := strings.ToLower(p.value(p.at))
	return p.is("Word") && (w == "and" || w == "or")
}

func knownUnitWord(word string) bool { return unitHint("", word) != unitHint("", "") }

// unitHint says which unit was meant.
func unitHint(number, unit string) string {
	word := strings.ToLower(strings.TrimRight(unit, "."))
	for _, u := range unitWords {
		for _, w := range u.words {
			if w == word {
				return "write " + number + u.unit
			}
		}
	}
	if word == "w" || strings.HasPrefix(word, "week") {
		return "weeks are written in days, such as 7d"
	}
	return "the units are s, m, h and d"
}

var unitWords = [...]struct {
	unit  string
	words []string
}{
	{"s", []string{"s", "sec", "secs", "second", "seconds"}},
	{"m", []string{"m", "min", "mins", "minute", "minutes"}},
	{"h", []string{"h", "hr", "hrs", "hour", "hours"}},
	{"d", []string{"d", "day", "days"}},
}

var scopeWords = []string{"session", "all", "chain"}

var sourceWords = []string{"user", "outputs"}

var matchWords = []string{"contains", "icontains", "equals", "matches"}

// didYouMean is a hint from a list of words, or the whole list.
func didYouMean(word string, known []string, before, after string) string {
	if k := diag.Suggest(word, known); k != "" {
		return "did you mean " + before + k + after + "?"
	}
	return "write " + before + strings.Join(known, after+", "+before) + after
}
