package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// GitHub writes the findings as workflow commands, one a line, so that a run
// on GitHub shows each beside the line that it is about.
func GitHub(w io.Writer, l List) error {
	out := bufio.NewWriter(w)
	for _, f := range l {
		fmt.Fprintf(out, "::%s %s::%s\n", githubCommand(f.Severity), githubPlace(f), githubData(githubMessage(f)))
	}
	return out.Flush()
}

func githubCommand(s Severity) string {
	if s == Info {
		return "notice"
	}
	return s.String()
}

// githubPlace is where a finding stands. A column belongs to a range of one
// line only; the end is the last column, not the one after it.
func githubPlace(f *Finding) string {
	var parts []string
	add := func(name, value string) { parts = append(parts, name+"="+githubProperty(value)) }
	if f.File != "" {
		add("file", f.File)
	}
	if f.Pos != (Position{}) {
		add("line", fmt.Sprint(f.Pos.Line))
		switch {
		case f.End.Line > f.Pos.Line:
			add("endLine", fmt.Sprint(f.End.Line))
		case f.End.Column > f.Pos.Column:
			add("col", fmt.Sprint(f.Pos.Column))
			add("endColumn", fmt.Sprint(f.End.Column-1))
		default:
			add("col", fmt.Sprint(f.Pos.Column))
		}
	}
	add("title", f.ID)
	return strings.Join(parts, ",")
}

func githubMessage(f *Finding) string {
	if f.Hint == "" {
		return Escape(f.Message)
	}
	return Escape(f.Message) + "\nhint: " + Escape(f.Hint)
}

// What a workflow command cannot hold as it is, in its text and in its properties.
var (
	githubText       = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperties = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubData(s string) string     { return githubText.Replace(s) }
func githubProperty(s string) string { return githubProperties.Replace(s) }
