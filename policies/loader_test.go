package policies_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
)

func TestOpen(t *testing.T) {
	f := newFleet(t, map[string]string{
		"a.cbp": rule("a"), "dir/b.cbp": rule("b"), "dir/deep/C.CBP": rule("c"),
		"dir/.hidden/d.cbp": "not read", "dir/notes.txt": "not read", "e.policy": rule("e"),
		"f.cbb": bundled(t, 7, "f", 1),
	})
	f.open([]string{"a.cbp", "dir", "e.policy", "f.cbb"}, public(1))
	f.want("at the start", "a b c e f", "")
	s := f.loader.Status()
	if !s.Since.Equal(start) || len(s.Sources) != 4 || s.Refused != nil {
		t.Errorf("%+v", s)
	}
	for i, want := range []policies.Source{
		{Kind: policies.File, Files: 1, Rules: 1}, {Kind: policies.Directory, Files: 2, Rules: 2},
		{Kind: policies.File, Files: 1, Rules: 1}, {Kind: policies.Bundle, Files: 1, Rules: 1, Revision: 7},
	} {
		got := s.Sources[i]
		want.Path, want.Digest, want.Since = got.Path, got.Digest, start
		if got != want || got.Digest == (registry.Digest{}) {
			t.Errorf("source %d: %+v, want %+v", i, got, want)
		}
	}
}

