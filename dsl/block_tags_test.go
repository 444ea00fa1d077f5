package dsl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// stepText shows a step with the pieces of its arguments, references in braces.
func stepText(s *dsl.BlockStep) string {
	text := s.Ability
	for _, a := range s.Args {
		text += " " + a.Name + "="
		for _, p := range a.Pieces {
			if p.Ref != "" {
				text += "{" + string(p.Ref) + "}"
			} else {
				text += fmt.Sprintf("%q", p.Text)
			}
		}
	}
	if s.Output != "" {
		text += " > " + s.Output
	}
	if s.Confirm {
		text += " confirm"
	}
	return text
}

func TestStepLines(t *testing.T) {
	for line, want := range map[string]string{
		"email.unread_count>count": "email.unread_count > count",
		"email.unread_count":       "email.unread_count",
		"a.b:":                     "a.b",
		"data.fetch_url:https://api.weather.com/$city>data":        `data.fetch_url ="https://api.weather.com/"{city} > data`,
		"notify.user:$summary|$channel":                            "notify.user ={summary} ={channel}",
		"notify.user:Weather: $w_data":                             `notify.user ="Weather: "{w_data}`,
		"notify.user: a | | b ":                                    `notify.user ="a" = ="b"`,
		"nlp.x:$count emails, $events events.>s":                   `nlp.x ={count}" emails, "{events}" events." > s`,
		"a.b:lang=python code=\"p(\\\"x\\\")\\n\\t\\\\\" input=>r": `a.b lang="python" code="p(\"x\")\n\t\\" input= > r`,
		"a.b:query=favorite color>recalled":                        `a.b query="favorite color" > recalled`,
		"a.b:q=x=1 y=2":                                            `a.b q="x=1" y="2"`,
		"a.b:code=\"a > b\">out":                                   `a.b code="a > b" > out`,
		"a.b:code=\"a>b\"":                                         `a.b code="a>b"`,
		"a.b:$x<$y":                                                `a.b ={x}"<"{y}`,
		"a.b:$x>$y":                                                `a.b ={x}">"{y}`,
		"a.b:$x>5":                                                 `a.b ={x}">5"`,
		"a.b:$x > 5 > out":                                         `a.b ={x}" > 5" > out`,
		"a.b:$filter.length $a.b.":                                 `a.b ={filter.length}" "{a.b}"."`,
		"a.b:$$5 and $ 5 and $5 $$x":                               `a.b ="$5 and $ 5 and $5 $x"`,
		"a.b:{{x}} {y}":                                            `a.b ="{{x}} {y}"`,
		"a.b:n=5!confirm>out":                                      `a.b n="5" > out confirm`,
		"a.b:n=5>out !confirm":                                     `a.b n="5" > out confirm`,
		"a.b!confirm":                                              "a.b confirm",
		"a.b:say !confirm now":                                     `a.b ="say !confirm now"`,
		"a.b:t=\"x !confirm\"":                                     `a.b t="x !confirm"`,
		"a.b:  q=  z":                                              `a.b q="  z"`,
	} {
		b, err := block(t, "<nyaya>\nNEW:x\nS:"+line+"\n</nyaya>")
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if got := stepText(&b.Steps[0]); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestTagsHaveTypedFields(t *testing.T) {
	b, err := block(t, "<nyaya>\nNEW:x\nT: when the market opens\nL: market_open\nR:a {city}| b\nR:c\nP:time:text:08:00|cron:cron:0 8 * * *\nP:n:int|u:url:https://x.y/z|e:str:\nS:a.b\n</nyaya>")
	if err != nil {
		t.Fatal(err)
	}
	if b.Trigger != "when the market opens" || b.Label != "market_open" || strings.Join(b.Rephrasings, ";") != "a {city};b;c" {
		t.Errorf("%+v", b)
	}
	var params []string
	for _, p := range b.Params {
		params = append(params, fmt.Sprintf("%s %s %q %v %v", p.Name, p.Type, p.Default, p.HasDefault, place(p.Pos)))
	}
	if got, want := strings.Join(params, "\n"), `time text "08:00" true 7:3
cron cron "0 8 * * *" true 7:19
n int "" false 8:3
u url "https://x.y/z" true 8:9
e str "" true 8:29`; got != want {
		t.Errorf("parameters\n%s\nwant\n%s", got, want)
	}
	if b, err = block(t, "<nyaya>\nCACHE: 1h \n</nyaya>"); err != nil || b.TTL.Time() != time.Hour {
		t.Errorf("%v, %v", b, err)
	}
	if b, err = block(t, "<nyaya>C:x| @a |x.com||5m</nyaya>"); err != nil || fmt.Sprintf("%q", b.Mode.Values) != `["@a" "x.com" "" "5m"]` {
		t.Errorf("%v, %v", b, err)
	}
}

func TestChanges(t *testing.T) {
	b, err := block(t, "<nyaya>\nPATCH:m|1\nADD_PARAM:min:int:3\nADD_STEP:after:filter|check|flow.branch|$filter.length<$min>ok!confirm\nADD_STEP: before : a | b | c.d\nREMOVE_STEP: old \nB:n>5|abort\n</nyaya>")
	if err != nil {
		t.Fatal(err)
	}
	c := b.Changes
	if len(c) != 4 || c[0].Param == nil || c[0].Param.Name != "min" || c[0].Param.Default != "3" || !c[3].Remove || c[3].Name != "old" {
		t.Fatalf("%+v", c)
	}
	if got := stepText(c[1].Step); got != `flow.branch ={filter.length}"<"{min} > ok confirm` || c[1].Step.ID != "check" || c[1].Name != "filter" || c[1].Before {
		t.Errorf("%s, %+v", got, c[1])
	}
	if got := place(c[1].Step.AbilityPos); got != "4:29" {
		t.Errorf("ability at %s", got)
	}
	if got := place(c[1].Step.Args[0].Pieces[2].Pos); got != "4:56" {
		t.Errorf("$min at %s", got)
	}
	if got := stepText(c[2].Step); got != "c.d" || c[2].Step.ID != "b" || c[2].Name != "a" || !c[2].Before {
		t.Errorf("%s, %+v", got, c[2])
	}
}

func TestProposedFunction(t *testing.T) {
	b, err := block(t, "<nyaya>\nPROPOSE_FUNC:files.count\nD:Counts: exact\nCAT:files\nSEC:read_only\nP:path:text:true::The file: its name\nP:deep:bool:optional:false\nRET:int: Number of lines\nRF:lines:int:The number\nEX:{\"a\":\"x->y\"} -> {\"n\":1}\n</nyaya>")
	if err != nil {
		t.Fatal(err)
	}
	f := b.Function
	if f.Name != "files.count" || f.Description != "Counts: exact" || f.Category != "files" || f.Security != "read_only" || f.ReturnType != "int" || f.Returns != "Number of lines" {
		t.Errorf("%+v", f)
	}
	if len(f.Params) != 2 || !f.Params[0].Required || f.Params[0].Description != "The file: its name" || f.Params[1].Required || f.Params[1].Default != "false" {
		t.Errorf("%+v", f.Params)
	}
	if len(f.Fields) != 1 || f.Fields[0].Description != "The number" || fmt.Sprintf("%q", f.Examples) != `[["{\"a\":\"x->y\"}" "{\"n\":1}"]]` {
		t.Errorf("%+v, %q", f.Fields, f.Examples)
	}
}

func TestTagsRefuse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// what a tag needs
		{"NEW:x\nP:city", "3:3: a parameter is missing its type"},
		{"NEW:x\nP:2x:int", `3:3: "2x" cannot be the name of a parameter`},
		{"NEW:x\nP:task:int", `3:3: "task" cannot be the name of a parameter`},
		{"NEW:x\nP:a:int|b:nubmer:3", `3:11: unknown type "nubmer" (did you mean number?)`},
		{"NEW:x\nP:a:int|a:str", `3:9: a second parameter "a"`},
		{"NEW:x\nP:a:int|", "3:9: a parameter is missing its type"},
		{"NEW:x\nS:", "3:3: the step names no ability"},
		{"NEW:x\nS::a=1", "3:3: the step names no ability"},
		{"NEW:x\nS:a b:c=1", `3:3: "a b" cannot be the name of an ability`},
		{"NEW:x\nS:a.*:c=1", `3:3: "a.*" cannot be the name of an ability`},
		{"NEW:x\nS:a.b>when", `3:7: "when" cannot be the name of an output`},
		{"NEW:x\nS:a.b:c=1 d=2 C=3", `3:15: a second argument "C"`},
		{"NEW:x\nS:a.b:c=\"x", "3:9: the quote is not closed"},
		{"NEW:x\nS:a.b:c=\"x\"y", "3:12: expected a blank behind the quoted text"},
		{"NEW:x\nS:a.b:c=\"x\" y", "3:13: expected an argument behind the quoted text"},
		{"NEW:x\nS:a.b:c=\"x\" y z=3", "3:13: expected an argument behind the quoted text"},
		{"NEW:x\nS:a.b:c=\"\\q\"", `3:10: unknown escape`},
		{"NEW:x\nS:a.b:It is 5\" wide>out", "3:3: the quote before the last > is not closed"},
		{"NEW:x\nR:a||b", "3:5: a rephrasing is empty"},
		{"NEW:x\nL:", "3:1: L: is empty"},
		{"CACHE:ttl", `2:7: "ttl" is no time (such as CACHE:1h)`},
		{"CACHE:0h", `2:7: "0h" is no time`},
		{"CACHE:366d", `2:7: "366d" is longer than a year`},
		{"CACHE:9999999999999999999d", "is no time"},
		{"PATCH:x", "2:1: the block changes nothing"},
		{"PATCH:x\nADD_STEP:after:a|b", "3:10: the step to add is not complete"},
		{"PATCH:x\nADD_STEP:behind:a|b|c.d", `3:10: unknown place "behind"`},
		{"PATCH:x\nADD_STEP:after:a b|b|c.d", `3:16: "a b" cannot be the name of a step`},
		{"PATCH:x\nADD_STEP:after:a|when|c.d", `3:18: "when" cannot be the name of a step`},
		{"PATCH:x\nADD_PARAM:a:strin:3", `3:13: unknown type "strin" (did you mean string?)`},
		{"PATCH:x\nREMOVE_STEP:", `3:13: "" cannot be the name of a step`},
		{"PROPOSE_FUNC:a.b\nSEC:critical", "2:1: the function has no description"},
		{"PROPOSE_FUNC:a.b\nD:x\nSEC:read-only", `unknown security "read-only" (did you mean read_only?)`},
		{"PROPOSE_FUNC:a.b\nD:x\nP:c", "4:3: P: needs a name and a type"},
		{"PROPOSE_FUNC:a.b\nD:x\nP:c:int:maybe", `4:9: "maybe" does not say whether it is required`},
		{"PROPOSE_FUNC:a.b\nD:x\nRF:c:int\nRF:c:int", `5:4: a second "c"`},
		{"PROPOSE_FUNC:a.b\nD:x\nEX:{\"a\":1}", "4:4: an example is JSON, ->, and JSON"},
		{"PROPOSE_FUNC:a.b\nD:x\nEX:{a:1}->{}", "4:4: an example is JSON"},
		// where a tag belongs, and how often
		{"NEW:x\nL:a\nL:b", "4:1: a second L: line"},
		{"NEW:x\nT:a\nT:b", "4:1: a second T: line"},
		{"PROPOSE_FUNC:a.b\nD:x\nD:y", "4:1: a second D: line"},
		{"PROPOSE_FUNC:a.b\nD:x\nSEC:critical\nSEC:read_only", "5:1: a second SEC: line"},
		{"PROPOSE_FUNC:a.b\nD:x\nR:words", "4:1: R: does not belong into a PROPOSE_FUNC block"},
		{"PROPOSE_FUNC:a.b\nD:x\nS:a.b", "4:1: "},
		{"PROPOSE_FUNC:a.b\nD:x\nB:a>1|abort", "4:1: "},
		{"C:x\nS:a.b", "3:1: S: does not belong into a block that runs a chain"},
		{"C:x\nP:a:int", "3:1: P: does not belong into a block that runs a chain"},
		{"PATCH:x\nS:a.b", "3:1: S: does not belong into a PATCH"},
		{"CACHE:1h\nS:a.b", "3:1: the block names no chain"},
		{"NOCACHE\nP:a:int", "3:1: the block names no chain"},
		{"NEW:x\nREMOVE_STEP:a", "3:1: REMOVE_STEP: changes a chain"},
		{"NEW:x\nRF:a:int", "3:1: RF: describes a function"},
		// bounds
		{"NEW:x\nS:a.b:c=$" + strings.Repeat("a", 257), "3:9: the name behind $ is longer than 256 bytes"},
		{"NEW:x\nS:a.b:" + strings.Repeat("x|", 100), "too many arguments (at most 100 are allowed)"},
		{"NEW:x\nS:a.b:" + numbered(101, "a%d=1 "), "too many arguments (at most 100 are allowed)"},
		{"NEW:x\nS:a.b:" + strings.Repeat("$a ", 2000), "too many references in one argument"},
		{"NEW:x\nP:" + strings.TrimSuffix(numbered(101, "a%d:int|"), "|"), "too many parameters (at most 100 are allowed)"},
		{"NEW:x\nR:" + strings.TrimSuffix(strings.Repeat("a|", 101), "|"), "too many rephrasings"},
		{"NEW:x\nR:" + strings.Repeat("a", 1001), "3:3: a rephrasing is too long"},
		{"NEW:x\nL:" + strings.Repeat("a", 1001), "3:1: L: is too long"},
		{"NEW:x\nG:" + strings.TrimSuffix(numbered(201, "a%d,"), ","), "too many grants (at most 200 are allowed)"},
		{"C:x" + strings.Repeat("|a", 101), "too many values (at most 100 are allowed)"},
		{"PATCH:x\n" + strings.Repeat("ADD_STEP:after:a|b|c.d\n", 51), "too many steps"},
		{"PROPOSE_FUNC:a.b\nD:x\n" + numbered(101, "P:a%d:int\n"), "too many P: lines"},
		{"PROPOSE_FUNC:a.b\nD:x\n" + strings.Repeat("EX:1->2\n", 101), "too many examples"},
	} {
		b, err := block(t, "<nyaya>\n"+tt.text+"\n</nyaya>")
		name := tt.text[:min(len(tt.text), 60)]
		if b != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %.300v, want %s", name, err, tt.want)
		}
	}
}

