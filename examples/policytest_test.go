package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cbpolicy/cbpolicy/policytest"
)

// TestPolicyTests runs the tests beside the policies and chains. Together
// they see every rule fire.
func TestPolicyTests(t *testing.T) {
	files, err := filepath.Glob("*/*_test.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no test file", err)
	}
	cover := policytest.NewCoverage()
	for _, file := range files {
		s, err := policytest.Load(file, read(t, file), os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		result, err := s.Run(t.Context(), nil, cover)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range result.Tests {
			for _, f := range test.Failures {
				t.Errorf("%s:%d:%d: %s: %s", file, f.Line, f.Column, test.Name, f.Text())
			}
		}
	}
	if c := cover.Report(); c.Fired() != len(c.Rules) {
		t.Errorf("%d of %d rules fired", c.Fired(), len(c.Rules))
	}
}
