package audit_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/cbpolicy/cbpolicy/audit"
)

// A log that is changed under a writer gets no further line from it, until what
// was there is there again.
func TestALogThatIsChangedWhileItIsWritten(t *testing.T) {
	cut := func(good []byte, lines int) []byte {
		for range lines {
			good = good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1]
		}
		return good
	}
	for name, change := range map[string]func(path string, good []byte) error{
		"deleted": func(path string, _ []byte) error { return os.Remove(path) },
		"moved":   func(path string, _ []byte) error { return os.Rename(path, path+".1") },
		"emptied": func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"a line cut off": func(path string, good []byte) error {
			return os.Truncate(path, int64(len(cut(good, 1))))
		},
		"two lines cut off": func(path string, good []byte) error {
			return os.Truncate(path, int64(len(cut(good, 2))))
		},
		"half a line cut off": func(path string, good []byte) error {
			return os.Truncate(path, int64(len(good)-20))
		},
		"only its end cut off": func(path string, good []byte) error {
			return os.Truncate(path, int64(len(good)-1))
		},
		"the last line another, as long": func(path string, good []byte) error {
			other, err := otherLog(4)
			if err == nil && len(other) != len(good) {
				err = errors.New("the other log has another length")
			}
			return errors.Join(err, os.WriteFile(path, other, 0o600))
		},
		"another log, that is longer": func(path string, _ []byte) error {
			other, err := otherLog(9)
			return errors.Join(err, os.WriteFile(path, other, 0o600))
		},
		"replaced by another log": func(path string, _ []byte) error {
			other, err := otherLog(9)
			return errors.Join(err, os.Remove(path), os.WriteFile(path, other, 0o600))
		},
		"replaced by its beginning": func(path string, good []byte) error {
			return errors.Join(os.Rename(path, path+".1"), os.WriteFile(path, cut(good, 1), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, 2, audit.Options{})
			l, err := audit.Open(path, audit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := errors.Join(l.Append(record("s", 2)), l.Append(record("s", 3))); err != nil {
				t.Fatal(err)
			}
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(path, good); err != nil {
				t.Fatal(err)
			}
			before, beforeErr := os.ReadFile(path)
			for range 2 {
				if err := l.Append(record("s", 4)); !errors.Is(err, audit.ErrChanged) {
					t.Errorf("%v, want %v", err, audit.ErrChanged)
				}
			}
			after, afterErr := os.ReadFile(path)
			if !bytes.Equal(before, after) || os.IsNotExist(beforeErr) != os.IsNotExist(afterErr) {
				t.Errorf("the log was written to: %q", after)
			}
			os.Remove(path)
			if err := errors.Join(os.WriteFile(path, good, 0o600), l.Append(record("s", 4))); err != nil {
				t.Errorf("with what was there: %v", err)
			}
			if _, n, err := verify(path); n != 5 || err != nil {
				t.Errorf("%d lines, %v", n, err)
			}
		})
	}
}

// otherLog is a log of as many other records, as long each.
func otherLog(lines int) ([]byte, error) {
	dir, err := os.MkdirTemp("", "other")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := dir + "/log"
	l, err := audit.Open(path, audit.Options{})
	if err != nil {
		return nil, err
	}
	for i := range lines {
		err = errors.Join(err, l.Append(record("z", i)))
	}
	data, readErr := os.ReadFile(path)
	return data, errors.Join(err, l.Close(), readErr)
}

// Writers that put files aside, and remove old ones, go on with each other.
func TestWritersThatRotateGoOn(t *testing.T) {
	for _, keep := range []int{0, 1} {
		path := write(t, 1, audit.Options{})
		var logs [3]*audit.Log
		for i := range logs {
			l, err := audit.Open(path, audit.Options{Rotate: 1500, Keep: keep})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			logs[i] = l
		}
		for i, pause := range []int{1, 1, 30, 1, 2, 60, 5, 1} {
			for n := range pause { // one writes on while the others see nothing
				if err := logs[i%3].Append(record("s", n)); err != nil {
					t.Fatalf("keep %d, turn %d: %v", keep, i, err)
				}
			}
		}
		if last, _, err := verify(path); last.Seq != 102 || err != nil {
			t.Errorf("keep %d: the last line is %d, %v", keep, last.Seq, err)
		}
	}
}

// Files that were put aside may be moved away while a writer rests: what is left
// begins behind what it has seen. One that begins before that is another log.
func TestOldFilesAreMovedAwayMeanwhile(t *testing.T) {
	path := write(t, 1, audit.Options{})
	rests, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rests.Close()
	writes, err := audit.Open(path, audit.Options{Rotate: 1500})
	if err != nil {
		t.Fatal(err)
	}
	defer writes.Close()
	err = rests.Append(record("s", 1))
	for i := range 20 {
		err = errors.Join(err, writes.Append(record("s", i)))
	}
	files, filesErr := audit.Files(path)
	if err = errors.Join(err, filesErr); err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, f := range files[:len(files)-1] {
		if err := os.Rename(f, f+".old"); err != nil {
			t.Fatal(err)
		}
	}
	if err := rests.Append(record("s", 30)); err != nil {
		t.Error(err)
	}
	if last, _, err := verifyFrom(path); last.Seq != 23 || err != nil {
		t.Errorf("the last line is %d, %v", last.Seq, err)
	}
	other, err := otherLog(30)
	if err := errors.Join(err, os.Remove(path), os.WriteFile(path, other, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := rests.Append(record("s", 31)); !errors.Is(err, audit.ErrChanged) {
		t.Errorf("behind another log: %v", err)
	}
}

// verifyFrom reads a log that begins with any line.
func verifyFrom(path string) (last audit.Line, lines int, err error) {
	for l, err := range audit.ReadFile(path) {
		if err != nil {
			return last, lines, err
		}
		last = l
		lines++
	}
	return last, lines, nil
}
