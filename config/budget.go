package config

import (
	"strconv"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// Budget says what is reserved for steps whose cost nobody has estimated.
type Budget struct {
	// Estimate: the session reserves what the turn of the model after the step
	// may cost; see session.Pricing.
	Estimate bool
	// MaxOutputTokens is how long an answer may be; 0: trim.DefaultCompletionTokens.
	MaxOutputTokens int
}

// MaxOutput is for session.Pricing: 0 where nothing is estimated.
func (b *Budget) MaxOutput() int64 {
	switch {
	case !b.Estimate:
		return 0
	case b.MaxOutputTokens == 0:
		return trim.DefaultCompletionTokens
	}
	return int64(b.MaxOutputTokens)
}

const (
	budgetPrefix    = "budget."
	budgetMaxOutput = budgetPrefix + "max_output_tokens"
)

func (r *reader) budget(n *document.Node) {
	b := &r.config.Budget
	r.Fields(n, "budget", []document.Field{
		{Name: "estimate", Read: func(n *document.Node) {
			r.mark(budgetPrefix+"estimate", n)
			if b.Estimate = n.Text == "auto"; !b.Estimate && n.Text != "off" && n.Text != "false" || !n.Scalar() {
				r.wrong(n, "estimate", "write auto, or off")
			}
		}},
		{Name: "max_output_tokens", Read: func(n *document.Node) {
			r.mark(budgetMaxOutput, n)
			b.MaxOutputTokens = r.count(n, "max_output_tokens", 1)
		}},
	}, map[string]string{"max_output": "did you mean max_output_tokens?", "cap": "the cap on money is builtins: {limits: {token_spend_limit: …}}"})
}

// budget shows what is reserved.
func (s *Settings) budget() []Setting {
	shown := Budget{Estimate: true, MaxOutputTokens: s.Budget.MaxOutputTokens}
	return []Setting{
		{budgetPrefix + "estimate", map[bool]string{true: "auto", false: "off"}[s.Budget.Estimate], s.origin(budgetPrefix + "estimate")},
		{budgetMaxOutput, strconv.FormatInt(shown.MaxOutput(), 10), s.origin(budgetMaxOutput)},
	}
}
