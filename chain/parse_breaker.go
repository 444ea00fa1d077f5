package chain

import (
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Breaker is the half-open breaker that a chain asks for: each of its
// abilities is refused for a while once it has failed too often in a row.
type Breaker struct {
	FailureThreshold int           // failures in a row; 0: the default of the engine
	ResetTimeout     time.Duration // how long it stays open; 0: the default of the engine
	Pos              diag.Position
}

// Limits of a breaker.
const (
	maxFailures     = 1_000_000
	maxResetSeconds = 365 * 24 * 60 * 60 // a year
)

func (r *reader) breaker(n *document.Node) {
	b := &Breaker{Pos: n.Pos}
	reset := ""
	resetTimeout := func(name string) document.Field {
		return document.Field{Name: name, Read: func(n *document.Node) {
			if reset != "" {
				r.Report(SyntaxID, n.Pos, name+" and "+reset+" are two names for one thing", "remove one of the two")
			}
			reset = name
			b.ResetTimeout = time.Duration(r.positive(n, name, maxResetSeconds)) * time.Second
		}}
	}
	fields := []document.Field{
		{Name: "failure_threshold", Read: func(n *document.Node) {
			b.FailureThreshold = r.positive(n, "failure_threshold", maxFailures)
		}},
		resetTimeout("reset_timeout_seconds"),
		resetTimeout("reset_timeout_secs"),
		{Name: "half_open_max", Read: func(n *document.Node) {
			if half := r.positive(n, "half_open_max", maxFailures); half > 1 {
				r.fault(n, 0, len(n.Text), fmt.Sprintf("half_open_max cannot be %d: a half-open breaker lets one call through as a probe", half), "write 1, or leave it out")
			}
		}},
	}
	r.Fields(n, "a circuit_breaker", fields, map[string]string{
		"threshold": "did you mean failure_threshold?", "reset_timeout": "did you mean reset_timeout_seconds?",
		"condition": "a rule stands in circuit_breakers, which is a list",
	})
	r.chain.Breaker = b
}

// positive reads a whole number from 1 to most; 0 if it is none.
func (r *reader) positive(n *document.Node, what string, most int) int {
	if n.Kind == jsonv.Number {
		if d, ok := decimal.Parse(n.Text); ok {
			if i, ok := d.Int(); ok && i >= 1 && i <= int64(most) {
				return int(i)
			}
		}
		r.fault(n, 0, len(n.Text), what+" cannot be "+n.Text, fmt.Sprintf("a whole number from 1 to %d", most))
		return 0
	}
	r.WrongType(n, fmt.Sprintf("%s is a whole number from 1 to %d", what, most))
	return 0
}
