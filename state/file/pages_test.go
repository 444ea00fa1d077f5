package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// deep makes a file whose records fill several levels of pages, and returns its
// branch pages, from the root on, and one of its leaves.
func deep(t testing.TB, path string, records int) (branches []uint64, leaf uint64) {
	t.Helper()
	s, err := Open(path, Options{NoSync: true, Now: func() int64 { return then }})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < records; from += 1000 {
		if err := s.write(bg, func(tx *txn) error {
			for i := from; i < min(from+1000, records); i++ {
				tx.put(key(kindLease, hashOf(fmt.Sprint(i))), make([]byte, 40))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(func(tx *bolt.Tx) error {
		ids := []uint64{uint64(tx.Bucket(stateBucket).Root())}
		for len(ids) > 0 {
			id := ids[0]
			ids = ids[1:]
			b := make([]byte, tx.DB().Info().PageSize)
			readPage(t, path, id, b)
			if binary.NativeEndian.Uint16(b[8:]) == leafPage {
				leaf = id
				continue
			}
			branches = append(branches, id)
			for i := range int(binary.NativeEndian.Uint16(b[10:])) {
				ids = append(ids, binary.NativeEndian.Uint64(b[pageHeader+i*pageElement+8:]))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return branches, leaf
}

func readPage(t testing.TB, path string, id uint64, b []byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.ReadAt(b, int64(id)*int64(len(b))); err != nil {
		t.Fatal(err)
	}
}

// A branch that leads nowhere, in a circle or to what is not there is told as the
// damage that it is, whatever is asked, and nothing is written.
func TestDamagedBranches(t *testing.T) {
	size := os.Getpagesize()
	set64 := binary.NativeEndian.PutUint64
	for _, tt := range []struct {
		name    string
		records int
		damage  func(b []byte, self, top, leaf uint64)
	}{
		{"leads to itself", 5000, func(b []byte, self, _, _ uint64) { set64(b[pageHeader+8:], self) }},
		{"all of it leads to itself", 5000, func(b []byte, self, _, _ uint64) {
			for i := range int(binary.NativeEndian.Uint16(b[10:])) {
				set64(b[pageHeader+i*pageElement+8:], self)
			}
		}},
		{"leads back to the top", 15_000, func(b []byte, _, top, _ uint64) { set64(b[pageHeader+8:], top) }},
		{"leads to one leaf twice", 5000, func(b []byte, _, _, _ uint64) {
			copy(b[pageHeader+8:], b[pageHeader+pageElement+8:pageHeader+pageElement+16])
		}},
		{"leads to nothing", 5000, func(b []byte, _, _, _ uint64) { set64(b[pageHeader+8:], 1<<40) }},
		{"leads to the roots", 5000, func(b []byte, _, _, _ uint64) { set64(b[pageHeader+8:], 0) }},
		{"leads on from its end", 5000, func(b []byte, _, _, _ uint64) {
			n := int(binary.NativeEndian.Uint16(b[10:]))
			set64(b[pageHeader+(n-1)*pageElement+8:], 1<<40)
		}},
		{"has no children", 5000, func(b []byte, _, _, _ uint64) { b[10], b[11] = 0, 0 }},
		{"has too many children", 5000, func(b []byte, _, _, _ uint64) { b[10], b[11] = 0xff, 0xff }},
		{"is another page", 5000, func(b []byte, _, _, leaf uint64) { set64(b, leaf) }},
		{"is of another kind", 5000, func(b []byte, _, _, _ uint64) { b[8] = 0x10 }},
		{"is too long", 5000, func(b []byte, _, _, _ uint64) { b[15] = 0xff }},
		{"has a key outside", 5000, func(b []byte, _, _, _ uint64) { b[pageHeader+3] = 0xff }},
		{"has its keys in no order", 5000, func(b []byte, _, _, _ uint64) {
			at := pageHeader + int(binary.NativeEndian.Uint32(b[pageHeader:]))
			b[at] = 0xff
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			branches, leaf := deep(t, path, tt.records)
			if leaf == 0 || len(branches) == 0 || tt.records > 5000 && len(branches) < 3 {
				t.Fatalf("the file has the branches %v and the leaf %d", branches, leaf)
			}
			last := branches[len(branches)-1]
			b := make([]byte, size)
			readPage(t, path, last, b)
			tt.damage(b, last, branches[0], leaf)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt(b, int64(last)*int64(size)); err != nil {
				t.Fatal(err)
			}
			f.Close()
			before, _ := os.ReadFile(path)
			if _, err := Open(path, Options{}); !errors.Is(err, ErrDamaged) {
				t.Errorf("opened: error %v, want ErrDamaged", err)
			}
			s := &Store{path: path, name: path, clock: func() int64 { return then }, forget: int64(DefaultForget), wait: DefaultWait, maxApprovals: 9, layout: current, queue: newQueue()}
			var g state.Grant
			var v state.View
			for what, err := range map[string]error{
				"claim":  s.Claim(bg, &state.Claim{Leases: []state.Lease{{Key: "0", Holder: "me", TTL: 1}}, Needs: []registry.Need{need("calls", 1)}}, &g),
				"load":   s.Load(bg, state.Query{Cells: []string{"cell"}}, &v),
				"forget": s.Forget(bg, state.Ended{Session: "session"}),
			} {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("%s: error %v, want ErrDamaged", what, err)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("it was changed")
			}
		})
	}
}

// A file that grows and shrinks is never taken for damaged.
func TestSoundBranches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	branches, _ := deep(t, path, 15_000)
	s, err := Open(path, Options{NoSync: true, Now: func() int64 { return then }})
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range []int{7, 100, 10_000, 1 << 30} {
		if err := s.write(bg, func(tx *txn) error {
			for i := range 15_000 {
				if i%keep != 0 {
					tx.delete(key(kindLease, hashOf(fmt.Sprint(i))))
				}
			}
			return nil
		}); err != nil {
			t.Fatalf("%d branches, of whose records one in %d is kept: %v", len(branches), keep, err)
		}
		if err := s.Load(bg, state.Query{Cells: []string{"cell"}}, new(state.View)); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkBranches is what the check costs an operation on a large file.
func BenchmarkBranches(b *testing.B) {
	for _, records := range []int{100, 10_000, 200_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "state.db")
			deep(b, path, records)
			s, err := Open(path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			var v state.View
			for b.Loop() {
				if err := s.Load(bg, state.Query{Cells: []string{"cell"}}, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