// A start is refused, and what was in force before stays.
func TestOpen_Refuses(t *testing.T) {
	files := map[string]string{
		"good.cbp": rule("good"), "bad.cbp": "B:amount>\n", "twice.cbp": rule("good"), "empty.cbp": "# none\n", "dir/x.txt": "",
		"unsigned.cbb": bundled(t, 1, "x", 0), "other.cbb": bundled(t, 1, "x", 2), "none.cbb": "no bundle", "folder.cbb/x.cbp": rule("x"),
		"faulty.cbb": bundled(t, 1, "a,b=c", 1),
	}
	for name, c := range map[string]struct {
		paths string
		keys  bool
		want  func(error) bool
		text  string
	}{
		"a bad rule":               {"good.cbp bad.cbp", true, isFindings, "bad.cbp:1:"},
		"a rule twice":             {"good.cbp twice.cbp", true, isFindings, "twice.cbp:1:3"},
		"no rule":                  {"empty.cbp dir", true, is(policies.ErrNoRules), "dir (a policy file is named *.cbp, or named itself; leave out"},
		"no file":                  {"gone.cbp", true, is(fs.ErrNotExist), "gone.cbp"},
		"no key":                   {"other.cbb", false, is(policies.ErrNoKeys), "other.cbb: who may have signed"},
		"no signature":             {"unsigned.cbb", true, is(bundle.ErrUnsigned), "unsigned.cbb: the bundle is not signed"},
		"another's signature":      {"other.cbb", true, is(bundle.ErrSignature), "other.cbb"},
		"no bundle":                {"none.cbb", true, isSource, "none.cbb: bundle: this is no bundle"},
		"a directory for a bundle": {"folder.cbb", true, isSource, "folder.cbb is no file"},
		"a bad rule in a bundle":   {"faulty.cbb", true, isFindings, "faulty.cbb/team/p.cbp:1:"},
	} {
		f := newFleet(t, files)
		f.open([]string{"good.cbp"})
		before := f.loader
		keys := 0
		if c.keys {
			keys = 1
		}
		err := f.try(strings.Fields(c.paths), slicesOf(public(1), keys)...)
		if err == nil || !c.want(err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
		f.loader = before
		f.want(name, "good", "")
	}
}

func slicesOf[T any](v T, n int) []T { return []T{v}[:n] }

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

func isFindings(err error) bool { return errors.As(err, new(diag.List)) }

func isSource(err error) bool { return errors.As(err, new(*policies.SourceError)) }

// A bad update leaves what was good, says so, and is forgotten with the next
// good one, of which nothing has to be new.
func TestUpdates(t *testing.T) {
	f := newFleet(t, map[string]string{"p/a.cbp": rule("a")}).open([]string{"p"})
	digest := f.loader.Status().Digest()
	f.later()
	f.want("nothing has changed", "a", "")

	f.write("p/b.cbp", rule("b"))
	f.later()
	f.want("a file is new", "a b", "")
	second := f.now
	if s := f.loader.Status(); !s.Since.Equal(second) || s.Digest() == digest || !s.Sources[0].Since.Equal(second) {
		t.Errorf("%+v", s)
	}

	f.write("p/b.cbp", "B:amount>\n")
	f.later()
	f.want("a bad file", "a b", "p/b.cbp:1:")
	note := f.loader.Status().Note()
	for _, part := range []string{"found at 2026-01-05T09:00:06Z", "in force since 2026-01-05T09:00:04Z", "digest " + f.digest()} {
		if !strings.Contains(note, part) {
			t.Errorf("%q lacks %q", note, part)
		}
	}
	f.later()
	f.want("a bad file, still", "a b", "found at 2026-01-05T09:00:06Z")

	f.write("p/b.cbp", rule("b"))
	f.later()
	f.want("the bad file was taken back", "a b", "")
	if s := f.loader.Status(); !s.Since.Equal(second) || !s.Sources[0].Since.Equal(second) || !s.Looked.Equal(f.now) {
		t.Errorf("in force since %s, want %s", s.Since, second)
	}

	f.must(os.RemoveAll(f.path("p/a.cbp")))
	f.later()
	f.want("a file is gone", "b", "")
	f.write("p/b.cbp", "# nothing\n")
	f.later()
	f.want("no rule is left", "b", "no rule in")
	f.must(os.RemoveAll(f.path("p")))
	f.later()
	f.want("the directory is gone", "b", "no such file")
	f.write("p/c.cbp", rule("c"))
	f.later()
	f.want("it is back", "c", "")
	if len(f.changed) != 7 {
		t.Errorf("told of %d updates", len(f.changed))
	}
}

func (f *fleet) digest() string { return f.loader.Status().Digest().String() }

// All sources are put in force together, or none is.
func TestAllOrNothing(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a"), "b.cbp": rule("b")}).open([]string{"a.cbp", "b.cbp"})
	f.write("a.cbp", rule("a2"))
	f.write("b.cbp", rule("a2")) // the same id twice: each is good by itself
	f.later()
	f.want("twice", "a b", "b.cbp:1:3")
	f.write("b.cbp", rule("b2"))
	f.later()
	f.want("both", "a2 b2", "")
}

// A bundle goes forward only, and only signed.
func TestBundles(t *testing.T) {
	f := newFleet(t, map[string]string{"p.cbb": bundled(t, 7, "seven", 1)}).open([]string{"p.cbb"}, public(3), public(1))
	in := "seven"
	for _, c := range []struct{ what, bundle, rules, refused string }{
		{"older", bundled(t, 6, "six", 1), in, "p.cbb: the bundle is older than the one in force: it has revision 6, and 7 is in force; in force since 2026-01-05T09:00:00Z: revision 7, digest "},
		{"not signed", bundled(t, 8, "eight", 0), in, "the bundle is not signed"},
		{"signed by another", bundled(t, 8, "eight", 2), in, "signed by none of the keys"},
		{"changed", strings.Replace(bundled(t, 8, "eight", 1), "mail", "fail", 1), in, "not those of the manifest"},
		{"half", bundled(t, 8, "eight", 1)[:700], in, "cannot be read: unexpected EOF"},
		{"empty", "", in, "this is no bundle"},
		{"of the same revision", bundled(t, 7, "other", 1), in, "build it with a revision above 7"},
		{"the same", bundled(t, 7, "seven", 1), in, ""},
		{"newer", bundled(t, 9, "nine", 1), "nine", ""},
		{"what was newer before", bundled(t, 8, "eight", 1), "nine", "revision 8, and 9 is in force"},
		{"newer, by the other key", bundled(t, 10, "ten", 3), "ten", ""},
	} {
		f.write("p.cbb", c.bundle)
		f.later()
		f.want(c.what, c.rules, c.refused)
	}
	// A directory of unsigned files cannot take its place.
	f.must(os.Remove(f.path("p.cbb")))
	f.write("p.cbb/x.cbp", rule("x"))
	f.later()
	f.want("a directory", "ten", "p.cbb is no file")
}

// What is changing at every look is not put in force, and that is said.
func TestRestless(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a")}).open([]string{"a.cbp"})
	for i := range 10 {
		f.want("it changes", "a", "")
		f.write("a.cbp", rule("a")+strings.Repeat("#\n", i+1))
		f.loader.Look()
	}
	f.want("it changes for long", "a", "do not come to rest")
	f.loader.Look()
	f.want("it rests", "a", "")
}

// What can be read once only is kept.
func TestInput(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a")})
	l, err := policies.Open(f.reg, policies.Options{Paths: []string{"-", f.path("a.cbp")}, Stdin: strings.NewReader(rule("in"))})
	f.must(err)
	f.loader = l
	f.want("at the start", "in a", "")
	f.write("a.cbp", rule("a2"))
	f.later()
	f.want("later", "in a2", "")
	if k := l.Status().Sources[0].Kind; k != policies.Input {
		t.Errorf("standard input is a %s", k)
	}
}

// Watch looks once an interval, until it is told to stop.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]string{"a.cbp": rule("a")}).open([]string{"a.cbp"})
		go f.loader.Watch(t.Context(), 5*time.Second)
		f.write("a.cbp", rule("b"))
		time.Sleep(6 * time.Second)
		synctest.Wait()
		f.want("after one look", "a", "")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		f.want("after two", "b", "")
	})
}

