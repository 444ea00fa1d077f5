package refusal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session/refusal"
)

// What the kinds mean, one answer for each rule.
func TestJudge(t *testing.T) {
	d := refusal.Default()
	long := strings.Repeat("The market grew by four percent and vendors cannot finance new stock. ", 200)
	for _, c := range []struct {
		name, output string
		want         refusal.Kind
	}{
		{"a result", "The capital is Oslo.", refusal.None},
		{"a refusal", "I can't do that.", refusal.Refusal},
		{"a refusal behind thanks", "Thanks for asking! Unfortunately, I can't look up prices.", refusal.Refusal},

		{"nothing", "", refusal.Empty},
		{"blanks", " \n\t\n", refusal.Empty},
		{"many marks only", strings.Repeat("-\n", 5000), refusal.Empty},
		{"marks only", "---\n...", refusal.Empty},
		{"null", "null", refusal.Empty},
		{"the None of Python", "None", refusal.Empty},
		{"an answer that is none", "None.", refusal.None},
		{"empty list", "[ ]", refusal.Empty},
		{"empty text in JSON", `{"result": ""}`, refusal.Empty},
		{"no text between fences", "```\n\n```", refusal.Empty},
		{"a tick", "✅", refusal.None},

		{"announced", "I'll look into this and get back to you.", refusal.Incomplete},
		{"announced and done", "Let me check. The train leaves at 9:40 from platform 3.", refusal.None},
		{"stopped by a limit", "Agent stopped due to iteration limit or time limit.", refusal.Incomplete},
		{"out of steps", "I ran out of steps.", refusal.Incomplete},
		{"not yet", "I haven't finished the comparison.", refusal.Incomplete},
		{"cut-off JSON", `{"result": "The total is`, refusal.Incomplete},
		{"cut-off JSON of several lines", "{\n  \"rows\": [\n    1,", refusal.Incomplete},
		{"JSON with another fault", `{"result" "x"}`, refusal.None},
		{"a status that is open", `{"status": "in_progress"}`, refusal.Incomplete},
		{"a block of code with nothing in it", "```go\n", refusal.Empty},

		{"handed back", "I'm handing this back to the supervisor.", refusal.HandedBack},
		{"transferred", "Transferring back to supervisor", refusal.HandedBack},
		{"handed back with a result", "The flight is booked, reference 8XK2P. Transferring back to supervisor.", refusal.None},
		{"handed back without one", "I compared five tools. I'm handing this back without a result.", refusal.HandedBack},
		{"another team", "Please route this to a different agent.", refusal.HandedBack},

		{"partial success", "I booked the flight but could not book the hotel.", refusal.None},
		{"partial success, the limitation first", "I could not book the hotel, but I booked the flight.", refusal.None},
		{"partial count", "Found 3 of 5 results; could not reach two sources.", refusal.None},
		{"a table behind a limitation", "I can't book. Options:\n- Hotel A, 120 EUR\n- Hotel B, 95 EUR", refusal.None},
		{"effort is no result", "I searched the archive twice and asked the registrar. I couldn't find the deed.", refusal.Refusal},
		{"an obstacle is no result", "The page is behind a login. I was unable to read it.", refusal.Refusal},
		{"nothing was done", "Nothing was booked. I can't reach the airline.", refusal.Refusal},

		{"users", "Users cannot log in.", refusal.None},
		{"an API", "The API cannot return more than 100 rows.", refusal.None},
		{"customers", "There are 14 customers who are unable to pay.", refusal.None},
		{"no limitation", "There's nothing I cannot do.", refusal.None},
		{"no problems", "I could not find any problems.", refusal.None},
		{"no results", "I could not find any results.", refusal.Refusal},
		{"enough", "I can't recommend it highly enough.", refusal.None},
		{"a condition", "If I can't reach him by noon, the parcel goes back.", refusal.None},
		{"a quotation", `The page says "I cannot ship to Norway".`, refusal.None},
		{"single quotes", "The page says 'I can't ship to Norway'.", refusal.None},
		{"curly quotes", "The page says “I can’t ship to Norway”.", refusal.None},
		{"a block quotation", "He wrote:\n> I cannot ship to Norway.\n\nThe order stands.", refusal.None},
		{"code", "Use this:\n```py\nraise E(\"x\") # I cannot do this\n```", refusal.None},
		{"a letter of several paragraphs", "Draft:\n\n\"Dear Tom,\n\nI can't come.\n\nLea\"", refusal.None},
		{"a line of a log", "[dialer] I can't dial out", refusal.Refusal},
		{"code in a line", "The message is `I cannot do this`.", refusal.None},
		{"thought aloud", "<think>I cannot search.</think>Oslo.", refusal.None},
		{"a tag around it", "<answer>I cannot search.</answer>", refusal.Refusal},
		{"quoted as a whole", `"I cannot search."`, refusal.Refusal},
		{"a relative clause", "The pages that I could not parse are in skipped.csv.", refusal.None},
		{"a question", "Can't I use the other account?", refusal.HandedBack},
		{"a question that is answered", "Can't one pay by card? Yes, from 10 EUR on.", refusal.None},
		{"asked back", "I can't book without a date. When do you leave?", refusal.Refusal},
		{"asked back without a question mark", "I can't book without a date. Please tell me when you leave.", refusal.Refusal},
		{"not asked", "I can't book without a passport.", refusal.Refusal},
		{"asked for what is missing", "I can help with that. I'll need your account number. Could you share it?", refusal.HandedBack},
		{"what is missing is far off", "I am unable to make exceptions to the rules for basic fares that were bought without insurance. Shall I transfer you?", refusal.Refusal},
		{"politeness at the end", "I can't remove a passenger. Please let me know if you need anything further.", refusal.Refusal},
		{"done before it stopped", "I have successfully transferred a total of $50,000. However, I cannot proceed with the bill.", refusal.None},
		{"anything else?", "I can't book without a passport. Can I do anything else?", refusal.Refusal},

		// Frames: who or what, and that it failed or lacks something.
		{"the worker lacks something", "I've only got static maps.", refusal.Refusal},
		{"its gear failed", "The scraper crashed on the second page.", refusal.Refusal},
		{"a source is shut", "The registry is behind a login.", refusal.Refusal},
		{"what was asked for is missing", "Your message holds no file.", refusal.Refusal},
		{"a sign that reports a figure", "The server was down for 14 minutes.", refusal.None},
		{"a figure that counts nothing", "0 of 14 secrets rotated.", refusal.Refusal},
		{"a figure that counts attempts", "The server was down at all 5 attempts.", refusal.Refusal},
		{"a deed that is undone", "The tests failed. I reverted my branch.", refusal.Refusal},
		{"good news", "Not a single test failed.", refusal.None},
		{"a sign with a result beside it", "The old key was revoked, so I rotated it. The export is in the shared drive.", refusal.None},
		{"a third party lacks something", "The tenant has no lease.", refusal.None},
		{"an opinion", "I'd not sign it: clause 9 lets them raise the fee whenever they like.", refusal.None},
		{"only of itself", "I was hoping to be quicker.", refusal.Refusal},
		{"only of itself, and asks", "I can help with that. Which account is it?", refusal.HandedBack},
		{"an effort and an obstacle", "I tried to read the sensor, but somebody has removed it.", refusal.Refusal},
		{"a limitation and a result", "I can't see the live price, but the list price is quite stable.", refusal.None},
		{"a step that led to nothing", "I sent the form twice. It came back with an error each time.", refusal.Refusal},
		{"a step that led somewhere", "The first upload failed. I sent the form again.", refusal.None},
		{"what waits is not done", "Until that's fixed there is nothing I can do.", refusal.Refusal},
		{"a concession", "Although I don't have the survey, the deed gives the boundary as the brook.", refusal.None},
		{"the code of a failure is no figure", "The lookup returned HTTP 500.", refusal.Refusal},
		{"what a shell prints", "make: *** [build] Error 2", refusal.Refusal},

		{"a line of capitals is no label", "I THINK WE CAN'T\nLOSE: EVERY SCENARIO ENDS ABOVE BREAK-EVEN.", refusal.None},
		{"a label in capitals", "I tried\nNOTE: I can't open the ledger.", refusal.Refusal},
		{"a report of such words", long, refusal.None},
		{"a report, and a caveat first", "I can't see 2024. " + long, refusal.None},
		{"much talk, then given up", strings.Repeat("The site loads slowly. ", 400) + "I could not complete the task.", refusal.Refusal},
		{"refused, then much talk", "I can't help with that. " + strings.Repeat("The law is old. ", 400), refusal.Refusal},
	} {
		if got := d.Judge(c.output); got.Kind != c.want {
			t.Errorf("%s: %.80q is %s, want %s (%q by %q)", c.name, c.output, got.Kind, c.want, got.Phrase, got.Pattern)
		}
	}
}

