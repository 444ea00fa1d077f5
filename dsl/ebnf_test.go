package dsl_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestGrammarFileIsTheParsersGrammar(t *testing.T) {
	golden(t, "../grammar.ebnf", dsl.EBNF())
}

func TestGrammarNamesEveryProductionAndToken(t *testing.T) {
	text := dsl.EBNF()
	for _, want := range []string{"Rule = ", "Condition = ", "Threshold = ", "Option = ", "<number> = /", "<expr> = /", "<bare> = /", "State Tail"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
