package file

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

var bg = context.Background()

// then is the time of what the files in testdata hold.
var then = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).UnixNano()

func need(spec string, limit int64) registry.Need {
	return registry.Need{
		Counter: registry.CounterID{Spec: spec, Subject: "chain"},
		Windows: []registry.Window{{Span: time.Hour, Limit: limit, Refuses: true}},
		Front:   []int{0},
	}
}

// everything is a claim that leaves a record of every kind.
func everything() state.Claim {
	runs := need("runs", 5)
	runs.Run = true
	return state.Claim{
		Now: then, Session: "session", Call: state.CallID{1}, Run: "run",
		Needs:    []registry.Need{need("calls", 5), runs},
		Guards:   []registry.Guard{{Approval: registry.Digest{1}}},
		Leases:   []state.Lease{{Key: "probe", Holder: "me", TTL: time.Hour}},
		Reserves: []state.Reservation{{Account: "money", ID: "reserved", Amount: 7, Cap: 100}},
		Cells:    []state.Write{{Key: "cell", Value: []byte("value")}},
	}
}

// fill writes what the file of a format is tested with.
func fill(t *testing.T, s *Store) {
	t.Helper()
	for _, d := range []byte{1, 2} {
		if err := s.Approve(bg, state.Approval{Digest: registry.Digest{d}, Session: "session"}); err != nil {
			t.Fatal(err)
		}
	}
	c, g := everything(), state.Grant{}
	if err := s.Claim(bg, &c, &g); err != nil || !g.Admitted {
		t.Fatalf("%+v, %v; want admitted", g, err)
	}
	many := state.Claim{Now: then, Needs: []registry.Need{need("many", 1000)}}
	for range 2*chunkSize + 3 {
		if err := s.Claim(bg, &many, &g); err != nil || !g.Admitted {
			t.Fatalf("%+v, %v; want admitted", g, err)
		}
	}
	last := state.Settlement{
		Now: then, Spent: []state.Spent{{Account: "money", ID: "spent", Amount: 3}},
		Cells: []state.Write{{Key: "mortal", Value: []byte("for an hour"), TTL: time.Hour}},
	}
	if err := s.Settle(bg, &last); err != nil {
		t.Fatal(err)
	}
}

// filled checks that all of it is there.
func filled(t *testing.T, s *Store) {
	t.Helper()
	var v state.View
	if err := s.Load(bg, state.Query{Cells: []string{"cell"}, Accounts: []string{"money"}}, &v); err != nil {
		t.Fatal(err)
	}
	if c := v.Cells[0]; c.Version != 1 || string(c.Value) != "value" {
		t.Errorf("cell %+v", c)
	}
	if a := v.Accounts[0]; a != (state.Account{Settled: 3, Reserved: 7}) {
		t.Errorf("account %+v", a)
	}
	claim := func(c state.Claim) state.Grant {
		t.Helper()
		var g state.Grant
		if err := s.Claim(bg, &c, &g); err != nil {
			t.Fatal(err)
		}
		return g
	}
	if g := claim(everything()); !g.Admitted || !g.Repeated || !g.Approved[0] {
		t.Errorf("the call: %+v, want admitted and repeated, its approval consumed", g)
	}
	other := everything()
	other.Call, other.Cells, other.Guards[0].Approval, other.Leases[0].Holder = state.CallID{2}, nil, registry.Digest{2}, "you"
	if g := claim(other); g.Lease != 0 || g.LeaseUntil != then+int64(time.Hour) || !g.Approved[0] {
		t.Errorf("another: %+v, want the lease held and the other approval there", g)
	}
	full := need("many", 10)
	if g := claim(state.Claim{Now: then, Needs: []registry.Need{full, need("calls", 0)}, Refused: true}); g.Counts[0].N != 2*chunkSize+4 || g.Counts[1].N != 2 {
		t.Errorf("counts %+v, want %d and 2", g.Counts, 2*chunkSize+4)
	}
	runs := need("runs", 0)
	runs.Run = true
	if g := claim(state.Claim{Now: then, Run: "run", Needs: []registry.Need{runs}, Refused: true}); g.Counts[0].N != 1 {
		t.Errorf("counts %+v, want the run counted already", g.Counts)
	}
	spent := []state.Spent{{Account: "money", ID: "spent", Amount: 3}} // told again
	if err := s.Settle(bg, &state.Settlement{Now: then, Spent: spent}); err != nil {
		t.Fatal(err)
	}
	if err := s.Load(bg, state.Query{Accounts: []string{"money"}}, &v); err != nil || v.Accounts[0].Settled != 3 {
		t.Errorf("account %+v, %v; want 3 settled still", v.Accounts, err)
	}
}