// JSON around an answer is read by the names that workers use.
func TestJSON(t *testing.T) {
	d := refusal.Default()
	for _, c := range []struct {
		output string
		want   refusal.Kind
	}{
		{`{"result": "I cannot access the file"}`, refusal.Refusal},
		{`{"Result": {"answer": "I can't."}}`, refusal.Refusal},
		{`{"result": "{\"result\": \"I can't help.\"}"}`, refusal.Refusal},
		{`{"result": "Oslo", "note": "I can't verify"}`, refusal.None},
		{`{"error": "timeout"}`, refusal.Refusal},
		{`{"error": null, "result": "Oslo"}`, refusal.None},
		{`{"error": "", "result": "Oslo"}`, refusal.None},
		{`{"error": "two of five failed", "result": ["a", "b", "c"]}`, refusal.None},
		{`{"error": "all failed", "result": []}`, refusal.Refusal},
		{`{"errors": []}`, refusal.None},
		{`{"status": "error", "message": "no credentials"}`, refusal.Refusal},
		{`{"status": "ok"}`, refusal.None},
		{`{"result": "failed"}`, refusal.Refusal},
		{`{"success": false}`, refusal.Refusal},
		{`{"success": false, "data": {"partial": [1, 2]}}`, refusal.None},
		{`{"result": null}`, refusal.Empty},
		{`{"result": "", "sources": ["a"]}`, refusal.None},
		{`{"status": "handed_back"}`, refusal.HandedBack},
		{`[]`, refusal.Empty},
		{`[{"type": "text", "text": "I can't do this."}]`, refusal.Refusal},
		{`[{"type": "text", "text": "I can't do this."}, {"type": "text", "text": "Oslo."}]`, refusal.None},
		{`[{"id": 1, "status": "failed"}, {"id": 2, "status": "done"}]`, refusal.None},
		{`"I can't do this."`, refusal.Refusal},
		{"```json\n{\"error\": \"no\"}\n```", refusal.Refusal},
		{`[{"type": "text", "text": "{\"result\": {\"message\": \"I can't help.\"}}"}]`, refusal.Refusal},
		{`{"handoff_to": "billing"}`, refusal.HandedBack},
		{`{"action": "escalate", "note": "over my limit"}`, refusal.HandedBack},
		{`{"decision": "refuse", "reason": "unsafe"}`, refusal.Refusal},
		{`{"decision": "approve", "reason": "complete"}`, refusal.None},
		{`{"handoff_to": null, "result": "Oslo"}`, refusal.None},
		{`{"type": "error", "message": "overloaded"}`, refusal.Refusal},
		{`{"type": "text", "text": "Oslo"}`, refusal.None},
		{`{"error_code": 0, "rows": 3}`, refusal.None},
		{`{"error_code": 429}`, refusal.Refusal},
		{`{"executed": false, "cause": "already with the courier"}`, refusal.Refusal},
		{`{"action": "ask_user", "question": "Which version?"}`, refusal.HandedBack},
		{`{"type": "question", "text": "Which of the two should be invited?"}`, refusal.HandedBack},
		{`{"state": "cancelled", "alternatives": ["QX 23", "QX 31"]}`, refusal.None},
		{`{"ok": true, "value": null, "explanation": "the customer has no middle name"}`, refusal.None},
		{`{"next": "human_agent", "note": "about bereavement fares"}`, refusal.HandedBack},
		{`{"type": "human", "count": 3}`, refusal.None},
		{`{"moderation": "allow", "reason": "angry but not abusive"}`, refusal.None},
		{`{"a": 1}`, refusal.None},
		{`17`, refusal.None},
		{`false`, refusal.None},
	} {
		if got := d.Judge(c.output); got.Kind != c.want {
			t.Errorf("%s is %s, want %s (%q)", c.output, got.Kind, c.want, got.Phrase)
		}
	}
}

