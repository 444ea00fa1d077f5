package config

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// Trim says how a history is shortened before it is sent to a model. It is for
// the host of an agent: no verb sends one.
type Trim struct {
	Off bool
	trim.Options
}

const (
	trimPrefix   = "trim."
	trimStrategy = trimPrefix + "strategy"
)

// keepLast is the one strategy that there is. Other programs' users know the
// setting, and may say it.
const keepLast = "last"

func checkStrategy(text string) error {
	if text != keepLast {
		return fmt.Errorf("%q is none: it is the last messages that are kept", text)
	}
	return nil
}

// trimNumbers are the settings of Trim that are numbers, in the order of the
// file.
var trimNumbers = []struct {
	key string
	of  func(*Trim) any // *int or *int64
}{
	{"threshold", func(t *Trim) any { return &t.MaxMessages }},
	{"keep_last", func(t *Trim) any { return &t.KeepMessages }},
	{"max_tokens", func(t *Trim) any { return &t.MaxTokens }},
	{"completion_tokens", func(t *Trim) any { return &t.CompletionTokens }},
	{"system_tokens", func(t *Trim) any { return &t.SystemTokens }},
}

// setNumber gives an *int or *int64 a value.
func setNumber(to any, n int) {
	switch to := to.(type) {
	case *int:
		*to = n
	case *int64:
		*to = int64(n)
	}
}

func numberOf(of any) string {
	switch of := of.(type) {
	case *int:
		return strconv.Itoa(*of)
	case *int64:
		return strconv.FormatInt(*of, 10)
	}
	return ""
}

func (r *reader) trim(n *document.Node) {
	t := &r.config.Trim
	fields := []document.Field{{Name: "enabled", Read: func(n *document.Node) {
		r.mark(trimPrefix+"enabled", n)
		t.Off = !r.flag(n, "enabled")
	}}}
	for _, number := range trimNumbers {
		fields = append(fields, document.Field{Name: number.key, Read: func(n *document.Node) {
			r.mark(trimPrefix+number.key, n)
			setNumber(number.of(t), r.count(n, number.key, 1))
		}})
	}
	fields = append(fields, document.Field{Name: "strategy", Read: func(n *document.Node) {
		r.mark(trimStrategy, n)
		if !n.Scalar() || checkStrategy(n.Text) != nil {
			r.wrong(n, "strategy", "write last: it is the last messages that are kept")
		}
	}})
	r.Fields(n, "trim", fields, map[string]string{
		"max_messages": "did you mean threshold?", "keep": "did you mean keep_last?",
	})
	if err := t.check(); err != nil {
		r.Report(document.SyntaxID, n.Pos, err.Error(), "change one of the two, or leave it out for its default")
	}
}

// check says which of the numbers do not go together, by their names in the file.
func (t *Trim) check() error {
	_, err := t.Resolved()
	var bad *trim.OptionsError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad) && bad.Option == "KeepMessages":
		return errors.New("trim keeps more messages (keep_last) than there may be (threshold)")
	}
	return errors.New("trim leaves no tokens for messages: max_tokens is no more than completion_tokens and system_tokens")
}

// trim shows how histories are shortened.
func (s *Settings) trim() []Setting {
	all := []Setting{{trimPrefix + "enabled", strconv.FormatBool(!s.Trim.Off), s.origin(trimPrefix + "enabled")}}
	shown := s.Trim
	shown.Options, _ = s.Trim.Resolved() // what does not resolve is not in effect
	for _, number := range trimNumbers {
		all = append(all, Setting{trimPrefix + number.key, numberOf(number.of(&shown)), s.origin(trimPrefix + number.key)})
	}
	return append(all, Setting{trimStrategy, keepLast, s.origin(trimStrategy)})
}
