package dsl_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/dsl/dslgen"
)

const samplePolicy = "\ufeff# Global rules\r\n" +
	"\r\n" +
	"B:task.tool_calls > 40|warn\r\n" +
	"\n\n\n" +
	"# Trading\n" +
	"CHAIN: trade.*  \n" +
	"  B: amount>1000 | abort | \"Too much\"   \n" +
	"\t# indented comment  \n" +
	"B:frequency>5/1h|throttle\n" +
	"\n" +
	"CHAIN:\"odd name\"\n" +
	"\n" +
	"# the end\n"

func TestParsePolicy(t *testing.T) {
	p, findings := dsl.ParsePolicy("p.cbp", []byte(samplePolicy))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	got := ""
	for _, s := range p.Sections {
		got += fmt.Sprintf("%s at %d:%d\n", s.Pattern, s.Pos.Line, s.Pos.Column)
		for _, r := range s.Rules {
			got += fmt.Sprintf("  %d:%d %s\n", r.Pos.Start.Line, r.Pos.Start.Column, r)
		}
	}
	want := `* at 0:0
  3:3 task.tool_calls>40|warn
trade.* at 8:1
  9:6 amount>1000|abort|"Too much"
  11:3 frequency>5/1h|throttle
odd name at 13:1
`
	if got != want || p.Rules() != 3 {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestParsePolicyReportsEveryLine(t *testing.T) {
	text := "B:amount>>5|abort\nb:amount>5|abort\nCHIAN:x\nB:ok>1|warn\nCHAIN:\nCHAIN:a b\namount>5|abort\nability:x|abort\nG:ability:x\nwhat\n  B:a>1\x00\nB:\xff\nCHAIN\nB:frequency>10000/1s|warn\nB:a>1|warn|\"" + strings.Repeat("x", 5000) + "\"\n"
	want := `p.cbp:1:9: unknown comparison ">>" (write >) [syntax]
p.cbp:2:1: unknown tag "b:" (did you mean B:?) [unknown-tag]
p.cbp:3:1: unknown tag "CHIAN:" (did you mean CHAIN:?) [unknown-tag]
p.cbp:5:7: a name is missing (write a pattern over chain ids, such as CHAIN:trade or CHAIN:nyaya/*) [syntax]
p.cbp:6:7: "a b" is not a name (a name with other characters than letters, digits, _ - / : and . stands in double quotes) [syntax]
p.cbp:7:1: the line begins with no known tag (write B: before a rule) [unknown-tag]
p.cbp:8:1: the line begins with no known tag (write B: before a rule) [unknown-tag]
p.cbp:9:1: unknown tag "G:" (G: belongs into a <nyaya> block; a policy file has CHAIN: and B:) [unknown-tag]
p.cbp:10:1: the line begins with no known tag (a line begins with one of B:, CHAIN:) [unknown-tag]
p.cbp:11:8: control character U+0000 (remove it; a quoted string may hold it as \n, \t or \u{…}) [syntax]
p.cbp:12:3: the text is not valid UTF-8 (save it as UTF-8) [syntax]
p.cbp:13:1: the line begins with no known tag (a line begins with one of B:, CHAIN:) [unknown-tag]
p.cbp:14:13: a count of 10000 can never be observed: a counter keeps 10000 entries (write at most 9999, or a shorter window) [unobservable-frequency]
p.cbp:15:1: the line is 5013 bytes long; at most 4096 are allowed (split the rule, or shorten its pattern or reason) [limit-exceeded]
`
	_, findings := dsl.ParsePolicy("p.cbp", []byte(text))
	got := ""
	for _, f := range findings {
		got += f.Error() + " [" + f.ID + "]\n"
		if line := strings.Split(text, "\n")[f.Pos.Line-1]; f.Text != line && len(line) <= dsl.MaxLine {
			t.Errorf("line %d: carries the text %q", f.Pos.Line, f.Text)
		}
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPolicyOfHugeLinesEndsInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("100 MB")
	}
	for name, data := range map[string][]byte{
		"one line":         append([]byte("B:a>1|abort|\""), bytes.Repeat([]byte("x"), 100<<20)...),
		"many wrong lines": bytes.Repeat([]byte("x\n"), 50<<20),
	} {
		begin := time.Now()
		_, findings := dsl.ParsePolicy("p.cbp", data)
		if d := time.Since(begin); d > 60*time.Second { // a hang, not a slow machine
			t.Errorf("%s: took %v", name, d)
		}
		if len(findings) == 0 || findings[len(findings)-1].ID != dsl.LimitID || len(findings) > dsl.MaxFindings+1 {
			t.Errorf("%s: %d findings", name, len(findings))
		}
		for _, f := range findings {
			if len(f.Text)+len(f.Message) > 2*dsl.MaxLine {
				t.Errorf("%s: a finding of %d bytes", name, len(f.Text)+len(f.Message))
			}
		}
	}
}

func TestFormatPolicy(t *testing.T) {
	p, findings := dsl.ParsePolicy("p.cbp", []byte(samplePolicy))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := dsl.FormatPolicy(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Global rules

B:task.tool_calls>40|warn

# Trading
CHAIN:trade.*
B:amount>1000|abort|"Too much"
# indented comment
B:frequency>5/1h|throttle

CHAIN:"odd name"

# the end
`
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestFormatPolicyMadeByHand(t *testing.T) {
	p := &dsl.Policy{Sections: []dsl.Section{{Pattern: "trade", Rules: []*dsl.Rule{mustParse(t, "a>1|abort")}}}}
	if out, err := dsl.FormatPolicy(p); err != nil || string(out) != "CHAIN:trade\nB:a>1|abort\n" {
		t.Errorf("got %q, %v", out, err)
	}
	p.Sections[0].Rules[0].Condition[0].(*dsl.Threshold).Key = "no key"
	var f *diag.Finding
	if out, err := dsl.FormatPolicy(p); !errors.As(err, &f) {
		t.Errorf("a rule that cannot be read was printed: %q, %v", out, err)
	}
	p.Sections[0].Rules[0] = mustParse(t, "a>1|abort")
	p.Sections[0].Notes = []dsl.Note{{Text: "#\nB:x>1|abort"}}
	if out, err := dsl.FormatPolicy(p); err == nil {
		t.Errorf("a comment became a rule: %q", out)
	}
}

func TestFormatPolicyIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			switch rapid.IntRange(0, 4).Draw(t, "line") {
			case 0:
				b.WriteString("\n")
			case 1:
				b.WriteString(" # note\u200b\r\n")
			case 2:
				b.WriteString("CHAIN:" + rapid.SampledFrom([]string{"*", "a.*", `"a b"`, "nyaya/x"}).Draw(t, "pattern") + "\n")
			default:
				b.WriteString("B: " + dslgen.Rule(t).String() + "\n")
			}
		}
		p, findings := dsl.ParsePolicy("", []byte(b.String()))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		once, err := dsl.FormatPolicy(p)
		if err != nil {
			t.Fatal(err)
		}
		p, findings = dsl.ParsePolicy("", once)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		if twice, err := dsl.FormatPolicy(p); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}
