package lint_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

// goodFiles are documents that belong together and have nothing wrong with
// them: a chain of each dialect, a block that writes a chain and one that
// changes one, a policy, and the manifest of what they call.
type goodFiles struct {
	known lint.Abilities
	lines map[string][]string // by file
}

func readGood(t *testing.T) goodFiles {
	t.Helper()
	g := goodFiles{lines: map[string][]string{}}
	paths, err := filepath.Glob("testdata/good/*")
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) == ".manifest" {
			if l := g.known.AddManifest(path, data); len(l) > 0 {
				t.Fatal(l)
			}
			continue
		}
		g.lines[filepath.Base(path)] = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	return g
}

// place is a line of a file, from 1.
type place struct {
	file string
	line int
}

// check returns the places of the findings, with one file changed.
func (g goodFiles) check(changed string, lines []string) map[place]string {
	var files []lint.File
	for _, name := range slices.Sorted(maps.Keys(g.lines)) {
		text := g.lines[name]
		if name == changed {
			text = lines
		}
		files = append(files, file(name, strings.Join(text, "\n")+"\n"))
	}
	found := map[place]string{}
	for _, f := range (lint.Options{Abilities: g.known}).Run(files).Findings {
		found[place{f.File, f.Pos.Line}] = fmt.Sprint(f)
	}
	return found
}

// mentions are the lines of all files that hold a name as a word.
func (g goodFiles) mentions(name string) map[place]bool {
	word := regexp.MustCompile(`(^|[^A-Za-z0-9_-])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9-])`)
	at := map[place]bool{}
	for file, lines := range g.lines {
		for i, line := range lines {
			if word.MatchString(line) {
				at[place{file, i + 1}] = true
			}
		}
	}
	return at
}

// mutant is one of the files with one fault.
type mutant struct {
	kind, what string
	lines      []string
	right      map[place]bool // where the fault may be named
}

// TestDocumentMutations breaks whole chains of both dialects, blocks and a
// policy at every place where a kind of fault applies: at least 95 in a
// hundred faults are named on their line, and nothing on a line that is right.
//
// Three kinds of fault make a document that is right and means something else,
// which no reading of it can know; they are counted as missed. These are > for
// >=, which shows only where the limit is the last value that a declaration
// allows (constant-comparison), else in a case at the limit in a file of tests;
// a misspelt {{input.x}}, which declares x; and another id for a whole chain.
func TestDocumentMutations(t *testing.T) {
	g := readGood(t)
	if found := g.check("", nil); len(found) > 0 {
		t.Fatalf("the good files have findings: %v", found)
	}
	tried, named := map[string]int{}, map[string]int{}
	all, right := 0, 0
	for _, name := range slices.Sorted(maps.Keys(g.lines)) {
		for i, m := range g.mutants(name) {
			if testing.Short() && i%4 != 0 {
				continue // a sample, for the race detector
			}
			tried[m.kind]++
			all++
			hit, wrong := false, ""
			for at, f := range g.check(name, m.lines) {
				if m.right[at] {
					hit = true
				} else {
					wrong = f
				}
			}
			if wrong != "" {
				t.Errorf("%s: %s: %s\nalso named another line: %s", name, m.kind, m.what, wrong)
			}
			if hit {
				named[m.kind]++
				right++
			} else {
				t.Logf("not named: %s: %s: %s", name, m.kind, m.what)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(tried)) {
		t.Logf("%-28s %3d of %3d", kind, named[kind], tried[kind])
	}
	t.Logf("%-28s %3d of %3d", "all", right, all)
	if all < 150 || right*100 < all*95 {
		t.Errorf("%d of %d faults are named on their line, want 95 in a hundred of at least 150", right, all)
	}
}
