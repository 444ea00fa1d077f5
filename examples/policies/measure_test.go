// Package policies_test measures the policies on recorded runs, and holds the
// tables in their comments against what comes out. UPDATE_GOLDEN=1 writes the
// tables anew.
package policies_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// judged is a run, and what became of it under a policy.
type judged struct {
	*run
	replay.Result
}

// row counts, among the runs that it is about, those that it has. A row without
// runs is an error: it would say nothing.
type row struct {
	says  string
	about func(*run) bool
	has   func(*judged) bool
	holds func(has, of int) bool // what must be true of all runs together
}

// none and all are what most rows promise.
func none(has, _ int) bool { return has == 0 }
func all(has, of int) bool { return has == of }

// share promises at least, or at most, so many of a hundred.
func atLeast(percent int) func(has, of int) bool {
	return func(has, of int) bool { return has*100 >= of*percent }
}
func atMost(percent int) func(has, of int) bool {
	return func(has, of int) bool { return has*100 <= of*percent }
}

// policy puts a file's rules in force, alone.
func policy(t *testing.T, files ...string) *registry.Registry {
	t.Helper()
	reg := &registry.Registry{}
	var all []*dsl.Policy
	for _, file := range files {
		p, faults := dsl.ParsePolicy(file, []byte(text(t, file)))
		if err := faults.Err(); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := reg.Load(all...); err != nil {
		t.Fatal(err)
	}
	return reg
}

func text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// judge replays all runs.
func judge(t *testing.T, runs []*run, o replay.Options) []judged {
	t.Helper()
	var out []judged
	for _, r := range runs {
		result, err := replay.Run(t.Context(), r.Run, o)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, judged{r, result})
	}
	return out
}

// measure holds the table in a policy's comment against the runs, and the rows
// against what they promise.
func measure(t *testing.T, file string, runs []judged, rows []row) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "#   %-62s %9s %9s %9s\n", "", "tuned on", "held out", "all")
	for _, row := range rows {
		var has, of [2]int
		for i := range runs {
			if !row.about(runs[i].run) {
				continue
			}
			half := 0
			if runs[i].held() {
				half = 1
			}
			of[half]++
			if row.has(&runs[i]) {
				has[half]++
			}
		}
		sum, total := has[0]+has[1], of[0]+of[1]
		switch {
		case total == 0:
			t.Errorf("%s: no run is of this kind", row.says)
		case row.holds != nil && !row.holds(sum, total):
			t.Errorf("%s: %d of %d", row.says, sum, total)
		}
		fmt.Fprintf(&b, "#   %-62s %9s %9s %9s\n", row.says, ratio(has[0], of[0]), ratio(has[1], of[1]), ratio(sum, total))
	}
	compare(t, file, b.String())
}

func ratio(has, of int) string { return fmt.Sprintf("%d/%d", has, of) }

// compare holds a table against the one in a file: the lines that begin with
// the heading of its columns, up to an empty comment.
func compare(t *testing.T, file, table string) {
	t.Helper()
	got := text(t, file)
	heading, _, _ := strings.Cut(table, "\n")
	start := strings.Index(got, heading)
	length := strings.Index(got[max(start, 0):], "\n#\n") + 1
	if start < 0 || length == 0 {
		t.Fatalf("%s: no table between %q and an empty comment", file, heading)
	}
	if got[start:start+length] == table {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Errorf("%s: the table is not what is measured:\n%s", file, table)
		return
	}
	if err := os.WriteFile(file, []byte(got[:start]+table+got[start+length:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
