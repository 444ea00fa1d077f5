package refusal

import (
	"strings"
	"unicode/utf8"
)

// What is read of an answer. A refusal is said in the opening, a task given up
// after an attempt at the end; what is between is a deliverable, and reading
// it would cost time and find only words of its subject.
const (
	opening   = 4 << 10 // bytes
	closing   = 1 << 10
	maxPhrase = 200
	// answered is how many words of something else after a limitation make the
	// answer a result with a caveat.
	answered = 120
)

// Judge tells what an answer is. Of a text, the first 4 KiB and the last 1 KiB
// are read, so the cost is bounded whatever its length; JSON longer than
// 64 KiB is a result.
func (d *Detector) Judge(output string) Verdict {
	return d.judge(output, 0)
}

// maxNested bounds JSON in texts in JSON, and quotes around quotes.
const maxNested = 8

func (d *Detector) judge(output string, nested int) Verdict {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(output), "\ufeff"))
	if inner, ok := unwrap(text); ok && nested < maxNested {
		return d.judge(inner, nested+1)
	}
	if isEmpty(text) {
		return Verdict{Kind: Empty}
	}
	if v, ok := d.judgeJSON(text, nested); ok {
		return v
	}
	if v, ok := d.judgeReport(text); ok {
		return v
	}
	return d.judgeText(text)
}

// isEmpty reports whether a text is what programs print for nothing.
func isEmpty(text string) bool {
	switch text {
	case "", "null", "None", "nil", "undefined", "N/A", "n/a", `""`, "''", "[]", "{}":
		return true
	}
	return strings.IndexFunc(text, isWord) < 0
}

// unwrap takes off what may stand around a whole answer: quotes, or the fence
// of a text block.
func unwrap(text string) (string, bool) {
	if body, ok := strings.CutPrefix(text, "```"); ok {
		body, ok = strings.CutSuffix(body, "```")
		info, inner, lines := strings.Cut(body, "\n")
		switch strings.ToLower(strings.TrimSpace(info)) {
		case "", "text", "txt", "plaintext", "markdown", "md", "json":
			return inner, ok && lines && !strings.Contains(inner, "```")
		}
		return "", false
	}
	for _, q := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"‘", "’"}} {
		if inner, ok := strings.CutPrefix(text, q[0]); ok {
			inner, ok = strings.CutSuffix(inner, q[1])
			return inner, ok && !strings.Contains(inner, q[0])
		}
	}
	return "", false
}

// judgeText judges prose.
func (d *Detector) judgeText(text string) Verdict {
	m := memories.Get().(*memory)
	defer m.put()
	if len(text) <= opening+closing {
		r := d.read(text, m, false)
		if len(r.sentences) == 0 && !r.code {
			// All of it is a block quotation: then it is the answer itself.
			r = d.read(text, m, true)
		}
		if len(r.sentences) == 0 && r.words == 0 {
			return Verdict{Kind: Empty}
		}
		return d.weigh(text, &r, m)
	}
	first := d.read(text[:runeStart(text, opening)], m, false)
	d.read(text[runeStart(text, len(text)-closing):], m, false)
	first.sentences = m.sentences // of both
	first.words += answered       // what was not read
	first.long = true
	return d.weigh(text, &first, m)
}

// runeStart returns the last beginning of a character at or before a place.
func runeStart(s string, at int) int {
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// weigh reaches the verdict from what the sentences say, and what the clues add.
func (d *Detector) weigh(text string, r *reading, m *memory) Verdict {
	c := r.conclude()
	if c.final() || r.long {
		return c.verdict
	}
	return d.sumUp(text, r, c, &m.clues)
}

// phrase returns what was matched, blanks joined.
func phrase(s string) string { return cut(strings.Join(strings.Fields(s), " ")) }

func cut(s string) string {
	if len(s) > maxPhrase {
		s = s[:runeStart(s, maxPhrase)]
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
