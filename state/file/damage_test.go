package file

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

func TestFilesThatCannotBeUsed(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"a text", func(t *testing.T, path string) { write(t, path, strings.Repeat("rules: []\n", 1000)) }, ErrFormat},
		{"a short text", func(t *testing.T, path string) { write(t, path, "x") }, ErrFormat},
		{"a database of another program", func(t *testing.T, path string) {
			update(t, path, func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
		}, ErrFormat},
		{"a later format", func(t *testing.T, path string) {
			update(t, path, layout{version: version + 1}.begin)
		}, ErrFormat},
		{"format 0", func(t *testing.T, path string) { update(t, path, layout{}.begin) }, ErrDamaged},
		{"a format of two bytes", func(t *testing.T, path string) {
			update(t, path, func(tx *bolt.Tx) error {
				if err := current.begin(tx); err != nil {
					return err
				}
				return tx.Bucket(formatBucket).Put(formatKey, []byte{0, 1})
			})
		}, ErrDamaged},
		{"no state", func(t *testing.T, path string) {
			update(t, path, func(tx *bolt.Tx) error {
				if err := current.begin(tx); err != nil {
					return err
				}
				return tx.DeleteBucket(stateBucket)
			})
		}, ErrDamaged},
		{"cut off", func(t *testing.T, path string) {
			b, err := os.ReadFile(golden(t, "format-1.db"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(b[:3*4096]))
		}, ErrDamaged},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, state.ErrUnavailable},
		{"in no directory", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, os.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			_, err := Open(path, Options{})
			if !errors.Is(err, tt.want) || !errors.Is(err, state.ErrUnavailable) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if !strings.Contains(err.Error(), path) {
				t.Errorf("error %q does not name the file", err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("it was changed")
			}
		})
	}
	if _, err := Open("file:", Options{}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("error %v for no path, want ErrInvalid", err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func update(t *testing.T, path string, change func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// An empty file, as mktemp makes, is a state file that holds nothing.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	write(t, path, "")
	s, err := Open("file:"+path, Options{Now: func() int64 { return then }})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s)
	filled(t, s)
}

// A write of the root that was torn leaves the state before it.
func TestTornWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{Now: func() int64 { return then }})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s)
	more := state.Claim{Now: then, Needs: []registry.Need{need("last", 5)}}
	if err := s.Claim(bg, &more, new(state.Grant)); err != nil {
		t.Fatal(err)
	}
	// The roots are in the first two pages; the later transaction's is torn.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const header, txid = 16, 48 // of a page; of the transaction's number in a root
	page := int64(os.Getpagesize())
	newer, newest := int64(0), uint64(0)
	for at := int64(0); at < 2*page; at += page {
		var b [8]byte
		if _, err := f.ReadAt(b[:], at+header+txid); err != nil {
			t.Fatal(err)
		}
		if n := binary.NativeEndian.Uint64(b[:]); n >= newest {
			newer, newest = at, n
		}
	}
	if _, err := f.WriteAt(make([]byte, 20), newer+header+20); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path, Options{Now: func() int64 { return then }}); err != nil {
		t.Fatal(err)
	}
	c, g := state.Claim{Now: then, Needs: []registry.Need{need("last", 0)}}, state.Grant{}
	if err := s.Claim(bg, &c, &g); err != nil || g.Counts[0].N != 1 {
		t.Fatalf("%+v, %v; want the state before the torn write", g, err)
	}
	filled(t, s)
}

// A record that is not what it should be fails every operation that meets it;
// nothing is written, and nothing panics.
func FuzzRecord(f *testing.F) {
	c := everything()
	records := [][]byte{
		counterKeyOf(&c.Needs[0].Counter).record(),
		counterKeyOf(&c.Needs[0].Counter).chunk(0),
		key(kindRun, hashOf("chain"), hashOf("runs"), hashOf("run")),
		callKey(&c.Call),
		approvalKey(c.Session, registry.Digest{1}),
		key(kindLease, hashOf("probe")),
		key(kindAccount, hashOf("money")),
		key(kindReservation, hashOf("money"), hashOf("reserved")),
		key(kindSettled, hashOf("money"), hashOf("reserved")),
		key(kindCell, hashOf("cell")),
	}
	for i := range records {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), make([]byte, 24))
		f.Add(uint8(i), []byte{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0xff})
		f.Add(uint8(i), []byte(strings.Repeat("\xff", 100)))
	}
	f.Fuzz(func(t *testing.T, record uint8, value []byte) {
		path := filepath.Join(t.TempDir(), "state.db")
		s, err := Open(path, Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		update(t, path, func(tx *bolt.Tx) error {
			return tx.Bucket(stateBucket).Put(records[int(record)%len(records)], value)
		})
		c, g := everything(), state.Grant{}
		var v state.View
		for what, err := range map[string]error{
			"claim":   s.Claim(bg, &c, &g),
			"load":    s.Load(bg, state.Query{Cells: []string{"cell"}, Accounts: []string{"money"}}, &v),
			"settle":  s.Settle(bg, &state.Settlement{Now: then, Holder: "me", Leases: []string{"probe"}, Spent: []state.Spent{{Account: "money", ID: "reserved", Amount: 1}}}),
			"approve": s.Approve(bg, state.Approval{Digest: registry.Digest{1}, Session: "session"}),
			"release": s.Release(bg, c.Call),
			"forget":  s.Forget(bg, state.Ended{Session: "session", Accounts: []string{"money"}, Cells: []string{"cell"}}),
		} {
			if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrInvalid) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
