package actions

import (
	"context"
	"strings"
	"sync"
)

// asking sees to it that equal questions which are open at the same time are
// asked once. The one that asked uses the answer: the others have the step
// judged again, as one answer admits one call, and ask in their turn if they
// must. A question whose asker gave up is asked anew. The zero value is ready.
type asking struct {
	mu   sync.Mutex
	open map[string]*pending
}

// pending is a question that is being asked.
type pending struct {
	done    chan struct{}
	answers []Answer
	err     error
	gaveUp  bool // the asker's context ended: there is no answer for anybody
}

// once asks, or waits for the answer to an equal question.
func (a *asking) once(ctx context.Context, q *Question, ask func() ([]Answer, error)) ([]Answer, error) {
	key := q.key()
	a.mu.Lock()
	for p := a.open[key]; p != nil; p = a.open[key] {
		a.mu.Unlock()
		select {
		case <-p.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !p.gaveUp {
			return p.answers, p.err
		}
		a.mu.Lock()
	}
	p := &pending{done: make(chan struct{})}
	if a.open == nil {
		a.open = map[string]*pending{}
	}
	a.open[key] = p
	a.mu.Unlock()

	p.answers, p.err = ask()
	p.gaveUp = ctx.Err() != nil
	a.mu.Lock()
	delete(a.open, key)
	a.mu.Unlock()
	close(p.done)
	return p.answers, p.err
}

// key is equal for questions that are equal to a person.
func (q *Question) key() string {
	parts := []string{q.Session, q.Chain, q.Step, q.Ability, q.Args}
	for _, f := range q.Rules {
		parts = append(parts, f.Rule.Key())
	}
	return strings.Join(parts, "\x00")
}
