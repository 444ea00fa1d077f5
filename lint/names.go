package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Kinds of names that a chain declares.
const (
	argNames    = "argument"
	outputNames = "output"
	paramNames  = "parameter"
	valueNames  = "output or parameter"
	allNames    = "output, argument or parameter"
)

// known returns the names of a kind, in order and each once.
func (c *flowChain) known(kind string) []string {
	names, ok := c.names[kind]
	if ok {
		return names
	}
	if kind == argNames || kind == allNames {
		names = slices.AppendSeq(names, maps.Keys(c.args))
	}
	if kind == outputNames || kind == valueNames || kind == allNames {
		names = slices.AppendSeq(names, maps.Keys(c.outputs))
	}
	if kind == paramNames || kind == valueNames || kind == allNames {
		names = slices.AppendSeq(names, maps.Keys(c.params))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	c.names[kind] = names
	return names
}

// maxSuggested is how many names a hint looks through.
const maxSuggested = 1000

// didYouMean is a hint with the nearest known name, else the one given.
func didYouMean(key dsl.Key, known []string, otherwise string) string {
	if like := diag.Suggest(string(key), known[:min(len(known), maxSuggested)]); like != "" {
		return "did you mean " + like + "?"
	}
	return otherwise
}

// list names a few of many.
func list(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// selects reports whether the rule's ability atoms let it look at a step. A
// rule without such atoms looks at every step.
func selects(r *dsl.Rule, ability string) bool {
	for _, atom := range r.Condition {
		if a, ok := atom.(*dsl.Ability); ok && a.Name.Fold().Covers(ability) == a.Not {
			return false
		}
	}
	return true
}
