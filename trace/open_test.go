package trace_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

func zipped(tb testing.TB, text string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// utf16 is a text of ASCII as it is in UTF-16, behind its mark.
func utf16(text string) string {
	return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenDirectory(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"b/two.json": tauBenchRuns, "a.jsonl.gz": zipped(t, piSession), "b/one.traj": sweAgentRun, "README.md": "no run",
		".hidden/x.json": agentDojoRun, ".x.json": agentDojoRun, "c/other.yaml": "a: 1\n", "d.yaml": recordedChain,
	})
	var got []string
	for r, err := range trace.Open(dir, trace.Options{}) {
		if (r == nil) == (err == nil) {
			t.Fatalf("%v and %v", r, err)
		}
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, r.Source)
		got = append(got, filepath.ToSlash(rel)+" "+r.Format)
	}
	want := []string{
		"a.jsonl.gz pi", "b/one.traj swe-agent", "b/two.json#0 tau-bench", "b/two.json#1 tau-bench", "d.yaml recording",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Nothing more is read once nobody wants any more.
func TestOpenStops(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.json": tauBenchRuns, "b.json": "no JSON", "c.json": tau2Experiment})
	n := 0
	for _, err := range trace.Open(dir, trace.Options{}) {
		if n++; err != nil || n > 1 {
			t.Fatalf("%d: %v", n, err)
		}
		break
	}
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no.json")
	for _, err := range trace.Open(path, trace.Options{}) {
		var e *trace.Error
		if !errors.As(err, &e) || e.Source != path || !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), "no.json") != 1 {
			t.Errorf("%v", err)
		}
	}
}

// JSON Lines of runs: a fault ends with its line, in a list with its element.
func TestFaultyRunAmongOthers(t *testing.T) {
	run := oneLine(agentDojoRun)
	runs, errs := readAll("r.jsonl", run+"\n{\"suite_name\": \"cut\n"+run+"\n{\"suite_name\":1}\n"+run, trace.Options{})
	if len(runs) != 3 || runs[2].Source != "r.jsonl:5" || len(errs) != 2 {
		t.Fatalf("%d runs, errors %v", len(runs), errs)
	}
	for i, want := range []string{
		`r.jsonl:2:16: the text is not closed`,
		`r.jsonl:4: suite_name: want a text, not 1`,
	} {
		if !strings.HasPrefix(errs[i].Error(), want) {
			t.Errorf("%v, want %s", errs[i], want)
		}
	}
	runs, errs = readAll("r.json", "[\n"+run+",\n{\"suite_name\":01},\n"+run+"]", trace.Options{})
	if len(runs) != 2 || runs[1].Source != "r.json#2" || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "r.json:3:16: want a comma or }") {
		t.Errorf("%d runs, errors %v", len(runs), errs)
	}
	runs, errs = readAll("r.json", agentDojoRun+"\n"+agentDojoRun, trace.Options{})
	if len(runs) != 2 || len(errs) != 0 || runs[0].Source != "r.json:1" || runs[1].Source != "r.json:13" {
		t.Errorf("%d runs, errors %v: %s %s", len(runs), errs, runs[0].Source, runs[1].Source)
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"empty":          {"e.json", "", "e.json: the file is empty"},
		"blank":          {"e.jsonl", " \n\n", "e.jsonl: this is none of the formats"},
		"cut session":    {"s.jsonl", claudeSession[:len(claudeSession)-20], "s.jsonl:13:"},
		"cut list":       {"t.json", tauBenchRuns[:len(tauBenchRuns)-1], "t.json:9:58: the input ends"},
		"cut experiment": {"t.json", tau2Experiment[:len(tau2Experiment)-2], "t.json:10:"},
		"more after it":  {"t.json", tau2Experiment + "x", "t.json:10:"},
		"kind":           {"a.json", `{"suite_name":"s","pipeline_name":"p","messages":{}}`, "a.json:1: messages: want a list, not an object"},
		"role":           {"a.json", `{"suite_name":"s","pipeline_name":"p","messages":[{"role":"robot"}]}`, `a.json:1: messages[0].role: want system, user, assistant or tool, not the text "robot"`},
		"time":           {"s.jsonl", `{"type":"user","sessionId":"s","timestamp":"now"}`, `s.jsonl:1: timestamp: want a time`},
		"year":           {"s.jsonl", `{"type":"user","sessionId":"s","timestamp":"9999-01-01T00:00:00Z"}`, `s.jsonl:1: timestamp: want a time`},
		"tokens":         {"s.jsonl", `{"type":"assistant","sessionId":"s","message":{"usage":{"input_tokens":-1}}}`, `s.jsonl:1: message.usage.input_tokens: want a whole number, 0 or more, not -1`},
		"line":           {"s.jsonl", "{\"type\":\"user\",\"sessionId\":\"s\"}\n[]", `s.jsonl:2:1: the line: want an object, not a list`},
		"twice":          {"t.json", `{"info":{"agent_info":{}},"info":{}}`, `t.json:1:27: duplicate key "info"`},
		"brackets":       {"t.json", `{"info":{"agent_info":{}},"tasks":[}`, `t.json:1:36: a bracket that closes nothing`},
		"no gzip":        {"t.json.gz", "\x1f\x8b0123456789", `t.json.gz: the file cannot be unpacked`},
		"gzip twice":     {"t.json.gz", zipped(t, zipped(t, tau2Experiment)), `t.json.gz: the file is compressed twice`},
		"UTF-16":         {"t.json", utf16(tau2Experiment), `t.json: the file is in UTF-16: want UTF-8`},
		"without a mark": {"t.json", utf16(tau2Experiment)[2:], `t.json: the file is in UTF-16: want UTF-8`},
		"big-endian":     {"t.json", "\x00" + utf16(tau2Experiment)[2:], `t.json: the file is in UTF-16: want UTF-8`},
		"cut gzip":       {"t.json.gz", zipped(t, tau2Experiment)[:200], `t.json.gz:`},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := readAll(c.file, c.text, trace.Options{})
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), c.want) {
				t.Fatalf("%v, want %s", errs, c.want)
			}
			var e *trace.Error
			if !errors.As(errs[0], &e) || e.Source != c.file {
				t.Errorf("%#v", errs[0])
			}
		})
	}
}

