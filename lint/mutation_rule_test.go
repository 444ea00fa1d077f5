package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

// goodPolicy and goodBlock have nothing wrong with them.
var goodPolicy = []string{
	"CHAIN:trade.*",
	`B:amount>1000|abort|"Transaction exceeds $1000 limit"`,
	`B:frequency:trading.execute>5/1h|throttle(60s)|"Max 5 trades per hour"|id=rate`,
	`B:ability:trading.execute & !arg:recipient|in:user|confirm(5m)|"Who is that?"`,
	`B:output:status|icontains:fail|abort|"It failed"`,
	`B:after:browser.*&ability:email.send|confirm`,
	`B:price<=10.5|warn|"Cheap"|id=cheap,mode=observe`,
	`B:when:len(args.lines) > 3|abort`,
	`B:task.duration>30m|abort|"Too long"`,
}

var goodBlock = []string{
	"D:trading|medium", "G:ability:trading.execute,trading.get_price", "NEW:buy", "P:ticker:str:NVDA|most:number:500",
	"S:trading.get_price:symbol=$ticker>price", "S:trading.execute:symbol=$ticker amount=$most note=\"at $price\">done",
	`B:amount>1000|abort|"Transaction exceeds $1000 limit"`, "L:trade", "R:buy {ticker}|trade {ticker}",
}

// mutation changes one line; "" where it does not apply.
type mutation struct {
	name   string
	change func(line string) string
}

// replaced changes the first occurrence of a text.
func replaced(old, new string) func(string) string {
	return func(line string) string {
		if !strings.Contains(line, old) {
			return ""
		}
		return strings.Replace(line, old, new, 1)
	}
}

var mutations = []mutation{
	{"unknown action", replaced("|abort", "|abrot")}, {"unknown action", replaced("|confirm", "|conform")},
	{"unknown action", replaced("|throttle", "|throtle")}, {"no action", replaced("|abort|", "|")},
	{"misspelt keyword", replaced("frequency", "freqency")}, {"misspelt keyword", replaced("B:ability:", "B:abillity:")},
	{"misspelt keyword", replaced("icontains", "icontain")}, {"misspelt keyword", replaced("|in:user", "|in:users")},
	{"misspelt meter", replaced("task.duration", "task.durration")}, {"misspelt option", replaced("mode=observe", "mode=observed")},
	{"misspelt option", replaced("id=rate", "ident=rate")}, {"no limit", replaced(">1000|", ">|")}, {"no count", replaced(">5/1h", ">/1h")},
	{"no window", replaced(">5/1h", ">5")}, {"bad unit", replaced("/1h", "/1y")}, {"bad unit", replaced(">30m", ">30min")},
	{"a window of nothing", replaced("/1h", "/0h")}, {"unclosed quote", replaced(`limit"`, "limit")}, {"unclosed quote", replaced(`hour"`, "hour")},
	{"unclosed bracket", replaced("(60s)", "(60s")}, {"no time", replaced("(5m)", "()")},
	{"swapped fields", replaced(`|abort|"It failed"`, `|"It failed"|abort`)}, {"a blank key", replaced("B:amount", "B:am ount")},
	{"an operator that is none", replaced("<=10.5", "=<10.5")}, {"another tag", replaced("B:", "R:")}, {"no tag", replaced("B:", "")},
	{"misspelt tag", replaced("CHAIN:", "CHIAN:")}, {"misspelt tag", replaced("NEW:", "NWE:")}, {"misspelt tag", replaced("G:", "GG:")},
	{"unknown risk", replaced("|medium", "|middling")}, {"an empty grant", replaced(",trading.get_price", ",")},
	{"unknown type", replaced(":number:", ":nubmer:")}, {"a default of another type", replaced(":500", ":five")},
	{"a reference to nothing", replaced("symbol=$ticker>", "symbol=$tiker>")}, {"unclosed quote", replaced(`$price"`, "$price")},
	{"an expression cut off", replaced("> 3|", ">|")}, {"an unknown name", replaced("args.lines", "arg.lines")},
	{"no ability", replaced("S:trading.get_price:", "S::")},
}

// TestRuleMutations breaks one line of good texts at a time: at least 95 in a
// hundred faults are named on their line, and nothing on any other.
func TestRuleMutations(t *testing.T) {
	texts := map[string][]string{"p.cbp": goodPolicy, "t.txt": goodBlock}
	check := func(name string, lines []string) diag.List {
		text := strings.Join(lines, "\n") + "\n"
		if name == "t.txt" {
			text = "<nyaya>\n" + text + "</nyaya>\n"
		}
		return lint.Run([]lint.File{file(name, text)}).Findings
	}
	tried, named := 0, 0
	for name, lines := range texts {
		if found := check(name, lines); len(found) > 0 {
			t.Fatalf("%s: %v", name, found)
		}
		first := 1
		if name == "t.txt" {
			first = 2
		}
		for i, line := range lines {
			for _, m := range mutations {
				changed := m.change(line)
				if changed == "" || changed == line {
					continue
				}
				mutant := append([]string{}, lines...)
				mutant[i] = changed
				tried++
				hit, elsewhere := false, ""
				for _, f := range check(name, mutant) {
					if f.Pos.Line == first+i {
						hit = true
					} else {
						elsewhere = fmt.Sprint(f)
					}
				}
				if hit {
					named++
				} else {
					t.Logf("not named: %s: %s", m.name, changed)
				}
				if elsewhere != "" {
					t.Errorf("%s: %s\nalso named another line: %s", m.name, changed, elsewhere)
				}
			}
		}
	}
	if tried < 50 || named*100 < tried*95 {
		t.Errorf("%d of %d faults are named on their line, want 95 in a hundred of at least 50", named, tried)
	}
	t.Logf("%d of %d", named, tried)
}
