package refusal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// compile reads one pattern. The error's Index is left to the caller.
func (d *Detector) compile(p Pattern) (pattern, *PatternError) {
	c := compiler{d: d, p: p, out: pattern{text: p.Text, role: p.Role, points: p.Points, closing: p.Closing}}
	if p.Role > Clue {
		return c.out, c.fault(-1, "this role is unknown")
	}
	if fault := pointsFault(p); fault != "" {
		return c.out, c.fault(-1, fault)
	}
	if len(p.Text) > maxPattern {
		return c.out, c.fault(-1, fmt.Sprintf("a phrase has at most %d bytes", maxPattern))
	}
	if !utf8.ValidString(p.Text) {
		return c.out, c.fault(-1, "this is not valid UTF-8")
	}
	for c.skipBlanks(); c.at < len(p.Text); c.skipBlanks() {
		if err := c.element(); err != nil {
			return c.out, err
		}
	}
	return c.out, c.check()
}

// pointsFault says what is wrong about a pattern's points, "" if nothing is.
func pointsFault(p Pattern) string {
	switch none := p.Points == 0 && p.Closing == 0; {
	case p.Role != Clue && !none:
		return "only a clue has points"
	case p.Role == Clue && (none || max(p.Points, -p.Points, p.Closing, -p.Closing) > maxPoints):
		return fmt.Sprintf("a clue has from 1 to %d points, for a failure or against it", maxPoints)
	}
	return ""
}

type compiler struct {
	d   *Detector
	p   Pattern
	at  int
	out pattern
}

func (c *compiler) fault(at int, message string) *PatternError {
	e := &PatternError{Text: c.p.Text, Message: message}
	if len(e.Text) > maxPhrase {
		e.Text = cut(e.Text) + "…"
	}
	if at >= 0 {
		e.Column = utf8.RuneCountInString(c.p.Text[:at]) + 1
	}
	return e
}

func (c *compiler) skipBlanks() {
	rest := c.p.Text[c.at:]
	c.at += len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
}

// element reads one element, or an anchor.
func (c *compiler) element() *PatternError {
	start, rest := c.at, c.p.Text[c.at:]
	switch {
	case c.out.last:
		return c.fault(start, "nothing may follow $")
	case rest[0] == '^' || rest[0] == '~':
		if start != len(c.p.Text)-len(strings.TrimLeft(c.p.Text, " \t\r\n")) {
			return c.fault(start, fmt.Sprintf("%c stands at the beginning of a phrase only", rest[0]))
		}
		c.out.anchor = atSentence
		if rest[0] == '~' {
			c.out.anchor = atClause
		}
		c.at++
		return nil
	case rest[0] == '$':
		c.out.last = true
		c.at++
		return nil
	case strings.HasPrefix(rest, "..."):
		c.at += len("...")
		return c.append(element{gap: true}, start)
	case rest[0] == '(':
		return c.group(')', false)
	case rest[0] == '[':
		return c.group(']', true)
	case rest[0] == '<':
		return c.group('>', false)
	}
	end := strings.IndexAny(rest, " \t\r\n()[]<>|^~$")
	if end == 0 {
		return c.fault(start, fmt.Sprintf("%c has no meaning here", rest[0]))
	}
	if end < 0 {
		end = len(rest)
	}
	words, bad := c.d.stemOrWords(rest[:end])
	if bad != "" {
		return c.fault(start, bad)
	}
	c.at += end
	for _, w := range words {
		var one element
		one.add([]word{w})
		if err := c.append(one, start); err != nil {
			return err
		}
	}
	return nil
}

// group reads alternatives in brackets, or the name of a list.
func (c *compiler) group(closing byte, optional bool) *PatternError {
	start := c.at
	size := strings.IndexByte(c.p.Text[start:], closing)
	if size < 0 {
		return c.fault(start, fmt.Sprintf("%c has no %c", c.p.Text[start], closing))
	}
	inner := c.p.Text[start+1 : start+size]
	c.at += size + 1
	e := element{optional: optional}
	if closing == '>' {
		if err := c.list(&e, inner, start); err != nil {
			return err
		}
		return c.append(e, start)
	}
	for alternative := range strings.SplitSeq(inner, "|") {
		if err := c.alternative(&e, strings.TrimSpace(alternative), start); err != nil {
			return err
		}
	}
	return c.append(e, start)
}

// alternative adds words, or a list by its name.
func (c *compiler) alternative(e *element, text string, at int) *PatternError {
	if name, ok := strings.CutPrefix(text, "<"); ok {
		name, closed := strings.CutSuffix(name, ">")
		if !closed {
			return c.fault(at, "a list stands alone between its bars")
		}
		return c.list(e, name, at)
	}
	if bad := strings.IndexAny(text, "()[]<>^~$"); bad >= 0 {
		return c.fault(at, fmt.Sprintf("%c cannot stand in brackets", text[bad]))
	}
	words, bad := c.d.stemOrWords(text)
	if bad != "" {
		return c.fault(at, bad)
	}
	e.add(words)
	return nil
}

// list adds the alternatives that a name stands for.
func (c *compiler) list(e *element, name string, at int) *PatternError {
	all, known := c.d.lists[name]
	if !known {
		text, known := wordLists(name)
		if !known {
			return c.fault(at, fmt.Sprintf("there is no list <%s>; there are %s", name, listNames()))
		}
		for alternative := range strings.SplitSeq(text, "|") {
			words, _ := c.d.stemOrWords(strings.TrimSpace(alternative))
			all = append(all, words)
		}
		c.d.lists[name] = all
	}
	for _, words := range all {
		e.add(words)
	}
	return nil
}

func (c *compiler) append(e element, at int) *PatternError {
	if len(c.out.elements) == maxElements {
		return c.fault(at, fmt.Sprintf("a phrase has at most %d parts", maxElements))
	}
	c.out.elements = append(c.out.elements, e)
	return nil
}

// check refuses patterns that could match without a word, or span too much.
func (c *compiler) check() *PatternError {
	all := c.out.elements
	if len(all) == 0 {
		return c.fault(-1, "a phrase needs a word")
	}
	first := slices.IndexFunc(all, func(e element) bool { return !e.optional })
	if first < 0 || all[first].gap {
		return c.fault(-1, "a phrase needs a word that may not be left out before its first gap")
	}
	span := 0
	for i := range all {
		span += all[i].span()
	}
	if span > maxSpan {
		return c.fault(-1, fmt.Sprintf("a phrase spans at most %d words, this one %d", maxSpan, span))
	}
	return nil
}
