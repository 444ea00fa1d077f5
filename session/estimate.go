package session

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// estimate is what is reserved for a step: its own Estimate, or what the turn
// after it may cost.
func (s *Session) estimate(k *meter.Task, st *Step, call *meter.Call) {
	if call.Estimate = st.Estimate; st.Estimate != 0 || s.pricing.MaxOutput <= 0 || s.pricing.Table == nil {
		return
	}
	model := s.tasks.models[k.ID()]
	if model == "" {
		return
	}
	q, err := s.quote(model)
	if err != nil {
		return // its usage has ended the task
	}
	call.Estimate, call.Passing = turn(&q.Price, k.ContextTokens(), s.pricing.MaxOutput), true
}

// turn is what a turn of a model may cost, in nano-dollars.
func turn(p *prices.Price, context, output int64) int64 {
	nano, _ := p.Cost(prices.Usage{Input: context, Output: output})
	if p.Rates[prices.CacheWrite5m].Listed {
		cached, _ := p.Cost(prices.Usage{CacheWrite5m: context, Output: output})
		nano = max(nano, cached)
	}
	if p.Rates[prices.CacheWrite1h].Listed {
		cached, _ := p.Cost(prices.Usage{CacheWrite1h: context, Output: output})
		nano = max(nano, cached)
	}
	return nano
}

// noteEstimate has a verdict say what of the money was an estimate of ours,
// where a rule over money fired.
func (s *Session) noteEstimate(v *registry.Verdict, call *meter.Call, k *meter.Task) {
	if call.Passing && moneyFired(v) {
		cents := decimal.Scaled(call.Estimate, -7)
		v.Notes = append(v.Notes, fmt.Sprintf("%s cents of it are what the next turn of %s may cost", cents.String(), s.tasks.models[k.ID()]))
	}
}
