package review_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

func advice(text string) *review.Guidance {
	return &review.Guidance{Analysis: "Cause of " + text, Approach: []string{text}, Specialist: review.Loop}
}

// polling is a case of n equal calls.
func polling(ability string, n int) *review.Case {
	return &review.Case{Rule: review.Rule{ID: "same_call"}, Calls: times(n, ok(ability, "{}", "busy"))}
}

func TestPatterns(t *testing.T) {
	var p review.Patterns
	if got := p.Similar(polling("jobs.status", 9)); got != nil {
		t.Errorf("an empty memory finds %v", got)
	}
	if id := p.Record(polling("jobs.status", 9), advice("Wait.")); id != "p1" {
		t.Errorf("the first pattern is %s", id)
	}
	if id := p.Record(&review.Case{Calls: times(5, bad("db.query", "{}", "NetworkError", "x"))}, advice("Give up.")); id != "p2" {
		t.Errorf("another failure became %s", id)
	}
	got := p.Similar(polling("jobs.status", 9))
	want := []review.Match{{ID: "p1", Similarity: 1, Cause: "Cause of Wait.", Remedy: []string{"Wait."}, Specialist: review.Loop, Seen: 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := p.Similar(polling("deploy.get_status", 30)); len(got) != 1 || got[0].ID != "p1" || got[0].Similarity >= 1 {
		t.Errorf("of another tool: %+v", got)
	}
	for _, helped := range []bool{true, false, true} {
		if err := p.Outcome("p1", helped); err != nil {
			t.Fatal(err)
		}
	}
	all := p.All()
	if rate, tried := all[0].Prevention(); len(all) != 2 || !tried || rate != 2.0/3 {
		t.Errorf("%v %v of %d", rate, tried, len(all))
	}
	if _, tried := all[1].Prevention(); tried {
		t.Error("a remedy that was never offered has a rate")
	}
	if err := p.Outcome("p9", true); !errors.Is(err, review.ErrNoPattern) {
		t.Errorf("got %v", err)
	}
}

func TestPatterns_Merge(t *testing.T) {
	var p review.Patterns
	remedy := func() string { return fmt.Sprint(p.All()[0].Remedy, p.All()[0].Helped, p.All()[0].Offered) }
	record := func(text, want string) {
		t.Helper()
		if id := p.Record(polling("jobs.status", 12), advice(text)); id != "p1" {
			t.Errorf("an equal failure became %s", id)
		}
		if got := remedy(); got != want {
			t.Errorf("after %q the remedy is %s, want %s", text, got, want)
		}
	}
	outcome := func(helped bool) {
		if err := p.Outcome("p1", helped); err != nil {
			t.Fatal(err)
		}
	}
	record("first", "[first] 0 0")
	record("second", "[second] 0 0") // nobody has tried the first
	outcome(false)
	outcome(false)
	record("third", "[second] 0 2") // it was not tried often enough to say
	outcome(true)
	record("fourth", "[fourth] 0 0") // 1 of 3 is less than half
	for _, helped := range []bool{false, false, true, true} {
		outcome(helped)
	}
	record("fifth", "[fourth] 2 4")
	if all := p.All(); len(all) != 1 || all[0].Seen != 5 || all[0].Symptoms.Abilities["jobs.status"] != 60 {
		t.Errorf("got %+v", all)
	}
	if got := p.Similar(polling("jobs.status", 12)); got[0].Similarity != 1 {
		t.Errorf("five equal failures look like one by %v", got[0].Similarity)
	}
	other := advice("sixth")
	other.Specialist = review.Mistake
	if id := p.Record(polling("jobs.status", 12), other); id != "p2" {
		t.Errorf("a failure of another kind was merged into %s", id)
	}
}

// A remedy that was remembered is no new remedy: it would grow with each time.
func TestPatterns_RemembersNoMemories(t *testing.T) {
	var p review.Patterns
	c := polling("jobs.status", 9)
	for range 3 {
		c.Known = p.Similar(c)
		g, err := review.Ask(t.Context(), "rules", review.Rules{}, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.Record(c, g)
	}
	if len(c.Known) == 0 || strings.Contains(strings.Join(p.All()[0].Remedy, " "), "earlier failure") || len(p.All()[0].Remedy) == 0 {
		t.Errorf("got %q", p.All()[0].Remedy)
	}
}

func TestPatterns_AreBounded(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "{\"cbpolicy_patterns\":1,\"patterns\":%d,\"last\":%[1]d}\n", review.MaxPatterns)
	for i := range review.MaxPatterns {
		line := strings.Replace(goodPattern, "p7", fmt.Sprint("p", i+1), 1)
		if i > 0 {
			line = strings.Replace(line, `"helped":1`, `"helped":0`, 1)
		}
		if i == 1 {
			line = strings.Replace(line, `"seen":1`, `"seen":2`, 1)
		}
		b.WriteString(line + "\n")
	}
	p, err := review.ReadPatterns(strings.NewReader(b.String()), "f")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		id := p.Record(&review.Case{Calls: times(9, ok(fmt.Sprintf("a%d.get%d", i, i), "{}", fmt.Sprint(i)))}, []*review.Guidance{advice("x"), {Analysis: "a", Approach: []string{"y"}}}[i])
		if want := fmt.Sprint("p", review.MaxPatterns+1+i); id != want {
			t.Errorf("a new pattern is %s, want %s", id, want)
		}
	}
	all := p.All()
	var ids []string
	for _, k := range all[:3] {
		ids = append(ids, k.ID)
	}
	if len(all) != review.MaxPatterns || fmt.Sprint(ids) != "[p1 p2 p5]" {
		t.Errorf("%d patterns, %v …; want p1, which helped, p2, which was seen twice, and not p3 and p4", len(all), ids)
	}
}

func TestSymptomsOf(t *testing.T) {
	got := review.SymptomsOf(&review.Case{Rule: review.Rule{ID: "r"}, Calls: []review.Call{
		ok("Fs.Read", "1", ""), bad("edit file", "1", "ToolError", ""), bad("edit file", "1", "ToolError", ""), ok("edit file", "2", ""), {Ability: "x", Worker: "w"},
	}})
	want := review.Symptoms{Rule: "r", Classes: map[string]int{"ToolError": 2},
		Abilities: map[string]int{
			"fs.read": 1, "edit_file": 3, "x": 1,
			"fs.read edit_file": 1, "edit_file edit_file": 2, "edit_file x": 1,
			"fs.read edit_file edit_file": 1, "edit_file edit_file edit_file": 1, "edit_file edit_file x": 1,
		},
		Doings: map[string]int{
			"any read": 1, "any edit!": 2, "any edit": 1, "any hand": 1,
			"read": 1, "edit!": 1, "edit!=": 1, "edit+": 1, "hand": 1,
			"read edit!": 1, "edit! edit!=": 1, "edit!= edit+": 1, "edit+ hand": 1,
			"read edit! edit!=": 1, "edit! edit!= edit+": 1, "edit!= edit+ hand": 1,
		}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The formula of the documentation, worked by hand.
func TestSimilarity(t *testing.T) {
	a := review.Symptoms{Rule: "r", Abilities: map[string]int{"x": 1, "y": 40}, Doings: map[string]int{"read": 3}}
	b := review.Symptoms{Rule: "r", Abilities: map[string]int{"y": 20, "z": 2}, Doings: map[string]int{"read": 2}}
	// abilities 25/(1+36+4), doings 4/4, no classes, the same rule: (15·25/41 + 55 + 5) / 75
	if got := review.Similarity(a, b); got != 0.9219 {
		t.Errorf("got %v, want 0.9219", got)
	}
	b.Rule, b.Classes = "s", map[string]int{"ToolError": 1}
	// (15·25/41 + 55 + 0 + 0) / 100
	if got := review.Similarity(a, b); got != 0.6414 {
		t.Errorf("got %v, want 0.6414", got)
	}
}

func symptoms() *rapid.Generator[review.Symptoms] {
	counts := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "a b", "c"}), rapid.IntRange(1, 200), 0, 4)
	return rapid.Custom(func(t *rapid.T) review.Symptoms {
		return review.Symptoms{Abilities: counts.Draw(t, "abilities"), Doings: counts.Draw(t, "doings"), Classes: counts.Draw(t, "classes"), Rule: rapid.SampledFrom([]string{"r", "s"}).Draw(t, "rule")}
	})
}

