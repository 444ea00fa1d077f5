package document

import (
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cbpolicy/cbpolicy/diag"
)

// yamlWords says in words what the parser reports, and what would be right.
var yamlWords = []struct{ says, message, hint string }{
	{"did not find expected key", "a key is expected here", "check the indent, and that the line before ends its quotes and brackets"},
	{"did not find expected '-' indicator", `an element that begins with "- " is expected here`, "check the indent"},
	{"did not find expected ',' or ']'", "the list is not closed", "a list in brackets has commas between its elements and ends with ]"},
	{"did not find expected ',' or '}'", "the map is not closed", `a map in braces has commas between its members and ends with }; a template stands in quotes: "{{name}}"`},
	{"did not find expected node content", "a value is expected here", ""},
	{"mapping values are not allowed", "a second colon in this value", "put the value in quotes, or check the indent"},
	{"could not find expected ':'", "a colon is expected after the key", `write "key: value"`},
	{"found character that cannot start any token", "a value cannot begin with this character", "put the value in quotes; indent with blanks, not tabs"},
	{"found a tab character", "a tab in the indent", "indent with blanks"},
	{"found unexpected end of stream", "a quote is not closed", ""},
	{"found unexpected document indicator", "a quote is not closed", ""},
	{"found unknown escape character", `an unknown escape after \`, `text in single quotes knows no escapes`},
	{"exceeded max depth", "nested too deep", ""},
	{"unknown anchor", "an alias (*name) without its anchor (&name)", "put the value in quotes"},
	{"did not find URI escaped octet", "a tag that cannot be read", "leave it out"},
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })

// reportYAML reports a fault of the parser, in our words where there are some.
func (d *Document) reportYAML(err error) {
	line, says := splitLine(err)
	if found := d.faultLine(says); found > 0 {
		line = found
	}
	line = min(max(line, 1), len(d.lines))
	if pos, open := d.openQuote(line); open {
		d.Report(SyntaxID, pos, "a quote is not closed", "close it in this line; a text of several lines is clearer as a block: key: |").End =
			diag.Position{Line: pos.Line, Column: utf8.RuneCountInString(d.line(pos.Line)) + 1}
		return
	}
	text := d.line(line)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	pos := diag.Position{Line: line, Column: indent + 1}
	for _, w := range yamlWords {
		if strings.Contains(says, w.says) {
			id := SyntaxID
			if w.says == "exceeded max depth" {
				id = LimitID
			}
			d.Report(id, pos, w.message, w.hint).End = diag.Position{Line: line, Column: utf8.RuneCountInString(text) + 1}
			return
		}
	}
	d.Report(SyntaxID, pos, says, "")
}

// splitLine takes the parser's line, if it gives one, off its message.
func splitLine(err error) (line int, says string) {
	says = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine().FindStringSubmatch(says); m != nil {
		line, _ = strconv.Atoi(m[1]) // digits; too many leave the largest int, which is cut to the last line
		says = says[len(m[0]):]
	}
	return line, says
}

// maxSearched is the longest text in which the line of a fault is searched,
// as that reads it several times.
const maxSearched = 64 << 10

// faultLine finds the line of a fault. The parser names the line where the
// construct began that it was reading, which may be far above: the fault is
// in the first line with which it appears.
func (d *Document) faultLine(says string) int {
	if len(d.text) > maxSearched {
		return 0
	}
	return 1 + sort.Search(len(d.lines)-1, func(i int) bool {
		dec := yaml.NewDecoder(strings.NewReader(d.text[:d.lines[i+1]]))
		for {
			if _, err := decode(dec); err != nil {
				_, other := splitLine(err)
				return other == says
			}
		}
	})
}