// What is too large is refused, whatever its format is said to be, and the
// rest is read.
func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		format, text string
		limits       trace.Limits
		runs         int
	}{
		"line":       {trace.AgentDojo, oneLine(agentDojoRun) + "\n{\"suite_name\":\"" + long + "\"}\n" + oneLine(agentDojoRun), trace.Limits{RunBytes: 4000}, 2},
		"session":    {trace.ClaudeCode, claudeSession, trace.Limits{RunBytes: 1000}, 0},
		"values":     {trace.ClaudeCode, claudeSession, trace.Limits{RunValues: 50}, 0},
		"events":     {trace.Events, ownEvents, trace.Limits{RunBytes: 200}, 0},
		"value":      {trace.Tau2, tau2Experiment, trace.Limits{RunBytes: 500}, 0},
		"run values": {trace.AgentDojo, oneLine(agentDojoRun), trace.Limits{RunValues: 20}, 0},
		"spans":      {trace.OTLP, `{"batches":[` + strings.Repeat(`{"a":"`+long[:900]+`"},`, 2) + `{}]}`, trace.Limits{RunBytes: 1000}, 0},
		"recording":  {trace.Recording, recordedChain, trace.Limits{RunBytes: 100}, 0},
		"bomb":       {trace.Events, zipped(t, strings.Repeat("\n", 1<<20)), trace.Limits{Unpacked: 1 << 17}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			runs, errs := readAll("f.jsonl", c.text, trace.Options{Format: c.format, Limits: c.limits})
			var limit *trace.LimitError
			if len(errs) == 0 || !errors.As(errs[0], &limit) || len(runs) != c.runs {
				t.Errorf("%d runs, errors %v", len(runs), errs)
			}
		})
	}
}

// A limit is told in the unit in which people know it.
func TestLimitErrorSaysTheLimit(t *testing.T) {
	for _, tt := range []struct {
		limit int64
		unit  string
		want  string
	}{
		{trace.DefaultRunBytes, "bytes", "a line of more than 64 MiB, the most that is read"},
		{trace.DefaultUnpacked, "bytes", "a line of more than 4 GiB, the most that is read"},
		{1 << 20, "bytes", "a line of more than 1 MiB, the most that is read"},
		{4000, "bytes", "a line of more than 4000 bytes, the most that is read"},
		{trace.DefaultRunValues, "values", "a line of more than 2000000 values, the most that is read"},
		{1 << 20, "values", "a line of more than 1048576 values, the most that is read"},
	} {
		if got := (&trace.LimitError{What: "a line", Limit: tt.limit, Unit: tt.unit}).Error(); got != tt.want {
			t.Errorf("%d %s: %q, want %q", tt.limit, tt.unit, got, tt.want)
		}
	}
}

// Hostile shapes end quickly and with an error, in every format.
func TestHostileInput(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 50_000)
	for _, format := range trace.Formats() {
		for name, text := range map[string]string{
			"deep": deep, "deep in a list": "[" + deep, "lists": strings.Repeat("[", 100_000), "number": "[" + strings.Repeat("9", 100_000) + "x",
			"text": `{"` + strings.Repeat("a", 100_000), "nothing": "null", "null": "[null]", "object": "{}", "commas": "[,,,]", "bytes": "\xff\xfe\x00{",
		} {
			runs, errs := readAll("h.json", text, trace.Options{Format: format})
			if len(runs) != 0 || len(errs) == 0 {
				t.Errorf("%s of %s: %d runs, %v", name, format, len(runs), errs)
			}
		}
	}
}
