package main

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// apply puts a unified diff into a text, as patch does, and fails where the
// diff does not fit.
func apply(from, diff string) (string, error) {
	if diff == "" {
		return from, nil
	}
	lines := splitLines([]byte(from))
	var out []string
	at := 0 // lines of from that are done
	rest := strings.SplitAfter(diff, "\n")[2:]
	for len(rest) > 0 && rest[0] != "" {
		var start, count, newStart, newCount int
		if _, err := fmt.Sscanf(rest[0], "@@ -%d,%d +%d,%d @@\n", &start, &count, &newStart, &newCount); err != nil {
			return "", fmt.Errorf("%q: %w", rest[0], err)
		}
		if count > 0 {
			start--
		}
		out = append(out, lines[at:start]...)
		if newCount > 0 {
			newStart--
		}
		if newStart != len(out) {
			return "", fmt.Errorf("hunk begins at line %d of the new text, not %d", len(out), newStart)
		}
		at = start
		for rest = rest[1:]; count > 0 || newCount > 0; rest = rest[1:] {
			mark, line := rest[0][:1], rest[0][1:]
			if len(rest) > 1 && strings.HasPrefix(rest[1], `\`) {
				line += rest[1]
				rest = rest[1:]
			}
			if mark != "+" {
				if at >= len(lines) || lines[at] != line {
					return "", fmt.Errorf("line %d is not %q", at, line)
				}
				at++
				count--
			}
			if mark != "-" {
				out = append(out, line)
				newCount--
			}
		}
		if count != 0 || newCount != 0 {
			return "", fmt.Errorf("the hunk has other numbers of lines than it says")
		}
	}
	text := strings.Join(append(out, lines[at:]...), "")
	return strings.ReplaceAll(text, "\n\\ No newline at end of file\n", ""), nil
}

func TestUnifiedDiff_Applies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n", "\n", "B:x>1|abort\n", "e\n", "f\n", "g\n", "h\n"})
		text := rapid.Custom(func(t *rapid.T) string {
			s := strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, "lines"), "")
			if rapid.Bool().Draw(t, "open end") {
				s = strings.TrimSuffix(s, "\n")
			}
			return s
		})
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		diff := string(unifiedDiff("x", []byte(from), []byte(to)))
		got, err := apply(from, diff)
		if err != nil || got != to {
			t.Fatalf("applied to %q the diff gives %q, want %q: %v\n%s", from, got, to, err, diff)
		}
	})
}

func TestUnifiedDiff(t *testing.T) {
	var from, to []string
	for i := range 30 {
		from = append(from, fmt.Sprintf("line %d\n", i))
	}
	to = append(to, from...)
	to[9] = "new\n"
	to = append(to[:20], to[21:]...)
	const want = `--- p.cbp.orig
+++ p.cbp
@@ -7,7 +7,7 @@
 line 6
 line 7
 line 8
-line 9
+new
 line 10
 line 11
 line 12
@@ -18,7 +18,6 @@
 line 17
 line 18
 line 19
-line 20
 line 21
 line 22
 line 23
`
	if got := string(unifiedDiff("p.cbp", []byte(strings.Join(from, "")), []byte(strings.Join(to, "")))); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := unifiedDiff("p.cbp", []byte("a\n"), []byte("a\n")); got != nil {
		t.Errorf("equal texts differ: %s", got)
	}
}
