package audit_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/audit"
)

// appendTo opens a log and appends one record.
func appendTo(path string, o audit.Options) error {
	l, err := audit.Open(path, o)
	if err != nil {
		return err
	}
	return errors.Join(l.Append(record("s", 9)), l.Close())
}

// A file that is no log is refused, and left as it is, to the byte.
func TestAFileThatIsNoLog(t *testing.T) {
	state := append([]byte("\x00\x00\x00\x00\xed\xda\x0c\xed\x02\x00\x00\x00"), make([]byte, 32<<10)...)
	for name, content := range map[string]string{
		"text without an end":        "text without newline",
		"text":                       "text\n",
		"text, the last line short":  "first\nsecond",
		"a policy":                   "B:amount>1|abort|\"no\"\nB:amount>2|abort|\"no\"\n",
		"a policy without an end":    "B:amount>1|abort|\"no\"\nB:amount>2|abort|\"no\"",
		"an empty line":              "\n",
		"empty lines":                "\n\n",
		"zeros":                      "\x00\x00\x00\x00",
		"a state file":               string(state),
		"an open bracket":            "{",
		"a JSON object":              `{"seq":1}`,
		"JSON of another form":       `{"seq":1,"prev":"yesterday","next":"tomorrow"}`,
		"JSON lines of another form": "{\"seq\":1,\"prev\":\"a\"}\n{\"seq\":2,\"prev\":\"b\"}",
		"JSON lines":                 "{\"type\":\"user\"}\n{\"type\":\"user\"",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "notes")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := appendTo(path, audit.Options{}); !errors.Is(err, audit.ErrNoLog) {
				t.Errorf("%v, want %v", err, audit.ErrNoLog)
			}
			if got, _ := os.ReadFile(path); string(got) != content {
				t.Errorf("the file is now %q", got)
			}
		})
	}
}

// What stands behind the lines of a log and is no part of the next one stays,
// and so does what was changed.
func TestWhatIsNoPartOfALineStays(t *testing.T) {
	path := write(t, 3, audit.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(good, []byte("mail.send<2>"), []byte("mail.sent<2>"), 1)
	for want, content := range map[string]string{
		"what stands behind line 3 of": string(good) + "a note",
		"was changed, and has no end":  strings.TrimSuffix(string(changed), "\n"),
		"the last line of ":            string(good) + "a note\n{\"seq\":4,",
		"no part of a line":            string(good) + `{"seq":5,"prev":"`,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := appendTo(path, audit.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("%s: the file was written to", want)
		}
	}
}

// The first line of a log is mended as any other.
func TestATornFirstLine(t *testing.T) {
	path := write(t, 1, audit.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{20, 80, 100, 170, len(good) - 2, len(good) - 1} {
		if err := os.WriteFile(path, good[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := appendTo(path, audit.Options{}); err != nil {
			t.Errorf("%d bytes: %v", length, err)
		}
		want := 1
		if length == len(good)-1 {
			want = 2
		}
		if _, n, err := verify(path); n != want || err != nil {
			t.Errorf("%d bytes: %d lines, %v; want %d", length, n, err, want)
		}
	}
}

// Whatever a file holds: it is refused and left as it is, or all its whole lines
// stay, and a line follows them.
func FuzzAppend(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "log")
	l, err := audit.Open(path, audit.Options{})
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(l.Append(record("s", 1)), l.Append(record("s", 2)), l.Close()); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "\n", "text", string(good), string(good[:len(good)-1]), string(good[:len(good)-40]), string(good) + "\x00\x00", string(good) + "x", string(good[:30])} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		err := appendTo(path, audit.Options{})
		got, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if !bytes.Equal(got, content) {
				t.Errorf("%q was changed to %q: %v", content, got, err)
			}
			return
		}
		lines := content[:bytes.LastIndexByte(content, '\n')+1]
		if !bytes.HasPrefix(got, lines) || len(got) == len(lines) {
			t.Errorf("of %q is left %q", lines, got)
		}
	})
}
