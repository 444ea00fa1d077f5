package dsl

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// EBNF returns the grammar of a rule: the productions of the parser, then
// the tokens of each state of the lexer with their patterns (RE2).
func EBNF() string {
	var b strings.Builder
	b.WriteString("(* The grammar of a rule, as the parser has it. Made by dsl.EBNF: do not edit.\n" +
		"   <name> is a token. Tokens are tried in order, in the state the lexer is in. *)\n\n")
	b.WriteString(strings.ReplaceAll(ruleParser().String(), "Node", "") + "\n")
	for _, s := range lexerStates() {
		fmt.Fprintf(&b, "\n(* State %s: %s. *)\n\n", s.name, s.about)
		for _, r := range s.rules {
			b.WriteString(ebnfToken(r))
		}
	}
	return b.String()
}

func ebnfToken(r lexer.Rule) string {
	if r == lexer.ReturnRule {
		return "(* anything else: back to the state before *)\n"
	}
	note := ""
	switch a := r.Action.(type) {
	case lexer.ActionPush:
		note = " (* then " + a.State + " *)"
	case lexer.ActionPop:
		note = " (* then back *)"
	}
	if r.Name == "blank" {
		note = " (* dropped *)"
	}
	return "<" + strings.ToLower(r.Name) + "> = /" + r.Pattern + "/" + note + "\n"
}
