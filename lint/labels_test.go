package lint_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/lint"
)

// published is where the published chains are, beside the repository.
const published = "../../shared/traces-dev/chains"

// label is what is known to be wrong with a published chain.
type label struct {
	File       string      `json:"file"`
	Flows      [][2]string `json:"untrusted_to_sink"` // source step, sink step
	Undeclared [][2]string `json:"undeclared_params"` // step, parameter
	Missing    [][2]string `json:"missing_required"`
}

// TestPublishedChains finds in the catalogue exactly what is known to be wrong with it.
func TestPublishedChains(t *testing.T) {
	labels, err := os.Open(filepath.Join(published, "labels.jsonl"))
	if err != nil {
		t.Skip("the published chains are not beside the repository")
	}
	defer labels.Close()
	var want []string
	lines := bufio.NewScanner(labels)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l label
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(l.File, "chains/catalog/") {
			continue
		}
		name := strings.TrimPrefix(l.File, "chains/")
		for _, x := range l.Undeclared {
			want = append(want, name+" undeclared-parameter "+x[0]+" "+x[1])
		}
		for _, x := range l.Missing {
			want = append(want, name+" missing-parameter "+x[0]+" "+x[1])
		}
		for _, x := range l.Flows {
			want = append(want, name+" untrusted-flow "+x[1]+" "+x[0])
		}
	}
	var known lint.Abilities
	var files []lint.File
	walk(t, filepath.Join(published, "plugins"), func(path string, data []byte) {
		if l := known.AddManifest(path, data); len(l) > 0 {
			t.Errorf("%v", l)
		}
	})
	walk(t, filepath.Join(published, "catalog"), func(path string, data []byte) {
		files = append(files, lint.File{Name: path, Data: data, Kind: lint.Chain, Found: true})
	})
	var got []string
	for _, f := range (lint.Options{Abilities: known}).Run(files).Findings {
		name, _ := filepath.Rel(published, f.File)
		words := strings.Fields(f.Message)
		detail := f.Message
		switch f.ID {
		case lint.UndeclaredParameterID: // step S gives A the parameter P, …
			detail = words[1] + " " + strings.TrimSuffix(words[6], ",")
		case lint.MissingParameterID: // step S does not give A the parameter P, …
			detail = words[1] + " " + strings.TrimSuffix(words[8], ",")
		case lint.UntrustedFlowID: // step S … : source → … → S
			_, path, _ := strings.Cut(f.Message, ": ")
			detail = words[1] + " " + strings.Fields(path)[0]
		}
		got = append(got, filepath.ToSlash(name)+" "+f.ID+" "+detail)
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" || len(want) != 71+68+6 {
		t.Errorf("%d findings, want %d (-want +got):\n%s", len(got), len(want), d)
	}
}

// walk calls f for every YAML file below a directory.
func walk(t *testing.T, dir string, f func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		f(path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
