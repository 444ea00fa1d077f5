package policies_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/registry"
)

// Whatever is published, either it is in force, or what was before is, and the
// verdicts say so in one line that is not too long.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte(rule("b")), false)
	f.Add([]byte("B:amount>\nB:\xff\n"), false)
	f.Add([]byte(bundled(f, 8, "b", 1)), true)
	f.Add([]byte(bundled(f, 6, "b", 1)), true)
	f.Add([]byte(bundled(f, 8, "b", 2)), true)
	f.Fuzz(func(t *testing.T, data []byte, asBundle bool) {
		in := newFleet(t, map[string]string{"a.cbp": rule("a"), "b.cbb": bundled(t, 7, "seven", 1)}).open([]string{"a.cbp", "b.cbb"}, public(1))
		name := "a.cbp"
		if asBundle {
			name = "b.cbb"
		}
		before := in.loader.Status()
		in.write(name, string(data))
		in.later()
		s := in.loader.Status()
		if s.Refused == nil {
			if !asBundle && s.Sources[0].Digest != registry.Digest(sha256.Sum256(data)) {
				t.Errorf("in force is something else: %+v", s)
			}
			return
		}
		note := s.Note()
		if in.inForce() != "a seven" || s.Digest() != before.Digest() || len(note) > 1000 || !utf8.ValidString(note) || strings.Contains(note, "\n") {
			t.Errorf("in force is %q, refused is %q", in.inForce(), note)
		}
	})
}
