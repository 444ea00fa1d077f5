package policies_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// start is when the tests' clocks begin.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// fleet is a loader under test, in a directory of its own.
type fleet struct {
	t       testing.TB
	dir     string
	now     time.Time
	reg     *registry.Registry
	loader  *policies.Loader
	changed []policies.Status
}

// newFleet puts files below a new directory.
func newFleet(t testing.TB, files map[string]string) *fleet {
	t.Helper()
	f := &fleet{t: t, dir: t.TempDir(), now: start, reg: new(registry.Registry)}
	for name, text := range files {
		f.write(name, text)
	}
	return f
}

// open loads sources, named from the directory on.
func (f *fleet) open(paths []string, keys ...ed25519.PublicKey) *fleet {
	f.t.Helper()
	if err := f.try(paths, keys...); err != nil {
		f.t.Fatal(err)
	}
	return f
}

func (f *fleet) try(paths []string, keys ...ed25519.PublicKey) (err error) {
	o := policies.Options{Keys: keys, Now: func() time.Time { return f.now }, Changed: func(s policies.Status) { f.changed = append(f.changed, s) }}
	for _, p := range paths {
		o.Paths = append(o.Paths, filepath.Join(f.dir, p))
	}
	f.loader, err = policies.Open(f.reg, o)
	return err
}

func (f *fleet) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// must fails the test if a step of its preparation did.
func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// write writes a file in its place.
func (f *fleet) write(name, text string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.must(os.WriteFile(f.path(name), []byte(text), 0o644))
}

// later lets a second pass and looks, as often as an update needs to be seen.
func (f *fleet) later() {
	for range 2 {
		f.now = f.now.Add(time.Second)
		f.loader.Look()
	}
}

// inForce tells which rules are in force, by id, in order.
func (f *fleet) inForce() string {
	var ids []string
	for r := range f.reg.Set().Rules() {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

// want compares what is in force, and what verdicts say of the newest update:
// "" if they say nothing, else a part of the note.
func (f *fleet) want(what, rules, refused string) {
	f.t.Helper()
	if got := f.inForce(); got != rules {
		f.t.Errorf("%s: in force is %q, want %q", what, got, rules)
	}
	d := session.Decider{Registry: f.reg, Store: memory.New(memory.Options{})}
	var v registry.Verdict
	d.Decide(f.t.Context(), &registry.Step{Session: "s", Ability: "x"}, &v)
	status := f.loader.Status()
	switch {
	case refused == "" && len(v.Notes)+len(status.Note()) > 0:
		f.t.Errorf("%s: verdicts say %q", what, v.Notes)
	case refused != "" && (len(v.Notes) != 1 || v.Notes[0] != status.Note() || !strings.Contains(v.Notes[0], refused)):
		f.t.Errorf("%s: verdicts say %q, the status %q, want %q", what, v.Notes, status.Note(), refused)
	}
}

// rule is a policy with a rule of this id.
func rule(id string) string { return fmt.Sprintf("B:ability:mail.*|abort|\"no\"|id=%s\n", id) }

func keyOf(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

func public(seed byte) ed25519.PublicKey { return keyOf(seed).Public().(ed25519.PublicKey) }

// bundled is a bundle of one file with a rule, signed with a key; 0: not signed.
func bundled(t testing.TB, revision uint64, id string, seed byte) string {
	t.Helper()
	b, err := bundle.New(revision, []bundle.File{{Path: "team/p.cbp", Data: []byte(rule(id))}})
	if err != nil {
		t.Fatal(err)
	}
	if seed != 0 {
		b.Sign(keyOf(seed))
	}
	return string(b.Append(nil))
}
