package importer

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// maxClauses is how deep clauses may be nested.
const maxClauses = 8

// genaiNames returns names from a clause of genai-prices. What the clause is
// meant to match is wider: starts_with holds for every model that is yet to
// come and shares the beginning, at whatever price. Of it the name itself and
// its releases are taken, which a * stands for.
func (c *collector) genaiNames(clause *document.Node) []string {
	return c.clauseNames(clause, maxClauses)
}

func (c *collector) clauseNames(clause *document.Node, depth int) []string {
	if depth == 0 || !c.object(clause, "a clause of match") {
		return nil
	}
	if text := c.optionalText(clause, "equals"); text != "" {
		return []string{text}
	}
	if text := c.optionalText(clause, "ends_with"); text != "" {
		return []string{text}
	}
	for _, kind := range []string{"starts_with", "contains"} {
		if text := strings.TrimRight(c.optionalText(clause, kind), "-@"); text != "" {
			return []string{text + "*"}
		}
	}
	if text := c.optionalText(clause, "regex"); text != "" {
		return datedName(text)
	}
	var names []string
	if list := field(clause, "or"); list != nil && list.Kind == jsonv.List {
		for _, n := range list.Items {
			names = append(names, c.clauseNames(n, depth-1)...)
		}
	}
	return names // of "and" nothing is certain
}

// datedName returns the name in an expression that matches a name with a
// date, such as ^gpt-5\.6-\d{4}-\d{2}-\d{2}$; nothing for any other.
func datedName(regex string) []string {
	text, anchored := strings.CutPrefix(regex, "^")
	for _, date := range []string{`-\d{8}$`, `-\d{4}-\d{2}-\d{2}$`} {
		if name, dated := strings.CutSuffix(text, date); anchored && dated {
			name = strings.ReplaceAll(name, `\.`, "\x00")
			if name != "" && !strings.ContainsAny(name, `\.+*?()|[]{}^$`) {
				return []string{strings.ReplaceAll(name, "\x00", ".") + "*"}
			}
		}
	}
	return nil
}

func trimStar(name string) string { return strings.TrimSuffix(name, "*") }