// A look that goes wrong as none should leaves what is in force.
func TestLookFails(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a")})
	times := 0
	l, err := policies.Open(f.reg, policies.Options{Paths: []string{f.path("a.cbp")}, Now: func() time.Time {
		if times++; times == 2 {
			panic("no clock")
		}
		return start
	}})
	f.must(err)
	f.loader = l
	if !l.Look() {
		t.Error("nothing happened")
	}
	f.want("a clock that fails", "a", "the loader failed: no clock")
	l.Look()
	f.want("it goes again", "a", "")
}

// What every verdict repeats is one line of text, whatever a file is called, and
// however much is wrong with it.
func TestRefusal_IsShort(t *testing.T) {
	f := newFleet(t, map[string]string{"p/a.cbp": rule("a")}).open([]string{"p"})
	f.write("p/b.cbp", strings.Repeat("B:amount>\n", 50))
	f.later()
	f.want("many faults", "a", "(and 49 more)")
	f.write("p/b.cbp", "B:"+strings.Repeat("\u20ac", 900)+"|abort\n")
	f.later()
	note := f.loader.Status().Note()
	if len(note) > 800 || !utf8.ValidString(note) {
		t.Errorf("%d bytes: %s", len(note), note)
	}
	f.must(os.Remove(f.path("p/b.cbp")))
	f.write("p/\xff\n.cbp", "B:\n")
	f.later()
	if note := f.loader.Status().Note(); !utf8.ValidString(note) || strings.Contains(note, "\n") {
		t.Errorf("%q", note)
	}
	f.want("a strange name", "a", ".cbp:1:")
}

// A file that is emptied, or cut, takes its rules along without a word: they stay
// in force, and verdicts say so. A file that is removed is meant to go, and one
// that never had a rule has none to lose.
func TestFileOfDirectory_IsEmptied(t *testing.T) {
	for name, text := range map[string]string{"emptied": "", "all of it a comment": "# " + rule("b"), "cut": "#"} {
		f := newFleet(t, map[string]string{"p/a.cbp": rule("a"), "p/deep/b.cbp": rule("b"), "p/notes.cbp": "# none yet\n"}).open([]string{"p"})
		f.write("p/deep/b.cbp", text)
		f.later()
		f.want(name, "a b", "p/deep/b.cbp: it has no rule any more: remove the file if it is to have none")
		if err := f.loader.Status().Refused.Err; !errors.Is(err, policies.ErrEmptied) {
			t.Errorf("%s: %v", name, err)
		}
		f.write("p/a.cbp", rule("a2"))
		f.later()
		f.want(name+", and another one changed", "a b", "p/deep/b.cbp: it has no rule any more")

		f.must(os.Remove(f.path("p/deep/b.cbp")))
		f.later()
		f.want(name+", then removed", "a2", "")
		f.write("p/deep/b.cbp", text)
		f.write("p/notes.cbp", rule("n"))
		f.later()
		f.want(name+", once it had no rules in force", "a2 n", "")
		f.write("p/notes.cbp", "# none again\n")
		f.later()
		f.want(name+", a file that had got some", "a2 n", "p/notes.cbp: it has no rule any more")
		f.write("p/notes.cbp", rule("n"))
		f.later()
		f.want(name+", and has them back", "a2 n", "")
	}
}

// Which files of a bundle have rules is what was signed.
func TestFileOfBundle_IsEmptied(t *testing.T) {
	of := func(revision uint64, b string) string {
		made, err := bundle.New(revision, []bundle.File{{Path: "a.cbp", Data: []byte(rule("a"))}, {Path: "b.cbp", Data: []byte(b)}})
		if err != nil {
			t.Fatal(err)
		}
		made.Sign(keyOf(1))
		return string(made.Append(nil))
	}
	f := newFleet(t, map[string]string{"p.cbb": of(1, rule("b"))}).open([]string{"p.cbb"}, public(1))
	f.write("p.cbb", of(2, "# none\n"))
	f.later()
	f.want("a new revision", "a", "")
}
