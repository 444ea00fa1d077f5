package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cbpolicy/cbpolicy/audit"
)

// A link is only another name of a log: its files stay together.
func TestALogBehindALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	target, first, link := filepath.Join(elsewhere, "real.jsonl"), filepath.Join(elsewhere, "first"), filepath.Join(dir, "log.jsonl")
	if err := errors.Join(os.Symlink("real.jsonl", first), os.Symlink(first, link)); err != nil {
		t.Skip(err)
	}
	l, err := audit.Open(link, audit.Options{Rotate: 2000, Keep: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		l.Record(record("s", i))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("beside the link lie %v", entries)
	}
	if to, err := os.Readlink(link); to != first || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	files, err := audit.Files(link)
	if err != nil || len(files) != 3 || filepath.Dir(files[0]) != elsewhere {
		t.Errorf("%v, %v", files, err)
	}
	for _, path := range []string{link, target} {
		if last, _, err := verify(path); last.Seq != 40 || err != nil {
			t.Errorf("%s: the last line is %d, %v", path, last.Seq, err)
		}
	}
}
