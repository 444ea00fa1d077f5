package host

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/session"
)

// Receipt is what came of one call of an ability: proof that it was made, with
// what, and of what it answered.
type Receipt struct {
	Step    string          `json:"step"`
	Ability string          `json:"ability"`
	Args    json.RawMessage `json:"args"`
	Output  *run.Output     `json:"output,omitempty"` // nil: the call failed
	Error   *run.StepError  `json:"error,omitempty"`  // nil: it did not
	Started time.Time       `json:"started"`          // UTC
	Took    string          `json:"took"`             // a duration such as 1.2s
}

// Recorder keeps a receipt of every call, and every answer that a person gave.
// Abilities and Clock are required; it stands between them and the runner.
type Recorder struct {
	Abilities run.Ability
	Clock     session.Clock

	mu       sync.Mutex
	receipts []Receipt
	answers  map[string]map[string]actions.Answer // by step and rule
	unclear  error                                // two answers where a recording has one
}

// Call implements run.Ability. A call that panics leaves a receipt too.
func (r *Recorder) Call(ctx context.Context, name string, args json.RawMessage) (out run.Output, err error) {
	start := r.Clock.Now()
	finished := false
	defer func() {
		receipt := Receipt{
			Step: run.StepID(ctx), Ability: name, Args: args, Started: time.Unix(0, start).UTC(),
			Took: time.Duration(r.Clock.Now() - start).String(),
		}
		switch {
		case !finished:
			receipt.Error = &run.StepError{Class: run.ClassTool, Message: "the ability panicked"}
		case err != nil:
			class, message := run.ErrorClass(err)
			receipt.Error = &run.StepError{Class: class, Message: message}
		default:
			receipt.Output = &out
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.receipts = append(r.receipts, receipt)
	}()
	out, err = r.Abilities.Call(ctx, name, args)
	finished = true
	return out, err
}

// Receipts returns the receipts of the calls so far, in the order in which
// they ended; never nil.
func (r *Recorder) Receipts() []Receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Receipt{}, r.receipts...)
}

// ReceiptsJSON returns the receipts as a JSON list, in lines.
func (r *Recorder) ReceiptsJSON() ([]byte, error) { return indented(r.Receipts()) }

// Confirmer returns a confirmer that keeps what another answers.
func (r *Recorder) Confirmer(c actions.Confirmer) actions.Confirmer {
	return actions.ConfirmFunc(func(ctx context.Context, q *actions.Question) ([]actions.Answer, error) {
		answers, err := c.Confirm(ctx, q)
		if err != nil {
			return answers, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for i := range min(len(answers), len(q.Rules)) {
			r.keep(q.Step, q.Rules[i].Rule.ID, answers[i])
		}
		return answers, nil
	})
}

// keep notes an answer. A recording has one for each rule at a step.
func (r *Recorder) keep(step, rule string, a actions.Answer) {
	if r.answers == nil {
		r.answers = map[string]map[string]actions.Answer{}
	}
	if r.answers[step] == nil {
		r.answers[step] = map[string]actions.Answer{}
	}
	before, asked := r.answers[step][rule]
	if asked && (before == actions.No) != (a == actions.No) && r.unclear == nil {
		r.unclear = fmt.Errorf("rule %s at step %s was answered yes and no, of which a recording holds one", rule, step)
	}
	r.answers[step][rule] = a
}
