package lint

import (
	"bytes"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// AddList adds a complete list of abilities: one name a line, "#" for
// comments; or a document as AddManifest reads it, which its extension tells.
// With a list every ability that is not known is an error. The findings say
// what cannot be read; nothing is added then.
func (a *Abilities) AddList(file string, data []byte) diag.List {
	if KindOf(file) == Chain {
		findings := a.AddManifest(file, data)
		a.complete = a.complete || findings.Err() == nil
		return findings
	}
	found, line := map[string]*ability{}, 0
	var findings diag.List
	for text := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		line++
		name := strings.TrimSpace(string(text))
		if name == "" || name[0] == '#' {
			continue
		}
		pos := diag.Position{Line: line, Column: 1}
		if strings.ContainsAny(name, " \t") || strings.ContainsFunc(name, diag.Invisible) {
			findings = append(findings, &diag.Finding{ID: dsl.SyntaxID, File: file, Pos: pos, Text: strings.TrimRight(string(text), "\r\n"),
				Message: "a list of abilities has one name a line", Hint: "such as trading.execute"})
			continue
		}
		found[dsl.Fold(name)] = &ability{name: name, listed: true, file: file, pos: pos}
	}
	if len(findings) == 0 && len(found) == 0 {
		findings = append(findings, &diag.Finding{ID: dsl.SyntaxID, File: file, Pos: diag.Position{Line: 1, Column: 1},
			Message: "the list names no ability", Hint: "write one name a line"})
	}
	if len(findings) > 0 {
		return findings
	}
	a.add(found)
	a.complete = true
	return nil
}
