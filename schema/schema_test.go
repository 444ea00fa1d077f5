package schema_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/policytest"
	"github.com/cbpolicy/cbpolicy/schema"
)

// parsers are the readers of the documents, which schemas are held against.
var parsers = map[string]func(file string, data []byte) diag.List{
	"chain":     func(file string, data []byte) diag.List { _, l := chain.Parse(file, data); return errorsOf(l) },
	"recording": func(file string, data []byte) diag.List { _, l := run.ParseRecording(file, data); return errorsOf(l) },
	"config":    func(file string, data []byte) diag.List { _, l := config.Parse(file, data); return errorsOf(l) },
	"guidance": func(_ string, data []byte) diag.List {
		if _, err := review.ParseGuidance(data); err != nil {
			return diag.List{{Message: err.Error()}}
		}
		return nil
	},
	"test": func(file string, data []byte) diag.List {
		_, err := policytest.Load(file, data, os.ReadFile)
		var fault *policytest.FileError
		switch {
		case errors.As(err, &fault):
			return fault.Findings
		case err != nil:
			return diag.List{{Message: err.Error()}}
		}
		return nil
	},
}

func errorsOf(l diag.List) diag.List {
	if l.Err() == nil {
		return nil
	}
	return l
}

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := schema.JSON(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// value reads a document as the parsers do: scalars by their source.
func value(t *testing.T, file string, data []byte) any {
	t.Helper()
	d := document.Parse(file, data, document.Limits{Bytes: 1 << 20, Depth: 100, Nodes: 100_000})
	if d.Root == nil {
		t.Fatal(d.Findings())
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Root.Value().AppendJSON(nil)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// files returns the documents below folders by their kind.
func files(t *testing.T, folders ...string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for kind, parse := range parsers {
				if parse(path, data) == nil {
					found[kind] = append(found[kind], path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// examples are all documents of the repository.
func examples(t *testing.T) map[string][]string {
	found := files(t, "../examples", "../chain/testdata", "testdata")
	for kind := range parsers {
		if len(found[kind]) < 3 {
			t.Errorf("only %d documents of the kind %s were found", len(found[kind]), kind)
		}
	}
	return found
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestNames(t *testing.T) {
	for _, name := range schema.Names() {
		compile(t, name)
		if parsers[name] == nil && name != "case" { // which is written, and read by reviewers
			t.Errorf("%s is held against no parser", name)
		}
	}
	if _, err := schema.JSON("../schema"); err == nil {
		t.Error("there is a schema of what is no document")
	}
}

// TestExamplesAreValid: what the parsers accept the schemas accept.
func TestExamplesAreValid(t *testing.T) {
	for kind, paths := range examples(t) {
		validate(t, kind, paths)
	}
}

func TestRealChainsAreValid(t *testing.T) {
	const folder = "../../shared/traces-dev/chains"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real chains beside the clone: ", err)
	}
	found := files(t, folder)
	if len(found["chain"]) < 90 {
		t.Errorf("only %d chains were found", len(found["chain"]))
	}
	validate(t, "chain", found["chain"])
}

func validate(t *testing.T, kind string, paths []string) {
	t.Helper()
	s := compile(t, kind)
	for _, path := range paths {
		if err := s.Validate(value(t, path, read(t, path))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// sameKind is how many places of one kind, such as any rule's condition, are
// changed with -short, which the race detector's run has: all of them take it minutes.
const sameKind = 2

// TestWhatASchemaRefusesTheParserRefuses changes documents at every
// place, to every type and by a field that nobody knows. The schemas may accept
// more than the parsers, but for unknown fields, which both must refuse.
func TestWhatASchemaRefusesTheParserRefuses(t *testing.T) {
	for kind, paths := range examples(t) {
		s := compile(t, kind)
		tried, refused, seen := 0, 0, map[string]int{}
		// The smallest first: each kind of place is changed in the least text.
		slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(len(read(t, a)), len(read(t, b))) })
		for _, path := range paths {
			v := value(t, path, read(t, path))
			each("", v, func(place string, set func(any), old any) {
				if seen[place]++; testing.Short() && seen[place] > sameKind {
					return
				}
				changes := []any{nil, true, json.Number("7"), "zzzzzz", []any{}, []any{"zzzzzz"}, map[string]any{}, map[string]any{"zzzzzz": "x"}}
				if m, ok := old.(map[string]any); ok {
					more := map[string]any{"zzzzzz": "x"}
					for k, v := range m {
						more[k] = v
					}
					changes = append(changes, more)
				}
				for i, change := range changes {
					set(change)
					err := s.Validate(v)
					if tried++; err == nil && i < len(changes)-1 {
						continue // that the parser takes it too is not asked for
					}
					data, broken := json.Marshal(v)
					if broken != nil {
						t.Fatal(broken)
					}
					faults := parsers[kind](path, data)
					if err != nil {
						refused++
						if faults == nil {
							t.Errorf("%s: %s\nthe schema refuses what the parser accepts: %v", path, data, err)
						}
					} else if i == len(changes)-1 && slices.ContainsFunc(faults, func(f *diag.Finding) bool { return f.ID == document.UnknownFieldID }) {
						t.Errorf("%s: %s\nthe schema accepts a field that the parser does not know: %v", path, data, faults)
					}
				}
				set(old)
			})
		}
		if refused*4 < tried {
			t.Errorf("%s: of %d changed documents only %d were refused", kind, tried, refused)
		}
	}
}

// each calls f for every value below v, with the place it has in its kind of
// document and what sets it.
func each(place string, v any, f func(place string, set func(any), old any)) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			f(place+"[]", func(n any) { v[i] = n }, v[i])
			each(place+"[]", v[i], f)
		}
	case map[string]any:
		for k := range v {
			f(place+"."+k, func(n any) { v[k] = n }, v[k])
			each(place+"."+k, v[k], f)
		}
	}
}
