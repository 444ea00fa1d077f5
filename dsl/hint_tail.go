package dsl

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// actionWords are words people write for actions.
var actionWords = map[string]string{
	"deny": "abort", "block": "abort", "stop": "abort", "halt": "abort", "kill": "abort", "fail": "abort", "refuse": "abort",
	"reject": "abort", "error": "abort", "ask": "confirm", "approve": "confirm", "prompt": "confirm", "log": "warn",
	"alert": "warn", "notify": "warn", "warning": "warn", "limit": "throttle", "delay": "throttle", "wait": "throttle",
	"ratelimit": "throttle", "rate_limit": "throttle", "pause": "review", "escalate": "review",
}

// optionNames are the options with the values they take; nil: a name.
var optionNames = [...]struct {
	name   string
	values []string
}{
	{"id", nil},
	{"mode", []string{"enforce", "observe"}},
	{"missing", []string{"fire", "wait", "skip"}},
	{"on_store_error", []string{"deny", "allow", "local"}},
}

func knownOptions() []string {
	names := make([]string, len(optionNames))
	for i, o := range optionNames {
		names[i] = o.name
	}
	return names
}

// slipAction: something else where the action belongs.
func slipAction(p *stop) (advice, bool) {
	if p.field != 1 || p.shape != "" {
		return none()
	}
	word := p.value(p.at)
	switch {
	case p.is("String"):
		return p.here("a quoted text stands where the action should", `the order is condition|action|"reason"|options`)
	case p.is("IdTag"), p.is("Word") && p.value(p.at+1) == "=" && slices.Contains(knownOptions(), word):
		return p.here("an option stands where the action should", `the order is condition|action|"reason"|options`)
	case !p.is("Word"):
		return none()
	}
	message := "unknown action " + inQuotes(word)
	switch meant := actionWords[strings.ToLower(word)]; {
	case strings.EqualFold(word, "allow"):
		return p.here(message, "nothing has to be written for what is allowed: a step runs unless a rule fires")
	case meant != "":
		return p.here(message, "write "+meant)
	}
	if a := diag.Suggest(word, actionNames[:]); a != "" {
		return p.here(message, "did you mean "+a+"?")
	}
	if next := p.value(p.at + 1); next == ":" || strings.ContainsAny(next, "<>") {
		return p.here("a condition stands where the action should", `conditions are joined by "&" before the first |`)
	}
	return p.here(message, "the actions are abort, confirm, throttle, review and warn")
}

// slipLimit: the limit of confirm or throttle.
func slipLimit(p *stop) (advice, bool) {
	if p.field != 1 || p.shape == "" {
		return none()
	}
	action := p.value(p.start)
	timed := action == "confirm" || action == "throttle"
	value := p.value(p.at)
	switch {
	case p.shape == "Key" && value == "(" && !timed:
		return p.here(action+" takes no limit", "write "+action+", or confirm(5m) or throttle(60s)")
	case p.shape == "Key" && timed && (p.is("Number") || value == ":" || value == "="):
		return p.here("the limit of "+action+" stands in parentheses", "such as "+action+"(60s)")
	case value == "&":
		return p.here("a condition stands behind the action", `conditions are joined by "&" before the first |`)
	case p.shape == "Key" && (value == "," || p.is("Word") && isAction(value)):
		return p.here("a rule has one action", "write a rule for each")
	case p.shape == "Key" && p.is("String"):
		return p.here(`a "|" is missing before the reason`, "write "+action+"|"+inQuotes("…"))
	case p.shape == "Key (" && p.is("Word"):
		return p.here("a limit begins with a number", unitHint("1", value))
	case p.shape == "Key ( Number" && (value == ")" || p.ends()):
		return around(p.at-1, p.at-1, "the limit has no unit", "write "+p.value(p.at-1)+"s, "+p.value(p.at-1)+"m, "+p.value(p.at-1)+"h or "+p.value(p.at-1)+"d")
	case p.shape == "Key ( Number" && p.is("Word", "Bad"):
		return p.here("unknown unit "+inQuotes(value), unitHint(p.value(p.at-1), value))
	}
	return none()
}

// slipReason: a reason without quotes, or with quotes inside.
func slipReason(p *stop) (advice, bool) {
	if p.field < 2 {
		return none()
	}
	switch {
	case p.shape == "String" && !p.ends():
		return p.here("the reason ends before this text", `write \" for a quote inside the reason`)
	case p.shape != "" || p.ends() || p.optionBegins() || p.is("String"):
		return none()
	}
	text, last := p.rest(p.at)
	if p.field == 3 {
		return none()
	}
	return around(p.at, last, "a reason stands in double quotes", "write "+Quote(text))
}

// optionBegins reports whether the text looks like NAME=VALUE.
func (p *stop) optionBegins() bool {
	return p.is("IdTag") || p.is("Word") && (p.value(p.at+1) == "=" || slices.Contains(knownOptions(), p.value(p.at)))
}

// slipOption: an option or a value of one that does not exist.
func slipOption(p *stop) (advice, bool) {
	if p.field < 2 {
		return none()
	}
	value := p.value(p.at)
	switch {
	case (p.shape == "" || strings.HasSuffix(p.shape, ",")) && p.is("Word") && !slices.Contains(knownOptions(), value):
		return p.here("unknown option "+inQuotes(value), didYouMean(value, knownOptions(), "", "="))
	case strings.HasSuffix(p.shape, "Key =") && p.is("Word"):
		option := p.value(p.at - 2)
		for _, o := range optionNames {
			if o.name == option {
				return p.here("unknown value "+inQuotes(value)+" of the option "+option, didYouMean(value, o.values, option+"=", ""))
			}
		}
	case strings.HasSuffix(p.shape, "IdTag Name") && !p.ends() && value != ",":
		return p.here("an id with other characters than letters, digits, _ - / : and . stands in quotes", `such as id="large trade"`)
	case strings.HasSuffix(p.shape, "Key") && value == ":":
		return p.here("an option is written with =", "write "+p.value(p.at-1)+"=…")
	}
	return none()
}

// slipRest: more fields than a rule has, or the reason after the options.
func slipRest(p *stop) (advice, bool) {
	options := p.shape != "" && p.shape != "String" || p.field == 3
	switch {
	case p.field >= 2 && options && p.is("Bar") && p.kind(p.at+1) == "String":
		return p.here("the reason stands before the options", `the order is condition|action|"reason"|options`)
	case p.field >= 2 && options && p.is("Bar"):
		return p.here("a rule has at most four fields", `the order is condition|action|"reason"|options`)
	case p.field == 3 && p.shape == "" && p.is("String"):
		return p.here("a rule has one reason", "options such as id=NAME stand in the last field")
	}
	return none()
}
