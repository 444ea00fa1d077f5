//go:build unix

package policies_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/policies"
)

// swap puts a file or link in the place of another in one step.
func (f *fleet) swap(from, to string) {
	f.t.Helper()
	f.must(os.Rename(f.path(from), f.path(to)))
}

func (f *fleet) link(to, name string) {
	f.t.Helper()
	f.must(os.Symlink(to, f.path(name)))
}

// An editor writes a new file and puts it in the place of the old one.
func TestFile_IsReplaced(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a")}).open([]string{"a.cbp"})
	for _, id := range []string{"b", "c", "d"} {
		f.swap("a.cbp", "a.cbp~")
		f.loader.Look() // at this moment there is none
		f.write("4913", rule(id))
		f.swap("4913", "a.cbp")
		f.later()
		f.want("replaced", id, "")
	}
}

// A file of the same size and with the old time is a new one all the same.
func TestFile_KeepsSizeAndTime(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a")}).open([]string{"a.cbp"})
	info, err := os.Stat(f.path("a.cbp"))
	f.must(err)
	f.write("a.cbp", rule("b"))
	f.must(os.Chtimes(f.path("a.cbp"), info.ModTime(), info.ModTime()))
	f.later()
	f.want("rewritten", "b", "")
}

// Kubernetes mounts a ConfigMap as links through ..data, and swaps that one.
func TestConfigMap(t *testing.T) {
	f := newFleet(t, map[string]string{"m/..2026_1/a.cbp": rule("a1"), "m/..2026_1/b.cbp": rule("b1")})
	f.link("..2026_1", "m/..data")
	f.link("..data/a.cbp", "m/a.cbp")
	f.link("..data/b.cbp", "m/b.cbp")
	f.open([]string{"m"})
	f.want("mounted", "a1 b1", "")
	f.write("m/..2026_2/a.cbp", rule("a2"))
	f.write("m/..2026_2/b.cbp", rule("b2"))
	f.later()
	f.want("not swapped yet", "a1 b1", "")
	f.link("..2026_2", "m/..data_tmp")
	f.swap("m/..data_tmp", "m/..data")
	f.must(os.RemoveAll(f.path("m/..2026_1")))
	f.later()
	f.want("swapped", "a2 b2", "")
	f.must(os.Remove(f.path("m/..data"))) // the links point to nothing
	f.later()
	f.want("broken", "a2 b2", "no such file")
}

// A path that is a link to a directory follows it to the next one.
func TestDirectory_IsALink(t *testing.T) {
	f := newFleet(t, map[string]string{"rev1/a.cbp": rule("a1"), "rev2/a.cbp": rule("a2")})
	f.link("rev1", "current")
	f.open([]string{"current"})
	f.want("linked", "a1", "")
	digest := f.digest()
	f.link("rev2", "next")
	f.swap("next", "current")
	f.later()
	f.want("linked anew", "a2", "")
	f.write("rev2/a.cbp", rule("a1"))
	f.later()
	if f.digest() != digest {
		t.Error("the same files have another digest elsewhere")
	}
}

// Half a file can be a policy with fewer rules: it is never put in force, nor is
// a directory of which half is new.
func TestHalfWritten(t *testing.T) {
	f := newFleet(t, map[string]string{"p/a.cbp": rule("a1"), "p/b.cbp": rule("b1")}).open([]string{"p"})
	f.write("p/a.cbp", "")
	f.loader.Look()
	f.want("truncated", "a1 b1", "")
	f.write("p/a.cbp", rule("a2"))
	f.loader.Look()
	f.want("a first half", "a1 b1", "")
	f.write("p/a.cbp", rule("a2")+rule("a3"))
	f.loader.Look()
	f.want("half of the files", "a1 b1", "")
	f.write("p/b.cbp", rule("b2"))
	f.later()
	f.want("all of them", "a2 a3 b2", "")
}

// Where an editor leaves what is not for reading, the directory is read all the same.
func TestDirectory_WithOtherThings(t *testing.T) {
	f := newFleet(t, map[string]string{"p/a.cbp": rule("a"), "p/a.cbp~": "old", "p/.a.cbp.swp": "\x00", "p/.git/x.cbp": "old", "p/#a.cbp#": "new"})
	f.link("user@host.1:1", "p/.#a.cbp") // Emacs' lock
	f.open([]string{"p"})
	f.want("at the start", "a", "")
}

