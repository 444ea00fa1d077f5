package actions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Terminal asks on a terminal, one rule after the other. It shows every rule
// that fired with its origin, the ability and the arguments; what comes from
// a model is escaped, so that it cannot draw on the screen.
//
// Create it with NewTerminal. Questions are asked one at a time.
type Terminal struct {
	out   io.Writer
	lines chan typed
	turn  chan struct{}

	asked     atomic.Int64 // the number of the latest question
	abandoned int64        // the latest question that ended without an answer; -1: none
}

// typed is a line of the input with the question that stood last when it came.
type typed struct {
	text     string
	question int64
}

// maxAhead is how many lines are read before a question asks for them.
const maxAhead = 64

// maxShown is how many bytes of the arguments are shown.
const maxShown = 2000

// NewTerminal returns a confirmer that writes to out and reads answers from
// in, a line each. It keeps reading for as long as it is used: give it an
// input of its own.
func NewTerminal(in io.Reader, out io.Writer) *Terminal {
	t := &Terminal{out: out, lines: make(chan typed, maxAhead), turn: make(chan struct{}, 1), abandoned: -1}
	go func() {
		defer close(t.lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			t.lines <- typed{s.Text(), t.asked.Load()}
		}
	}()
	return t
}

// errNoInput: the input ended before the answer.
var errNoInput = errors.New("the input ended without an answer")

// Confirm implements Confirmer. The end of the input is an error, and so no answer.
func (t *Terminal) Confirm(ctx context.Context, q *Question) ([]Answer, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.asked.Add(1)
	t.show(q)
	answers := make([]Answer, 0, len(q.Rules))
	for i := range q.Rules {
		a, err := t.ask(ctx, &q.Rules[i])
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
		if a == No {
			break // one no stops the step; asking on would be idle
		}
	}
	return answers, nil
}

// show describes the step and everything that fired.
func (t *Terminal) show(q *Question) {
	var b strings.Builder
	b.WriteString("\nA step waits for you.\n")
	if q.Chain != "" {
		fmt.Fprintf(&b, "  chain      %s, step %s\n", diag.Escape(q.Chain), diag.Escape(q.Step))
	}
	fmt.Fprintf(&b, "  ability    %s\n", diag.Escape(q.Ability))
	fmt.Fprintf(&b, "  arguments  %s\n", shorten(diag.Escape(q.Args)))
	for i := range q.Also {
		fmt.Fprintf(&b, "  also fired %s\n", ruleLine(&q.Also[i]))
	}
	_, _ = io.WriteString(t.out, b.String()) // an unseen question finds no answer
}

func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + fmt.Sprintf("… (%d bytes more)", len(s)-maxShown)
}

// ruleLine describes a fired rule on one line.
func ruleLine(f *registry.Fired) string {
	line := fmt.Sprintf("%s (%s, %s): %s", f.Rule.ID, f.Rule.Scope.Origin, f.Rule.Action.Kind, f.ReasonText())
	if src := f.Rule.Source.String(); src != "" {
		line += " [" + src + "]"
	}
	return diag.Escape(line) + "\n             " + shorten(diag.Escape(f.Explain()))
}

// ask puts one rule until the answer is understood.
func (t *Terminal) ask(ctx context.Context, f *registry.Fired) (Answer, error) {
	for {
		_, _ = fmt.Fprintf(t.out, "  rule       %s\n  Allow? [y]es once, [r]un: yes for this run, [n]o: ", ruleLine(f))
		select {
		case line, ok := <-t.lines:
			if !ok {
				return No, errNoInput
			}
			if line.question <= t.abandoned {
				continue // too late for the question it answers, and no answer to this one
			}
			switch strings.ToLower(strings.TrimSpace(line.text)) {
			case "y", "yes":
				return Yes, nil
			case "r", "run":
				return ForRun, nil
			case "n", "no":
				return No, nil
			}
			_, _ = io.WriteString(t.out, "  Please answer y, r or n.\n")
		case <-ctx.Done():
			t.abandoned = t.asked.Load()
			return No, ctx.Err()
		}
	}
}
