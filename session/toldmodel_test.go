package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// What follows is what breakers do, written down once more without a store, cells
// or generations that are times: every result counts once, whoever tells of it.

var modelConfig = breaker.Config{Threshold: 3, Reset: 10 * time.Second, Probe: 5 * time.Second}

// modelBreaker is the breaker of an ability.
type modelBreaker struct {
	round    int // how often it has changed its phase
	failures int
	open     bool
	opened   int64
	trips    int
	probe    *modelCall
	until    int64 // when the probe's lease is over
}

// modelCall is a call and how it stands.
type modelCall struct {
	task, id, ability string
	asked             bool
	round             int
	inOpen            bool // it began while the breaker was open, and nobody was asked
	lost, over        bool
	reported          bool // After was told its result, and no event of its beginning since
}

type model struct {
	now      int64
	breakers map[string]*modelBreaker
	calls    []*modelCall // the earliest first
}

// find returns the latest call that fits; nil: none does.
func (m *model) find(fits func(c *modelCall) bool) *modelCall {
	for _, c := range slices.Backward(m.calls) {
		if !c.over && fits(c) {
			return c
		}
	}
	return nil
}

func (m *model) begin(task, id, ability string) *modelCall {
	b := m.breakers[ability]
	c := &modelCall{task: task, id: id, ability: ability, round: b.round, inOpen: b.open}
	m.calls = append(m.calls, c)
	return c
}

// same returns the earliest call under way that is asked for again.
func (m *model) same(task, id, ability string) *modelCall {
	i := slices.IndexFunc(m.calls, func(c *modelCall) bool {
		return !c.over && !c.lost && id != "" && c.task == task && c.id == id && c.ability == ability
	})
	if i < 0 {
		return nil
	}
	return m.calls[i]
}

// reported returns a call that After was told of, and an event may yet tell of.
func (m *model) reported(task, id, ability string) *modelCall {
	i := slices.IndexFunc(m.calls, func(c *modelCall) bool { return c.reported && c.task == task && c.id == id && c.ability == ability })
	if i < 0 {
		return nil
	}
	return m.calls[i]
}

// ask is Before; nil: refused.
func (m *model) ask(task, id, ability string) *modelCall {
	b, c := m.breakers[ability], m.same(task, id, ability)
	if b.open {
		if m.now < b.opened+int64(modelConfig.Reset) || b.probe != nil && b.probe != c && m.now < b.until {
			return nil
		}
	}
	if c == nil {
		c = m.begin(task, id, ability)
	}
	if c.asked, c.inOpen, c.round = true, false, b.round; b.open {
		b.probe, b.until = c, m.now+int64(modelConfig.Probe)
	}
	return c
}

// end is the result of a call, however it is told of.
func (m *model) end(c *modelCall, class string) {
	if c == nil || c.over {
		return
	}
	c.over = true
	b := m.breakers[c.ability]
	isProbe := b.probe == c
	live := isProbe && m.now < b.until
	if isProbe {
		b.probe = nil
	}
	switch {
	case class == session.ClassArguments || c.round != b.round:
	case b.open:
		if live {
			b.round++
			b.failures = 0
			if b.open = class != ""; b.open {
				b.opened = m.now
			}
		}
	case c.inOpen:
	case class == "":
		b.failures = 0
	default:
		if b.failures++; b.failures == modelConfig.Threshold {
			b.round++
			b.trips++
			b.failures, b.open, b.opened = 0, true, m.now
		}
	}
}

func (m *model) String() (text string) {
	for _, ability := range modelAbilities {
		b := m.breakers[ability]
		text += fmt.Sprintf("%s: %d failures, open %v, %d trips; ", ability, b.failures, b.open, b.trips)
	}
	return text
}

var (
	modelAbilities = []string{"x", "y"}
	modelTasks     = []string{"t", "u"}
	modelIDs       = []string{"", "a", "b"}
	modelClasses   = []string{"", session.ClassTool, session.ClassTool, session.ClassTool, session.ClassArguments}
)

