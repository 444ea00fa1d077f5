package dsl

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// slipPattern: quotes in the middle of a bare pattern.
func slipPattern(p *stop) (advice, bool) {
	if p.field > 0 || !strings.HasSuffix(p.shape, "MatchTag Bare") {
		return none()
	}
	switch p.kind(p.at) {
	case "String", "Unclosed":
		return p.here("a pattern without quotes cannot hold a quote", `put the whole pattern in double quotes and write \" inside, or in backquotes`)
	}
	return none()
}

// slipMatch: output: and arg: with another match than there are.
func slipMatch(p *stop) (advice, bool) {
	if p.field > 0 {
		return none()
	}
	shape := p.atomShape()
	if shape != "ArgTag Path" && shape != "ArgTag" && p.is("MatchTag", "InTag") {
		word := strings.Trim(p.value(p.at), "| \t")
		return p.here(word+" goes with output:KEY or arg:KEY", "such as output:error_msg|"+word+"…")
	}
	switch {
	case shape == "ArgTag Path" && p.is("Bar"):
		return p.unknownMatch()
	case shape == "ArgTag Path" && p.is("Op"):
		return p.here("numbers are compared by the key alone", "write "+p.value(p.at-1)+p.value(p.at)+"… without "+strings.Trim(p.value(p.at-2), " \t"))
	case shape == "ArgTag Path" && (p.is("Word") || p.value(p.at) == ":"):
		return p.here("expected "+wantMatch+", found "+p.found(), "such as "+p.subject()+p.value(p.at-1)+"|contains:fail")
	case shape == "ArgTag Path" && p.ends():
		return p.here("a match is missing", "such as "+p.subject()+p.value(p.at-1)+"|contains:fail")
	case shape == "ArgTag Path InTag" && p.is("Word"):
		return p.here("expected "+wantSource+", found "+p.found(), didYouMean(p.value(p.at), sourceWords, "in:", ""))
	}
	return none()
}

// subject returns "output:" or "arg:" as it was written.
func (p *stop) subject() string {
	if p.kind(p.at-2) == "OutputTag" {
		return "output:"
	}
	return "arg:"
}

// unknownMatch explains what follows the "|" after output:KEY.
func (p *stop) unknownMatch() (advice, bool) {
	word := p.value(p.at + 1)
	if p.kind(p.at+1) != "Word" || isAction(word) || p.value(p.at+2) != ":" && diag.Suggest(word, matchWords) == "" {
		return p.here("a match is missing", "such as "+p.subject()+p.value(p.at-1)+"|contains:fail")
	}
	last := p.at + 1
	if p.value(p.at+2) == ":" {
		last++
	}
	hint := didYouMean(word, append(slices.Clone(matchWords), "in"), "", ":")
	if slices.Contains(matchWords, word) {
		hint = "write " + word + ": and a pattern"
	}
	return around(p.at+1, last, "unknown match "+inQuotes(word), hint)
}
