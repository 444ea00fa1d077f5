package refusal

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// The bounds of JSON that is read; what exceeds them is a result.
const (
	maxJSON   = 64 << 10
	jsonDepth = 32
	// listed is how many elements of a list tell for all of them.
	listed = 64
	// maxStatus is how long a text may be that is a word of a status.
	maxStatus = 20
)

// The members by which workers wrap what they say, the most telling first.
var (
	answerNames = []string{"result", "results", "answer", "final_answer", "output", "data", "response", "reply",
		"content", "completion", "text", "summary", "value", "message", "reason", "detail", "details",
		"explanation", "why", "note", "notes", "comment", "cause", "final"}
	errorNames = []string{"error", "errors", "exception", "failure", "error_message", "errormessage", "error_code", "errorcode",
		"err", "refusal", "blocker", "blockers"}
	statusNames = []string{"status", "state", "outcome", "result", "type", "kind", "level"}
	// thingNames among them may as well tell of a thing.
	thingNames = map[string]bool{"state": true, "type": true, "kind": true, "level": true}
	flagNames  = []string{"success", "ok", "succeeded", "successful", "completed", "done",
		"executed", "delivered", "applied", "fulfilled", "resolved"}
	handNames   = []string{"handoff_to", "hand_off_to", "handover_to", "transfer_to", "escalate_to", "reassign_to", "route_to", "handoff", "escalation"}
	actionNames = []string{"action", "next_action", "next", "decision", "event", "intent"}
	// reasonNames among the answers only say why; they are no result.
	reasonNames = map[string]bool{"message": true, "reason": true, "detail": true, "details": true, "explanation": true,
		"why": true, "note": true, "notes": true, "comment": true, "cause": true}
)

// judgeJSON judges a text that is a JSON object or list; ok is false if it is
// neither, or too much to read.
func (d *Detector) judgeJSON(text string, nested int) (v Verdict, ok bool) {
	if text[0] != '{' && text[0] != '[' || nested >= maxNested {
		return Verdict{}, false
	}
	if len(text) > maxJSON {
		return Verdict{}, true
	}
	tree, err := jsonv.Parse([]byte(text), jsonv.Limits{Depth: jsonDepth})
	if err != nil {
		return Verdict{Kind: Incomplete}, isCut(text)
	}
	return d.judgeValue(tree, nested+1), true
}

// isCut reports whether a text that is no JSON is one that was cut off: it
// begins as an object or a list and ends inside.
func isCut(text string) bool {
	inner := strings.TrimLeft(text[1:], " \t\r\n")
	if inner == "" || text[0] == '{' && inner[0] != '"' || text[0] == '[' && inner[0] != '"' && inner[0] != '{' {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return false
			}
		}
	}
	return true
}

func (d *Detector) judgeValue(v jsonv.Value, nested int) Verdict {
	if isNothing(v) {
		return Verdict{Kind: Empty}
	}
	if nested > maxNested {
		return Verdict{}
	}
	switch v.Kind() {
	case jsonv.String:
		return d.judge(v.Text(), nested)
	case jsonv.List:
		return d.judgeList(v, nested)
	case jsonv.Object:
		return d.judgeObject(v, nested)
	}
	return Verdict{}
}

// judgeList: a list fails only if all its elements do.
func (d *Detector) judgeList(v jsonv.Value, nested int) Verdict {
	var first Verdict
	for i := range min(v.Len(), listed) {
		one := d.judgeValue(v.Elem(i), nested+1)
		if !one.Failed() {
			return Verdict{}
		}
		if i == 0 {
			first = one
		}
	}
	return first
}

func (d *Detector) judgeObject(v jsonv.Value, nested int) Verdict {
	answer, reason, has := d.answerIn(v, nested)
	if has && !answer.Failed() {
		return Verdict{} // beside an error it is a partial success
	}
	if failed := reported(v); failed.Failed() {
		return failed
	}
	switch {
	case has && answer.Kind != Empty:
		return answer
	case decided(v).Failed():
		return decided(v)
	case reason.Failed() && !succeeded(v):
		return reason
	case has && !hasOther(v) && !succeeded(v):
		return answer
	}
	return Verdict{}
}

// answerIn judges what an object holds as its answer, and as its reason.
func (d *Detector) answerIn(v jsonv.Value, nested int) (answer, reason Verdict, has bool) {
	for _, name := range answerNames {
		m, ok := member(v, name)
		if !ok || name == "result" && statusOf(m) != "" {
			continue
		}
		if reasonNames[name] {
			if one := d.reasonJudge(v).judgeValue(m, nested+1); !reason.Failed() && one.Kind != Empty {
				reason = one
			}
			continue
		}
		switch one := d.judgeValue(m, nested+1); {
		case !has || answer.Kind == Empty:
			answer, has = one, true
		}
	}
	return answer, reason, has
}

