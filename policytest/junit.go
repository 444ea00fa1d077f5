package policytest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// The elements of JUnit XML that are read everywhere.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
)

// JUnit writes the report as JUnit XML. It tells no times, so that two runs
// of the same tests give the same file.
func (r *Report) JUnit(w io.Writer) error {
	out := junitSuites{Name: "cbpolicy test", Tests: r.Summary.Tests, Failures: r.Summary.Failed}
	for i := range r.Files {
		f := &r.Files[i]
		suite := junitSuite{Name: clean(f.File), Tests: len(f.Tests), Failures: f.Failed()}
		for _, t := range f.Tests {
			suite.Cases = append(suite.Cases, junitTest(f.File, &t))
		}
		out.Suites = append(out.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("policytest: write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitTest puts all failures of a test into one element, as not every
// reader takes several.
func junitTest(file string, t *TestResult) junitCase {
	c := junitCase{Name: clean(t.Name), Class: clean(file), File: clean(file), Line: t.Line}
	if len(t.Failures) == 0 {
		return c
	}
	first := &t.Failures[0]
	var lines []string
	for i := range t.Failures {
		f := &t.Failures[i]
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", file, f.Line, f.Column, f.Text()))
	}
	text := strings.Join(append(lines, first.Why()...), "\n")
	c.Failure = &junitFailure{Message: clean(first.Text()), Type: clean(first.What), Text: "\n" + cleanLines(text) + "\n"}
	return c
}

// clean escapes what does not show, which XML could not hold.
func clean(s string) string { return diag.Escape(s) }

func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}
