package refusal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// field is a label and its value in an answer that is written like a form:
// "Outcome: not delivered", "- **Artifacts:** none", "ok=false".
type field struct {
	name  string // lower-case, blanks as "_"
	value string
}

// maxFields is how many fields of a form are read.
const maxFields = 32

// resultNames are the fields that hold what was asked for, or how much of it.
var resultNames = map[string]bool{"result": true, "results": true, "output": true, "outputs": true, "artifact": true,
	"artifacts": true, "artefacts": true, "deliverable": true, "deliverables": true, "delivered": true, "produced": true,
	"produced_files": true, "files": true, "work_done": true, "done": true, "completed": true, "completion": true, "answer": true,
	"response": true, "progress": true, "solved": true, "fix": true, "report": true, "summary": true, "changes": true,
	"to_hand_over": true, "handed_over": true, "stdout": true, "created": true, "sent": true, "written": true, "generated": true}

// tellNames among them may as well say why there is none.
var tellNames = map[string]bool{"report": true, "summary": true, "answer": true, "response": true}

// voidValues are values that say that there is nothing, beside figures of
// nought and marks.
var voidValues = map[string]bool{"none": true, "nothing": true, "nil": true, "null": true, "zero": true, "no": true, "not": true, "never": true,
	"empty": true, "blank": true, "n_a": true, "false": true, "unfinished": true, "missing": true, "undone": true, "undefined": true,
	"nowhere": true, "neither": true, "unfulfilled": true}

// judgeReport judges a text that is a form, by its fields; ok is false if it is
// none, or if they leave the verdict to its words.
func (d *Detector) judgeReport(text string) (v Verdict, ok bool) {
	if len(text) > opening {
		return Verdict{}, false
	}
	var failed, back, void *field
	delivered, clean := false, false
	fields := fieldsOf(text)
	for i := len(fields) - 1; i >= 0; i-- {
		f := &fields[i]
		switch status := f.status(); {
		case isErrorName(f.name):
			clean = clean || voidValues[status]
		case reasonNames[f.name]:
		case isHandName(f.name), isActionName(f.name) && backAction[statusWord(f.value)],
			(f.isStatus() || isActionName(f.name)) && backStatus[status]:
			back = f
		case f.isStatus() && (failedStatus[status] || openStatus[status] || voidValues[status]), isFlagName(f.name) && voidValues[status]:
			failed = f
		case f.isVoid():
			// "Answer: no" is one.
			if resultNames[f.name] && statusWord(strings.TrimRight(f.value, ".!")) != "no" {
				void = f
			}
		case resultNames[f.name] && !tellNames[f.name]:
			delivered = true
		}
	}
	switch {
	case delivered:
		return Verdict{}, false
	case back != nil:
		return Verdict{Kind: HandedBack, Phrase: back.said()}, true
	case failed != nil:
		return Verdict{Kind: Refusal, Phrase: failed.said()}, true
	case void != nil:
		return Verdict{Kind: Refusal, Phrase: void.said()}, true
	}
	return Verdict{}, clean
}

func (f *field) said() string { return phrase(f.name + ": " + f.value) }

// status returns the value as a word of a status, "" if it is none.
func (f *field) status() string {
	head := strings.TrimLeft(f.value, "([ ")
	if end := strings.IndexAny(head, "(,;.:–—"); end >= 0 {
		head = head[:end]
	}
	words := strings.FieldsFunc(strings.ToLower(head), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for n := min(len(words), 3); n > 0; n-- {
		s := strings.Join(words[:n], "_")
		if failedStatus[s] || openStatus[s] || backStatus[s] || voidValues[s] {
			return s
		}
	}
	return ""
}

// isVoid reports whether the value says that there is nothing, or not.
func (f *field) isVoid() bool {
	status := f.status()
	if voidValues[status] || failedStatus[status] {
		return true
	}
	figure, _, _ := strings.Cut(f.value, " ")
	return isEmpty(f.value) || figure == "0" || strings.HasPrefix(f.value, "❌") || strings.HasPrefix(f.value, "✗") || strings.HasPrefix(f.value, "✘")
}

func (f *field) isStatus() bool {
	switch f.name {
	case "overall", "task", "finish_reason", "end_state", "final_status", "final_state":
		return true
	}
	return holdsName(statusNames, f.name)
}

func isErrorName(name string) bool  { return holdsName(errorNames, name) || name == "stderr" }
func isHandName(name string) bool   { return holdsName(handNames, name) }
func isActionName(name string) bool { return holdsName(actionNames, name) }
func isFlagName(name string) bool   { return holdsName(flagNames, name) }

func holdsName(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// fieldsOf returns the fields of a form, nil if more of the text is something
// else: a letter with a subject is no form.
func fieldsOf(text string) []field {
	if !strings.HasPrefix(text, "<") && strings.Count(text, ":")+strings.Count(text, "|")+strings.Count(text, "=") < 2 {
		return nil // most answers: nothing is made for them
	}
	if fields := assignments(text); len(fields) >= 2 || len(fields) == 1 && text[0] == '<' {
		return fields
	}
	var fields []field
	other := 0
	for line := range strings.SplitSeq(text, "\n") {
		for part := range strings.SplitSeq(strings.ReplaceAll(line, ". ", "; "), "; ") {
			part = strings.Trim(part, " \t\r*_`•-|>")
			if part == "" || strings.HasPrefix(part, "#") {
				continue
			}
			f, ok := labelled(part)
			switch n := len(fields); {
			case ok && n < maxFields:
				fields = append(fields, f)
			case n > 0 && fields[n-1].value == "" && other == 0:
				fields[n-1].value = part // stands under its label
			default:
				other++
			}
		}
	}
	if len(fields) < 2 || len(fields) < other {
		return nil
	}
	return fields
}

// labelled reads "label: value", or the two cells of a row.
func labelled(part string) (field, bool) {
	at := strings.IndexAny(part, ":|")
	if at <= 0 || at > maxLabel {
		return field{}, false
	}
	name := fieldName(part[:at])
	value := strings.Trim(part[at+1:], " \t*_`")
	if name == "" || part[at] == ':' && at+1 < len(part) && !endsHere(part[at+1:]) {
		return field{}, false
	}
	return field{name, value}, true
}

// fieldName returns a label as a name, "" if it is none: up to three words.
func fieldName(label string) string {
	words := strings.Fields(strings.ToLower(strings.Trim(label, " \t*_`\"")))
	if len(words) == 0 || len(words) > labelWords {
		return ""
	}
	return strings.Join(words, "_")
}

// assignments reads "name=value", the value up to a blank, or quoted.
func assignments(text string) (fields []field) {
	for rest := text; len(fields) < maxFields; {
		at := strings.IndexByte(rest, '=')
		if at < 0 {
			return fields
		}
		name := rest[strings.LastIndexFunc(rest[:at], func(c rune) bool { return c != '_' && !unicode.IsLetter(c) })+1 : at]
		rest = rest[at+1:]
		if name == "" {
			continue
		}
		value := rest[:valueEnd(rest)]
		rest = rest[len(value):]
		fields = append(fields, field{strings.ToLower(name), strings.Trim(value, `"'`)})
	}
	return fields
}

// valueEnd returns where an assigned value ends.
func valueEnd(s string) int {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return end + 2
		}
	}
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(c) || c == ',' || c == ';' {
			return i
		}
		i += size
	}
	return len(s)
}