// A file that cannot be read, and one that would be waited for for ever, are refused.
func TestFile_IsNone(t *testing.T) {
	f := newFleet(t, map[string]string{"p/a.cbp": rule("a"), "b.cbp": rule("b")}).open([]string{"p", "b.cbp"})
	f.must(syscall.Mkfifo(f.path("p/pipe.cbp"), 0o600))
	f.later()
	f.want("a pipe in the directory", "a b", "pipe.cbp is no file")
	f.must(os.Remove(f.path("p/pipe.cbp")))
	f.later()
	f.want("it is gone", "a b", "")
	f.must(os.Remove(f.path("b.cbp")))
	f.must(syscall.Mkfifo(f.path("b.cbp"), 0o600))
	f.later()
	f.want("a pipe for the file", "a b", "no file and no directory any more")
	f.must(os.Remove(f.path("b.cbp")))
	f.write("b.cbp", rule("b"))
	if os.Getuid() == 0 {
		t.Skip("everything can be read by root")
	}
	f.must(os.Chmod(f.path("p/a.cbp"), 0))
	f.later()
	f.want("not to be read", "a b", "permission denied")
}

// A pipe that is there at the start is read to its end, and kept.
func TestPipe_AtTheStart(t *testing.T) {
	f := newFleet(t, nil)
	f.must(syscall.Mkfifo(f.path("pipe"), 0o600))
	go func() {
		if w, err := os.OpenFile(f.path("pipe"), os.O_WRONLY, 0); err == nil {
			w.WriteString(rule("a"))
			w.Close()
		}
	}()
	f.open([]string{"pipe"})
	f.want("read", "a", "")
	f.now = f.now.Add(time.Hour)
	f.later()
	f.want("kept", "a", "")
}

// A file that was cut and a directory that was unmounted hold no rules: theirs
// stay in force, whatever the other sources hold.
func TestSource_IsEmptied(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a"), "b.cbp": rule("b"), "d/c.cbp": rule("c")})
	f.write("p.cbb", bundled(t, 1, "p", 1))
	f.open([]string{"a.cbp", "b.cbp", "d", "p.cbb"}, public(1))
	f.write("b.cbp", "")
	f.later()
	f.want("a file was cut", "a b c p", "no rule in "+f.path("b.cbp")+" (")
	f.write("b.cbp", "# nothing\n")
	f.later()
	f.want("only a comment", "a b c p", "no rule in "+f.path("b.cbp")+" (")
	f.write("b.cbp", rule("b2"))
	f.later()
	f.want("whole again", "a b2 c p", "")
	f.must(os.Remove(f.path("d/c.cbp")))
	f.later()
	f.want("nothing is left in the directory", "a b2 c p", "no rule in "+f.path("d")+" (")
	f.write("d/c.cbp", rule("c"))
	empty, err := bundle.New(2, []bundle.File{{Path: "x.cbp", Data: []byte("# nothing\n")}})
	f.must(err)
	empty.Sign(keyOf(1))
	f.write("p.cbb", string(empty.Append(nil)))
	f.later()
	f.want("a bundle without rules", "a b2 c p", "no rule in "+f.path("p.cbb")+" (")
}

// At the start one source without rules is one too many: it may have been cut before.
func TestSource_IsEmptyAtTheStart(t *testing.T) {
	f := newFleet(t, map[string]string{"a.cbp": rule("a"), "b.cbp": ""})
	if err := f.try([]string{"a.cbp", "b.cbp"}); !errors.Is(err, policies.ErrNoRules) || strings.Contains(err.Error(), "a.cbp") {
		t.Errorf("%v", err)
	}
}

// Links to directories are followed, as where a ConfigMap has files in directories.
func TestDirectory_FollowsLinks(t *testing.T) {
	f := newFleet(t, map[string]string{"m/..2026_1/team/a.cbp": rule("a"), "m/..2026_1/b.cbp": rule("b"), "else/deep/c.cbp": rule("c")})
	f.link("..2026_1", "m/..data")
	f.link("..data/team", "m/team")
	f.link("..data/b.cbp", "m/b.cbp")
	f.link("../else", "m/shared")
	f.open([]string{"m"})
	f.want("mounted", "b c a", "")
	f.link("..", "else/up")
	f.later()
	f.want("in a circle", "b c a", "again: remove the link")
	f.must(os.Remove(f.path("else/up")))
	f.link("../gone", "m/nothing")
	f.later()
	f.want("a link to nothing", "b c a", "nothing: no such file")
}

// A bundle in a directory would have to be checked by itself.
func TestDirectory_HoldsABundle(t *testing.T) {
	f := newFleet(t, map[string]string{"p/a.cbp": rule("a")}).open([]string{"p"})
	f.write("p/team.cbb", bundled(t, 1, "b", 1))
	f.later()
	f.want("beside the files", "a", "team.cbb is a bundle, which is not read out of a directory")
}
