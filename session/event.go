package session

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// EventType says what an event reports.
type EventType string

// The types of events.
const (
	TaskStart  EventType = "task_start"
	TaskEnd    EventType = "task_end"
	Heartbeat  EventType = "heartbeat"
	UserSaid   EventType = "user"
	AgentSaid  EventType = "assistant"
	ToolUse    EventType = "tool_use"
	Delegate   EventType = "delegate"
	ToolResult EventType = "tool_result"
	Usage      EventType = "usage"
	// Asked: a person is asked about a step, or has interrupted the agent. The
	// task's clocks stand still until he says something, the agent goes on, or
	// the call with the event's CallID has a result; where it names none, any
	// that is under way. A heartbeat is only a sign of life.
	Asked EventType = "asked"
)

// Phase is what a heartbeat says of its task.
type Phase string

// The phases. The first opens a task, the last two close it.
const (
	Starting Phase = "starting"
	Working  Phase = "working"
	Done     Phase = "done"
	Errored  Phase = "error"
)

// Event is something that happened in a session that the host did not have
// judged beforehand, or a part of a recording.
type Event struct {
	Type   EventType
	Task   string // "": the active task that was opened last
	Parent string // of a task that starts
	Chain  string // that a task runs
	At     int64  // Unix nanoseconds; 0: now, by the session's clock
	Phase  Phase
	Text   string // what the user or the agent said

	CallID  string
	Ability string
	Worker  string
	Args    *registry.Values
	Output  *registry.Value // nil: none
	Error   *Failure        // nil: the call succeeded

	MessageID, Model string
	Tokens           meter.Tokens
	// Cost is what the message cost, in nano-dollars, where the source says so; HasCost: it does.
	Cost    int64
	HasCost bool
}

// Failure says how a call failed.
type Failure struct{ Class, Message string }

// DecodeEvent reads an event of our own format, one JSON object:
//
//	{"type":"tool_use","task":"t1","at":"2026-01-05T09:00:00Z","call_id":"c1","ability":"web.fetch","args":{"url":"…"}}
//
// Of usage, input_tokens are without those of cache_read_tokens and
// cache_write_tokens; cache_write_1h_tokens are those of cache_write_tokens that
// were written to a cache that lasts an hour.
//
// Fields that are not known are passed over, as the writer of a recording may
// be newer. Duplicate keys, a type that is not known and fields of the wrong
// kind are errors.
func DecodeEvent(raw []byte) (*Event, error) {
	if len(raw) > MaxCall {
		return nil, fmt.Errorf("the event is larger than %d bytes", MaxCall)
	}
	doc, err := jsonv.Parse(raw, jsonv.Limits{Depth: registry.MaxDepth})
	if err != nil {
		return nil, err
	}
	if doc.Kind() != jsonv.Object {
		return nil, errors.New("want a JSON object")
	}
	e := &Event{}
	for i := range doc.Len() {
		if err := e.field(doc.Key(i), doc.Elem(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", doc.Key(i), err)
		}
	}
	return e, e.check()
}

func (e *Event) field(name string, v jsonv.Value) (err error) {
	texts := map[string]*string{
		"task": &e.Task, "parent": &e.Parent, "chain": &e.Chain, "text": &e.Text, "call_id": &e.CallID,
		"ability": &e.Ability, "worker": &e.Worker, "message_id": &e.MessageID, "model": &e.Model,
		"type": (*string)(&e.Type), "phase": (*string)(&e.Phase),
	}
	counts := map[string]*int64{
		"input_tokens": &e.Tokens.Input, "output_tokens": &e.Tokens.Output,
		"cache_read_tokens": &e.Tokens.CacheRead, "cache_write_tokens": &e.Tokens.CacheWrite,
		"cache_write_1h_tokens": &e.Tokens.CacheWrite1h,
	}
	if to := texts[name]; to != nil {
		*to, err = text(name, v)
		return err
	}
	if to := counts[name]; to != nil {
		*to, err = wholeNumber(v)
		return err
	}
	switch name {
	case "at":
		e.At, err = instant(v)
	case "args":
		e.Args, err = registry.Members(v)
	case "output":
		out := registry.JSON(v)
		e.Output = &out
	case "error":
		e.Error, err = failure(v)
	case "cost_cents":
		e.Cost, err = cents(v)
		e.HasCost = true
	}
	return err
}

func wholeNumber(v jsonv.Value) (int64, error) {
	if v.Kind() == jsonv.Number {
		if d, ok := decimal.Parse(v.Text()); ok {
			if n, ok := d.Int(); ok && n >= 0 {
				return n, nil
			}
			if d.Cmp(decimal.FromInt(math.MaxInt64)) > 0 {
				return 0, fmt.Errorf("want at most %d", math.MaxInt64)
			}
		}
	}
	return 0, errors.New("want a whole number, 0 or more")
}

// cents reads an amount of cents as nano-dollars; what is finer is rounded up.
func cents(v jsonv.Value) (int64, error) {
	if v.Kind() == jsonv.Number {
		if d, ok := decimal.Parse(v.Text()); ok {
			n, ok := d.CeilScaled(nanoPerCentExp)
			if ok && n >= 0 {
				return n, nil
			}
			if !ok && d.Cmp(decimal.Decimal{}) > 0 {
				return 0, fmt.Errorf("want at most %d cents", math.MaxInt64/nanosPerCent)
			}
		}
	}
	return 0, errors.New("want a number of cents, 0 or more")
}

// A cent is 10^7 nano-dollars.
const (
	nanoPerCentExp = 7
	nanosPerCent   = 10_000_000
)

func instant(v jsonv.Value) (int64, error) {
	s, err := text("at", v)
	if err != nil {
		return 0, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1970 || t.Year() > 2261 || t.UnixNano() <= 0 {
		return 0, fmt.Errorf("%q is no time such as 2026-01-05T09:00:00Z", s)
	}
	return t.UnixNano(), nil
}

// failure reads {"class":"…","message":"…"}, or a text, which is the message.
func failure(v jsonv.Value) (*Failure, error) {
	f := &Failure{Class: ClassTool}
	switch v.Kind() {
	case jsonv.String:
		f.Message = v.Text()
		return f, nil
	case jsonv.Null:
		return nil, nil
	case jsonv.Object:
	default:
		return nil, errors.New(`want an object such as {"class":"ToolError","message":"…"}`)
	}
	for i := range v.Len() {
		var err error
		switch v.Key(i) {
		case "class":
			f.Class, err = text("class", v.Elem(i))
		case "message":
			f.Message, err = text("message", v.Elem(i))
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// check refuses an event that says too little.
func (e *Event) check() error {
	if e.Tokens.CacheWrite1h > e.Tokens.CacheWrite {
		return errors.New("cache_write_1h_tokens are more than the cache_write_tokens that they are part of")
	}
	switch e.Type {
	case TaskStart, TaskEnd:
		if e.Task == "" {
			return fmt.Errorf("%s needs a task", e.Type)
		}
	case Heartbeat:
		switch e.Phase {
		case Starting, Working, Done, Errored:
		default:
			return fmt.Errorf("phase %q is none of starting, working, done and error", e.Phase)
		}
	case ToolUse:
		if e.Ability == "" {
			return errors.New("tool_use needs an ability")
		}
	case Delegate:
		if e.Worker == "" {
			return errors.New("delegate needs a worker")
		}
	case UserSaid, AgentSaid, ToolResult, Usage, Asked:
	case "":
		return errors.New("the event has no type")
	default:
		return fmt.Errorf("type %q is not known", e.Type)
	}
	return nil
}
