package trim_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/session/trim"
)

// parse reads a history from words: s a system message, u of the user, a of
// the assistant, c1 one with the call 1, c12 one with two calls, r1 a result;
// u:9 has 9 tokens, any other 10.
func parse(words string) []trim.Message {
	var messages []trim.Message
	for _, word := range strings.Fields(words) {
		word, size, sized := strings.Cut(word, ":")
		m := trim.Message{Tokens: 10}
		if sized {
			fmt.Sscan(size, &m.Tokens)
		}
		ids := strings.Split(word[1:], "")
		switch word[0] {
		case 's':
			m.Role, m.System = "system", true
		case 'u':
			m.Role = trim.User
		case 'a':
			m.Role = "assistant"
		case 'c':
			m.Role, m.CallIDs = "assistant", ids
		case 'r':
			m.Role, m.ResultOf = "tool", ids
		}
		messages = append(messages, m)
	}
	return messages
}

// print writes the messages that were kept as parse reads them.
func print(words string, kept []int) string {
	all := strings.Fields(words)
	var out []string
	for _, i := range kept {
		out = append(out, all[i])
	}
	return strings.Join(out, " ")
}

func TestTrim(t *testing.T) {
	few := trim.Options{MaxMessages: 5, KeepMessages: 3}
	tight := trim.Options{MaxTokens: 102, CompletionTokens: 41, SystemTokens: 11} // 50 for messages
	tests := []struct {
		name    string
		options trim.Options
		history string
		want    string
		why     trim.Reason
		over    trim.Reason
	}{
		{"nothing", few, "", "", trim.None, trim.None},
		{"as many as there may be", few, "s u a u a u", "s u a u a u", trim.None, trim.None},
		{"one more: to the last three", few, "s u a u a u a", "s u a", trim.TooManyMessages, trim.None},
		{"the last three begin with the user", few, "s u a u a u a u", "s u a u", trim.TooManyMessages, trim.None},
		{"the user's request stays before the work on it", few, "s u c1 r1 c2 r2 c3 r3", "s u c3 r3", trim.TooManyMessages, trim.None},
		{"of several the latest", few, "s u:1 a u:2 c1 r1 c2 r2", "s u:2 c2 r2", trim.TooManyMessages, trim.None},
		{"a call and its result are dropped together", few, "u a u c1 r1 a u a", "u a", trim.TooManyMessages, trim.None},
		{"parallel calls stay whole", few, "u a u a c123 r1 r2 r3", "u c123 r1 r2 r3", trim.TooManyMessages, trim.TooManyMessages},
		{"results in one message", few, "u a u a u c12 r12", "u c12 r12", trim.TooManyMessages, trim.None},
		{"what stands between call and result stays with them", few, "u a u a c1 u:1 r1", "u c1 u:1 r1", trim.TooManyMessages, trim.TooManyMessages},
		{"a call in flight", few, "u a u a u c1", "u c1", trim.TooManyMessages, trim.None},
		{"an id that is used again is the latest call's", few, "u c1 r1 c1 r1 c1 r1", "u c1 r1", trim.TooManyMessages, trim.None},
		{"system messages stay in their places", few, "s:1 u a s:2 u a u s:3 a s:4", "s:1 s:2 u s:3 a s:4", trim.TooManyMessages, trim.None},
		{"no message of the user", few, "a a a a a a", "a a a", trim.TooManyMessages, trim.None},
		{"only system messages", few, "s s s s s s s", "s s s s s s s", trim.None, trim.None},

		{"as many tokens as there may be", tight, "s u a u a u", "s u a u a u", trim.None, trim.None},
		{"one more", tight, "s u a u a u:11", "s u a u:11", trim.TooManyTokens, trim.None},
		{"oldest first, as few as will do", tight, "u:30 a u:5 a u:20 a", "u:5 a u:20 a", trim.TooManyTokens, trim.None},
		{"the request counts too", tight, "u:20 c1 r1 c2 r2 c3 r3", "u:20 c3 r3", trim.TooManyTokens, trim.None},
		{"a request that leaves no room for the work on it", tight, "u:45 c1 r1", "u:45 c1 r1", trim.TooManyTokens, trim.TooManyTokens},
		{"a newer request needs no older one", tight, "u:45 c1 r1 u a", "u a", trim.TooManyTokens, trim.None},
		{"the last message alone is too long", tight, "u a u:51", "u:51", trim.TooManyTokens, trim.TooManyTokens},
		{"the last result alone is too long", tight, "u a u c1 r1:90", "u c1 r1:90", trim.TooManyTokens, trim.TooManyTokens},
		{"a long system prompt takes from the rest", tight, "s:31 u a u a", "s:31 u a", trim.TooManyTokens, trim.None},
		{"a system prompt that takes all", tight, "s:90 u a", "s:90 u a", trim.TooManyTokens, trim.TooManyTokens},
		{"both", trim.Options{MaxMessages: 5, KeepMessages: 5, MaxTokens: 53, CompletionTokens: 1, SystemTokens: 2}, "u a u a u:30 a", "u:30 a", trim.TooManyMessages | trim.TooManyTokens, trim.None},
		{"tokens that do not fit a number", tight, fmt.Sprintf("u:%d u:%d u", math.MaxInt64, math.MaxInt64), "u", trim.TooManyTokens, trim.None},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			messages := parse(tt.history)
			kept, r, err := trim.Trim(messages, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := print(tt.history, r.Kept); got != tt.want || r.Why != tt.why || r.Over != tt.over {
				t.Errorf("kept %q (why %q, over %q), want %q (%q, %q)", got, r.Why, r.Over, tt.want, tt.why, tt.over)
			}
			if want := parse(tt.want); !slices.EqualFunc(kept, want, func(a, b trim.Message) bool { return cmp.Equal(a, b) }) {
				t.Errorf("the messages are not those of the report: %v", kept)
			}
			if r.Dropped != len(messages)-len(kept) {
				t.Errorf("%d dropped of %d, %d kept", r.Dropped, len(messages), len(kept))
			}
		})
	}
}

