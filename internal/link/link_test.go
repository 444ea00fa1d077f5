package link_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cbpolicy/cbpolicy/internal/link"
)

func TestSame(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Mkdir(in("sub"), 0o700), os.WriteFile(in("there"), nil, 0o600), os.WriteFile(in("other"), nil, 0o600),
		os.Symlink("sub", in("folder")), os.Symlink("there", in("link")), os.Symlink("link", in("far")),
		os.Symlink("sub/new", in("dangling")), os.Symlink("loop", in("loop")), os.Link(in("there"), in("hard")),
	); err != nil {
		t.Skip(err)
	}
	t.Chdir(dir)
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"there", "there", true},
		{"there", in("there"), true},
		{"there", "sub/../there", true},
		{"there", "far", true},
		{"there", "hard", true},
		{"there", "other", false},
		{"there", "new", false},
		{"new", "./new", true},
		{"new", in("new"), true},
		{"sub/new", "folder/new", true},
		{"sub/new", "dangling", true},
		{"folder/new", "dangling", true},
		{"new", "newer", false},
		{"loop", "new", false},
		{"none/new", "./none/new", true},
	} {
		if got := link.Same(tt.a, tt.b); got != tt.same || link.Same(tt.b, tt.a) != got {
			t.Errorf("%s and %s: %v, want %v", tt.a, tt.b, got, tt.same)
		}
	}
	for path, want := range map[string]string{"far": "there", "new": "new", "loop": "loop", "dangling": "sub/new", os.DevNull: os.DevNull} {
		if got := link.Target(path); got != filepath.FromSlash(want) {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
}
