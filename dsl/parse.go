package dsl

import (
	"errors"

	"github.com/alecthomas/participle/v2"

	"github.com/cbpolicy/cbpolicy/diag"
)

// ParseRule reads one rule, without "B:". The text's first character stands
// at pos in file. A finding has one of the ids syntax, limit-exceeded and
// unobservable-frequency.
func ParseRule(file string, pos diag.Position, text string) (*Rule, *diag.Finding) {
	return parseRule(&source{file: file, pos: pos, text: text})
}

// ParseCondition reads what stands before the first "|" of a rule.
func ParseCondition(file string, pos diag.Position, text string) (Condition, *diag.Finding) {
	s := &source{file: file, pos: pos, text: text}
	node, f := parse(s, conditionParser(), formCondition)
	if f != nil {
		return nil, f
	}
	return s.condition(node)
}

// ParseAction reads an action, such as "confirm(5m)".
func ParseAction(file string, pos diag.Position, text string) (Action, *diag.Finding) {
	s := &source{file: file, pos: pos, text: "|" + text, skip: 1}
	node, f := parse(s, actionParser(), formAction)
	if f != nil {
		return Action{}, f
	}
	return s.action(&node.Action)
}

func parseRule(s *source) (*Rule, *diag.Finding) {
	node, f := parse(s, ruleParser(), formRule)
	if f != nil {
		return nil, f
	}
	return s.rule(node)
}

// form is what a text should be.
type form int

const (
	formRule form = iota
	formCondition
	formAction
)

// parse runs a parser over a text that was checked, and explains its failure.
func parse[T any](s *source, p *participle.Parser[T], as form) (*T, *diag.Finding) {
	if f := s.checkText(); f != nil {
		return nil, f
	}
	node, err := p.ParseString("", s.text)
	if err == nil {
		return node, nil
	}
	tokens, lexErr := lexAll(s.text)
	if lexErr != nil {
		return nil, s.fault(s.skip, len(s.text), "the text cannot be read: "+lexErr.Error(), "")
	}
	again := func(from int) int {
		_, err := p.ParseString("", s.text[from:])
		return from + errorOffset(err)
	}
	return nil, explain(s, as, tokens, errorOffset(err), again)
}

// errorOffset returns where a parser gave up.
func errorOffset(err error) int {
	if perr := participle.Error(nil); errors.As(err, &perr) {
		return perr.Position().Offset
	}
	return 0
}
