package actions

import (
	"strings"
)

// asking has equal questions that are open at the same time asked once. The one
// that asked uses the answer: the others have the step judged again, as one
// answer admits one call, and ask in their turn if they must.
type asking = once[[]Answer]

// key is equal for questions that are equal to a person.
func (q *Question) key() string {
	parts := []string{q.Session, q.Chain, q.Step, q.Ability, q.Args}
	for _, f := range q.Rules {
		parts = append(parts, f.Rule.Key())
	}
	return strings.Join(parts, "\x00")
}
