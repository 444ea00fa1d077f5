package page_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
	"github.com/cbpolicy/cbpolicy/trace/replay/page"
)

func options(t testing.TB, policy string) replay.Options {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	reg := &registry.Registry{}
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	return replay.Options{Session: session.Options{Registry: reg}}
}

// run is a run of calls, a second apart, that all have the same argument.
func run(source, arg string, abilities ...string) *trace.Run {
	r := &trace.Run{Source: source, Format: trace.Events, TaskKind: "kind of " + source, Timed: true}
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).UnixNano()
	for i, a := range abilities {
		r.Events = append(r.Events, session.Event{
			Type: session.ToolUse, At: at, CallID: fmt.Sprint(i), Ability: a, Args: registry.Texts(map[string]string{"x": arg}),
		})
		at += int64(time.Second)
	}
	return r
}

func written(t testing.TB, o replay.Options, workers int, runs ...*trace.Run) []byte {
	t.Helper()
	p, err := page.New(o)
	if err != nil {
		t.Fatal(err)
	}
	all := func(yield func(*trace.Run, error) bool) {
		for _, r := range runs {
			if !yield(r, nil) {
				return
			}
		}
	}
	for r, err := range replay.Each(t.Context(), all, workers, func(ctx context.Context, r *trace.Run) (*page.Run, error) { return p.Examine(ctx, r) }) {
		if err != nil {
			t.Fatal(err)
		}
		p.Add(r)
	}
	var b bytes.Buffer
	if err := p.Write(&b, 2); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hostile are texts that would break out of a page that does not escape them.
var hostile = []string{
	`<script>alert(1)</script>`, `]]><script>`, `"><img src=x onerror=alert(1)>`, `' onload='alert(1)`, `</style><script>alert(1)</script>`,
	`</title></svg><iframe src=//evil.example>`, `<!-- <script> -->`, `{{.}}`, `javascript:alert(1)`, "\u202e\x1b[31m\x00", `&lt;script&gt;`,
}

// element is an element of the page as a browser sees it.
type element struct {
	name  string
	attrs map[string]string
}

// elements reads the page strictly but for HTML's own habits, and returns its
// elements and the text between them.
func elements(t testing.TB, data []byte) (all []element, text string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var words strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, words.String()
		}
		if err != nil {
			t.Fatalf("the page cannot be read: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{token.Name.Local, map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			words.Write(token)
		}
	}
}

// inert fails if the page could load or run anything.
func inert(t testing.TB, data []byte) (all []element, text string) {
	t.Helper()
	known := map[string]bool{}
	for name := range strings.FieldsSeq("html head meta title link style body header main section article figure h1 h2 h3 p b i ul li span div code br table thead tbody tr th td details summary svg g rect line text") {
		known[name] = true
	}
	all, text = elements(t, data)
	for _, e := range all {
		if !known[e.name] {
			t.Errorf("there is a <%s>", e.name)
		}
		for name, value := range e.attrs {
			switch {
			case strings.HasPrefix(name, "on"), name == "src", name == "srcset", name == "style", name == "action":
				t.Errorf("<%s %s=%q>", e.name, name, value)
			case name == "href" && value != "data:,":
				t.Errorf("<%s %s=%q>", e.name, name, value)
			}
		}
	}
	return all, text
}

// Whatever the recordings and the policy hold, the page holds it as text.
func TestHostileTexts(t *testing.T) {
	var policy strings.Builder
	var runs []*trace.Run
	for i, s := range hostile {
		fmt.Fprintf(&policy, "B:arg:x|contains:%s|abort|%s|id=r%d\n", dsl.Quote(s), dsl.Quote(s+" {{x}}"), i)
		if !strings.Contains(s, "\x00") { // which no name may hold
			fmt.Fprintf(&policy, "B:frequency:%s>1/1h|warn|id=f%d\n", dsl.Quote(s), i)
		}
		r := run(s+".json", s, "fine", s, "after")
		r.Events[0].Args = nil
		r.Chain = s
		runs = append(runs, r)
	}
	data := written(t, options(t, policy.String()), 2, runs...)
	_, text := inert(t, data)
	for _, s := range hostile {
		if strings.ContainsAny(s, "\x00\u202e") {
			s = `\u{202e}\u{1b}[31m\u{0}`
		}
		if !strings.Contains(text, s+".json") {
			t.Errorf("%q is not among the texts", s)
		}
	}
	if bytes.Contains(data, []byte("<script")) || bytes.ContainsAny(data, "\x00\x1b\u202e") {
		t.Error("a text was written as it was")
	}
}

