package dsl_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// patience is how long one input may take, on a busy machine.
const patience = 20 * time.Second

func FuzzParseRule(f *testing.F) {
	slips, err := os.ReadFile("testdata/hints.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(slips)) {
		f.Add(strings.TrimSuffix(line, "\n"))
	}
	for _, text := range []string{`a>1 & ability:x.*|confirm(5m)|"r\u{200b}"|id=x`, "output:x|matches:`a|b`|abort", `when: a || (b|c)|warn`, `frequency:x@all>5/1h|throttle`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		begin := time.Now()
		r, finding := dsl.ParseRule("f", start, text)
		if d := time.Since(begin); d > patience {
			t.Fatalf("took %v", d)
		}
		if finding != nil {
			checkFinding(t, finding)
			return
		}
		printed := r.String()
		if len(printed) > dsl.MaxLine {
			return // escapes may be longer than what they stand for
		}
		back, finding := dsl.ParseRule("f", start, printed)
		if finding != nil || !r.Equal(back) || back.String() != printed {
			t.Fatalf("%q prints %q, which reads as %v, %v", text, printed, back, finding)
		}
		if _, finding := dsl.ParseRule("f", start, "x>1|warn|id="+r.ID()); r.Options.ID == "" && finding != nil {
			t.Fatalf("the derived id %q: %v", r.ID(), finding)
		}
	})
}

// checkFinding holds for every finding of this package.
func checkFinding(t *testing.T, f *diag.Finding) {
	t.Helper()
	if f.ID == "" || f.Message == "" || f.Pos.Line < 1 || f.Pos.Column < 1 || f.End.Before(f.Pos) || len(f.Text) > dsl.MaxLine {
		t.Fatalf("finding %+v", f)
	}
	if err := diag.Text(&bytes.Buffer{}, diag.List{f}, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add([]byte(samplePolicy))
	f.Add([]byte("CHAIN:x\n\n\n#a\nB:a>1|abort\nCHAIN:\"a\"\n# end"))
	f.Add([]byte("B:a>1|abort\rB:b>1|abort\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, findings := dsl.ParsePolicy("f", data)
		for _, finding := range findings {
			checkFinding(t, finding)
		}
		if len(findings) > 0 {
			return
		}
		once, err := dsl.FormatPolicy(p)
		if err != nil {
			if len(data) > dsl.MaxLine/4 {
				return // a line that outgrew the limit
			}
			t.Fatal(err)
		}
		p, _ = dsl.ParsePolicy("f", once)
		if twice, err := dsl.FormatPolicy(p); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v: %q, then %q", err, once, twice)
		}
	})
}

func FuzzParseBlock(f *testing.F) {
	f.Add([]byte("<nyaya>\nD:trading|medium\nG:ability:a,\"b c\"\nB:amount>1000|abort\nS:a:b>c\n</nyaya>"))
	f.Add([]byte("x <nyaya>C:a|b</nyaya>"))
	f.Add([]byte("`<nyaya>` <nyaya><nyaya>\nNOCACHE\n</nyaya></NYAYA>"))
	f.Add([]byte("<nyaya>\nPROPOSE_FUNC:a.b\nD:x|y\nCAT:a\n</nyaya>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		blocks, findings := dsl.ExtractBlocks("f", text)
		for _, finding := range findings {
			checkFinding(t, finding)
		}
		one, finding := dsl.ExtractBlock("f", text)
		if (one == nil) == (finding == nil) {
			t.Fatalf("block %v with finding %v", one, finding)
		}
		if one != nil {
			blocks = append(blocks, one)
		}
		for _, raw := range blocks {
			b, findings := dsl.ParseBlock(raw)
			if (b == nil) != (len(findings) > 0) {
				t.Fatalf("block %v with findings %v", b, findings)
			}
			for _, finding := range findings {
				checkFinding(t, finding)
			}
			if b != nil && (strings.Count(b.ChainID(), "/") > 1 || len(b.Rules) > 0 && !strings.HasPrefix(b.ChainID(), dsl.BlockPrefix)) {
				t.Fatalf("chain %q", b.ChainID())
			}
		}
	})
}
