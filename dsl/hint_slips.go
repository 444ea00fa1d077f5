package dsl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// slips know the common mistakes. Each looks at the place where the parser
// stopped and either knows better than the table or declines. The first that
// knows is heard.
var slips = [...]func(*stop) (advice, bool){
	slipPattern, slipUnclosed, slipNumber, slipCharacter, slipTag,
	slipRepeated, slipComparison, slipValue, slipFrequency, slipWindow,
	slipNot, slipName, slipMatch, slipConjunction, slipField,
	slipAction, slipLimit, slipReason, slipOption, slipRest,
}

// slipUnclosed: a quote or bracket without its end.
func slipUnclosed(p *stop) (advice, bool) {
	switch p.kind(p.at) {
	case "Unclosed", "ExprUnclosed":
		quote := p.value(p.at)[:1]
		if quote == "`" && p.field > 0 {
			return p.here("a reason stands in double quotes, not in backquotes", `write "…"`)
		}
		return p.here("this quote is not closed", "end the text with "+quote)
	}
	if !strings.HasSuffix(p.shape, "WhenTag Expr") {
		return none()
	}
	if p.kind(p.at) == "" {
		if i := p.openBracket(); i >= 0 {
			return around(i, i, "this bracket is not closed", `"|" and "&" inside brackets belong to the expression`)
		}
	}
	if v := p.value(p.at); v == ")" || v == "]" || v == "}" || v == "}}" {
		return p.here("this bracket closes nothing", "remove it, or open it in the expression")
	}
	return none()
}

// openBracket returns the index of the innermost bracket that is still open, or -1.
func (p *stop) openBracket() int {
	var open []int
	for i := p.start; i < p.at; i++ {
		switch p.kind(i) {
		case "ExprOpen":
			open = append(open, i)
		case "ExprClose":
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// lookalikes are characters that mean something else than what was typed for them.
var lookalikes = [...]struct{ seen, meant string }{
	{"≥", ">="}, {"⩾", ">="}, {"≤", "<="}, {"⩽", "<="}, {"≠", "!="}, {"＝", "=="}, {"＞", ">"}, {"＜", "<"},
	{"｜", "|"}, {"∣", "|"}, {"＆", "&"}, {"：", ":"}, {"！", "!"}, {"；", "|"}, {"，", ","},
}

// slipCharacter: a character that no rule has, but that looks like one.
func slipCharacter(p *stop) (advice, bool) {
	if !p.is("Bad") {
		return none()
	}
	value := p.value(p.at)
	r, _ := utf8.DecodeRuneInString(value)
	switch {
	case diag.Invisible(r):
		return p.here(fmt.Sprintf("invisible character U+%04X", r), `remove it; only a quoted text may hold it, best as \u{…}`)
	case isTypographicQuote(r):
		return p.here("a typographic quote "+value+" does not quote", `use the straight quote "`)
	case r == '\'':
		return p.here("single quotes do not quote", `use the double quote "`)
	}
	for _, l := range lookalikes {
		if l.seen == value {
			return p.here("the character "+value+" is not part of the language", "write "+l.meant)
		}
	}
	return none()
}

// atomTags are the words that begin an atom with a colon after them.
var atomTags = []string{"ability", "after", "output", "arg", "when", "frequency"}

// slipTag: a colon after a word that takes none.
func slipTag(p *stop) (advice, bool) {
	if p.field > 0 || !(p.shape == "Key" && p.value(p.at) == ":") && !(p.shape == "!" && p.value(p.at+1) == ":") {
		return none()
	}
	colon := p.at
	if p.shape == "!" {
		colon++
	}
	word := p.value(colon - 1)
	if colon == 1 && word == "B" {
		return around(0, 1, `"B:" is written twice`, "keep one of them")
	}
	hint := "a condition may begin with " + strings.Join(atomTags, ":, ") + ":"
	if known := diag.Suggest(word, atomTags); known != "" {
		hint = "did you mean " + known + ":?"
	}
	return around(colon-1, colon, inQuotes(word+":")+" begins no condition", hint)
}

// slipRepeated: "&&" and "||" as in other languages.
func slipRepeated(p *stop) (advice, bool) {
	switch {
	case p.is("And") && p.kind(p.at-1) == "And":
		return around(p.at-1, p.at, `conditions are joined by a single "&"`, `write & (only the expression of a when: has &&)`)
	case p.is("Bar") && p.kind(p.at-1) == "Bar" && p.field == 1:
		return around(p.at-1, p.at, `"||" does not join conditions`, "write a rule for each alternative, or one when: with || in its expression")
	case p.is("Bar") && p.kind(p.at-1) == "Bar":
		return around(p.at-1, p.at, "the field between the two | is empty", "leave out the field with its |")
	}
	return none()
}

// slipConjunction: words for "&", "|" and "!".
func slipConjunction(p *stop) (advice, bool) {
	if p.field > 0 {
		return none()
	}
	if p.complete() && (p.is("AbilityTag", "AfterTag", "OutputTag", "ArgTag", "WhenTag", "FrequencyTag", "Not") || p.is("Word") && p.kind(p.at+1) == "Op") {
		return p.here(`an "&" is missing before this condition`, "conditions are joined by &, and every one must hold")
	}
	if p.complete() && p.is("Word") && isAction(p.value(p.at)) {
		return p.here(`a "|" is missing before the action`, "write |"+p.value(p.at))
	}
	if p.shape == "Key" && strings.EqualFold(p.value(p.at-1), "not") && !p.ends() {
		return around(p.at-1, p.at-1, `"not" is written "!"`, "such as !ability:email.send")
	}
	if !p.is("Word") || p.shape == "Key" {
		return none()
	}
	switch strings.ToLower(p.value(p.at)) {
	case "and":
		return p.here(`"and" is written "&"`, "such as amount>1000 & ability:trading.execute")
	case "or":
		return p.here(`there is no "or"`, "write a rule for each alternative, or one when: with || in its expression")
	}
	return none()
}

// slipField: the fields of a rule in another order, or one that is not there.
func slipField(p *stop) (advice, bool) {
	switch {
	case p.as == formCondition && p.is("Bar"):
		return p.here("a condition ends before the |", "the action has a place of its own")
	case p.field == 0 && p.shape == "Key" && p.ends() && isAction(p.value(p.at-1)):
		return around(p.at-1, p.at-1, "an action stands where the condition should", "the order is condition|action|\"reason\"|options")
	case p.field == 0 && p.shape == "" && p.is("String"):
		return p.here("a quoted text stands where the condition should", "the order is condition|action|\"reason\"|options")
	case p.field == 0 && p.shape == "" && p.is("Bar"):
		return p.here("the condition is missing", "the order is condition|action|\"reason\"|options")
	case p.field == 0 && p.is("") && p.as == formRule && p.complete():
		return p.here("the action is missing", "add |abort, |confirm, |throttle, |review or |warn")
	}
	return none()
}

// complete reports whether the atom could end here.
func (p *stop) complete() bool { return strings.HasPrefix(p.expected(), `"&"`) }

func isAction(word string) bool {
	for _, a := range actionNames {
		if a == word {
			return true
		}
	}
	return false
}
