package diag_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		name string
		list diag.List
		want string
	}{
		{"nothing found", nil, `{"findings":[],"summary":{"files":2,"rules":9,"errors":0,"warnings":0}}`},
		{"all fields", diag.List{{ID: "undeclared-parameter", Severity: diag.Warning, Confidence: diag.Possible, File: "a<b>.yaml",
			Pos: at(3, 5), End: at(3, 12), Message: "{{x}} & more", Hint: "declare it",
			Related: []diag.Related{{File: "b", Pos: at(1, 3), Message: "here"}}, Witness: json.RawMessage(`{"chain":"<c>"}`)}},
			`{"findings":[{"id":"undeclared-parameter","severity":"warning","confidence":"possible","file":"a<b>.yaml","line":3,"column":5,"end_line":3,"end_column":12,` +
				`"message":"{{x}} & more","hint":"declare it","related":[{"file":"b","line":1,"column":3,"message":"here"}],"witness":{"chain":"<c>"}}],` +
				`"summary":{"files":2,"rules":9,"errors":0,"warnings":1}}`},
		{"only what is known", diag.List{{ID: "syntax", File: "f", Pos: at(1, 2), Message: "m"}},
			`{"findings":[{"id":"syntax","severity":"error","confidence":"proved","file":"f","line":1,"column":2,"end_line":1,"end_column":2,"message":"m"}],` +
				`"summary":{"files":2,"rules":9,"errors":1,"warnings":0}}`},
	} {
		var b strings.Builder
		if err := diag.JSON(&b, tt.list, diag.Summary{Files: 2, Rules: 9}); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want+"\n" {
			t.Errorf("%s: got\n%swant\n%s", tt.name, b.String(), tt.want)
		}
	}
}