// reasonJudge returns what judges an object's reason: clues say nothing of one
// that stands beside other members, for it may be the reason of a finding.
func (d *Detector) reasonJudge(v jsonv.Value) *Detector {
	if d.plain == nil || v.Len() == 1 {
		return d
	}
	return d.plain
}

// reported reads the members by which programs report how they ended.
func reported(v jsonv.Value) Verdict {
	for _, name := range errorNames {
		if m, ok := member(v, name); ok && !isNothing(m) && !isFalse(m) {
			return Verdict{Kind: Refusal, Phrase: phrase(said(name, m))}
		}
	}
	for _, name := range statusNames {
		m, ok := member(v, name)
		if !ok {
			continue
		}
		switch status := statusOf(m); {
		case failedStatus[status] && thingNames[name] && hasOther(v):
			// The state of something that is reported.
		case failedStatus[status]:
			return Verdict{Kind: Refusal, Phrase: phrase(said(name, m))}
		case openStatus[status]:
			return Verdict{Kind: Incomplete, Phrase: phrase(said(name, m))}
		case backStatus[status]:
			return Verdict{Kind: HandedBack, Phrase: phrase(said(name, m))}
		}
	}
	for _, name := range flagNames {
		if m, ok := member(v, name); ok && m.Kind() == jsonv.Bool && m.Text() == "false" {
			return Verdict{Kind: Refusal, Phrase: phrase(said(name, m))}
		}
	}
	return Verdict{}
}

// succeeded reports whether an object says that it all went well, with nothing
// to show for it.
func succeeded(v jsonv.Value) bool {
	for _, name := range flagNames {
		if m, ok := member(v, name); ok && m.Kind() == jsonv.Bool && m.Text() == "true" {
			return true
		}
	}
	return false
}

// decided reads the members by which workers say what they do with the task,
// and who is to take over.
func decided(v jsonv.Value) Verdict {
	for _, name := range handNames {
		if m, ok := member(v, name); ok && !isNothing(m) && !isFalse(m) {
			return Verdict{Kind: HandedBack, Phrase: phrase(said(name, m))}
		}
	}
	for _, name := range actionNames {
		m, ok := member(v, name)
		switch {
		case ok && (backStatus[statusOf(m)] || m.Kind() == jsonv.String && backAction[statusWord(m.Text())]):
			return Verdict{Kind: HandedBack, Phrase: phrase(said(name, m))}
		case ok && failedStatus[statusOf(m)]:
			return Verdict{Kind: Refusal, Phrase: phrase(said(name, m))}
		}
	}
	return Verdict{}
}

func said(name string, m jsonv.Value) string { return name + ": " + string(m.AppendJSON(nil)) }

// statusOf returns a text as a word of a status, "" if it is none.
func statusOf(m jsonv.Value) string {
	if m.Kind() != jsonv.String || len(m.Text()) > maxStatus {
		return ""
	}
	s := statusWord(m.Text())
	if failedStatus[s] || openStatus[s] || backStatus[s] {
		return s
	}
	return ""
}

// member returns the member of a name, whatever its case.
func member(v jsonv.Value, name string) (jsonv.Value, bool) {
	for i := range v.Len() {
		if strings.EqualFold(v.Key(i), name) {
			return v.Elem(i), true
		}
	}
	return jsonv.Value{}, false
}

// hasOther reports whether an object whose answer is empty holds something
// that may be one: a list, an object.
func hasOther(v jsonv.Value) bool {
	for i := range v.Len() {
		switch m := v.Elem(i); m.Kind() {
		case jsonv.List, jsonv.Object:
			if !isNothing(m) {
				return true
			}
		}
	}
	return false
}

func isFalse(v jsonv.Value) bool {
	return v.Kind() == jsonv.Bool && v.Text() == "false" || v.Kind() == jsonv.Number && v.Text() == "0"
}

// isNothing reports whether a value says nothing: null, blank, or made of such.
func isNothing(v jsonv.Value) bool {
	switch v.Kind() {
	case jsonv.Null:
		return true
	case jsonv.String:
		return isEmpty(strings.TrimSpace(v.Text()))
	case jsonv.List, jsonv.Object:
		return v.Len() == 0
	}
	return false
}
