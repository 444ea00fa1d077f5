package trim_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/session/trim"
)

// genValid makes a history that an API accepts: that of Anthropic, with the
// results of a turn in one message of the user and the system prompt at the
// beginning, or that of OpenAI, with a message for each result.
func genValid(anthropic bool) *rapid.Generator[[]trim.Message] {
	return rapid.Custom(func(t *rapid.T) []trim.Message {
		var h []trim.Message
		text := func(role string) trim.Message {
			return trim.Message{Role: role, Tokens: rapid.Int64Range(1, 30).Draw(t, "tokens")}
		}
		system := func() {
			m := text("system")
			m.System = true
			h = append(h, m)
		}
		if rapid.Bool().Draw(t, "system") {
			system()
		}
		h = append(h, text(trim.User))
		calls := 0
		for range rapid.IntRange(0, 25).Draw(t, "turns") {
			switch kind := rapid.IntRange(0, 9).Draw(t, "turn"); {
			case kind < 2:
				h = append(h, text("assistant"), text(trim.User))
			case kind == 2 && !anthropic:
				system()
			default:
				m := text("assistant")
				for range rapid.IntRange(1, 4).Draw(t, "calls") {
					m.CallIDs = append(m.CallIDs, strconv.Itoa(calls%7)) // ids come again
					calls++
				}
				h = append(h, m)
				if anthropic {
					r := text(trim.User)
					r.ResultOf = m.CallIDs
					h = append(h, r)
					continue
				}
				for _, id := range m.CallIDs {
					r := text("tool")
					r.ResultOf = []string{id}
					h = append(h, r)
				}
			}
		}
		return h
	})
}

// openAI says why the API would refuse a history: each call is answered right
// behind the message that makes it, and each result answers one.
func openAI(h []trim.Message) error {
	var open []string
	for i, m := range h {
		if len(m.ResultOf) > 0 {
			for _, id := range m.ResultOf {
				at := slices.Index(open, id)
				if at < 0 {
					return fmt.Errorf("message %d is a result of no call", i)
				}
				open = slices.Delete(open, at, at+1)
			}
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d stands before the results of %v", i, open)
		}
		open = slices.Clone(m.CallIDs)
	}
	if len(open) > 0 {
		return fmt.Errorf("no results of %v", open)
	}
	return nil
}

// anthropicAPI asks besides that the first message is the user's, and that
// the results of a turn stand in one message.
func anthropicAPI(h []trim.Message) error {
	for len(h) > 0 && h[0].System {
		h = h[1:]
	}
	if len(h) > 0 && (h[0].Role != trim.User || len(h[0].ResultOf) > 0) {
		return errors.New("the first message is not the user's")
	}
	for i, m := range h {
		if m.System {
			return errors.New("a system prompt in the middle")
		}
		if len(m.CallIDs) > 0 && (i+1 == len(h) || !slices.Equal(h[i+1].ResultOf, m.CallIDs)) {
			return fmt.Errorf("no results right behind message %d", i)
		}
	}
	return openAI(h)
}

func genOptions() *rapid.Generator[trim.Options] {
	return rapid.Custom(func(t *rapid.T) trim.Options {
		o := trim.Options{MaxMessages: rapid.IntRange(1, 40).Draw(t, "max"), CompletionTokens: 1, SystemTokens: rapid.Int64Range(1, 20).Draw(t, "system")}
		o.KeepMessages = rapid.IntRange(1, o.MaxMessages).Draw(t, "keep")
		o.MaxTokens = 1 + o.SystemTokens + rapid.Int64Range(1, 600).Draw(t, "tokens")
		return o
	})
}

// measure counts a history without its system messages.
func measure(h []trim.Message) (s trim.Size) {
	for _, m := range h {
		if !m.System {
			s.Messages++
			s.Tokens += m.Tokens
		}
	}
	return s
}

func fits(s, limit trim.Size) bool { return s.Messages <= limit.Messages && s.Tokens <= limit.Tokens }

