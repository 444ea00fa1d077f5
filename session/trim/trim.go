package trim

import "github.com/cbpolicy/cbpolicy/session/meter"

// User is the role of the messages of the user. The first message that is not
// of the system must be one of them, say some APIs.
const User = "user"

// Message is one message of a history, as far as trimming has to know it.
type Message struct {
	Role string // user, assistant, tool, or what the API calls it
	// System is set for the system prompt and for other messages that always
	// stay, such as an operator's instructions. It makes no calls and holds no
	// results.
	System bool
	// Text is all that the model reads of the message: what was said, the
	// arguments of its calls, the results in it.
	Text string
	// CallIDs are the ids of the calls that the message makes.
	CallIDs []string
	// ResultOf are the ids of the calls whose results it holds. An id stands for
	// the latest call before it that has that id.
	ResultOf []string
	// Tokens is how many tokens the message has, where that was reported; 0 or
	// less: estimated from Text, see meter.EstimateTokens.
	Tokens int64
}

// tokens is what the message counts for.
func (m *Message) tokens() int64 {
	if m.Tokens > 0 {
		return m.Tokens
	}
	return meter.EstimateTokens(int64(len(m.Text)))
}

// Reason says why a history was trimmed. The zero value is None.
type Reason uint8

// The reasons, which may come together.
const (
	None            Reason = 0
	TooManyMessages Reason = 1
	TooManyTokens   Reason = 2
)

// String returns the reasons in words, with "and" between them.
func (r Reason) String() string {
	switch r {
	case TooManyMessages:
		return "too many messages"
	case TooManyTokens:
		return "too many tokens"
	case TooManyMessages | TooManyTokens:
		return "too many messages and too many tokens"
	}
	return ""
}

// Size is how long a history is, system messages not counted.
type Size struct {
	Messages int
	Tokens   int64
}

// Report says what was done to a history.
type Report struct {
	Why           Reason // why it was trimmed; None: it was short enough, and is unchanged
	Kept          []int  // the places in the old history of the messages that were kept
	Dropped       int    // how many messages were not
	Before, After Size
	Limit         Size // what After should not exceed
	// System is how many tokens the system messages have. What they have above
	// Options.SystemTokens was taken from the limit of the others.
	System int64
	// Over says in what the history still is too long, because what must stay
	// together is too long by itself: messages are not split.
	Over Reason
	// Anchor is the place in the old history of the message of the user that was
	// kept although messages behind it were dropped; -1: there is none. The
	// history begins with it, as some APIs require, and the model goes on
	// knowing what it was asked.
	Anchor int
	// Estimated is set if the tokens of any message were estimated.
	Estimated bool
}

// Trim returns the messages that are to be sent, and what was done. Messages
// are dropped from the oldest on, as few as will do; those of the system
// always stay, in their places. A call and its results stay together or are
// dropped together, and with them what stands between: all calls of one turn,
// too. If what stays would begin with another message than one of the user,
// the latest of the user before it stays as well.
//
// Of an untrimmed history the result holds the same messages. Trimming what
// was trimmed changes nothing. The messages given are not changed; the error
// is an *OptionsError.
func Trim(messages []Message, o Options) ([]Message, Report, error) {
	o, err := o.Resolved()
	if err != nil {
		return nil, Report{}, err
	}
	h := newHistory(messages)
	r := Report{Before: h.whole, System: h.system, Anchor: -1, Estimated: h.estimated}
	r.Limit = Size{o.MaxMessages, max(o.MaxTokens-o.CompletionTokens-max(o.SystemTokens, h.system), 0)}
	r.Why = r.Limit.exceededBy(h.whole)
	cut := 0
	if r.Why != None {
		if r.Why&TooManyMessages != 0 {
			r.Limit.Messages = o.KeepMessages
		}
		cut = h.cut(r.Limit)
	}
	if r.Why != None && cut > 0 {
		r.Anchor = h.anchorOf(cut)
	}
	kept := make([]Message, 0, len(messages))
	for i, m := range messages {
		if m.System || i >= cut || i == r.Anchor {
			kept = append(kept, m)
			r.Kept = append(r.Kept, i)
		}
	}
	r.Dropped = len(messages) - len(kept)
	r.After = h.from(cut)
	r.Over = r.Limit.exceededBy(r.After)
	return kept, r, nil
}

// exceededBy says in what a size is above the limit.
func (limit Size) exceededBy(s Size) Reason {
	why := None
	if s.Messages > limit.Messages {
		why |= TooManyMessages
	}
	if s.Tokens > limit.Tokens {
		why |= TooManyTokens
	}
	return why
}