// golden unpacks a file of a format that some program has written.
func golden(t *testing.T, name string) string {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a program of today has written, every later one must read. The files are
// made once, when a format is new: UPDATE_GOLDEN=1 writes one that is not there.
func TestFormats(t *testing.T) {
	for format := 1; format <= version; format++ {
		name := fmt.Sprintf("format-%d.db", format)
		if _, err := os.Stat(filepath.Join("testdata", name+".gz")); err != nil && os.Getenv("UPDATE_GOLDEN") != "" {
			if version != format {
				t.Fatal("this program writes another format")
			}
			pack(t, name)
		}
		now := then
		s, err := Open(golden(t, name), Options{Now: func() int64 { return now }})
		if err != nil {
			t.Fatal(err)
		}
		filled(t, s)
		if format == 1 { // its cells never expire
			now += int64(time.Hour)
			filled(t, s)
			continue
		}
		for _, want := range []int64{1, 0} {
			var v state.View
			if err := s.Load(bg, state.Query{Cells: []string{"mortal"}}, &v); err != nil || v.Cells[0].Version != want {
				t.Errorf("the cell that expires: %+v, %v; want version %d", v.Cells, err, want)
			}
			now += int64(time.Hour)
		}
	}
}

func pack(t *testing.T, name string) {
	path := filepath.Join(t.TempDir(), name)
	s, err := Open(path, Options{Now: func() int64 { return then }})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(b)
	w.Close()
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", name+".gz"), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The next format, whichever it will be: a step that moves every lease.
func nextLayout(step func(*bolt.Tx) error) layout {
	l := current
	l.version++
	l.migrations = append(l.migrations, step)
	return l
}

func TestMigration(t *testing.T) {
	now := func() int64 { return then }
	path := golden(t, "format-1.db")
	before, err := open(path, Options{Now: now}, current)
	if err != nil {
		t.Fatal(err)
	}

	broken := errors.New("half way")
	_, err = open(path, Options{Now: now}, nextLayout(func(tx *bolt.Tx) error {
		if err := tx.DeleteBucket(stateBucket); err != nil {
			t.Error(err)
		}
		return broken
	}))
	if !errors.Is(err, broken) || !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("error %v, want the step's", err)
	}
	filled(t, before) // it is as it was

	steps := 0
	next := nextLayout(func(tx *bolt.Tx) error {
		steps++
		return tx.Bucket(stateBucket).Put([]byte("new"), []byte("in this format"))
	})
	for range 2 {
		after, err := open(path, Options{Now: now}, next)
		if err != nil {
			t.Fatal(err)
		}
		filled(t, after)
	}
	if steps != 1 {
		t.Errorf("it was migrated %d times, want once", steps)
	}

	// Programs that know the earlier format only leave it alone, those that run
	// and those that begin.
	var v state.View
	if err := before.Load(bg, state.Query{}, &v); !errors.Is(err, ErrFormat) || !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("error %v, want ErrFormat", err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
}

// A file that was put in the place of another, and is older, is migrated by the
// first write, and not read before.
func TestOlderInPlace(t *testing.T) {
	next := nextLayout(func(*bolt.Tx) error { return nil })
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := open(path, Options{Now: func() int64 { return then }}, next)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(golden(t, "format-1.db"), path); err != nil {
		t.Fatal(err)
	}
	var v state.View
	if err := s.Load(bg, state.Query{}, &v); !errors.Is(err, errOlder) {
		t.Fatalf("error %v, want that it is older", err)
	}
	if err := s.Forget(bg, state.Ended{}); err != nil {
		t.Fatal(err)
	}
	filled(t, s)
}
