package policytest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/policytest"
)

// files stands for the directory of a test file.
type files map[string]string

func (f files) read(path string) ([]byte, error) {
	text, ok := f[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if text == unreadable {
		return nil, errors.New("the disk is on fire")
	}
	return []byte(text), nil
}

const unreadable = "unreadable"

// policy is what most tests are held against.
const policy = `B:amount>1000|abort|"Too much"|missing=skip
B:frequency>5/1h|throttle|"Max 5 an hour"
B:ability:pay.*|confirm|"Really?"|id=ask
B:ability:pay.* & amount>100|confirm|"Really so much?"|id=ask-big,missing=skip
B:ability:look.*|warn|"Looked"|id=seen,mode=observe
CHAIN:other
B:ability:gone|throttle|"Never"|id=never
`

const chainText = `id: trade
params: [{name: max, param_type: number, default: 10}]
circuit_breakers:
  - {condition: "price>{{max}}", action: abort, reason: too dear, id: dear}
  - {condition: "ability:pay.send", action: confirm, id: sure}
steps:
  - {id: fetch, ability: price.get, args: {symbol: X}, output_key: price}
  - {id: pay, ability: pay.send, args: {amount: "{{price}}"}, output_key: paid}
`

const head = `policies: [p.cbp]
start: 2026-01-05T09:00:00Z
defaults: {chain: trade, ability: x}
tests:
`

func directory() files {
	return files{"d/p.cbp": policy, "d/chain.yaml": chainText, "d/rec.yaml": "params: {max: 200}\nsteps:\n  - {step: fetch, output: 150}\n  - {step: pay, output: ok}\nconfirm: {pay: approve}\n",
		"d/empty.cbp": "# nothing\n", "d/bad.cbp": "B:amount>1|abrot\n", "d/bad.yaml": "id: x\n", "d/burning.cbp": unreadable}
}

func load(t *testing.T, text string) (*policytest.Suite, error) {
	t.Helper()
	return policytest.Load("d/x_test.yaml", []byte(text), directory().read)
}

// run loads and runs a test file that is right.
func run(t *testing.T, text string, cover *policytest.Coverage) policytest.FileResult {
	t.Helper()
	s, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), nil, cover)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// failures prints what failed, a line each: the line and the text at the
// place of the expectation, and what was expected.
func failures(source string, r policytest.FileResult) string {
	var lines []string
	for _, test := range r.Tests {
		for _, f := range test.Failures {
			lines = append(lines, fmt.Sprintf("%d `%s` %s", f.Line, textAt(source, f.Position), f.Text()))
		}
	}
	return strings.Join(lines, "\n")
}

// textAt is what stands at a place, up to the next delimiter.
func textAt(source string, at diag.Position) string {
	lines := strings.Split(source, "\n")
	if at.Line < 1 || at.Line > len(lines) || at.Column > len(lines[at.Line-1]) {
		return "nowhere"
	}
	text := lines[at.Line-1][at.Column-1:]
	if i := strings.IndexAny(text[1:], ",}]: "); i >= 0 {
		text = text[:i+1]
	}
	return text
}

func names(r policytest.FileResult) []string {
	var out []string
	for _, test := range r.Tests {
		out = append(out, test.Name)
	}
	slices.Sort(out)
	return out
}
