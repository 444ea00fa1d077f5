package policytest

import (
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Report is what came of a run of tests.
type Report struct {
	Files    []FileResult    `json:"files"`
	Coverage *CoverageReport `json:"coverage,omitempty"`
	Summary  Summary         `json:"summary"`
}

// Summary counts the tests that were run.
type Summary struct {
	Tests  int `json:"tests"`
	Failed int `json:"failed"`
}

// FileResult is what came of the tests of one file.
type FileResult struct {
	File  string       `json:"file"`
	Tests []TestResult `json:"tests"`
}

// Failed returns the number of tests that failed.
func (f *FileResult) Failed() int {
	n := 0
	for i := range f.Tests {
		if len(f.Tests[i].Failures) > 0 {
			n++
		}
	}
	return n
}

// TestResult is what came of one test. It passed if it has no failures.
type TestResult struct {
	Name string `json:"name"`
	diag.Position
	Failures []Failure `json:"failures"`
}

// Failure is one expectation that was not met, at the place of the expectation.
type Failure struct {
	diag.Position
	// Where says in words what was decided, such as "step 2, trading.execute at +1m".
	Where    string `json:"where"`
	What     string `json:"what"` // such as "decision", "rules" or "outcome of execute"
	Expected string `json:"expected"`
	Got      string `json:"got"`
	// Verdict is the decision of a step, Run the result of a dry run; the
	// other is nil. Of several failures of one step each has it.
	Verdict *registry.VerdictJSON `json:"verdict,omitempty"`
	Run     *run.Result           `json:"run,omitempty"`
	// Cause is why a dry run ended, in words; "": it did not end by itself.
	Cause string `json:"cause,omitempty"`
}

// Add counts a file's results in.
func (r *Report) Add(f FileResult) {
	r.Files = append(r.Files, f)
	r.Summary.Tests += len(f.Tests)
	r.Summary.Failed += f.Failed()
}