// Any order of Before, After, events, time and tasks that are closed counts each
// result once, as the model does.
func TestEveryResultCountsOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		clock := session.NewVirtualClock(start)
		store := memory.New(memory.Options{})
		newSession := func(id string) *session.Session {
			s, err := session.New(session.Options{
				ID: id, Registry: &registry.Registry{}, Store: store, Clock: clock, Breakers: []session.Breaker{{Abilities: "*", Config: modelConfig}},
			})
			if err != nil {
				rt.Fatal(err)
			}
			return s
		}
		s, looks, ctx := newSession("s"), newSession("looks"), t.Context()
		m := &model{now: clock.Now(), breakers: map[string]*modelBreaker{}}
		for _, ability := range modelAbilities {
			m.breakers[ability] = &modelBreaker{}
		}
		for _, task := range modelTasks {
			s.StartTask(task, "", "")
		}
		var steps []*session.Step
		var of []*modelCall // by step
		draw := func(from []string, what string) string { return rapid.SampledFrom(from).Draw(rt, what) }
		failure := func(class string) *session.Failure {
			if class == "" {
				return nil
			}
			return &session.Failure{Class: class, Message: "no"}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"before": func(rt *rapid.T) {
				task, id, ability := draw(modelTasks, "task"), draw(modelIDs, "id"), draw(modelAbilities, "ability")
				if c := m.same(task, id, ability); c != nil && c.asked && m.breakers[ability].open {
					rt.Skip("what the store makes of a lease that is asked for again is tested there")
				}
				st := &session.Step{Task: task, Call: session.Call{ID: id, Ability: ability}}
				var v registry.Verdict
				s.Before(ctx, st, &v)
				c := m.ask(task, id, ability)
				if (c == nil) != v.Decision.Blocks() {
					rt.Fatalf("%s, want it let through: %v", brief(&v), c != nil)
				}
				if c != nil {
					steps, of = append(steps, st), append(of, c)
				}
			},
			"after": func(rt *rapid.T) {
				if len(steps) == 0 {
					rt.Skip("no step yet")
				}
				i, class := rapid.IntRange(0, len(steps)-1).Draw(rt, "step"), draw(modelClasses, "class")
				if err := s.After(ctx, session.Outcome{Step: steps[i], Failed: class != "", Class: class}); err != nil {
					rt.Fatal(err)
				}
				of[i].reported = of[i].reported || !of[i].over && of[i].id != ""
				m.end(of[i], class)
			},
			"call event": func(rt *rapid.T) {
				task, id, ability := draw(modelTasks, "task"), draw(modelIDs, "id"), draw(modelAbilities, "ability")
				s.Observe(ctx, &session.Event{Type: session.ToolUse, Task: task, CallID: id, Ability: ability})
				latest := m.find(func(c *modelCall) bool { return !c.lost && c.task == task && c.id == id })
				switch late := m.reported(task, id, ability); {
				case latest != nil && latest.asked && id != "" && latest.ability == ability: // told once more
				case latest == nil && late != nil:
					late.reported = false
				default:
					m.begin(task, id, ability)
				}
			},
			"result event": func(rt *rapid.T) {
				task, id, class := draw(modelTasks, "task"), draw(modelIDs, "id"), draw(modelClasses, "class")
				s.Observe(ctx, &session.Event{Type: session.ToolResult, Task: task, CallID: id, Error: failure(class)})
				fits := func(lost bool) func(c *modelCall) bool {
					return func(c *modelCall) bool { return c.lost == lost && c.task == task && c.id == id }
				}
				switch c := m.find(fits(false)); {
				case id == "":
					slices.Reverse(m.calls) // the earliest without an id
					c = m.find(fits(false))
					slices.Reverse(m.calls)
					m.end(c, class)
				case c != nil:
					m.end(c, class)
				default:
					m.end(m.find(fits(true)), class)
				}
			},
			"a task is closed": func(rt *rapid.T) {
				task := draw(modelTasks, "task")
				s.EndTask(task)
				s.StartTask(task, "", "")
				for _, c := range m.calls {
					c.lost = c.lost || c.task == task
				}
			},
			"time": func(rt *rapid.T) {
				d := time.Duration(rapid.IntRange(0, 12).Draw(rt, "seconds")) * time.Second
				clock.Advance(d)
				m.now += int64(d)
			},
			"": func(rt *rapid.T) {
				got := ""
				for _, ability := range modelAbilities {
					st, _, _, err := looks.Breaker(ctx, ability)
					if err != nil {
						rt.Fatal(err)
					}
					got += fmt.Sprintf("%s: %d failures, open %v, %d trips; ", ability, st.Failures, st.Opened != 0, st.Trips)
				}
				if got != m.String() {
					rt.Fatalf("%s\nwant\n%s", got, m)
				}
			},
		})
	})
}