func TestSimilarity_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := symptoms().Draw(t, "a"), symptoms().Draw(t, "b")
		s := review.Similarity(a, b)
		if s < 0 || s > 1 || s != review.Similarity(b, a) {
			t.Fatalf("%v, the other way %v", s, review.Similarity(b, a))
		}
		if review.Similarity(a, a) != 1 {
			t.Fatalf("a failure is like itself by %v", review.Similarity(a, a))
		}
	})
}

// What is saved is loaded again, and goes on in the same way.
func TestPatterns_SaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "patterns.jsonl")
	p, err := review.LoadPatterns(path)
	if err != nil || len(p.All()) != 0 {
		t.Fatalf("a file that is not there: %v, %v", p, err)
	}
	all := failures(t)
	remember(t, p, all)
	for range 2 { // the second time over the first
		if err := p.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	back, err := review.LoadPatterns(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.All(), back.All()); d != "" {
		t.Error(d)
	}
	fresh := polling("nobody.knows", 3)
	if a, b := p.Record(fresh, advice("x")), back.Record(fresh, advice("x")); a != b {
		t.Errorf("the next pattern is %s before and %s after", a, b)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestPatterns_SaveFails(t *testing.T) {
	dir := t.TempDir()
	var p review.Patterns
	if err := p.Save(filepath.Join(dir, "gone", "p.jsonl")); err == nil || !strings.HasPrefix(err.Error(), "failure patterns: ") {
		t.Errorf("into no directory: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "full", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(filepath.Join(dir, "full")); err == nil {
		t.Error("a directory was replaced")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestPatterns_ALinkStaysOne(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "sub", "real"), filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Dir(real), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("sub", "real"), link); err != nil {
		t.Skip("no links here:", err)
	}
	for n := range 2 { // at first it leads to nothing
		p, err := review.LoadPatterns(link)
		if err != nil {
			t.Fatal(err)
		}
		p.Record(polling(fmt.Sprint("x", n), 3), advice("a"))
		if err := p.Save(link); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link became %v, %v", info.Mode(), err)
		}
		if back, err := review.LoadPatterns(real); err != nil || len(back.All()) == 0 {
			t.Error(back, err)
		}
	}
	ring := filepath.Join(dir, "ring")
	if err := os.Symlink("ring", ring); err != nil {
		t.Fatal(err)
	}
	if err := new(review.Patterns).Save(ring); err == nil {
		t.Error("it was saved to a link to itself")
	}
}

const (
	goodHead    = `{"cbpolicy_patterns":1,"patterns":1,"last":7}`
	goodPattern = `{"id":"p7","symptoms":{"abilities":{"a":1},"doings":{},"classes":{},"rule":"r"},"cause":"c","remedy":["x"],"specialist":"loop","seen":1,"offered":2,"helped":1}`
)

func TestReadPatterns_ADamagedLineIsNamed(t *testing.T) {
	if p, err := review.ReadPatterns(strings.NewReader(goodHead+"\n"+goodPattern+"\n"), "f"); err != nil || len(p.All()) != 1 {
		t.Fatalf("a good file: %v", err)
	}
	for _, c := range []struct {
		text, want string
	}{
		{"", "f:1: the file is empty"},
		{"\n", "f:1: a blank line"},
		{"{}", "f:1: the file's version is 0; this program reads 1"},
		{`{"cbpolicy_patterns":2,"patterns":0,"last":0}`, "f:1: the file's version is 2"},
		{`{"cbpolicy_patterns":1,"patterns":-1,"last":0}`, "f:1: patterns: -1"},
		{`{"cbpolicy_patterns":1,"patterns":1001,"last":2000}`, "f:1: patterns: 1001; at most 1000"},
		{`{"cbpolicy_patterns":1,"patterns":2,"last":1}`, "f:1: last: 1"},
		{`{"cbpolicy_patterns":1,"patterns":1,"last":9223372036854775807}`, "f:1: last"},
		{`{"cbpolicy_patterns":1,"patterns":1,"last":7,"more":1}`, `f:1: json: unknown field "more"`},
		{goodPattern, "f:1: json: unknown field"},
		{goodHead, "f:2: the file ends after 0 patterns; line 1 says 1"},
		{goodHead + "\n" + goodPattern[:80], "f:2:81: want a key"},
		{goodHead + "\n" + goodPattern + "\n\n", "f:3: a blank line"},
		{goodHead + "\n" + goodPattern + "\n" + goodPattern, "f:3: a second pattern p7"},
		{goodHead + "\n" + goodPattern + "\n" + strings.Replace(goodPattern, "p7", "p6", 1), "f:3: a pattern more than the 1 that line 1 says"},
		{goodHead + "\n" + strings.Replace(goodPattern, "p7", "p8", 1), `f:2: "p8" is no id of a pattern up to p7`},
		{goodHead + "\n" + strings.Replace(goodPattern, "p7", "p07", 1), "f:2: \"p07\" is no id"},
		{goodHead + "\n" + strings.Replace(goodPattern, `"seen":1`, `"seen":0`, 1), "f:2: seen: 0"},
		{goodHead + "\n" + strings.Replace(goodPattern, `"helped":1`, `"helped":3`, 1), "f:2: helped: 3 of 2"},
		{goodHead + "\n" + strings.Replace(goodPattern, `"loop"`, `"poet"`, 1), `f:2: specialist: "poet"`},
		{goodHead + "\n" + strings.Replace(goodPattern, `{"a":1}`, `{"a":0}`, 1), "f:2: symptoms.abilities: a count"},
		{goodHead + "\n" + strings.Replace(goodPattern, `{"a":1}`, `{"a":1,"a":2}`, 1), `f:2:43: duplicate key "a" in symptoms.abilities`},
		{goodHead + "\n" + strings.Replace(goodPattern, `{"a":1}`, `{"a":201}`, 1), "f:2: symptoms.abilities: a count"},
		{goodHead + "\n" + strings.Replace(goodPattern, `"c"`, `"`+strings.Repeat("c", 5000)+`"`, 1), "f:2: cause: longer"},
		{goodHead + "\n" + strings.Replace(goodPattern, `"c"`, "\"\xff\"", 1), "f:2:90: invalid UTF-8 in cause"},
		{goodHead + "\n" + strings.Repeat(" ", 5<<20), "f:2: bufio.Scanner: token too long"},
	} {
		p, err := review.ReadPatterns(strings.NewReader(c.text), "f")
		var damaged *review.FileError
		if p != nil || !errors.As(err, &damaged) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.120q: got %v, %v; want %q", c.text, p, err, c.want)
		}
	}
}

// A file that is cut anywhere is noticed.
func TestReadPatterns_ACutFile(t *testing.T) {
	var p review.Patterns
	remember(t, &p, failures(t)[:3])
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for n := range b.Len() - 1 { // without the last line break it is whole
		if _, err := review.ReadPatterns(bytes.NewReader(b.Bytes()[:n]), "f"); err == nil {
			t.Fatalf("the first %d of %d bytes are taken for the file", n, b.Len())
		}
	}
}

func FuzzReadPatterns(f *testing.F) {
	f.Add([]byte(goodHead + "\n" + goodPattern + "\n"))
	f.Add([]byte(`{"cbpolicy_patterns":1,"patterns":0,"last":0}`))
	f.Add([]byte(goodHead + "\r\n" + strings.Replace(goodPattern, `"c"`, `"\u202e<nyaya>"`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := review.ReadPatterns(bytes.NewReader(data), "f")
		if (p == nil) == (err == nil) {
			t.Fatalf("got %v and %v", p, err)
		}
		if err != nil {
			return
		}
		var b bytes.Buffer
		if _, err := p.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		back, err := review.ReadPatterns(&b, "f")
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if d := cmp.Diff(p.All(), back.All()); d != "" {
			t.Fatal(d)
		}
		c := polling("jobs.status", 4)
		c.Known = p.Similar(c)
		g, err := review.Ask(t.Context(), "rules", review.Rules{}, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		inert(t, g.Text())
		p.Record(c, g)
	})
}

func TestPatterns_ManyAtOnce(t *testing.T) {
	var p review.Patterns
	path := filepath.Join(t.TempDir(), "p.jsonl")
	done := make(chan error)
	for i := range 4 {
		go func() {
			var err error
			for j := range 10 {
				c := polling(fmt.Sprint("jobs.status", j%3), 5+i)
				c.Known = p.Similar(c)
				err = errors.Join(err, p.Outcome(p.Record(c, advice("Wait.")), true), p.Save(path))
				_, loaded := review.LoadPatterns(path)
				err = errors.Join(err, loaded)
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	seen := 0
	for _, k := range p.All() {
		seen += k.Seen
	}
	if seen != 40 {
		t.Errorf("%d failures are remembered, want 40", seen)
	}
}
