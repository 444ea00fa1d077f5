package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

// pages is where every finding has one.
const pages = "../docs/checks"

// headings are those of every page, in their order.
var headings = []string{"What", "Avoid", "Prefer", "Why", "Exceptions"}

// TestEveryFindingHasAPage keeps the findings, their pages and the list of
// them the same, and has the examples of every page checked.
func TestEveryFindingHasAPage(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(pages, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		id := strings.TrimSuffix(filepath.Base(path), ".md")
		if id == "README" {
			continue
		}
		found = append(found, id)
		if !strings.Contains(string(list), "| ["+id+"]("+id+".md) |") {
			t.Errorf("the list has no %s", id)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(id, func(t *testing.T) { checkPage(t, id, string(text)) })
	}
	if want := lint.IDs(); !slices.Equal(found, want) {
		t.Errorf("pages %v, want %v", found, want)
	}
}

func checkPage(t *testing.T, id, text string) {
	parts := regexp.MustCompile(`(?m)^## (.*)$`).Split(text, -1)
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	if !slices.Equal(names, headings) || !strings.HasPrefix(text, "# "+id+"\n") {
		t.Fatalf("headings %v, want %v under %s", names, headings, id)
	}
	avoid, prefer := examples(t, parts[2]), examples(t, parts[3])
	if id == "unused-entry" {
		return // of a dry run
	}
	if ids := findingIDs(avoid); !slices.Contains(ids, id) {
		t.Errorf("what is to be avoided has %v", ids)
	}
	if ids := findingIDs(prefer); len(ids) > 0 {
		t.Errorf("what is to be preferred has %v", ids)
	}
}

// example is the files of one, with what is known beside them.
type example struct {
	files  []lint.File
	known  lint.Options
	doubts diag.List // about the configuration
}

func examples(t *testing.T, part string) (e example) {
	t.Helper()
	names := map[string]string{"cbp": "p.cbp", "yaml": "c.yaml", "text": "t.txt"}
	for _, m := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)\n```").FindAllStringSubmatch(part, -1) {
		if m[1] == "manifest" {
			if l := e.known.Abilities.AddManifest("m.yaml", []byte(m[2])); len(l) > 0 {
				t.Fatal(l)
			}
			continue
		}
		if m[1] == "config" {
			c, l := config.Parse("cbpolicy.yaml", []byte(m[2]))
			if c == nil {
				t.Fatal(l)
			}
			e.doubts = l
			e.known.FleetUnknown = config.Shared(c.State) && c.Away.Fleet == 0
			continue
		}
		e.files = append(e.files, file(names[m[1]], m[2]+"\n"))
	}
	return e
}

func findingIDs(e example) (ids []string) {
	for _, f := range append(e.known.Run(e.files).Findings, e.doubts...) {
		ids = append(ids, f.ID)
	}
	return ids
}
