package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/schema"
)

// reviewTypes are the Go types of what a reviewer finds and answers, and where
// the schemas say them.
var reviewTypes = []struct {
	kind, at string
	typ      reflect.Type
}{
	{"guidance", "", reflect.TypeFor[review.Guidance]()},
	{"case", "", reflect.TypeFor[review.Case]()},
	{"case", "$defs/rule", reflect.TypeFor[review.Rule]()},
	{"case", "$defs/work", reflect.TypeFor[review.Estimate]()},
	{"case", "$defs/reason", reflect.TypeFor[review.Reason]()},
	{"case", "$defs/call", reflect.TypeFor[review.Call]()},
	{"case", "$defs/failure", reflect.TypeFor[review.Failure]()},
	{"case", "$defs/match", reflect.TypeFor[review.Match]()},
}

// The members of a schema are those of the type, and those that a case always
// has are required of it.
func TestReviewSchemas_AreThoseOfTheTypes(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range reviewTypes {
		object := schemaAt(t, c.kind, c.at)
		seen[c.kind+" "+c.at] = true
		var members, always []string
		for i := range c.typ.NumField() {
			name, options, _ := strings.Cut(c.typ.Field(i).Tag.Get("json"), ",")
			if members = append(members, name); options == "" {
				always = append(always, name)
			}
		}
		if d := cmp.Diff(sorted(members), sorted(namesOf(object["properties"]))); d != "" {
			t.Errorf("%s %s: members of the type, and of the schema: %s", c.kind, c.at, d)
		}
		if c.kind == "guidance" {
			always = []string{"analysis", "approach"} // a reviewer may leave the others out
		}
		var required []string
		for _, name := range object["required"].([]any) {
			required = append(required, name.(string))
		}
		if d := cmp.Diff(sorted(always), sorted(required)); d != "" {
			t.Errorf("%s %s: members that are always there, and those required: %s", c.kind, c.at, d)
		}
	}
	for name, def := range schemaAt(t, "case", "")["$defs"].(map[string]any) {
		if def.(map[string]any)["properties"] != nil && !seen["case $defs/"+name] {
			t.Errorf("%s is compared with no type", name)
		}
	}
}

// The examples in the schemas are valid, and what they say they are.
func TestReviewSchemas_Examples(t *testing.T) {
	for _, kind := range []string{"guidance", "case"} {
		s, examples := compile(t, kind), schemaAt(t, kind, "")["examples"].([]any)
		if len(examples) < 2 {
			t.Errorf("%s has %d examples", kind, len(examples))
		}
		for _, example := range examples {
			data, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(decoded(t, data)); err != nil {
				t.Errorf("%s: %s: %v", kind, data, err)
			}
			if kind == "guidance" {
				if _, err := review.ParseGuidance(data); err != nil {
					t.Errorf("%s: %v", data, err)
				}
				continue
			}
			var c review.Case
			d := json.NewDecoder(bytes.NewReader(data))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				t.Errorf("%s: %v", data, err)
			}
			again, err := json.Marshal(c.Bounded())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(decoded(t, data), decoded(t, again)); d != "" {
				t.Errorf("a case and what becomes of it: %s", d)
			}
		}
	}
}

// What the documentation shows is valid too.
func TestReviewSchemas_Documentation(t *testing.T) {
	shown := map[string]int{}
	for _, block := range strings.Split(string(read(t, "../docs/review.md")), "\n\n") {
		if !strings.HasPrefix(block, "    {") {
			continue
		}
		kind := "case"
		if strings.Contains(block, `"analysis"`) {
			kind = "guidance"
		}
		shown[kind]++
		if err := compile(t, kind).Validate(decoded(t, []byte(block))); err != nil {
			t.Errorf("%s: %v", block, err)
		}
	}
	if d := cmp.Diff(map[string]int{"case": 1, "guidance": 1}, shown); d != "" {
		t.Error(d)
	}
}

// Whatever case a reviewer is sent is valid.
func TestReviewSchemas_EveryCaseIsValid(t *testing.T) {
	s := compile(t, "case")
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		data, err := json.Marshal(c.Bounded())
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	})
}

func drawCase(t *rapid.T) *review.Case {
	text, few := rapid.StringN(0, 40, -1), rapid.IntRange(0, 3)
	texts := rapid.SliceOfN(text, 0, 20)
	calls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) review.Call {
		c := review.Call{Ability: text.Draw(t, "ability"), Worker: text.Draw(t, "worker"), Args: text.Draw(t, "args"), Output: text.Draw(t, "output")}
		if rapid.Bool().Draw(t, "failed") {
			c.Error = &review.Failure{Class: text.Draw(t, "class"), Message: text.Draw(t, "message")}
		}
		if rapid.Bool().Draw(t, "timed") {
			c.At = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "at"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		}
		return c
	}), 0, 5)
	c := &review.Case{
		Session: text.Draw(t, "session"), Task: text.Draw(t, "task"), Chain: text.Draw(t, "chain"), Attempt: few.Draw(t, "attempt"),
		Rule:     review.Rule{ID: text.Draw(t, "id"), Reason: text.Draw(t, "reason"), Explain: text.Draw(t, "explain"), Actual: text.Draw(t, "actual"), Limit: text.Draw(t, "limit")},
		Counters: rapid.MapOfN(text, text, 0, 120).Draw(t, "counters"), Asked: texts.Draw(t, "asked"), Outputs: texts.Draw(t, "outputs"),
		Calls: calls.Draw(t, "calls"), LeftOut: few.Draw(t, "left out"), Role: text.Draw(t, "role"), Preamble: text.Draw(t, "preamble"),
	}
	if rapid.Bool().Draw(t, "before it begins") {
		e := review.Assess(review.Work{Calls: few.Draw(t, "planned") * 20, Abilities: texts.Draw(t, "abilities")})
		c.Work, c.Plan = &e, calls.Draw(t, "plan")
	}
	for range few.Draw(t, "known") {
		var p review.Patterns
		p.Record(c, &review.Guidance{Analysis: "a" + text.Draw(t, "cause"), Approach: []string{"b" + text.Draw(t, "remedy")}})
		c.Known = append(c.Known, p.Similar(c)...)
	}
	return c
}

// schemaAt is an object of a schema.
func schemaAt(t *testing.T, kind, at string) map[string]any {
	t.Helper()
	data, err := schema.JSON(kind)
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{}
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.FieldsFunc(at, func(r rune) bool { return r == '/' }) {
		object = object[name].(map[string]any)
	}
	return object
}

func namesOf(object any) (names []string) {
	for name := range object.(map[string]any) {
		names = append(names, name)
	}
	return names
}

func sorted(names []string) []string { slices.Sort(names); return names }

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