// The verdict shows what decided, in the answer's own words.
func TestPhrase(t *testing.T) {
	v := refusal.Default().Judge("Sorry, I  **can’t** help\nwith that.")
	if v.Phrase != "I **can’t** help" || v.Pattern == "" || !v.Failed() {
		t.Errorf("got %+v", v)
	}
	if v := refusal.Default().Judge(`{"error": {"code": 403}}`); v.Phrase != `error: {"code":403}` {
		t.Errorf("got %+v", v)
	}
	if v := refusal.Default().Judge("All fine."); v != (refusal.Verdict{}) {
		t.Errorf("a result has a verdict: %+v", v)
	}
}

// An operator adds phrases, in other languages too, or replaces the table.
func TestNew(t *testing.T) {
	added := append(refusal.Defaults(),
		refusal.Pattern{Text: "^ no puedo"},
		refusal.Pattern{Text: "~ i can not (sing|dance)", Role: refusal.Harmless},
		refusal.Pattern{Text: "over and out $", Role: refusal.HandsBack},
		refusal.Pattern{Text: "(<i>|my bot) lost ... connection", Role: refusal.Cannot})
	d, err := refusal.New(added)
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]refusal.Kind{
		"No puedo hacerlo.":                  refusal.Refusal,
		"El autor dice no puedo.":            refusal.None,
		"I can't dance.":                     refusal.None,
		"I can't swim.":                      refusal.Refusal,
		"Over and out.":                      refusal.HandedBack,
		"My bot lost the second connection.": refusal.Refusal,
	} {
		if got := d.Judge(output); got.Kind != want {
			t.Errorf("%q is %s, want %s (%q)", output, got.Kind, want, got.Pattern)
		}
	}
	only, err := refusal.New([]refusal.Pattern{{Text: "out of stock"}})
	if err != nil {
		t.Fatal(err)
	}
	if only.Judge("I can't do that.").Failed() || !only.Judge("Sadly out of stock.").Failed() {
		t.Error("a table of one's own does not replace the built-in one")
	}
	if v := new(refusal.Detector).Judge("I can't."); v.Failed() {
		t.Errorf("the zero value knows phrases: %+v", v)
	}
	if v := new(refusal.Detector).Judge(""); v.Kind != refusal.Empty {
		t.Errorf("the zero value takes nothing for %s", v.Kind)
	}
}

