package process_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/internal/process"
)

func TestTail(t *testing.T) {
	for _, c := range []struct {
		writes []string
		want   string
	}{
		{nil, ""},
		{[]string{" \n"}, ""},
		{[]string{"one", " two\n"}, "one two"},
		{[]string{"red \x1b[31m\nnext \xff"}, `red \u{1b}[31m\nnext \xff`},
		{[]string{strings.Repeat("a", 3000), "end"}, "…" + strings.Repeat("a", 2045) + "end"},
		{[]string{"x" + strings.Repeat("ü", 1024)}, "…" + strings.Repeat("ü", 1024)},
		{[]string{strings.Repeat("ü", 1024) + "x"}, "…" + strings.Repeat("ü", 1023) + "x"},
	} {
		var tail process.Tail
		for _, w := range c.writes {
			if n, err := tail.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
		}
		if got := tail.String(); got != c.want {
			t.Errorf("%.40q: got %.60q, want %.60q", c.writes, got, c.want)
		}
	}
}
