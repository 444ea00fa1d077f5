package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestRecordingOfChain(t *testing.T) {
	c := trade("amount>1", "")
	tests := []struct{ name, recording, want string }{
		{"fits", "chain: trade\nsteps:\n  - {step: fetch_price, output: 1}\nconfirm: {execute_trade: approve}\n", ""},
		{"of a chain that is not there", "chain: sell\nsteps:\n  - {step: x, output: 1}\n", ""},
		{"with an unknown step", "chain: trade\nsteps:\n  - {step: fetch_prise, output: 1}\n", "r.yaml:3:5 error dangling-reference"},
		{"with a fault of its own", "chain: trade\nsteps:\n  - {step: fetch_price, took: soon}\n", "r.yaml:3:31 error wrong-type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("r.yaml", tt.recording), c}).Findings
			if tt.want == "" {
				expect(t, found)
			} else {
				expect(t, found, tt.want)
			}
		})
	}
}
