package lint_test

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/lint"
)

func ExampleRun() {
	report := lint.Run([]lint.File{{Name: "p.cbp", Kind: lint.KindOf("p.cbp"), Data: []byte(
		"B:frequency>5/1h|throttel|\"Max 5\"\nB:frequency>20000/1d|abort|\"Max\"\n")}})
	for _, f := range report.Findings {
		fmt.Println(f.ID, f)
	}
	// Output:
	// syntax p.cbp:1:18: unknown action "throttel" (did you mean throttle?)
	// unobservable-frequency p.cbp:2:13: a count of 20000 can never be observed: a counter keeps 10000 entries (write at most 9999, or a shorter window)
}
