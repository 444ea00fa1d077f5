package lint

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// covers reports whether a value bound to name is, or holds, the key's value.
func covers(name string, key dsl.Key) bool {
	rest, ok := strings.CutPrefix(string(key), name)
	return ok && name != "" && (rest == "" || rest[0] == '.')
}

func coveredBy(names []string, key dsl.Key) bool {
	return slices.ContainsFunc(names, func(name string) bool { return covers(name, key) })
}

// stepOutputs are the names that one step may bind.
func stepOutputs(s *chain.Step) []string {
	names := []string{s.OutputName()}
	if s.OutputKey != "" {
		names = append(names, s.OutputKey)
	}
	if s.OnFailure != "" {
		names = append(names, s.ErrorName())
	}
	return names
}

// producers are the steps that may bind a key, in the order of the file.
func (c *flowChain) producers(key dsl.Key) []*chain.Step {
	var steps []*chain.Step
	for i := range c.Steps {
		if coveredBy(stepOutputs(&c.Steps[i]), key) {
			steps = append(steps, &c.Steps[i])
		}
	}
	return steps
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
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// selects reports whether the rule's ability atoms let it look at a step. A
// rule without such atoms looks at every step.
func selects(r *dsl.Rule, ability string) bool {
	ability = dsl.Fold(ability)
	for _, atom := range r.Condition {
		if a, ok := atom.(*dsl.Ability); ok && a.Name.Fold().Match(ability) == a.Not {
			return false
		}
	}
	return true
}
