package actions_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cbpolicy/cbpolicy/actions"
)

func TestTerminal_Answers(t *testing.T) {
	for input, want := range map[string]error{
		"y\ny\n": nil, "Yes\r\n r \n": nil, "perhaps\n\ny\ny": nil, "y\nn\n": actions.ErrDeclined, "no\n": actions.ErrDeclined,
		"": actions.ErrAborted, "y\n": actions.ErrAborted, "yy\n": actions.ErrAborted, "y y\n": actions.ErrAborted, "\x1b[Ay\n": actions.ErrAborted,
	} {
		var out bytes.Buffer
		g, _ := newGate(t, "B:ability:pay.*|confirm|id=a\nB:amount>1|confirm|id=b", actions.NewTerminal(strings.NewReader(input), &out))
		_, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":5}`))
		if !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", input, err, want)
		}
		if strings.Contains(input, "perhaps") && strings.Count(out.String(), "Please answer") != 2 {
			t.Errorf("%q: an answer that is none is not asked for again:\n%s", input, out.String())
		}
	}
}

func TestTerminal_ShowsEverythingEscaped(t *testing.T) {
	var out bytes.Buffer
	policy := "B:ability:pay.*|confirm|\"Pay\\u{1b}[2Jnow?\"|id=a\nB:amount>1|confirm|id=b\nB:amount>2|warn|\"Much\"|id=w\nB:amount>3|abort|id=o,mode=observe"
	g, _ := newGate(t, policy, actions.NewTerminal(strings.NewReader("y\ny\n"), &out))
	if _, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":5,"note":"\u001b[31mred\n\u202egnp.exe\u200b"}`)); err != nil {
		t.Fatal(err)
	}
	shown := out.String()
	for _, want := range []string{
		"trade, step execute", "pay.send", `"amount":5`, "a (operator, confirm)", "b (operator, confirm)", "w (operator, warn): Much",
		"o (operator, abort)", "test.cbp:1:3", "amount 5 exceeds 1", `Pay\u{1b}[2Jnow?`, `gnp.exe`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	for _, bad := range []string{"\x1b", "\u202e", "\u200b"} {
		if strings.Contains(shown, bad) {
			t.Errorf("%q is shown as it is", bad)
		}
	}
}

func TestTerminal_LongArgumentsAreCut(t *testing.T) {
	var out bytes.Buffer
	g, _ := newGate(t, ask, actions.NewTerminal(strings.NewReader("y\n"), &out))
	if _, err := g.Enter(t.Context(), step(t, "pay.send", `{"note":"`+strings.Repeat("ü", 5000)+`"}`)); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 3000 || !strings.Contains(out.String(), "bytes more)") || strings.Contains(out.String(), "\ufffd") {
		t.Errorf("%d bytes are shown", out.Len())
	}
}

// TestTerminal_ALateAnswerIsNoAnswerToTheNextQuestion gives up a question and
// then types: the lines that come before the next one do not count for it.
func TestTerminal_ALateAnswerIsNoAnswerToTheNextQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, keyboard := io.Pipe()
		terminal := actions.NewTerminal(in, io.Discard)
		defer keyboard.Close()
		ctx, cancel := context.WithCancel(t.Context())
		q := &actions.Question{Ability: "pay.send"}
		v, _ := newGate(t, ask, nil)
		verdict, _ := v.Enter(t.Context(), step(t, "pay.send", `{}`))
		q.Rules = verdict.Fired
		first := make(chan error)
		go func() { _, err := terminal.Confirm(ctx, q); first <- err }()
		synctest.Wait()
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Fatalf("the first question: %v", err)
		}
		if _, err := keyboard.Write([]byte("y\ny\n")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		second := make(chan []actions.Answer)
		go func() { a, _ := terminal.Confirm(t.Context(), q); second <- a }()
		synctest.Wait()
		select {
		case a := <-second:
			t.Fatalf("the second question was answered by %v", a)
		default:
		}
		if _, err := keyboard.Write([]byte("r\n")); err != nil {
			t.Fatal(err)
		}
		if a := <-second; len(a) != 1 || a[0] != actions.ForRun {
			t.Errorf("got %v", a)
		}
	})
}
