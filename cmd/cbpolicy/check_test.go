package main

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

func TestSummary(t *testing.T) {
	problem, doubt, note := &diag.Finding{}, &diag.Finding{Severity: diag.Warning}, &diag.Finding{Severity: diag.Info}
	tests := []struct {
		report lint.Report
		want   string
	}{
		{lint.Report{Files: 1, Rules: 1}, "1 file, 1 rule: nothing found"},
		{lint.Report{Files: 2, Rules: 0, Findings: diag.List{note}}, "2 files, 0 rules: nothing found"},
		{lint.Report{Files: 2, Rules: 9, Findings: diag.List{problem, doubt, doubt}}, "2 files, 9 rules: 1 error, 2 warnings"},
		{lint.Report{Files: 2, Rules: 9, Findings: diag.List{doubt}}, "2 files, 9 rules: 1 warning"},
	}
	for _, tt := range tests {
		if got := summary(tt.report); got != tt.want {
			t.Errorf("summary = %q, want %q", got, tt.want)
		}
	}
}