// FuzzTexts puts any text into every place that a recording or a policy fills.
func FuzzTexts(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o := options(t, "B:task.tool_calls>2|abort|\"{{task.tool_calls}}\"|id=many\nB:arg:x|contains:e|warn|id=e\n")
		r := run(s, s, "look", s, "look", "look")
		r.Chain, r.Format = s, s
		inert(t, written(t, o, 1, r))
	})
}

// A run of any length is drawn in bounds, and what is left out is said.
func TestLongRun(t *testing.T) {
	policy := "B:ability:poll|warn|id=w\nB:ability:stop|abort|id=no\n"
	calls := append(strings.Split(strings.Repeat("poll,", 5000), ",")[:5000], "stop")
	calls = append(calls, calls[:999]...)
	all, text := inert(t, written(t, options(t, policy), 1, run("long", "1", calls...)))
	marks := map[string]int{}
	rows := 0
	for _, e := range all {
		if class, ok := strings.CutPrefix(e.attrs["class"], "mark "); ok {
			marks[class]++
		}
		if e.name == "tr" {
			rows++
		}
	}
	if total := marks["warn"] + marks["stop"] + marks["unmade"]; total > 480 || marks["stop"] != 1 || marks["warn"] < 380 || marks["unmade"] < 70 {
		t.Errorf("marks: %v", marks)
	}
	if rows > 330 || !strings.Contains(text, "4702 more lines") || !strings.Contains(text, "at call 5001 of 6000 by no") {
		t.Errorf("%d rows", rows)
	}
}