// A bad phrase is named, with the place and what would be right.
func TestBadPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `phrase 2 "": a phrase needs a word`,
		"...":                    `phrase 2 "...": a phrase needs a word that may not be left out before its first gap`,
		"[so] ... there":         `phrase 2 "[so] ... there": a phrase needs a word that may not be left out before its first gap`,
		"[so|well]":              `phrase 2 "[so|well]": a phrase needs a word that may not be left out before its first gap`,
		"i (can not":             `phrase 2 "i (can not", column 3: ( has no )`,
		"i can) not":             `phrase 2 "i can) not", column 6: ) has no meaning here`,
		"i (can|) not":           `phrase 2 "i (can|) not", column 3: an alternative holds no word`,
		"i (a[b) c":              `phrase 2 "i (a[b) c", column 3: [ cannot stand in brackets`,
		"i ^ can":                `phrase 2 "i ^ can", column 3: ^ stands at the beginning of a phrase only`,
		"i $ can":                `phrase 2 "i $ can", column 5: nothing may follow $`,
		"ü %% b":                 `phrase 2 "ü %% b", column 3: %% is no word`,
		"a\xff":                  `phrase 2 "a\xff": this is not valid UTF-8`,
		"a " + many("... ", 20):  `a phrase has at most 16 parts`,
		"a " + many("... ", 13):  `a phrase spans at most 63 words, this one 66`,
		"a " + many("b", 2000):   `a phrase has at most 2000 bytes`,
		"i (<i> can|x)":          `column 3: a list stands alone between its bars`,
		"<nobody> can not do it": `column 1: there is no list <nobody>; there are <account>, <adv>, <am>, <bar>, <boss>`,
	} {
		_, err := refusal.New([]refusal.Pattern{{Text: "fine"}, {Text: text}})
		var bad *refusal.PatternError
		if !errors.As(err, &bad) || bad.Index != 1 {
			t.Errorf("%q: got %v", text, err)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %s\nwant %s", text, err, want)
		}
	}
	if _, err := refusal.New([]refusal.Pattern{{Text: "a", Role: 99}}); err == nil {
		t.Error("an unknown role is taken")
	}
	if _, err := refusal.New(make([]refusal.Pattern, 2001)); err == nil || !strings.Contains(err.Error(), "at most 2000 phrases") {
		t.Errorf("too many phrases: %v", err)
	}
}

func many(s string, n int) string { return strings.Repeat(s, n) }

func TestKindNames(t *testing.T) {
	for k, want := range map[refusal.Kind]string{
		refusal.None: "none", refusal.Empty: "empty", refusal.Incomplete: "incomplete",
		refusal.Refusal: "refusal", refusal.HandedBack: "handed_back", 99: "unknown",
	} {
		if k.String() != want {
			t.Errorf("%d is %q, want %q", k, k, want)
		}
	}
}
