package session

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
)

// Call is what an agent supplies: the ability, its arguments and a call id,
// and nothing else.
type Call struct {
	// ID makes retries of one call count once, in their task; "": every call is
	// a new one. After the task was closed, or begun anew, it is another call.
	ID      string
	Ability string
	Args    *registry.Values // nil: none
}

// MaxCall is how large a call may be, in bytes.
const MaxCall = 16 << 20

// DecodeCall reads a call from an agent:
//
//	{"ability": "email.send", "args": {"to": "…"}, "call_id": "c7"}
//
// Any other field is refused with a [*FieldError], as it would let the agent
// speak for its host. Duplicate keys at any depth are refused, and a call
// larger than MaxCall.
func DecodeCall(raw []byte) (Call, error) {
	if len(raw) > MaxCall {
		return Call{}, fmt.Errorf("the call is larger than %d bytes", MaxCall)
	}
	doc, err := jsonv.Parse(raw, jsonv.Limits{Depth: registry.MaxDepth})
	if err != nil {
		return Call{}, fmt.Errorf("the call cannot be read: %w", err)
	}
	if doc.Kind() != jsonv.Object {
		return Call{}, errors.New("the call is not a JSON object")
	}
	var c Call
	for i := range doc.Len() {
		v := doc.Elem(i)
		switch doc.Key(i) {
		case "ability":
			c.Ability, err = text("ability", v)
		case "call_id":
			c.ID, err = text("call_id", v)
		case "args":
			if c.Args, err = registry.Members(v); err != nil {
				err = fmt.Errorf("args: %w", err)
			}
		default:
			err = &FieldError{Field: doc.Key(i)}
		}
		if err != nil {
			return Call{}, err
		}
	}
	return c, nil
}

func text(field string, v jsonv.Value) (string, error) {
	if v.Kind() != jsonv.String {
		return "", fmt.Errorf("%s is not a text", field)
	}
	return v.Text(), nil
}

// FieldError refuses a field that an agent may not supply.
type FieldError struct{ Field string }

// Error names the field and those that are allowed.
func (e *FieldError) Error() string {
	return fmt.Sprintf("field %q does not come from the agent: a call has ability, args and call_id", e.Field)
}

// callID identifies the call in the store; the zero CallID if it has no id.
func callID(st *registry.Step) state.CallID {
	if st.CallID == "" {
		return state.CallID{}
	}
	return state.CallID(st.DigestOf("call", st.Session, st.CallID, st.Ability))
}

// callID identifies the call in the store as one of a task: the same id in
// another task, or after the task was closed or begun anew, is another call.
// Nobody may tell of the one before any more, so it would take no place in a
// window however often it was made. Another process that goes on with the session
// asks for the same call only until then: it does not know how often that was.
func (s *Session) callID(st *registry.Step, k *meter.Task) state.CallID {
	if st.CallID == "" {
		return state.CallID{}
	}
	if k.Span() == 0 {
		return state.CallID(st.DigestOf("call", st.Session, st.CallID, st.Ability, "task", k.ID(), "0"))
	}
	return state.CallID(st.DigestOf("call", st.Session, st.CallID, st.Ability, "task", k.ID(), strconv.Itoa(k.Span()), s.nonce))
}
