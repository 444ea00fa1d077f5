package trace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// There is a sample of every format, which is found from what it holds.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runs, errs := readAll("x", string(text), trace.Options{})
		want := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if len(errs) > 0 || len(runs) == 0 || runs[0].Format != want {
			t.Errorf("%s: %d runs, errors %v", file, len(runs), errs)
			continue
		}
		found = append(found, want)
	}
	for _, format := range trace.Formats() {
		if !slices.Contains(found, format) {
			t.Errorf("%s: there is no sample in testdata", format)
		}
	}
}

// Of many runs in one line it is said which is wrong.
func TestErrorsNameTheRun(t *testing.T) {
	good := strings.TrimSuffix(strings.TrimPrefix(strings.Join(strings.Fields(`[{"task_id":0,"reward":1.0,"info":{},"traj":[{"role":"user","content":"hi"}]}]`), ""), "["), "]")
	_, errs := readAll("t.json", "["+good+","+good+","+strings.Replace(good, "1.0", `"x"`, 1)+"]", trace.Options{})
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "t.json:1: run #2: reward: ") {
		t.Errorf("%v", errs)
	}
}
