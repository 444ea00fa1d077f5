package chain

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// ruleHints say where else a field of a rule belongs.
var ruleHints = map[string]string{
	"on_store_error": "only rules of the operator have it",
	"if":             "did you mean condition?",
	"then":           "did you mean action?",
	"message":        "did you mean reason?",
}

func (r *reader) rules(n *document.Node) {
	first := map[string]diag.Position{}
	for _, item := range r.List(n, "circuit_breakers", MaxRules) {
		rule, ok := r.rule(item)
		if !ok {
			continue
		}
		id := rule.ID()
		if pos, twice := first[id]; twice {
			f := r.Report(DuplicateRuleID, rule.Pos, "a second rule "+document.Quote(id), "remove one, or tell them apart with id:")
			f.Related = []diag.Related{{File: r.File, Pos: pos, Message: "the first one"}}
			continue
		}
		first[id] = rule.Pos
		r.chain.Rules = append(r.chain.Rules, rule)
	}
}

// rule reads one entry. Each field is parsed on its own: no text of the chain
// is ever pasted into a rule line.
func (r *reader) rule(n *document.Node) (Rule, bool) {
	rule := &dsl.Rule{Pos: dsl.Span{Start: n.Pos, End: n.Pos}}
	ok := false
	r.Fields(n, "a rule", []document.Field{
		{Name: "condition", Required: true, Read: func(n *document.Node) {
			rule.Condition, ok = r.ruleCondition(n, rule)
		}},
		{Name: "action", Required: true, Read: func(n *document.Node) { rule.Action = r.action(n) }},
		{Name: "reason", Read: func(n *document.Node) { rule.Reason = r.reason(n) }},
		{Name: "id", Read: func(n *document.Node) { rule.Options.ID = r.ruleID(n) }},
		{Name: "mode", Read: func(n *document.Node) {
			if word, _ := r.word(n, "mode", []string{"enforce", "observe"}); word == "observe" {
				rule.Options.Mode = dsl.Observe
			}
		}},
		{Name: "missing", Read: func(n *document.Node) {
			switch word, _ := r.word(n, "missing", []string{"wait", "fire", "skip"}); word {
			case "fire":
				rule.Options.Missing = dsl.MissingFire
			case "skip":
				rule.Options.Missing = dsl.MissingSkip
			}
		}},
	}, ruleHints)
	return Rule{Rule: rule, Pos: rule.Pos.Start}, ok
}

func (r *reader) ruleCondition(n *document.Node, rule *dsl.Rule) (dsl.Condition, bool) {
	text, pos, ok := r.ruleText(n, "the condition")
	if !ok {
		return nil, false
	}
	rule.Pos.Start = pos
	rule.Pos.End = n.End()
	condition, fault := dsl.ParseCondition(r.File, pos, text)
	if fault != nil {
		r.addFault(n, fault)
		return nil, false
	}
	if _, exact := n.TextPos(0); !exact {
		respan(condition, dsl.Span{Start: n.Pos, End: n.Pos})
		rule.Pos.End = n.Pos
	}
	return condition, true
}

func (r *reader) action(n *document.Node) dsl.Action {
	text, pos, ok := r.ruleText(n, "the action")
	if !ok {
		return dsl.Action{}
	}
	action, fault := dsl.ParseAction(r.File, pos, text)
	if fault != nil {
		r.addFault(n, fault)
	}
	return action
}

// ruleText returns a text of the rule language without outer blanks and line
// ends, which a block of YAML brings along, and its place.
func (r *reader) ruleText(n *document.Node, what string) (string, diag.Position, bool) {
	text, ok := r.Text(n, what)
	if !ok {
		return "", diag.Position{}, false
	}
	trimmed := strings.Trim(text, " \t\n")
	pos, _ := n.TextPos(strings.Index(text, trimmed))
	return trimmed, pos, true
}

// addFault adds a finding of the rule parser. Where the source writes the
// text with escapes its columns are not those of the file.
func (r *reader) addFault(n *document.Node, f *diag.Finding) {
	if _, exact := n.TextPos(0); !exact {
		f.Pos, f.End = n.Pos, diag.Position{}
	}
	r.Add(f)
}

// respan places every atom of a condition.
func respan(c dsl.Condition, at dsl.Span) {
	for _, atom := range c {
		switch a := atom.(type) {
		case *dsl.Threshold:
			a.At = at
		case *dsl.Frequency:
			a.At = at
		case *dsl.Ability:
			a.At = at
		case *dsl.After:
			a.At = at
		case *dsl.Match:
			a.At = at
		case *dsl.When:
			a.At, a.ExprAt = at, at
		}
	}
}

func (r *reader) reason(n *document.Node) string {
	text, _ := r.Text(n, "the reason")
	if len(text) > dsl.MaxLine {
		r.Report(LimitID, n.Pos, fmt.Sprintf("the reason is %d bytes long; at most %d are allowed", len(text), dsl.MaxLine), "")
	}
	return text
}

func (r *reader) ruleID(n *document.Node) string {
	text, ok := r.Text(n, "the id")
	if ok && !chainID().MatchString(text) {
		r.fault(n, 0, len(text), document.Quote(text)+" cannot be the id of a rule", `letters, digits, "_", "-", "/" and ":", with "." between`)
	}
	return text
}
