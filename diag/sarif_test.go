package diag_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cbpolicy/cbpolicy/diag"
)

// report is findings of every kind.
var report = diag.List{
	{ID: "syntax", File: "a b/ü.cbp", Pos: diag.Position{Line: 3, Column: 5}, End: diag.Position{Line: 3, Column: 9}, Message: "50% is\nno number", Hint: "write 50", Text: "  B:x>50%"},
	{ID: "maybe-unset", Severity: diag.Warning, Confidence: diag.Possible, File: "/abs/c.yaml", Pos: diag.Position{Line: 1, Column: 1}, Message: "x",
		Related: []diag.Related{{File: "d.yaml", Pos: diag.Position{Line: 2, Column: 2}, Message: "here"}, {File: "e.yaml", Message: "and here"}}, Witness: json.RawMessage(`{"chain":"c"}`)},
	{ID: "note", Severity: diag.Info, File: "whole.yaml", Message: "about the file"},
	{ID: "syntax", Message: "about nothing in particular"},
	{ID: "syntax", File: "many.yaml", Pos: diag.Position{Line: 1, Column: 4}, End: diag.Position{Line: 3, Column: 1}, Message: "over lines"},
}

func TestSARIF(t *testing.T) {
	schemaFile, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer schemaFile.Close()
	doc, err := jsonschema.UnmarshalJSON(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]diag.List{"findings": report, "none": nil} {
		var out bytes.Buffer
		if err := diag.SARIF(&out, l, diag.Tool{Name: "cbpolicy", Version: "1.2.3", URL: "https://example.com/"}); err != nil {
			t.Fatal(err)
		}
		log, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
	// The schema does refuse something.
	bad, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"version":"2.1.0","runs":[{"tool":{}}]}`))
	if schema.Validate(bad) == nil {
		t.Error("the schema takes a run without a driver")
	}
}

func TestSARIFContent(t *testing.T) {
	var out bytes.Buffer
	if err := diag.SARIF(&out, report, diag.Tool{Name: "cbpolicy"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"uri":"a%20b/%C3%BC.cbp"`, `"uri":"file:///abs/c.yaml"`, `"columnKind":"unicodeCodePoints"`,
		`"rules":[{"id":"maybe-unset"},{"id":"note"},{"id":"syntax"}]`, `"ruleId":"maybe-unset","ruleIndex":0,"level":"warning"`,
		`"region":{"startLine":3,"startColumn":5,"endLine":3,"endColumn":9}`, `"confidence":"possible","witness":{"chain":"c"}`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

func TestGitHub(t *testing.T) {
	var out bytes.Buffer
	if err := diag.GitHub(&out, report); err != nil {
		t.Fatal(err)
	}
	want := `::error file=a b/ü.cbp,line=3,col=5,endColumn=8,title=syntax::50%25 is\nno number%0Ahint: write 50
::warning file=/abs/c.yaml,line=1,col=1,title=maybe-unset::x
::notice file=whole.yaml,title=note::about the file
::error title=syntax::about nothing in particular
::error file=many.yaml,line=1,endLine=3,title=syntax::over lines
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
