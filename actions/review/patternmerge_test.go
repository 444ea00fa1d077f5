package review_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

// loaded reads the patterns of a file that is fine.
func loaded(t *testing.T, path string) *review.Patterns {
	t.Helper()
	p, err := review.LoadPatterns(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func saved(t *testing.T, p *review.Patterns, path string) {
	t.Helper()
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
}

// brief is what a file holds: seen, offered and helped of each pattern, by cause.
func brief(p *review.Patterns) []string {
	var all []string
	for _, k := range p.All() {
		all = append(all, fmt.Sprintf("%s: %d %d/%d %v", k.Cause, k.Seen, k.Helped, k.Offered, k.Remedy))
	}
	slices.Sort(all)
	return all
}

func said(cause, remedy string) *review.Guidance {
	return &review.Guidance{Analysis: cause, Approach: []string{remedy}, Specialist: review.Loop}
}

// Of programs that learn at the same time each adds what it has learned.
func TestPatterns_SaveAddsToWhatOthersSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jsonl")
	first := loaded(t, path)
	shared := first.Record(polling("mail.list", 5), said("polls", "wait"))
	saved(t, first, path)

	a, b := loaded(t, path), loaded(t, path)
	// Both see the old failure again, and try its remedy; each sees a new one,
	// and both the same one.
	for p, own := range map[*review.Patterns]string{a: "disk.scan", b: "web.fetch"} {
		p.Record(polling("mail.list", 5), said("polls", "wait"))
		if err := p.Outcome(shared, p == a); err != nil {
			t.Fatal(err)
		}
		p.Record(polling(own, 9), said(own, "stop "+own))
		p.Record(editing(), said("edits", "read first"))
	}
	saved(t, a, path)
	saved(t, b, path)
	want := []string{
		"disk.scan: 1 0/0 [stop disk.scan]", "edits: 2 0/0 [read first]", "polls: 3 1/2 [wait]", "web.fetch: 1 0/0 [stop web.fetch]",
	}
	if d := cmp.Diff(want, brief(loaded(t, path))); d != "" {
		t.Error(d)
	}
	// What has been saved is not added again, and goes on under the ids of the program.
	saved(t, a, path)
	saved(t, b, path)
	if d := cmp.Diff(want, brief(loaded(t, path))); d != "" {
		t.Error(d)
	}
	for _, p := range []*review.Patterns{a, b} {
		if err := p.Outcome(p.Record(editing(), said("edits", "read first")), true); err != nil {
			t.Fatal(err)
		}
	}
	saved(t, b, path)
	saved(t, a, path)
	want[1] = "edits: 4 2/2 [read first]"
	if d := cmp.Diff(want, brief(loaded(t, path))); d != "" {
		t.Error(d)
	}
}

// editing is a failure that looks like no polling.
func editing() *review.Case {
	c := &review.Case{Rule: review.Rule{ID: "fails"}}
	for i := range 6 {
		c.Calls = append(c.Calls, review.Call{Ability: "file.edit", Args: fmt.Sprint(i), Error: &review.Failure{Class: "conflict", Message: "no"}}, review.Call{Ability: "git.merge", Args: fmt.Sprint(i)})
	}
	return c
}

// A remedy that one program found to help is not replaced by what another
// heard in the meantime, and outcomes count for the remedy that was tried.
func TestPatterns_SaveKeepsRemediesApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jsonl")
	first := loaded(t, path)
	id := first.Record(editing(), said("old", "old remedy"))
	saved(t, first, path)
	a, b := loaded(t, path), loaded(t, path)
	if err := a.Outcome(id, true); err != nil {
		t.Fatal(err)
	}
	b.Record(editing(), said("new", "new remedy"))
	if err := b.Outcome(id, true); err != nil {
		t.Fatal(err)
	}
	saved(t, a, path)
	saved(t, b, path)
	if d := cmp.Diff([]string{"old: 2 1/1 [old remedy]"}, brief(loaded(t, path))); d != "" {
		t.Error(d)
	}
}

// A file elsewhere gets all patterns, beside those that it has.
func TestPatterns_SaveElsewhere(t *testing.T) {
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	p, q := loaded(t, here), loaded(t, there)
	p.Record(editing(), said("p", "x"))
	q.Record(polling("a.b", 5), said("q", "y"))
	saved(t, p, here)
	saved(t, q, there)
	again := loaded(t, here)
	saved(t, again, there)
	if d := cmp.Diff([]string{"p: 1 0/0 [x]", "q: 1 0/0 [y]"}, brief(loaded(t, there))); d != "" {
		t.Error(d)
	}
	// What was dropped from the file meanwhile does not come back by an outcome.
	if err := os.Remove(there); err != nil {
		t.Fatal(err)
	}
	if err := again.Outcome("p1", true); err != nil {
		t.Fatal(err)
	}
	saved(t, again, there)
	if got := brief(loaded(t, there)); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// However many save at once, nothing is lost.
func TestPatterns_SaveManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jsonl")
	var done sync.WaitGroup
	for i := range 8 {
		p := loaded(t, path)
		done.Go(func() {
			for range 5 {
				p.Record(polling("mail.list", 5), said("polls", "wait"))
				if err := p.Save(path); err != nil {
					t.Errorf("%d: %v", i, err)
				}
			}
		})
	}
	done.Wait()
	if d := cmp.Diff([]string{"polls: 40 0/0 [wait]"}, brief(loaded(t, path))); d != "" {
		t.Error(d)
	}
}

// A file that was damaged since is not written over.
func TestPatterns_SaveSparesADamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jsonl")
	p := loaded(t, path)
	p.Record(editing(), said("p", "x"))
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(path); err == nil {
		t.Error("it was saved")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "precious" {
		t.Errorf("%s, %v", data, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	saved(t, p, path)
	if got := brief(loaded(t, path)); len(got) != 1 {
		t.Errorf("once it is gone: %v", got)
	}
}
