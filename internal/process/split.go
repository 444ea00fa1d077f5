package process

import (
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"
)

// shellOnly are the characters that mean something to a shell and nothing
// here. Outside quotes they are refused: who writes them expects the shell.
const shellOnly = "|&;<>()$`*?"

// Split splits a command line into words without a shell: words stand between
// blanks; within '…' every character stands for itself; within "…" a
// backslash takes the next " or \ as it is, and outside quotes any character.
// Nothing is expanded. The error names the column, counted in characters from 1.
func Split(line string) ([]string, error) {
	s := splitter{line: line}
	for s.i < len(line) {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	s.end()
	if len(s.words) == 0 {
		return nil, fmt.Errorf("the command is empty")
	}
	return s.words, nil
}

// splitter is a command line on its way to words.
type splitter struct {
	line  string
	i     int
	words []string
	word  strings.Builder
	begun bool // within a word, which may be empty: ''
}

// next reads a character or a quoted run.
func (s *splitter) next() error {
	c := s.line[s.i]
	switch {
	case c == ' ' || c == '\t':
		s.end()
		s.i++
		return nil
	case c == '\n' || c == '\r' || c == 0:
		return s.fault(s.i, "a line break or NUL outside quotes")
	case strings.IndexByte(shellOnly, c) >= 0 || !s.begun && (c == '~' || c == '#'):
		return s.fault(s.i, fmt.Sprintf("%q means something to a shell only: quote it, or ask for a shell", c))
	}
	s.begun = true
	switch c {
	case '\'':
		return s.single()
	case '"':
		return s.double()
	case '\\':
		if s.i+1 == len(s.line) {
			return s.fault(s.i, "a backslash at the end")
		}
		_, n := utf8.DecodeRuneInString(s.line[s.i+1:])
		s.word.WriteString(s.line[s.i+1 : s.i+1+n])
		s.i += 1 + n
	default:
		s.word.WriteByte(c)
		s.i++
	}
	return nil
}

func (s *splitter) single() error {
	n := strings.IndexByte(s.line[s.i+1:], '\'')
	if n < 0 {
		return s.fault(s.i, "the quote ' is not closed")
	}
	s.word.WriteString(s.line[s.i+1 : s.i+1+n])
	s.i += n + 2
	return nil
}

func (s *splitter) double() error {
	for j := s.i + 1; j < len(s.line); j++ {
		switch c := s.line[j]; {
		case c == '"':
			s.i = j + 1
			return nil
		case c == '\\' && j+1 < len(s.line) && (s.line[j+1] == '"' || s.line[j+1] == '\\'):
			j++
			s.word.WriteByte(s.line[j])
		default:
			s.word.WriteByte(c)
		}
	}
	return s.fault(s.i, `the quote " is not closed`)
}

// end ends the word, if there is one.
func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

func (s *splitter) fault(at int, message string) error {
	return fmt.Errorf("column %d of the command: %s", utf8.RuneCountInString(s.line[:at])+1, message)
}

// Shell returns the words that run a command line in the system's shell.
func Shell(line string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C", line}
	}
	return []string{"sh", "-c", line}
}
