package dsl

import (
	"strconv"
	"strings"
)

// slipFrequency: a frequency without its window, or with another comparison.
func slipFrequency(p *stop) (advice, bool) {
	if p.field > 0 {
		return none()
	}
	shape := p.atomShape()
	switch {
	case shape == "frequency" && p.value(p.at) == "@" && p.kind(p.at+1) == "Word":
		return around(p.at+1, p.at+1, "unknown scope "+inQuotes(p.value(p.at+1)), didYouMean(p.value(p.at+1), scopeWords, "@", ""))
	case shape == "frequency" && p.is("Op") && p.value(p.at) != ">":
		return p.here("a frequency is compared with >", frequencyHint(p.value(p.at), p.value(p.at+1)))
	case strings.HasPrefix(shape, "frequency Op Number") && p.value(p.start+1) != ">" && p.kind(p.start+1) == "Op":
		return around(p.start+1, p.start+1, "a frequency is compared with >", frequencyHint(p.value(p.start+1), p.value(p.start+2)))
	case shape == "frequency" && (p.value(p.at) == "=" || p.ends() || p.is("Word", "Number")):
		return p.here("expected "+wantOver+", found "+p.found(), "a frequency is written frequency>5/1h: more than 5 in an hour")
	case shape == "frequency Op" && p.is("ParamOpen"):
		return p.here("the count of a frequency is a number, not a parameter", "write it, such as frequency>5/1h")
	case shape == "frequency Op" && p.is("Op"):
		return p.here("a frequency is compared with >", "write frequency>5/1h")
	case shape == "frequency Op Number" && (p.ends() || p.is("Word", "Number") || p.value(p.at) == "@"):
		return p.here("a window is required", "such as frequency>"+p.value(p.at-1)+"/1h")
	}
	return none()
}

// frequencyHint turns >= into >.
func frequencyHint(op, count string) string {
	if n, err := strconv.Atoi(count); op == ">=" && err == nil && n > 0 {
		return "write >" + strconv.Itoa(n-1) + ", which holds from number " + count + " on"
	}
	return "frequency>5/1h holds for more than 5 in an hour"
}

// slipWindow: a window that is no number with a unit.
func slipWindow(p *stop) (advice, bool) {
	if p.field > 0 {
		return none()
	}
	switch shape := p.atomShape(); {
	case shape == "frequency Op Number /" && p.ends():
		return p.here("a window such as 1h is missing after the slash", "such as frequency>"+p.value(p.at-2)+"/1h")
	case shape == "frequency Op Number /" && p.is("Word"):
		return p.here("a window begins with a number", unitHint("1", p.value(p.at)))
	case shape == "frequency Op Number / Number" && p.ends():
		return around(p.at-1, p.at-1, "the window has no unit", "write "+p.value(p.at-1)+"s, "+p.value(p.at-1)+"m, "+p.value(p.at-1)+"h or "+p.value(p.at-1)+"d")
	case shape == "frequency Op Number / Number" && p.is("Word", "Bad"):
		return p.here("unknown unit "+inQuotes(p.value(p.at)), unitHint(p.value(p.at-1), p.value(p.at)))
	case shape == "frequency Op Number / Number Key" && p.value(p.at) == "@":
		return p.here("the scope stands before the >", "such as frequency@session>5/1h")
	}
	return none()
}
