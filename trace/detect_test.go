package trace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// samples are a file of every format.
func samples() map[string]string {
	return map[string]string{
		trace.AgentDojo: agentDojoRun, trace.ClaudeCode: claudeSession, trace.Events: ownEvents, trace.GeminiCLI: geminiSession,
		trace.Inspect: inspectLog, trace.Jaeger: jaegerTraces, trace.Langfuse: langfuseTrace, trace.OpenHands: openHandsEvents,
		trace.OTLP: `{"batches":[{"resource":{},"instrumentationLibrarySpans":[{"spans":[{"traceId":"T","spanId":"t","name":"f","startTimeUnixNano":"1","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}}]}]}]}]}`,
		trace.Pi:   piSession, trace.Recording: recordedChain, trace.SWEAgent: sweAgentRun, trace.TauBench: tauBenchRuns, trace.Tau2: tau2Experiment,
	}
}

func TestDetect(t *testing.T) {
	all := samples()
	for _, name := range trace.Formats() {
		text, ok := all[name]
		if !ok {
			t.Errorf("there is no sample of %s", name)
			continue
		}
		if got, err := trace.Detect([]byte(text)); got != name || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		// Also in a list, where each element is a run, and behind a byte-order mark.
		if got, _ := trace.Detect([]byte("\ufeff \n" + text)); got != name {
			t.Errorf("%s behind a mark: %q", name, got)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"summary first":    {`{"type":"summary","summary":"x","leafUuid":"u"}`, trace.ClaudeCode},
		"snapshot first":   {`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}`, trace.ClaudeCode},
		"evaluation":       {`{"instance_id":"x","test_result":{},"instruction":"` + strings.Repeat("long ", 20_000), trace.OpenHands},
		"list of runs":     {`[` + agentDojoRun + `]`, trace.AgentDojo},
		"collector":        {`{"resourceSpans":[{"resource":{"attributes":[]}}]}`, trace.OTLP},
		"JSON recording":   {`{"steps":[{"step":"a"}]}`, trace.Recording},
		"cut off":          {agentDojoRun[:60], trace.AgentDojo},
		"trajectory first": {`{"trajectory":[{"action":"ls","observation":""}],"history":[]}`, trace.SWEAgent},
		"spans in a trace": {`{"trace":{"resourceSpans":[]}}`, trace.OTLP},
		"heartbeat":        {`{"type":"heartbeat","task":"t","phase":"starting"}`, trace.Events},
	} {
		if got, err := trace.Detect([]byte(c.text)); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}

func TestDetectUnknown(t *testing.T) {
	for _, text := range []string{
		"", "null", "[]", "{}", "hello", "\x00\x01\xff", `{"id":"chain","steps":[{"id":"a","ability":"x"}]}`,
		"id: chain\nsteps:\n  - id: a\n    ability: x\n", `{"type":"mystery"}`, `{"run":"x","calls":3}`, `[[[[`, `{"a`, "steps", "- step: a",
	} {
		_, err := trace.Detect([]byte(text))
		var unknown *trace.UnknownFormatError
		if !errors.As(err, &unknown) || len(unknown.Tried) != len(trace.Formats()) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestDetectAmbiguous(t *testing.T) {
	const both = `{"suite_name":"s","pipeline_name":"p","task_id":1,"reward":1,"traj":[]}`
	_, errs := readAll("b.json", both, trace.Options{})
	var ambiguous *trace.AmbiguousFormatError
	if len(errs) != 1 || !errors.As(errs[0], &ambiguous) || strings.Join(ambiguous.Formats, " ") != "agentdojo tau-bench" {
		t.Fatalf("%v", errs)
	}
	runs, errs := readAll("b.json", both, trace.Options{Format: trace.TauBench})
	if len(errs) > 0 || len(runs) != 1 || runs[0].Format != trace.TauBench {
		t.Errorf("by name: %v, %v", runs, errs)
	}
}

func TestFormatByName(t *testing.T) {
	_, errs := readAll("b.json", "{}", trace.Options{Format: "taubench"})
	var none *trace.NoSuchFormatError
	if len(errs) != 1 || !errors.As(errs[0], &none) || none.Name != "taubench" {
		t.Errorf("%v", errs)
	}
}

// What tells the format may stand behind a long list.
func TestDetectLate(t *testing.T) {
	messages := `[` + strings.Repeat(`{"role":"user","content":"some words of a user","kind":"a"},`, 3000) + `{"role":"user","content":"x"}]`
	long := strings.Repeat("long ", 20_000)
	for want, text := range map[string]string{
		trace.AgentDojo:  `{"attack_type":null,"messages":` + messages + `,"pipeline_name":"p","suite_name":"s"}`,
		trace.SWEAgent:   `{"environment":"e","history":` + messages + `,"info":{},"trajectory":[{"action":"ls","observation":"a"}]}`,
		trace.Inspect:    `{"samples":[{"id":1,"messages":` + messages + `}],"status":"success","eval":{"task":"t"},"version":2}`,
		trace.Tau2:       `{"simulations":[{"id":"s","messages":` + messages + `}],"info":{"agent_info":{}}}`,
		trace.ClaudeCode: `{"message":{"content":"` + long + `"},"type":"user","uuid":"1","sessionId":"s"}`,
	} {
		if r := readOne(t, want, "f.json", text); r.Broken != "" {
			t.Errorf("%s: %s", want, r.Broken)
		}
	}
	if got, err := trace.Detect([]byte(`{"messages":` + messages + `}`)); err == nil {
		t.Errorf("nothing tells: %s", got)
	}
}

// One object over many lines is one value, whatever the file is called.
func TestPrettyPrinted(t *testing.T) {
	const faulty = "{\n \"suite_name\": \"s\",\n \"pipeline_name\": \"p\",\n \"messages\": {}\n}\n"
	_, errs := readAll("r.jsonl", faulty, trace.Options{})
	if len(errs) != 1 || errs[0].Error() != "r.jsonl:1: messages: want a list, not an object" {
		t.Errorf("%v", errs)
	}
	runs, errs := readAll("r.jsonl", strings.Replace(faulty, "{}", `[{"role":"user","content":"x"}]`, 1), trace.Options{})
	if len(errs) != 0 || len(runs) != 1 {
		t.Errorf("%d runs, %v", len(runs), errs)
	}
}

// A line of Claude Code may have a member of the name of one of Gemini CLI's.
func TestDetectClaudeCodeWithStartTime(t *testing.T) {
	if got, err := trace.Detect([]byte(`{"type":"user","uuid":"1","sessionId":"s","startTime":"x"}`)); got != trace.ClaudeCode {
		t.Errorf("%s, %v", got, err)
	}
}
