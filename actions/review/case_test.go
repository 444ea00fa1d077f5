package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// The members of a case as JSON are documented: reviewers in other languages
// rely on them.
func TestCase_JSON(t *testing.T) {
	c := &review.Case{
		Session: "s1", Task: "t1", Chain: "trade", Attempt: 2,
		Rule:     review.Rule{ID: "tool_calls_critical", Reason: "Very many tool calls", Explain: "80 of 80", Actual: "80", Limit: "80"},
		Counters: map[string]string{"task.tool_calls": "80"},
		Asked:    []string{"buy apples"},
		Calls: []review.Call{
			{Ability: "web.fetch", Args: `{"url":"x"}`, Output: "ok", At: start},
			{Ability: "delegate.bob", Worker: "bob", Error: &review.Failure{Class: "ToolError", Message: "no"}},
		},
		LeftOut: 3, Outputs: []string{"done"},
		Known: []review.Match{{ID: "p1", Similarity: 0.5, Cause: "c", Remedy: []string{"r"}, Specialist: review.Loop, Seen: 2, Offered: 1, Helped: 1}},
	}
	const want = `{"session":"s1","task":"t1","chain":"trade","attempt":2,` +
		`"rule":{"id":"tool_calls_critical","reason":"Very many tool calls","explain":"80 of 80","actual":"80","limit":"80"},` +
		`"counters":{"task.tool_calls":"80"},"asked":["buy apples"],` +
		`"calls":[{"ability":"web.fetch","args":"{\"url\":\"x\"}","output":"ok","at":"2026-01-05T09:00:00Z"},` +
		`{"ability":"delegate.bob","worker":"bob","error":{"class":"ToolError","message":"no"}}],` +
		`"calls_left_out":3,"outputs":["done"],` +
		`"known":[{"id":"p1","similarity":0.5,"cause":"c","remedy":["r"],"specialist":"loop","seen":2,"offered":1,"helped":1}]}`
	got, err := json.Marshal(c)
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	var back review.Case
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, &back); d != "" {
		t.Error(d)
	}
}

func TestCase_Bounded(t *testing.T) {
	c := &review.Case{LeftOut: 5, Counters: map[string]string{}}
	for i := range 250 {
		c.Calls = append(c.Calls, review.Call{Ability: fmt.Sprint("a", i), Output: strings.Repeat("é", 2000)})
		c.Asked = append(c.Asked, fmt.Sprint("text ", i))
		c.Counters[fmt.Sprintf("m%03d", i)] = "1"
	}
	b := c.Bounded()
	if len(b.Calls) != review.MaxCalls || b.Calls[0].Ability != "a50" || b.LeftOut != 55 {
		t.Errorf("%d calls from %s, %d left out; want the last 200, 55 left out", len(b.Calls), b.Calls[0].Ability, b.LeftOut)
	}
	if want := strings.Repeat("é", 1022) + review.CutMark; b.Calls[0].Output != want {
		t.Errorf("a text of %d bytes ends in %q", len(b.Calls[0].Output), b.Calls[0].Output[len(b.Calls[0].Output)-5:])
	}
	if len(b.Asked) != review.MaxTexts || b.Asked[14] != "text 249" || len(b.Counters) != review.MaxCounters || b.Counters["m000"] != "1" {
		t.Errorf("%d texts, %d counters", len(b.Asked), len(b.Counters))
	}
	if len(c.Calls) != 250 || len(c.Calls[0].Output) != 4000 {
		t.Error("the case itself was changed")
	}
}

// Whatever bytes a text has, it is cut to valid UTF-8 within the bound, and
// what is within it already stays as it is.
func TestCase_BoundedTextsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(string(rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes")), rapid.IntRange(1, 300).Draw(t, "times"))
		got := (&review.Case{Asked: []string{text}}).Bounded().Asked[0]
		if !utf8.ValidString(got) || len(got) > review.MaxText {
			t.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		if len(text) > review.MaxText && !strings.HasSuffix(got, review.CutMark) {
			t.Fatalf("cut without a mark: %q", got)
		}
		if len(text) <= review.MaxText && utf8.ValidString(text) && got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
