package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Explanation is a rule in plain words.
type Explanation struct {
	Rule     string    `json:"rule"` // its id
	Text     string    `json:"text"` // the rule as fmt prints it, without "B:"
	Origin   string    `json:"origin"`
	Chain    string    `json:"chain"`  // the pattern over chain ids
	Source   string    `json:"source"` // file:line:column; "": nowhere in a file
	Sections []Section `json:"sections"`
}

// Section says one thing about a rule in one or more sentences.
type Section struct {
	Title     string   `json:"title"`
	Sentences []string `json:"sentences"`
}

// The titles of the sections, in their order. One with nothing to say is left out.
const (
	Watches = "What it watches"
	Fires   = "When it fires"
	Then    = "What then happens"
	Unbound = "While its key is unbound"
	Counts  = "How it counts"
	Applies = "Where it applies"
)

// Rule explains a rule of a [registry.Set]. With a chain to which it applies,
// it says what that chain declares of the rule's keys; nil: it says what
// holds for any chain.
func Rule(r *registry.Rule, c *chain.Chain) Explanation {
	if c != nil && !r.AppliesTo(c.ID) {
		c = nil
	}
	e := explainer{rule: r, chain: c}
	out := Explanation{
		Rule: r.ID, Text: r.Rule.String(), Origin: r.Scope.Origin.String(), Chain: pattern(r), Source: r.Source.String(),
	}
	for _, s := range []struct {
		title string
		say   func()
	}{{Watches, e.watches}, {Fires, e.fires}, {Then, e.then}, {Unbound, e.unbound}, {Counts, e.counts}, {Applies, e.applies}} {
		e.sentences = nil
		if s.say(); len(e.sentences) > 0 {
			out.Sections = append(out.Sections, Section{s.title, e.sentences})
		}
	}
	return out
}

// explainer collects the sentences of one section after the other.
type explainer struct {
	rule      *registry.Rule
	chain     *chain.Chain // nil: any chain
	sentences []string
}

// say adds a sentence, once in its section.
func (e *explainer) say(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, before := range e.sentences {
		if before == s {
			return
		}
	}
	e.sentences = append(e.sentences, s)
}

// pattern is the rule's pattern over chain ids.
func pattern(r *registry.Rule) string {
	if r.Scope.Pattern == "" {
		return "*"
	}
	return string(r.Scope.Pattern)
}

// positiveAbility returns the first ability atom that is not negated, or nil.
func (e *explainer) positiveAbility() *dsl.Ability {
	for _, a := range e.rule.Condition {
		if t, ok := a.(*dsl.Ability); ok && !t.Not {
			return t
		}
	}
	return nil
}

// frequencies returns the frequency atoms of the rule.
func (e *explainer) frequencies() []*dsl.Frequency {
	var out []*dsl.Frequency
	for _, a := range e.rule.Condition {
		if f, ok := a.(*dsl.Frequency); ok {
			out = append(out, f)
		}
	}
	return out
}

// list joins words as a sentence does: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// plural counts things.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.FormatInt(n, 10) + " " + thing + "s"
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// names says in words which names a pattern covers.
func names(p dsl.NamePattern, thing string) string {
	switch {
	case p == "*":
		return "any " + thing
	case p.IsClass() && thing == "ability":
		return "an ability that may write"
	case p.Literal():
		return fmt.Sprintf("the %s %s", thing, p)
	}
	return fmt.Sprintf("%s %s that %s covers", article(thing), thing, p)
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

// wildcards explains the stars of a pattern; "" if it has none to explain.
func wildcards(p string) string {
	switch {
	case p == "*" || !strings.Contains(p, "*"):
		return ""
	case !strings.HasSuffix(p, ".*"):
		return fmt.Sprintf("In %s, * stands for any characters of one segment between dots.", p)
	case strings.Count(p, "*") == 1:
		return fmt.Sprintf("In %s, the final .* stands for one or more further segments: it does not cover %s itself.", p, strings.TrimSuffix(p, ".*"))
	}
	return fmt.Sprintf("In %s, * stands for any characters of one segment between dots, and the final .* for one or more further segments.", p)
}
