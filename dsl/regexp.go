package dsl

import (
	"errors"
	"fmt"
	"regexp/syntax"
)

// Limits of a regular expression. MaxRegexpSize counts instructions: nested
// counts such as (a{99}){99} make a long program of a short pattern.
const (
	MaxRegexp     = 1000
	MaxRegexpSize = 10_000
)

// checkRegexp returns what is wrong with a pattern of matches:, and the id of
// the finding; "" if nothing is. What passes also passes regexp.Compile.
func checkRegexp(pattern string) (problem, id string) {
	if len(pattern) > MaxRegexp {
		return fmt.Sprintf("the pattern is %d bytes long; at most %d are allowed", len(pattern), MaxRegexp), LimitID
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			return "the pattern is no regular expression: " + bad.Code.String() + " at " + inQuotes(bad.Expr), SyntaxID
		}
		return "the pattern is no regular expression", SyntaxID
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > MaxRegexpSize {
		return fmt.Sprintf("the pattern needs more than %d steps to match", MaxRegexpSize), LimitID
	}
	return "", ""
}