// The page says what was replayed: each number once, each limit as a line.
func TestStructure(t *testing.T) {
	policy := `B:task.tool_calls>2|abort|"Too many"|id=many
B:task.tool_calls>=50|warn|id=high
B:task.duration>1h|abort|id=late
B:frequency:look>7/1m|throttle|id=fast
B:task.error_streak>=3|review|id=errors,mode=observe
B:ability:drop|abort|id=drop
`
	data := written(t, options(t, policy), 1, run("a.json", "1", "look"), run("b.json", "1", "look", "look", "look", "look"), run("c.json", "1", "drop", "look"))
	all, text := inert(t, data)
	for _, want := range []string{
		"abort at call 3 of 4 by many: Too many", "task.tool_calls 3 exceeds 2 · saved 1 call", "abort at call 1 of 2 by drop", "3 of 3 runs",
		"Calls of look in 1m", "2halted 66.7 %", "2not read", "many > 2", "high >= 50", "late > 1h", "fast > 7", "errors >= 3", "3 runs",
		"kind of b.json", "the run stops here", "not made",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	classes := map[string]int{}
	for _, e := range all {
		classes[e.name+"."+e.attrs["class"]]++
	}
	for class, want := range map[string]int{
		"line.limit stop": 3, "line.limit warn": 1, "line.limit observe": 1, "line.halt": 2, "rect.mark allow": 2, "rect.mark stop": 2, "rect.mark unmade": 2,
		"svg.": 6 + 2, "h2.": 4, // tool calls, spend, two streaks, duration, one frequency; two halted runs
	} {
		if classes[class] != want {
			t.Errorf("%d of %s, want %d", classes[class], class, want)
		}
	}
	if strings.Contains(string(data), "https:") || strings.Contains(string(data), "http:") || strings.Contains(string(data), "url(") || strings.Contains(string(data), "@import") {
		t.Error("the page refers to something outside")
	}
	for _, want := range []string{"prefers-color-scheme: dark", "default-src 'none'", "width=device-width"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

// Every coordinate of a drawing is a number within it.
func TestCoordinates(t *testing.T) {
	var runs []*trace.Run
	for n := 1; n < 300; n += 13 {
		r := run(fmt.Sprint(n), "1", strings.Split(strings.Repeat("x ", n)+"x", " ")...)
		r.Events = append(r.Events, session.Event{Type: session.Usage, At: r.Events[0].At, MessageID: "m", Cost: int64(n) * int64(n) * 1e6, HasCost: true})
		runs = append(runs, r)
	}
	policies := "B:task.tool_calls>=0|warn|id=least\nB:task.tool_calls>1e300|abort|id=most\nB:task.spend_cents>-5|warn|id=below\nB:task.output_similarity>3|abort|id=beyond\n"
	for i := range 30 {
		policies += fmt.Sprintf("B:task.tool_calls>%d|abort|id=a-limit-with-a-long-name-%d\n", 200+i, i)
	}
	all, _ := inert(t, written(t, options(t, policies), 1, runs...))
	in := regexp.MustCompile(`^-?[0-9]+(\.[0-9])?$`)
	var width, height float64
	for _, e := range all {
		if e.name == "svg" {
			fmt.Sscanf(e.attrs["viewBox"], "0 0 %f %f", &width, &height)
		}
		for _, name := range []string{"x", "y", "x1", "x2", "y1", "y2", "width", "height"} {
			value, given := e.attrs[name]
			if !given {
				continue
			}
			var v float64
			fmt.Sscan(value, &v)
			limit := width
			if strings.Contains("y1 y2 height", name) {
				limit = height
			}
			if !in.MatchString(value) || v < 0 || v > limit {
				t.Errorf("<%s %s=%q> in %v by %v", e.name, name, value, width, height)
			}
		}
	}
}

// The page is the same each time, whatever the number of workers, and whether
// there are runs at all.
func TestSameBytes(t *testing.T) {
	o := options(t, "B:task.tool_calls>5|abort|id=many\nB:frequency:a@session>2/3s|throttle|id=slow\n")
	var runs []*trace.Run
	for i := range 40 {
		runs = append(runs, run(fmt.Sprint(i), "1", strings.Split("a b a c a a b a"[:i%8*2+1], " ")...))
	}
	first := written(t, o, 1, runs...)
	for _, workers := range []int{1, 2, 16} {
		if d := cmp.Diff(string(first), string(written(t, o, workers, runs...))); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	inert(t, written(t, o, 1))
}

// A browser shows the page without a complaint, and would complain about one
// that breaks its own rules.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium on this machine")
	}
	var runs []*trace.Run
	for _, s := range hostile {
		runs = append(runs, run(s, s, "look", "look", s))
	}
	data := written(t, options(t, "B:task.tool_calls>2|abort|id=many\n"), 2, runs...)
	dom, complaints := visit(t, browser, data)
	if complaints != "" || !strings.Contains(dom, "What the rules would have done") {
		t.Errorf("complaints: %s, of a page of %d bytes", complaints, len(dom))
	}
	if strings.Contains(dom, "<script") || strings.Contains(dom, "<iframe") || strings.Contains(dom, "<img") {
		t.Error("a text became an element")
	}
	if _, complaints := visit(t, browser, bytes.Replace(data, []byte("<main>"), []byte("<main><script>alert(1)</script>"), 1)); complaints == "" {
		t.Error("a script that the page forbids passed without a complaint")
	}
}

// visit loads a page in a headless browser, and returns what became of it and
// what the browser's console says.
func visit(t *testing.T, browser string, data []byte) (dom, complaints string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr", "--dump-dom", "file://"+file)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		t.Skipf("the browser does not start: %v", err)
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, ":CONSOLE") {
			complaints += line
		}
	}
	return out.String(), complaints
}

// Money that is a guess is said to be.
func TestGuessedMoneyIsSaid(t *testing.T) {
	prices, err := prices.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]bool{"heard-of-by-nobody": true, "gpt-4.1": false} {
		o := options(t, "B:task.spend_cents>10|abort|id=cap\n")
		o.Session.Pricing.Table = prices
		r := run("a", "1", "look", "look")
		r.Events = append(r.Events, session.Event{Type: session.Usage, At: r.Events[1].At, Model: model, Tokens: meter.Tokens{Input: 1e6}})
		r.Events = append(r.Events, run("a", "2", "look").Events[0])
		r.Events[3].At = r.Events[2].At
		text := string(written(t, o, 1, r))
		if guessed, noted := strings.Contains(text, "some of it guessed"), strings.Contains(text, "Note: the model"); !strings.Contains(text, "task.spend_cents") || guessed && !want || noted != want {
			t.Errorf("%s: guessed %v, noted %v, want %v", model, guessed, noted, want)
		}
	}
}
