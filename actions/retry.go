package actions

import (
	"cmp"
	"fmt"

	"github.com/cbpolicy/cbpolicy/session/trim"
)

// How many messages an attempt begins with that follows a review: enough to go
// on from, and too few to go on as before.
const (
	MinRetryMessages     = 10
	DefaultRetryMessages = 12
	MaxRetryMessages     = 15
)

// RetryMessages returns the messages of a history that an attempt after a
// review begins with, as trim.Trim does. One of up to MaxRetryMessages stays as
// it is; of a longer one the last DefaultRetryMessages stay, or fewer where the
// next would be a call without its results, and of them the first is the latest
// message of the user before them where some API would want one. Where that
// leaves fewer than MinRetryMessages, as turns of many parallel calls do, the
// smallest number above that leaves as many is kept instead, if there is one up
// to MaxMessages. Messages of the system stay, and do not count.
//
// MaxMessages and KeepMessages of the options may be from MinRetryMessages to
// MaxRetryMessages, and 0 for these defaults; the tokens are those of trim. The
// error is a [*trim.OptionsError].
func RetryMessages(history []trim.Message, o trim.Options) ([]trim.Message, trim.Report, error) {
	o.MaxMessages = cmp.Or(o.MaxMessages, MaxRetryMessages)
	o.KeepMessages = cmp.Or(o.KeepMessages, min(DefaultRetryMessages, o.MaxMessages))
	for _, f := range []struct {
		name  string
		value int
	}{{"MaxMessages", o.MaxMessages}, {"KeepMessages", o.KeepMessages}} {
		if f.value < MinRetryMessages || f.value > MaxRetryMessages {
			why := fmt.Sprintf("is %d: an attempt after a review begins with %d to %d messages", f.value, MinRetryMessages, MaxRetryMessages)
			return nil, trim.Report{}, &trim.OptionsError{Option: f.name, Why: why}
		}
	}
	kept, report, err := trim.Trim(history, o)
	if err != nil || report.Why&trim.TooManyMessages == 0 || report.After.Messages >= MinRetryMessages {
		return kept, report, err
	}
	for more := o; more.KeepMessages < o.MaxMessages; {
		more.KeepMessages++
		if k, r, err := trim.Trim(history, more); err != nil || r.After.Messages >= MinRetryMessages {
			return k, r, err
		}
	}
	return kept, report, nil
}

// messages are those that the next attempt of a task begins with; none where
// the host gives no history. A host that panics gives an error.
func (r *Review) messages(task string) (kept []trim.Message, report trim.Report, err error) {
	if r.History == nil {
		return nil, trim.Report{}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the history of the task: it panicked: %v", p)
		}
	}()
	return RetryMessages(r.History(task), r.Trim)
}