// mustTrim trims, and checks what holds of any history.
func mustTrim(t *rapid.T, h []trim.Message, o trim.Options) ([]trim.Message, trim.Report) {
	before := slices.Clone(h)
	kept, r, err := trim.Trim(h, o)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(before, h) {
		t.Fatal("the history given was changed")
	}
	if !slices.IsSorted(r.Kept) || len(slices.Compact(slices.Clone(r.Kept))) != len(kept) || len(kept)+r.Dropped != len(h) {
		t.Fatalf("kept %v of %d, %d dropped", r.Kept, len(h), r.Dropped)
	}
	for i, place := range r.Kept {
		if !cmp.Equal(kept[i], h[place]) {
			t.Fatalf("message %d is not message %d of the history", i, place)
		}
	}
	for i, m := range h {
		if m.System && !slices.Contains(r.Kept, i) {
			t.Fatalf("the system message %d was dropped", i)
		}
	}
	for i, j := range pairs(h) {
		if slices.Contains(r.Kept, i) != slices.Contains(r.Kept, j) {
			t.Fatalf("the result %d and its call %d were parted: kept %v", i, j, r.Kept)
		}
	}
	if r.Why == trim.None && r.Dropped > 0 || fits(r.Before, r.Limit) != (r.Why == trim.None) {
		t.Fatalf("trimmed without need, or not with it: %+v", r)
	}
	if measure(h) != r.Before || measure(kept) != r.After || fits(r.After, r.Limit) != (r.Over == trim.None) {
		t.Fatalf("the report does not say what is: %+v, %+v to %+v", r, measure(h), measure(kept))
	}
	if len(kept) == 0 && len(h) > 0 {
		t.Fatal("nothing is left")
	}
	again, r2, err := trim.Trim(kept, o)
	if err != nil || !cmp.Equal(again, kept) || r2.Dropped > 0 {
		t.Fatalf("trimmed again it is another: %v, then %v (%v)", r.Kept, r2.Kept, err)
	}
	return kept, r
}

// pairs are the places of results, each with that of its call.
func pairs(h []trim.Message) map[int]int {
	out := map[int]int{}
	for i, m := range h {
		for j := i - 1; j >= 0 && !m.System; j-- {
			if !h[j].System && slices.ContainsFunc(m.ResultOf, func(id string) bool { return slices.Contains(h[j].CallIDs, id) }) {
				out[i] = j
				break
			}
		}
	}
	return out
}

func TestAValidHistoryStaysValid(t *testing.T) {
	for name, valid := range map[string]func([]trim.Message) error{"openai": openAI, "anthropic": anthropicAPI} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := genValid(name == "anthropic").Draw(t, "history")
				if err := valid(h); err != nil {
					t.Fatalf("the generator: %v", err)
				}
				kept, r := mustTrim(t, h, genOptions().Draw(t, "options"))
				if err := valid(kept); err != nil {
					t.Fatalf("%v; kept %v", err, r.Kept)
				}
			})
		})
	}
}

// TestAsFewAsWillDo: what is kept is the longest end of the history that is
// valid and within the limit, with the user's request before it if it needs
// one; only where there is none may it be too long.
func TestAsFewAsWillDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := genValid(true).Draw(t, "history")
		kept, r := mustTrim(t, h, genOptions().Draw(t, "options"))
		var best []trim.Message
		for start := range h {
			if h[start].System {
				continue
			}
			candidate := slices.Clone(h[start:])
			if anthropicAPI(candidate) != nil {
				request := start - 1
				for request >= 0 && (h[request].Role != trim.User || len(h[request].ResultOf) > 0) {
					request--
				}
				if request < 0 {
					continue
				}
				candidate = append([]trim.Message{h[request]}, candidate...)
			}
			if anthropicAPI(candidate) == nil && fits(measure(candidate), r.Limit) {
				best = candidate
				break
			}
		}
		if (best == nil) != (r.Over != trim.None) {
			t.Fatalf("over is %q, but %d messages would fit", r.Over, len(best))
		}
		if best != nil && measure(best) != measure(kept) {
			t.Fatalf("kept %+v, but %+v would fit", measure(kept), measure(best))
		}
	})
}

// genAny makes a history in any order, valid or not.
func genAny() *rapid.Generator[[]trim.Message] {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "3", ""}), 0, 2)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) trim.Message {
		return trim.Message{
			Role: rapid.SampledFrom([]string{trim.User, "assistant", "tool", ""}).Draw(t, "role"), System: rapid.IntRange(0, 5).Draw(t, "system") == 0,
			CallIDs: ids.Draw(t, "calls"), ResultOf: ids.Draw(t, "results"), Tokens: rapid.Int64Range(1, 40).Draw(t, "tokens"),
		}
	}), 0, 40)
}

func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mustTrim(t, genAny().Draw(t, "history"), genOptions().Draw(t, "options"))
	})
}

func FuzzTrim(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		mustTrim(t, genAny().Draw(t, "history"), genOptions().Draw(t, "options"))
	}))
}
