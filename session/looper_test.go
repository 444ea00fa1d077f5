package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// looper plays scripts to a session under the loops that are built in.
type looper struct {
	*agent
	at    int64
	calls int
	told  []string // the rules that came to hold
}

// newLooper makes one whose limit of equal calls is sameCall; "": as built in.
func newLooper(t testing.TB, interactive bool, sameCall string) *looper {
	t.Helper()
	var reg registry.Registry
	limits := map[string]registry.BuiltinLimit{}
	if sameCall != "" {
		limits["same_call"] = registry.BuiltinLimit{Value: sameCall}
	}
	if err := reg.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"halts": false}, Limits: limits}); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock, Interactive: interactive})
	if err != nil {
		t.Fatal(err)
	}
	return &looper{agent: &agent{s, clock, t}, at: start.UnixNano()}
}

// play observes a script: "ls=out" is a call that puts out "out", "ls!text"
// one that fails with it, "user" a message of the user, "say:text" one of the
// agent; "*3" behind a word repeats it.
func (l *looper) play(script string) {
	l.t.Helper()
	for _, word := range strings.Fields(script) {
		times := 1
		if before, n, ok := strings.Cut(word, "*"); ok {
			word = before
			fmt.Sscan(n, &times)
		}
		for range times {
			l.word(word)
		}
	}
}

func (l *looper) word(word string) {
	l.at += int64(time.Second)
	e := session.Event{At: l.at}
	if word == "user" {
		e.Type, e.Text = session.UserSaid, "go on"
		l.tell(&e)
		return
	}
	if text, ok := strings.CutPrefix(word, "say:"); ok {
		e.Type, e.Text = session.AgentSaid, text
		l.tell(&e)
		return
	}
	l.calls++
	call, text, failed := l.call(word)
	e.Type, e.CallID, e.Ability, e.Args = session.ToolUse, fmt.Sprint(l.calls), call.Ability, call.Args
	result := session.Event{Type: session.ToolResult, CallID: e.CallID, At: l.at}
	if failed {
		result.Error = &session.Failure{Class: session.ClassTool, Message: text}
	} else {
		result.Output = output(text)
	}
	l.tell(&e)
	l.tell(&result)
}

// call is what a word of a script calls, and what comes of it.
func (l *looper) call(word string) (c session.Call, text string, failed bool) {
	name, text, failed := strings.Cut(word, "!")
	if !failed {
		name, text, _ = strings.Cut(word, "=")
	}
	c.Ability, _, _ = strings.Cut(name, "(")
	c.Args = args(l.t, fmt.Sprintf(`{"q":%q}`, name))
	return c, text, failed
}

func (l *looper) tell(e *session.Event) {
	for _, h := range l.Observe(l.t.Context(), e) {
		l.told = append(l.told, h.Fired.Rule.ID)
	}
}

// stuck are the loops that hold now.
func (l *looper) stuck() string { return l.fired(&session.Step{Final: true}) }

// meets are the rules that meet a further call of a script as it is asked for. ""
// is none: those that hold now.
func (l *looper) meets(next string) string {
	if next == "" {
		return l.stuck()
	}
	call, _, _ := l.call(next)
	return l.fired(&session.Step{Call: call})
}

func (l *looper) fired(st *session.Step) string {
	var v registry.Verdict
	l.Before(l.t.Context(), st, &v)
	ids := []string{}
	for _, f := range v.Fired {
		ids = append(ids, f.Rule.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}
