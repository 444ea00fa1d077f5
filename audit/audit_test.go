package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/session"
)

// TestMain lets the test be a process that writes: see TestManyProcesses.
func TestMain(m *testing.M) {
	if path := os.Getenv("AUDIT_WRITER"); path != "" {
		keep, _ := strconv.Atoi(os.Getenv("AUDIT_KEEP"))
		l, err := audit.Open(path, audit.Options{Rotate: 1_500, Keep: keep})
		for i := 0; i < 50 && err == nil; i++ {
			err = l.Append(record(os.Getenv("AUDIT_NAME"), i))
		}
		if err = errors.Join(err, l.Close()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func record(name string, n int) *session.Record {
	return &session.Record{
		At: time.Unix(int64(n), 0).UTC(), Session: name, Ability: fmt.Sprintf("mail.send<%d>", n),
		Verdict: json.RawMessage(`{"decision":"allow","fired":[{"rule":"r","actual":"secret"}]}`),
	}
}

// write writes n records to a log and returns its path.
func write(t *testing.T, n int, o audit.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		l.Record(record("s", i))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// verify reads a whole log and returns its last line.
func verify(path string) (last audit.Line, lines int, err error) {
	for l, err := range audit.ReadAll(path, 0) {
		if err != nil {
			return last, lines, err
		}
		last = l
		lines++
	}
	return last, lines, nil
}

func TestLog(t *testing.T) {
	path := write(t, 5, audit.Options{})
	last, n, err := verify(path)
	if err != nil || n != 5 || last.Seq != 5 || !bytes.Contains(last.Record, []byte(`"ability":"mail.send<4>"`)) {
		t.Fatalf("%d lines, last %d %s, %v", n, last.Seq, last.Record, err)
	}
	l, err := audit.Open(path, audit.Options{Sync: true}) // another day
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Append(record("s", 5)), l.Close()); err != nil {
		t.Fatal(err)
	}
	if again, n, err := verify(path); err != nil || n != 6 || again.Prev != last.Hash {
		t.Errorf("%d lines, %v", n, err)
	}
}

// A byte that is flipped anywhere, and a line that is dropped, moved, doubled
// or made up, is found.
func TestAnyChangeIsFound(t *testing.T) {
	path := write(t, 4, audit.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, n, err := verify(path); err == nil {
			t.Errorf("%s is not found: %d lines", what, n)
		}
	}
	for i := range good {
		for _, mask := range []byte{1, 0x80, 0x20} {
			bad := bytes.Clone(good)
			bad[i] ^= mask
			check(fmt.Sprintf("byte %d (%q) changed to %q", i, good[i], bad[i]), bad)
		}
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(good), "\n"), "\n")
	check("a line that is dropped", []byte(lines[0]+lines[2]+lines[3]+"\n"))
	check("lines that are moved", []byte(lines[0]+lines[2]+lines[1]+lines[3]+"\n"))
	check("a line that is doubled", []byte(lines[0]+lines[0]+lines[1]+lines[2]+lines[3]+"\n"))
	check("a head that is cut off", []byte(lines[1]+lines[2]+lines[3]+"\n"))
	check("a line that is made up", []byte(string(good)+`{"seq":5,"record":{}}`+"\n"))
	check("half a line", good[:len(good)-3])
}

// Half a line of a process that was killed is cut off by the next that writes.
func TestHalfALineIsCutOff(t *testing.T) {
	path := write(t, 3, audit.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := len(good) - bytes.LastIndexByte(good[:len(good)-1], '\n') - 1 // of the last line
	for cut := 1; cut <= end; cut += 7 {
		if err := os.WriteFile(path, good[:len(good)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := audit.Open(path, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.Append(record("s", 9)), l.Close()); err != nil {
			t.Fatal(err)
		}
		want := 3
		if cut == 1 { // only the end was missing: it may have been acknowledged
			want = 4
		}
		if _, n, err := verify(path); err != nil || n != want {
			t.Fatalf("%d bytes cut off: %d lines, want %d, %v", cut, n, want, err)
		}
	}
	// A last line that is whole and wrong is nobody's to cut off.
	bad := bytes.Replace(good, []byte("mail.send<2>"), []byte("mail.sent<2>"), 1)
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append(record("s", 9)); err == nil || !strings.Contains(err.Error(), "the hash does not fit") {
		t.Errorf("appended behind a changed line: %v", err)
	}
}

// What was acknowledged is never cut off: a line whose end was changed stops the
// log, and one that a disk has left without an end gets it back.
func TestALastLineWithoutItsEnd(t *testing.T) {
	path := write(t, 3, audit.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := good[:len(good)-1]
	for _, tt := range []struct {
		end, wrong string
		lines      int
	}{
		{"\v", "ends with the byte 0x0b instead of a line end", 3},
		{"\x8a", "ends with the byte 0x8a instead of a line end", 3},
		{"", "", 4},
		{"\x00\x00\x00", "", 4},
		{"\n\x00\x00", "", 4},
		{"\n{\"seq\":4,\"pr", "", 4},
	} {
		if err := os.WriteFile(path, append(bytes.Clone(body), tt.end...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := audit.Open(path, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = l.Append(record("s", 9))
		l.Close()
		if tt.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("end %q: %v, want %q", tt.end, err, tt.wrong)
			}
			if data, _ := os.ReadFile(path); !bytes.Equal(data, append(bytes.Clone(body), tt.end...)) {
				t.Errorf("end %q: the file was written to", tt.end)
			}
			continue
		}
		if _, n, verr := verify(path); err != nil || verr != nil || n != tt.lines {
			t.Errorf("end %q: %d lines, want %d, %v, %v", tt.end, n, tt.lines, err, verr)
		}
	}
}

// A log begins with line 1, or as its oldest file is called.
func TestTheHeadIsThere(t *testing.T) {
	path := write(t, 40, audit.Options{Rotate: 2000})
	files, err := audit.Files(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(files[0]), os.WriteFile(files[1], data[bytes.IndexByte(data, '\n')+1:], 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := verify(path); !errors.Is(err, audit.ErrBeginning) {
		t.Errorf("the head of the oldest file: %v", err)
	}
	var first uint64
	for l, err := range audit.ReadFile(path) {
		if err != nil {
			t.Fatal(err)
		}
		first = l.Seq
		break
	}
	alone := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.Rename(path, alone); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[uint64]error{0: audit.ErrBeginning, first: nil, first + 1: audit.ErrBeginning} {
		for _, err := range audit.ReadAll(alone, given) {
			if !errors.Is(err, want) {
				t.Errorf("the file of line %d alone, told %d: %v, want %v", first, given, err, want)
			}
			break
		}
	}
}

// The log of another worker beside this one is neither read, continued nor removed.
func TestTheLogOfAnotherWorker(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "log.2.jsonl")
	imposter := filepath.Join(dir, "log.from-3.jsonl") // begins with line 1
	for _, p := range []string{other, imposter} {
		l, err := audit.Open(p, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.Append(record("other", 0)), l.Close()); err != nil {
			t.Fatal(err)
		}
	}
	l, err := audit.Open(path, audit.Options{Rotate: 1000, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(record("s", 0)); err == nil || !strings.Contains(err.Error(), "log.from-3.jsonl:1: ") {
		t.Errorf("went on behind a file of another log: %v", err)
	}
	l.Close()
	if err := os.Remove(imposter); err != nil {
		t.Fatal(err)
	}
	if l, err = audit.Open(path, audit.Options{Rotate: 1000, Keep: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := l.Append(record("s", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, n, err := verify(other); n != 1 || err != nil {
		t.Errorf("the other log: %d lines, %v", n, err)
	}
	if last, _, err := verify(path); last.Seq != 20 || err != nil {
		t.Errorf("the last line is %d, %v", last.Seq, err)
	}
}

func TestRotation(t *testing.T) {
	path := write(t, 40, audit.Options{Rotate: 2000})
	files, err := audit.Files(path)
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Size() > 2000 {
			t.Errorf("%s: %v, %v", f, info.Size(), err)
		}
	}
	if _, n, err := verify(path); err != nil || n != 40 {
		t.Errorf("%d lines, %v", n, err)
	}
	// Old files may go; one in the middle may not.
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if _, _, err := verify(path); err != nil {
		t.Errorf("without the oldest file: %v", err)
	}
	if err := os.Remove(files[2]); err != nil {
		t.Fatal(err)
	}
	if _, _, err := verify(path); err == nil {
		t.Error("a file that is missing in the middle is not found")
	}
}

// Only the newest of the files that were put aside are kept, and what is left is whole.
func TestRotation_KeepsTheNewest(t *testing.T) {
	path := write(t, 60, audit.Options{Rotate: 2000, Keep: 2})
	files, err := audit.Files(path)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v; want two and the one that is written", files, err)
	}
	last, n, err := verify(path)
	if err != nil || last.Seq != 60 || n < 10 || n >= 60 {
		t.Errorf("%d lines, the last is %d, %v", n, last.Seq, err)
	}
}

// Eight processes write one log, and every line of each is in it, but for what is
// not kept.
func TestManyProcesses(t *testing.T) {
	for keep, want := range []int{400, 0} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		var running []*exec.Cmd
		for p := range 8 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "AUDIT_WRITER="+path, fmt.Sprint("AUDIT_NAME=p", p), fmt.Sprint("AUDIT_KEEP=", keep))
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, cmd)
		}
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		if last, n, err := verify(path); err != nil || last.Seq != 400 || want > 0 && n != want {
			t.Errorf("keep %d: %d lines, the last is %d, %v; want 400", keep, n, last.Seq, err)
		}
	}
}

// What is read while writers begin new files, and remove old ones, is whole.
func TestReadAllWhileWritersRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(path, audit.Options{Rotate: 1500, Keep: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(record("s", 0)); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				stopped <- l.Close()
				return
			default:
				l.Record(record("s", i))
			}
		}
	}()
	var seen uint64
	for range 300 {
		last, _, err := verify(path)
		if err != nil {
			t.Fatal(err)
		}
		if last.Seq < seen {
			t.Fatalf("the last line is %d, and was %d before", last.Seq, seen)
		}
		seen = last.Seq
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if seen < 100 {
		t.Errorf("%d lines were written meanwhile: nothing was tried", seen)
	}
}

// A line that cannot be read is not written, and nothing is lost behind it.
func TestALineThatIsTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(record(strings.Repeat("a", audit.MaxLine), 0)); err == nil || !strings.Contains(err.Error(), "and one has at most 67108864") {
		t.Errorf("%v", err)
	}
	if err := errors.Join(l.Append(record("s", 1)), l.Close()); err != nil {
		t.Fatal(err)
	}
	if _, n, err := verify(path); n != 1 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
}

func TestParseHash(t *testing.T) {
	h, err := audit.ParseHash(strings.Repeat("0a", 32))
	if err != nil || h.String() != strings.Repeat("0a", 32) {
		t.Errorf("%s, %v", h, err)
	}
	for _, bad := range []string{"", "0a", strings.Repeat("0A", 32), strings.Repeat("0g", 32)} {
		if _, err := audit.ParseHash(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"seq\":1,\"prev\":\"" + strings.Repeat("0", 64) + "\",\"hash\":\"" + strings.Repeat("0", 64) + "\",\"record\":{}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for l, err := range audit.Read("f", bytes.NewReader(data)) {
			if err == nil && l.Seq == 0 {
				t.Error("a line without a number")
			}
		}
	})
}
