package dsl

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/cbpolicy/cbpolicy/diag"
)

// BlockArg is an argument of a step in a block. One that is given by its
// place has no name.
type BlockArg struct {
	Name   string
	Pieces []BlockPiece // empty: an empty text
	Pos    diag.Position
}

// BlockPiece is a piece of a value: a text, or a reference $name.
type BlockPiece struct {
	Text string // with the escapes of quoted text undone
	Ref  Key    // not empty: a reference, and Text is as written
	Pos  diag.Position
}

// Limits of an argument. A reference and the text before it are a piece each.
const (
	MaxBlockArgs = 100 // of one step
	maxPieces    = 2000
)

// argName finds where a named argument begins: name= at the start, or behind
// a blank.
var argName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*=`) })

// args reads the arguments of a step: name=value pairs with blanks between,
// or values with "|" between. A value is quoted, with \n \t \" \\, or runs to
// the next name= or the end. $name is a reference, $$ a dollar sign.
func (s *source) args() (args []BlockArg, fault *diag.Finding) {
	from := skipBlanks(s.text, 0)
	if from == len(s.text) {
		return nil, nil
	}
	if !argName().MatchString(s.text[from:]) {
		return s.placed()
	}
	for at := from; at < len(s.text); at = skipBlanks(s.text, at) {
		if !argName().MatchString(s.text[at:]) {
			return nil, s.fault(at, len(s.text), "expected an argument behind the quoted text", `write name=value, or \" for a quote inside the text`)
		}
		eq := at + strings.IndexByte(s.text[at:], '=')
		a := BlockArg{Name: s.text[at:eq], Pos: s.at(at)}
		if len(args) == MaxBlockArgs {
			return nil, s.tooMany(eq-len(a.Name), eq, "arguments", MaxBlockArgs)
		}
		for _, other := range args {
			if Fold(other.Name) == Fold(a.Name) {
				return nil, s.fault(eq-len(a.Name), eq, "a second argument "+inQuotes(a.Name), "every argument has a name of its own")
			}
		}
		if at, fault = s.value(&a, eq+1); fault != nil {
			return nil, fault
		}
		args = append(args, a)
	}
	return args, nil
}

// value reads the value of a named argument from an offset on, and returns
// where the next one begins.
func (s *source) value(a *BlockArg, from int) (next int, fault *diag.Finding) {
	if from < len(s.text) && s.text[from] == '"' {
		return s.quoted(a, from)
	}
	end := len(s.text)
	for i := from; i < len(s.text); i++ {
		if !isBlank(s.text[i]) {
			continue
		}
		next := skipBlanks(s.text, i)
		if argName().MatchString(s.text[next:]) {
			end = i
			break
		}
		i = next - 1
	}
	return end, s.pieces(a, from, from+len(strings.TrimRight(s.text[from:end], " \t")))
}

// quoted reads a quoted value; behind it stands a blank, or nothing.
func (s *source) quoted(a *BlockArg, from int) (next int, fault *diag.Finding) {
	end := from + 1
	for end < len(s.text) && s.text[end] != '"' {
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s.text) {
		return 0, s.fault(from, len(s.text), "the quote is not closed", `end the text with "`)
	}
	if next = end + 1; next < len(s.text) && !isBlank(s.text[next]) {
		return 0, s.fault(next, next+1, "expected a blank behind the quoted text", `write \" for a quote inside it`)
	}
	for i := from + 1; i < end; {
		stop := i
		for stop < end && s.text[stop] != '\\' {
			stop++
		}
		if fault := s.pieces(a, i, stop); fault != nil {
			return 0, fault
		}
		if stop == end {
			break
		}
		char, ok := map[byte]string{'n': "\n", 't': "\t", '"': `"`, '\\': `\`}[s.text[stop+1]]
		if !ok {
			return 0, s.fault(stop, stop+2, "unknown escape "+inQuotes(s.text[stop:stop+2]), `the escapes are \n, \t, \" and \\`)
		}
		s.add(a, char, stop)
		i = stop + 2
	}
	return next, nil
}

// placed reads values that are given by their place.
func (s *source) placed() (args []BlockArg, fault *diag.Finding) {
	for from := 0; ; {
		end := len(s.text)
		if i := strings.IndexByte(s.text[from:], '|'); i >= 0 {
			end = from + i
		}
		start := skipBlanks(s.text[:end], from)
		if len(args) == MaxBlockArgs {
			return nil, s.tooMany(start, end, "arguments", MaxBlockArgs)
		}
		a := BlockArg{Pos: s.at(start)}
		if fault := s.pieces(&a, start, start+len(strings.TrimRight(s.text[start:end], " \t"))); fault != nil {
			return nil, fault
		}
		if args = append(args, a); end == len(s.text) {
			return args, nil
		}
		from = end + 1
	}
}

// pieces cuts a part of the text at its references.
func (s *source) pieces(a *BlockArg, from, to int) *diag.Finding {
	text := s.text[from:to]
	for at := 0; at < len(text); {
		dollar := strings.IndexByte(text[at:], '$')
		if dollar < 0 {
			s.add(a, text[at:], from+at)
			return nil
		}
		dollar += at
		key := reference().FindString(text[dollar+1:])
		switch {
		case strings.HasPrefix(text[dollar+1:], "$"):
			s.add(a, text[at:dollar+1], from+at)
			at = dollar + 2
		case key == "":
			s.add(a, text[at:dollar+1], from+at)
			at = dollar + 1
		case len(key) > maxBlockName:
			return withID(s.fault(from+dollar, from+dollar+1+len(key), fmt.Sprintf("the name behind $ is longer than %d bytes", maxBlockName), "write $$ for a dollar sign that stands for itself"), LimitID)
		case len(a.Pieces) >= maxPieces:
			return s.tooMany(from+dollar, from+dollar+1+len(key), "references in one argument", maxPieces/2)
		default:
			s.add(a, text[at:dollar], from+at)
			a.Pieces = append(a.Pieces, BlockPiece{Text: "$" + key, Ref: Key(key), Pos: s.at(from + dollar)})
			at = dollar + 1 + len(key)
		}
	}
	return nil
}

// reference matches the key behind a "$". A dot that ends a sentence is no part of it.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*`)
})

// add appends a text, to the one before it if that is one.
func (s *source) add(a *BlockArg, text string, offset int) {
	if text == "" {
		return
	}
	if n := len(a.Pieces); n > 0 && a.Pieces[n-1].Ref == "" {
		a.Pieces[n-1].Text += text
		return
	}
	a.Pieces = append(a.Pieces, BlockPiece{Text: text, Pos: s.at(offset)})
}

// tooMany is the finding for the first of something that is one too many.
func (s *source) tooMany(from, to int, what string, most int) *diag.Finding {
	return withID(s.fault(from, to, "too many "+what, fmt.Sprintf("at most %d are allowed", most)), LimitID)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(s string, at int) int {
	for at < len(s) && isBlank(s[at]) {
		at++
	}
	return at
}

// ArgName is the name of an argument that is given by its place, from 1.
func ArgName(place int) string { return fmt.Sprintf("arg%d", place) }
