package trace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/trace"
)

// A file that is named is read, whatever it holds.
func TestOpenNamed(t *testing.T) {
	dir := writeFiles(t, map[string]string{"other.json": `{"a":1}`, "e.jsonl": "", "README.md": "no run"})
	for name, want := range map[string]string{
		"other.json": "this is none of the formats that are read: agentdojo,", "README.md": "name it (--input-format)", "e.jsonl": "the file is empty",
	} {
		for r, err := range trace.Open(filepath.Join(dir, name), trace.Options{}) {
			if r != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v", name, r, err)
			}
		}
	}
}

// Below a directory a file is read if it begins like a recording, whatever its
// name; of those that do not it is told. Where a format is given, names count too.
func TestFilesByContent(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"README.md": "no run", "empty": "", "notes.gz": zipped(t, "no run"), "cut.gz": zipped(t, tau2Experiment)[:200],
		"log": agentDojoRun, "r.bak": tauBenchRuns, "z.gz": zipped(t, piSession), "e.json": "", ".hidden": agentDojoRun, "d/r.txt": tau2Experiment,
		"t.json": `{"a":1}`, "c.yaml": "a: 1\n", "u.json": utf16(tauBenchRuns), "u.txt": utf16("no run"),
	})
	for name, to := range map[string]string{"link": "log", "linked": "README.md", "there.json": "nowhere", "there": "nowhere", "loop": "."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	base := func(p string) string {
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(rel)
	}
	for format, want := range map[string]struct{ read, passed string }{
		"":              {"cut.gz d/r.txt e.json link r.bak t.json there.json u.json z.gz", "README.md c.yaml empty linked notes.gz there u.txt"},
		trace.AgentDojo: {"c.yaml cut.gz d/r.txt e.json link r.bak t.json there.json u.json z.gz", "README.md empty linked notes.gz there u.txt"},
	} {
		var read, passed []string
		for file, err := range trace.Files(dir, trace.Options{Format: format, PassedOver: func(file string) { passed = append(passed, base(file)) }}) {
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, base(file))
		}
		if got := strings.Join(read, " "); got != want.read {
			t.Errorf("%q: read %q, want %q", format, got, want.read)
		}
		if got := strings.Join(passed, " "); got != want.passed {
			t.Errorf("%q: passed over %q, want %q", format, got, want.passed)
		}
	}
}

// Below a directory a file is read once, whatever names it has, and two files
// that are alike are two.
func TestFilesOnce(t *testing.T) {
	dir := writeFiles(t, map[string]string{"b.json": agentDojoRun, "d/same.json": agentDojoRun, "README.md": "no run", "n.yaml": ""})
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for _, name := range []string{"b.json", "d/same.json"} {
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"a.json": "b.json", "c": "b.json", "d/z.json": "../b.json", "e": "n.json", "f.json": "gone", "g.json": "gone"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "b.json"), filepath.Join(dir, "hard.json")); err != nil {
		t.Skip(err)
	}
	files := func(path string) (read []string) {
		for file, err := range trace.Files(path, trace.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(dir, file)
			read = append(read, filepath.ToSlash(rel))
		}
		return read
	}
	// n.yaml begins like nothing; what cannot be found is nothing that was read.
	if got, want := files(dir), []string{"a.json", "d/same.json", "f.json", "g.json"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if got := files(filepath.Join(dir, "b.json")); !slices.Equal(got, []string{"b.json"}) {
		t.Errorf("a file: %q", got)
	}
}
