package diag

import (
	"encoding/json"
	"io"
)

// Summary counts what was looked at. Errors and warnings are counted from the findings.
type Summary struct {
	Files int
	Rules int
	// Suppressed is how many findings a comment has let pass; 0 is left out.
	Suppressed int
	// PassedOver is how many documents of directories were none of the
	// program's and were not looked at; 0 is left out.
	PassedOver int
}

type jsonReport struct {
	Findings []jsonFinding `json:"findings"`
	Summary  jsonSummary   `json:"summary"`
}

type jsonSummary struct {
	Files    int `json:"files"`
	Rules    int `json:"rules"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`

	Suppressed int `json:"suppressed,omitempty"`
	PassedOver int `json:"passed_over,omitempty"`
}

type jsonFinding struct {
	ID         string          `json:"id"`
	Severity   Severity        `json:"severity"`
	Confidence Confidence      `json:"confidence"`
	File       string          `json:"file"`
	Line       int             `json:"line"`
	Column     int             `json:"column"`
	EndLine    int             `json:"end_line"`
	EndColumn  int             `json:"end_column"`
	Message    string          `json:"message"`
	Hint       string          `json:"hint,omitempty"`
	Related    []jsonRelated   `json:"related,omitempty"`
	Witness    json.RawMessage `json:"witness,omitempty"`
}

type jsonRelated struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// JSON writes the findings and the summary as one line of JSON, in the order
// given. An unknown end is written as the start; a finding about a file as a
// whole stands at line 0, column 0.
func JSON(w io.Writer, l List, s Summary) error {
	report := jsonReport{
		Findings: make([]jsonFinding, len(l)),
		Summary:  jsonSummary{Files: s.Files, Rules: s.Rules, Errors: l.Count(Error), Warnings: l.Count(Warning), Suppressed: s.Suppressed, PassedOver: s.PassedOver},
	}
	for i, f := range l {
		report.Findings[i] = toJSON(f)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(report)
}

func toJSON(f *Finding) jsonFinding {
	end := f.End
	if end == (Position{}) {
		end = f.Pos
	}
	out := jsonFinding{
		ID: f.ID, Severity: f.Severity, Confidence: f.Confidence, File: f.File,
		Line: f.Pos.Line, Column: f.Pos.Column, EndLine: end.Line, EndColumn: end.Column,
		Message: f.Message, Hint: f.Hint, Witness: f.Witness,
	}
	for _, r := range f.Related {
		out.Related = append(out.Related, jsonRelated{File: r.File, Line: r.Pos.Line, Column: r.Pos.Column, Message: r.Message})
	}
	return out
}
