package policytest_test

import (
	"io/fs"
	"os"
	"regexp"
	"testing"

	"github.com/cbpolicy/cbpolicy/policytest"
)

// TestDocs: the files shown in docs/testing.md are read and pass.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]byte{}
	for _, m := range regexp.MustCompile("(?ms)^```[a-z]+ (\\S+)\n(.*?)^```$").FindAllSubmatch(page, -1) {
		shown[string(m[1])] = m[2]
	}
	s, err := policytest.Load("trading_test.yaml", shown["trading_test.yaml"], func(path string) ([]byte, error) {
		if data, ok := shown[path]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), nil, nil)
	if err != nil || len(r.Tests) != 8 {
		t.Fatalf("%d tests, %v", len(r.Tests), err)
	}
	if got := failures(string(shown["trading_test.yaml"]), r); got != "" {
		t.Error(got)
	}
}
