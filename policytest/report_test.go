package policytest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/policytest"
)

const failing = head + "  - {name: \"good & <sound>\", steps: [{expect: allow}]}\n  - name: \"bad ]]>\"\n    steps:\n      - {ability: pay.a, args: {amount: 2000}, expect: allow, rules: []}\n"

// TestJUnit: the XML reads back as what was reported, and is the same twice.
func TestJUnit(t *testing.T) {
	write := func() string {
		var r policytest.Report
		r.Add(run(t, failing, nil))
		var b bytes.Buffer
		if err := r.JUnit(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := write()
	if text != write() {
		t.Error("two runs give two files")
	}
	var got struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Line    int    `xml:"line,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 2 || got.Failures != 1 || len(got.Suites) != 1 || got.Suites[0].Name != "d/x_test.yaml" || len(got.Suites[0].Cases) != 2 {
		t.Fatalf("got %+v", got)
	}
	good, bad := got.Suites[0].Cases[0], got.Suites[0].Cases[1]
	if good.Name != "good & <sound>" || good.Failure != nil || bad.Name != "bad ]]>" || bad.Line != 6 || bad.Failure == nil {
		t.Fatalf("got %+v", got.Suites[0].Cases)
	}
	for _, want := range []string{"d/x_test.yaml:8:", "decision: expected allow, got abort", "rules: expected []", "amount-gt-1000 (abort): amount 2000 exceeds 1000 [operator rule at d/p.cbp:1:3]"} {
		if !strings.Contains(bad.Failure.Text, want) {
			t.Errorf("%q is not in %s", want, bad.Failure.Text)
		}
	}
}

func TestReport_JSON(t *testing.T) {
	var r policytest.Report
	r.Add(run(t, failing, nil))
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Files []struct {
			File  string
			Tests []struct {
				Name         string
				Line, Column int
				Failures     []struct {
					Line, Column               int
					Where, What, Expected, Got string
					Verdict                    struct{ Decision string }
				}
			}
		}
		Summary struct{ Tests, Failed int }
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	f := got.Files[0].Tests[1].Failures
	if got.Summary.Tests != 2 || got.Summary.Failed != 1 || len(f) != 2 || f[0].Line != 8 || f[0].Verdict.Decision != "abort" || f[0].What != "decision" {
		t.Errorf("got %s", data)
	}
	if !strings.Contains(string(data), `"failures":[]`) {
		t.Error("a test that passed has no list of failures: " + string(data))
	}
}

func TestWhy(t *testing.T) {
	text := "policies: [p.cbp]\ntests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: {steps: [{step: fetch, error: {class: NetworkError, message: \"502\"}}]}, expect: {status: completed}}}\n" +
		"  - {name: b, dryrun: {chain: chain.yaml, recording: {steps: [{step: fetch, output: 1}]}, expect: {status: completed}}}\n"
	r := run(t, text, nil)
	var got []string
	for _, test := range r.Tests {
		got = append(got, test.Failures[0].Why()...)
	}
	want := []string{
		"fetch (price.get) failed: NetworkError: 502",
		"chain trade: step fetch (price.get) failed: NetworkError: 502",
		"fetch (price.get) ran",
		"pay (pay.send) refused",
		"  ask (confirm): ability pay.send is covered by pay.* [operator rule at d/p.cbp:3:3]",
		"  sure (confirm): ability pay.send is covered by pay.send [chain rule at d/chain.yaml:5:18]",
	}
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
}
