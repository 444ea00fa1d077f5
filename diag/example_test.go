package diag_test

import (
	"os"

	"github.com/cbpolicy/cbpolicy/diag"
)

func ExampleText() {
	err := diag.Text(os.Stdout, diag.List{{
		ID: "syntax", File: "p.cbp", Pos: diag.Position{Line: 1, Column: 10}, End: diag.Position{Line: 1, Column: 15},
		Message: `unknown action "abrot"`, Hint: "did you mean abort?", Text: `B:a>1000|abrot|"r"`,
	}}, diag.TextOptions{})
	if err != nil {
		panic(err)
	}
	// Output:
	// p.cbp:1:10: error: unknown action "abrot" [syntax]
	//   B:a>1000|abrot|"r"
	//            ^^^^^
	//   hint: did you mean abort?
}
