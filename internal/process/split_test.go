package process_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/process"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`jq .price`:                      {"jq", ".price"},
		"  a \t b  ":                     {"a", "b"},
		`a 'b c' "d e"`:                  {"a", "b c", "d e"},
		`a'b'"c"d`:                       {"abcd"},
		`a '' ""`:                        {"a", "", ""},
		`a "say \"hi\" \\ \n $HOME"`:     {"a", `say "hi" \ \n $HOME`},
		`a 'it is $HOME \ "so"'`:         {"a", `it is $HOME \ "so"`},
		`a b\ c \| \ü \\`:                {"a", "b c", "|", "ü", `\`},
		`find -name '*.go' -exec x {} +`: {"find", "-name", "*.go", "-exec", "x", "{}", "+"},
		`a b~c d#e f=g [x]!`:             {"a", "b~c", "d#e", "f=g", "[x]!"},
		"a 'b\nc'":                       {"a", "b\nc"},
	} {
		got, err := process.Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestSplit_Refuses(t *testing.T) {
	for line, want := range map[string]string{
		"":           "the command is empty",
		" \t":        "the command is empty",
		`ü 'b`:       "column 3 of the command: the quote ' is not closed",
		`a "b\"`:     `column 3 of the command: the quote " is not closed`,
		`a \`:        "column 3 of the command: a backslash at the end",
		"a\nb":       "column 2 of the command: a line break",
		"a | b":      `column 3 of the command: '|' means something to a shell only`,
		"a > f":      `'>'`,
		"a $HOME":    `'$'`,
		"a `b`":      "'`'",
		"a *.go":     `'*'`,
		"a ~/x":      `'~'`,
		"a #comment": `'#'`,
		"a; b":       `';'`,
	} {
		if words, err := process.Split(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v; want %q", line, words, err, want)
		}
	}
}

// TestSplit_QuotedWordsComeBack: any words, quoted, are split into the same.
func TestSplit_QuotedWordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "words")
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w)+`"`)
		}
		got, err := process.Split(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(got, words) {
			t.Fatalf("got %q, %v", got, err)
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"a b", `a 'b' "c\"" \d`, "a |", "'", "a\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := process.Split(line)
		if (err == nil) != (len(words) > 0) {
			t.Errorf("got %q and %v", words, err)
		}
		total := 0
		for _, w := range words {
			total += len(w)
		}
		if total > len(line) {
			t.Errorf("%q holds more than %q", words, line)
		}
	})
}