func place(p diag.Position) string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// A block of the greatest size takes no longer than it must, whatever it holds.
func TestHugeBlocksInTime(t *testing.T) {
	for _, part := range []string{"S:a.b:c=\"" + strings.Repeat(`\n`, 30000) + "\"", "S:a.b:c=" + strings.Repeat(" ", 60000) + "x",
		"S:a.b:c=" + strings.Repeat("x ", 30000), "S:a.b:" + strings.Repeat("a=1 ", 15000), "S:a.b:" + strings.Repeat("$", 60000),
		"S:a.b:" + strings.Repeat("$a", 30000), "S:a.b:" + strings.Repeat("x>y", 20000), "S:a.b:$" + strings.Repeat("a.", 30000), "R:" + strings.Repeat("a|", 30000), "P:" + strings.Repeat("a:int|", 10000),
		strings.Repeat("L:a\n", 15000), strings.Repeat("S:\n", 20000), "EX:" + strings.Repeat("[", 60000), "G:" + numbered(8000, "a%d,")} {
		for _, mode := range []string{"NEW:x", "PROPOSE_FUNC:x\nD:x"} {
			begin := time.Now()
			block(t, "<nyaya>\n"+mode+"\n"+part+"\n</nyaya>")
			if d := time.Since(begin); d > patience {
				t.Errorf("%.20s…: took %v", part, d)
			} else if d > time.Second {
				t.Logf("%.20s…: took %v", part, d)
			}
		}
	}
}
