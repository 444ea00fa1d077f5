package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Tool is the program that made a report.
type Tool struct {
	Name    string
	Version string // "": not known
	URL     string // of its pages; "": none
}

// SARIF writes the findings as a log of SARIF 2.1.0. Columns count code
// points. File names that are not absolute are relative to where the program
// ran.
func SARIF(w io.Writer, l List, tool Tool) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: tool.Name, Version: tool.Version, InformationURI: tool.URL, Rules: sarifRules(l)}
	for _, f := range l {
		run.Results = append(run.Results, toSARIF(f, run.Tool.Driver.Rules))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri,omitempty"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   sarifProperties   `json:"properties"`
}

type sarifProperties struct {
	Confidence Confidence      `json:"confidence"`
	Witness    json.RawMessage `json:"witness,omitempty"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

func sarifRules(l List) []sarifRule {
	rules := []sarifRule{}
	for _, f := range l {
		if !slices.Contains(rules, sarifRule{f.ID}) {
			rules = append(rules, sarifRule{f.ID})
		}
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

func toSARIF(f *Finding, rules []sarifRule) sarifResult {
	text := f.Message
	if f.Hint != "" {
		text += "\nhint: " + f.Hint
	}
	r := sarifResult{
		RuleID: f.ID, RuleIndex: slices.Index(rules, sarifRule{f.ID}), Level: sarifLevel(f.Severity), Message: sarifMessage{text},
		Fingerprints: map[string]string{"cbpolicy/v1": fingerprint(f)},
		Properties:   sarifProperties{Confidence: f.Confidence, Witness: f.Witness},
	}
	if f.File != "" {
		r.Locations = []sarifLocation{{Physical: sarifPlace(f.File, f.Pos, f.End)}}
	}
	for i, related := range f.Related {
		r.Related = append(r.Related, sarifLocation{ID: i + 1, Physical: sarifPlace(related.File, related.Pos, Position{}), Message: &sarifMessage{related.Message}})
	}
	return r
}

func sarifLevel(s Severity) string {
	if s == Info {
		return "note"
	}
	return s.String()
}

func sarifPlace(file string, pos, end Position) sarifPhysical {
	var p sarifPhysical
	p.Artifact.URI = sarifURI(file)
	if pos.Line > 0 {
		p.Region = &sarifRegion{StartLine: pos.Line, StartColumn: max(pos.Column, 1), EndLine: end.Line, EndColumn: end.Column}
	}
	return p
}

// sarifURI writes a file's name as a URI, relative where the name is.
func sarifURI(file string) string {
	var b strings.Builder
	name := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		b.WriteString("file://")
		if !strings.HasPrefix(name, "/") {
			b.WriteByte('/')
		}
	}
	const hexDigits = "0123456789ABCDEF"
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-._~@+=,", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

// fingerprint tells a finding again when lines before it have moved.
func fingerprint(f *Finding) string {
	sum := sha256.Sum256([]byte(f.ID + "\x00" + f.File + "\x00" + f.Message + "\x00" + strings.TrimSpace(f.Text)))
	return hex.EncodeToString(sum[:16])
}
