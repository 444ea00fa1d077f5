package schema_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/schema"
)

// fields are documents with an object that has an unknown field, zzzzzz, of
// which the parser says what it knows instead, and where the schema says it.
var fields = []struct{ kind, doc, at string }{
	{"chain", `{"zzzzzz":1}`, ""},
	{"chain", `{"id":"a","params":[{"zzzzzz":1}]}`, "$defs/param"},
	{"chain", `{"id":"a","circuit_breakers":[{"zzzzzz":1}]}`, "$defs/rule"},
	{"chain", `{"id":"a","circuit_breaker":{"zzzzzz":1}}`, "$defs/breaker"},
	{"chain", `{"id":"a","steps":[{"zzzzzz":1}]}`, "$defs/step"},
	{"chain", `{"id":"a","steps":[{"zzzzzz":1,"params":{}}]}`, "$defs/catalogueStep"},
	{"chain", `{"id":"a","steps":[{"condition":{"zzzzzz":1}}]}`, "$defs/condition"},
	{"recording", `{"zzzzzz":1}`, ""},
	{"recording", `{"steps":[{"zzzzzz":1}]}`, "$defs/step"},
	{"recording", `{"steps":[{"error":{"zzzzzz":1}}]}`, "$defs/step/properties/error"},
	{"recording", `{"steps":[{"usage":{"zzzzzz":1}}]}`, "$defs/step/properties/usage"},
	{"config", `{"zzzzzz":1}`, ""},
	{"config", `{"audit":{"zzzzzz":1}}`, "$defs/audit"},
	{"config", `{"check":{"zzzzzz":1}}`, "$defs/check"},
	{"config", `{"builtins":{"zzzzzz":1}}`, "$defs/builtins"},
	{"config", `{"builtins":{"sets":{"zzzzzz":1}}}`, "$defs/sets"},
	{"config", `{"builtins":{"limits":{"zzzzzz":1}}}`, "$defs/limits"},
	{"config", `{"breakers":[{"zzzzzz":1}]}`, "$defs/breaker"},
	{"config", `{"breaker_alerts":{"zzzzzz":1}}`, "$defs/breakerAlerts"},
	{"config", `{"delegation":{"refusals":{"zzzzzz":1}}}`, "$defs/refusals"},
	{"config", `{"delegation":{"zzzzzz":1}}`, "$defs/delegation"},
	{"config", `{"tasks":[{"zzzzzz":1}]}`, "$defs/task"},
	{"config", `{"review":{"zzzzzz":1}}`, "$defs/review"},
	{"config", `{"review":{"mandatory":{"zzzzzz":1}}}`, "$defs/mandatory"},
	{"config", `{"budget":{"zzzzzz":1}}`, "$defs/budget"},
	{"config", `{"trim":{"zzzzzz":1}}`, "$defs/trim"},
	{"test", `{"zzzzzz":1}`, ""},
	{"test", `{"tests":[{"zzzzzz":1}]}`, "$defs/test"},
	{"test", `{"defaults":{"zzzzzz":1},"tests":[]}`, "$defs/step"},
	{"test", `{"tests":[{"name":"a","steps":[{"chain":"c","ability":"a","expect":"allow","approve":true,"then":{"zzzzzz":1}}]}]}`, "$defs/then"},
	{"test", `{"tests":[{"name":"a","table":{"zzzzzz":1}}]}`, "$defs/table"},
	{"test", `{"tests":[{"name":"a","dryrun":{"zzzzzz":1}}]}`, "$defs/dryrun"},
	{"test", `{"tests":[{"name":"a","dryrun":{"chain":"../examples/trading/chain.yaml","recording":{},"expect":{"zzzzzz":1}}}]}`, "$defs/runExpectation"},
	{"test", `{"tests":[{"name":"a","dryrun":{"chain":"../examples/trading/chain.yaml","recording":{},"expect":{"status":"failed","halt":{"zzzzzz":1}}}}]}`, "$defs/halt"},
}

// noHint are objects whose parser does not list the fields that it knows. Those
// of guidance are compared with its type.
var noHint = []string{"test $defs/call", "guidance "}

func TestFieldsAreThoseOfTheParser(t *testing.T) {
	covered := slices.Clone(noHint)
	for _, c := range fields {
		covered = append(covered, c.kind+" "+c.at)
		want, ok := known(parsers[c.kind]("a_test.yaml", []byte(c.doc)))
		if !ok {
			t.Errorf("%s: %s: the parser does not say which fields it knows: %v", c.kind, c.doc, parsers[c.kind]("a_test.yaml", []byte(c.doc)))
			continue
		}
		if got := closed(t, c.kind)[c.at]; !slices.Equal(got, want) {
			t.Errorf("%s %s: the schema has %q, the parser %q", c.kind, c.at, got, want)
		}
	}
	for _, kind := range schema.Names() {
		for at := range closed(t, kind) {
			if !slices.Contains(covered, kind+" "+at) {
				t.Errorf("the fields of %s %q are compared with no parser", kind, at)
			}
		}
	}
}

// known returns the fields that the hint about an unknown one lists, sorted.
func known(faults diag.List) ([]string, bool) {
	for _, f := range faults {
		if list, ok := strings.CutPrefix(f.Hint, "known are "); ok && f.ID == document.UnknownFieldID {
			names := strings.Split(list, ", ")
			slices.Sort(names)
			return names, true
		}
	}
	return nil, false
}

// closed returns the fields of the objects of a schema that have no others,
// sorted, by their places.
func closed(t *testing.T, kind string) map[string][]string {
	t.Helper()
	data, err := schema.JSON(kind)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if at == "$defs/recording" {
			return // compared as a document of its own
		}
		if properties, ok := m["properties"].(map[string]any); ok && m["additionalProperties"] == false {
			var names []string
			for name := range properties {
				names = append(names, name)
			}
			slices.Sort(names)
			found[at] = names
		}
		for name, v := range m {
			walk(strings.TrimPrefix(at+"/"+name, "/"), v)
		}
	}
	walk("", doc)
	return found
}
