package session

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Snapshot is a session at one moment.
type Snapshot struct {
	Session   string        `json:"session"`
	At        int64         `json:"at"` // Unix nanoseconds
	ToolCalls int64         `json:"tool_calls"`
	Spend     string        `json:"spend_cents"`
	Duration  string        `json:"duration_secs"`
	Tasks     []TaskState   `json:"tasks"` // the open ones, the session's own first
	Workers   []WorkerState `json:"workers"`
}

// TaskState is an open task at that moment. Amounts of money and time are
// exact, as texts.
type TaskState struct {
	Task      string `json:"task"` // "": the session's own
	Parent    string `json:"parent,omitempty"`
	ToolCalls int64  `json:"tool_calls"`
	Spend     string `json:"spend_cents"`
	Duration  string `json:"duration_secs"`
	Idle      string `json:"idle_secs"`
	EndedBy   string `json:"ended_by,omitempty"` // the rule's id
	// Paused: a person has paused it, or a task above; its clocks stand still.
	Paused bool `json:"paused,omitempty"`
	// Notices tell of the tasks below it that were handed back for a new plan,
	// the latest last, until it is resumed or begun anew.
	Notices []string `json:"notices,omitempty"`
}

// MeterValue is a meter and what it shows, exactly.
type MeterValue struct {
	Name  string
	Value string // a number in the unit of the meter
}

// Meters returns the meters of a task that are not 0, in the order of the
// language's list; "" is the session's own. Those of the ability or the worker
// about to be called are not among them, as nothing is about to be called.
func (s *Session) Meters(task string) []MeterValue {
	s.mu.Lock()
	defer s.unlock()
	reading := meter.Reading{Task: s.tasks.tree.Task(task), At: s.at(0)}
	var moved []MeterValue
	for _, name := range dsl.Meters() {
		if v, ok := reading.Meter(dsl.Key(name)); ok && v.Cmp(decimal.Decimal{}) != 0 {
			moved = append(moved, MeterValue{name, v.String()})
		}
	}
	return moved
}

// Snapshot tells where the session stands.
func (s *Session) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.unlock()
	at := s.at(0)
	read := func(k *meter.Task, name dsl.Key) decimal.Decimal {
		d, _ := (&meter.Reading{Task: k, At: at}).Meter(name) // every name here is a meter
		return d
	}
	count := func(k *meter.Task, name dsl.Key) int64 {
		n, _ := read(k, name).Int()
		return n
	}
	root := s.tasks.tree.Task("")
	shot := Snapshot{
		Session: s.id, At: at, ToolCalls: count(root, "session.tool_calls"), Workers: s.tasks.workers(at),
		Spend: read(root, "session.spend_cents").String(), Duration: read(root, "session.duration").String(),
	}
	s.tasks.tree.Active(func(k *meter.Task) {
		state := TaskState{
			Task: k.ID(), ToolCalls: count(k, "task.tool_calls"), Spend: read(k, "task.spend_cents").String(),
			Duration: read(k, "task.duration").String(), Idle: read(k, "task.idle").String(),
		}
		if k.Parent() != nil {
			state.Parent = k.Parent().ID()
		}
		if by := s.tasks.endedBy(k); by != nil {
			state.EndedBy = by.Rule.ID
		}
		if state.Paused = s.tasks.paused(k); s.tasks.trips[k.ID()] != nil {
			state.Notices = slices.Clone(s.tasks.trips[k.ID()].notices)
		}
		shot.Tasks = append(shot.Tasks, state)
	})
	return shot
}
