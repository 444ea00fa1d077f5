package session_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// worked is what a task has done, counted beside the session.
type worked struct{ calls, messages, tokens, cents int64 }

// work puts one event of a task to the session, the i-th of its goroutine.
func (w *worked) work(a *agent, task string, i int) {
	id := fmt.Sprint(task, "/", i)
	switch i % 5 {
	case 0:
		w.messages++
		a.Observe(a.t.Context(), &session.Event{Type: session.AgentSaid, Task: task, Text: fmt.Sprintf("step %d of %s goes on", i, id)})
	case 1:
		w.calls++
		a.Observe(a.t.Context(), &session.Event{Type: session.ToolUse, Task: task, Ability: "web.fetch", CallID: id})
	case 2: // the result of the call before
		w.messages++
		a.Observe(a.t.Context(), &session.Event{Type: session.ToolResult, Task: task, CallID: fmt.Sprint(task, "/", i-1), Output: output(id)})
	case 3:
		w.tokens += 7
		w.cents += 2
		a.Observe(a.t.Context(), &session.Event{Type: session.Usage, Task: task, MessageID: id, Tokens: meter.Tokens{Input: 7}, Cost: 20_000_000, HasCost: true})
	case 4:
		st := &session.Step{Call: session.Call{Ability: "file.read", ID: id}, Task: task}
		var v registry.Verdict
		if a.Before(a.t.Context(), st, &v); v.Decision.Blocks() {
			return
		}
		w.calls++
		w.messages++
		if err := a.After(a.t.Context(), session.Outcome{Step: st, Output: output(id)}); err != nil {
			a.t.Error(err)
		}
	}
}

// A thousand tasks at the same time: each has what it did, and when they and
// their session are over nothing is left of them.
func TestThousandParallelTasks(t *testing.T) {
	const tasks, workers, rounds = 1000, 50, 4
	const events = 250 // of each task in each round: a million in all
	reg := new(registry.Registry)
	limits := map[string]registry.BuiltinLimit{"tool_call_limit": {Value: "1000000"}, "token_spend_limit": {Value: "100000000"}}
	if err := reg.TuneBuiltins(registry.Builtins{Limits: limits}); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	store := memory.New(memory.Options{Now: clock.Now})
	var heap []uint64
	for round := range rounds {
		s, err := session.New(session.Options{
			ID: fmt.Sprint(round), Registry: reg, Store: store, Clock: clock, Breakers: session.DefaultBreakers(),
		})
		if err != nil {
			t.Fatal(err)
		}
		a := &agent{s, clock, t}
		var wg sync.WaitGroup
		for worker := range workers {
			wg.Go(func() {
				var ids []string
				for i := worker; i < tasks; i += workers {
					ids = append(ids, fmt.Sprintf("%d-%d", round, i))
					s.StartTask(ids[len(ids)-1], "", "")
				}
				done := make([]worked, len(ids))
				for i := range events {
					for j, id := range ids { // by turns
						done[j].work(a, id, i)
					}
				}
				for j, id := range ids {
					want := map[string]int64{
						"task.tool_calls": done[j].calls, "task.messages": done[j].messages,
						"task.input_tokens": done[j].tokens, "task.spend_cents": done[j].cents,
					}
					for _, m := range s.Meters(id) {
						if n, ok := want[m.Name]; ok && m.Value != fmt.Sprint(n) {
							t.Errorf("task %s: %s is %s, want %d", id, m.Name, m.Value, n)
						}
						delete(want, m.Name)
					}
					if len(want) > 0 {
						t.Errorf("task %s: %v did not move", id, want)
					}
					s.EndTask(id)
				}
			})
		}
		wg.Wait()
		if n := len(s.Snapshot().Tasks); n != 1 {
			t.Errorf("%d tasks are left open", n-1)
		}
		if err := s.End(t.Context()); err != nil {
			t.Error(err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap = append(heap, m.HeapAlloc)
	}
	if first, last := heap[1], heap[len(heap)-1]; last > first+first/4+4<<20 {
		t.Errorf("the heap grows with every round: %v bytes", heap)
	}
	t.Logf("heap after each round of %d events: %v bytes", tasks*events, heap)
}