func TestReport(t *testing.T) {
	messages := parse("s:7 u:20 c1 r1 c2 r2 c3 r3")
	messages[7].Tokens, messages[7].Text = 0, "nine byte"
	_, r, err := trim.Trim(messages, trim.Options{MaxMessages: 5, KeepMessages: 3, MaxTokens: 1000, CompletionTokens: 100, SystemTokens: 5})
	if err != nil {
		t.Fatal(err)
	}
	want := trim.Report{
		Why: trim.TooManyMessages, Kept: []int{0, 1, 6, 7}, Dropped: 4, Before: trim.Size{Messages: 7, Tokens: 73}, After: trim.Size{Messages: 3, Tokens: 33},
		Limit: trim.Size{Messages: 3, Tokens: 893}, System: 7, Anchor: 1, Estimated: true,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func TestDefaults(t *testing.T) {
	long := parse(strings.Repeat("u a ", 25))
	for _, tt := range []struct {
		name       string
		messages   []trim.Message
		kept       int
		limit      trim.Size
		tokensOver bool
	}{
		{"fifty messages", long, 50, trim.Size{Messages: 50, Tokens: 72_000}, false},
		{"fifty-one", append(slices.Clone(long), parse("u")...), 39, trim.Size{Messages: 40, Tokens: 72_000}, false},
		{"72,000 tokens", parse("u:71990 a"), 2, trim.Size{Messages: 50, Tokens: 72_000}, false},
		{"one more", parse("u:71991 a u"), 1, trim.Size{Messages: 50, Tokens: 72_000}, false},
		{"one more, in one request", parse("u:71991 a"), 2, trim.Size{Messages: 50, Tokens: 72_000}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept, r, err := trim.Trim(tt.messages, trim.Options{})
			if err != nil || len(kept) != tt.kept || r.Limit != tt.limit || (r.Over != trim.None) != tt.tokensOver {
				t.Errorf("%d kept (%+v, %v), want %d", len(kept), r, err, tt.kept)
			}
		})
	}
	got, err := trim.Options{MaxMessages: 30}.Resolved()
	want := trim.Options{MaxMessages: 30, KeepMessages: 30, MaxTokens: 100_000, CompletionTokens: 16_000, SystemTokens: 12_000}
	if err != nil || got != want {
		t.Errorf("Resolved() = %+v, %v", got, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		options trim.Options
		want    string
	}{
		{trim.Options{MaxMessages: -1}, "trim: MaxMessages is -1: want a number above 0, or 0 for the default"},
		{trim.Options{SystemTokens: -5}, "trim: SystemTokens is -5: want"},
		{trim.Options{MaxMessages: 30, KeepMessages: 31}, "trim: KeepMessages is 31, which is more than MaxMessages, 30"},
		{trim.Options{KeepMessages: 60}, "trim: KeepMessages is 60, which is more than MaxMessages, 50"},
		{trim.Options{MaxTokens: 28_000}, "trim: MaxTokens is 28000, of which 16000 for the answer and 12000 for system and tools leave none"},
		{trim.Options{MaxTokens: 10, CompletionTokens: math.MaxInt64}, "trim: MaxTokens is 10"},
		{trim.Options{SystemTokens: math.MaxInt64}, "trim: MaxTokens is 100000"},
	} {
		_, _, err := trim.Trim(parse("u a"), tt.options)
		if e := (*trim.OptionsError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.options, err, tt.want)
		}
	}
}
