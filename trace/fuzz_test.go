package trace_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

// fuzzLimits keep an input that fuzzing finds from being slow by its size.
var fuzzLimits = trace.Limits{RunBytes: 1 << 20, RunValues: 50_000, Unpacked: 1 << 20}

// fuzzFormats feeds one reader after the other with inputs made of samples.
func fuzzFormats(f *testing.F, formats ...string) {
	all := samples()
	for i, format := range formats {
		f.Add(uint8(i), all[format])
		f.Add(uint8(i), all[format][:len(all[format])/2])
		f.Add(uint8(i), strings.ReplaceAll(all[format], `"`, `\"`))
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		format := formats[int(i%128)%len(formats)]
		name := fileName(format)
		if i >= 128 {
			name = "f.jsonl" // a fault ends with its line
		}
		first := outcomes(t, format, name, text)
		if again := outcomes(t, format, name, text); again != first {
			t.Errorf("read twice:\n%s\n%s", first, again)
		}
	})
}

// fileName is what a file of a format may be called.
func fileName(format string) string {
	if format == trace.Recording {
		return "f.yaml"
	}
	return "f.json"
}

// outcomes reads a text, holds what every reader promises, and prints all.
func outcomes(t *testing.T, format, name, text string) string {
	var b strings.Builder
	o := trace.Options{Format: format, Limits: fuzzLimits}
	for r, err := range trace.Read(name, strings.NewReader(text), o) {
		if (r == nil) == (err == nil) {
			t.Fatalf("run %v with error %v", r, err)
		}
		if err != nil {
			var e *trace.Error
			if !errors.As(err, &e) || e.Source != name {
				t.Fatalf("error %#v", err)
			}
			b.WriteString(err.Error() + "\n")
			continue
		}
		checkRun(t, r, name, format)
		b.WriteString(r.Source + "\n" + show(r.Events))
	}
	return b.String()
}

// checkRun holds what is true of every run.
func checkRun(t *testing.T, r *trace.Run, name, format string) {
	if r.Format != format || !strings.HasPrefix(r.Source, name) || r.Duration < 0 {
		t.Fatalf("%+v", r)
	}
	for _, events := range [][]session.Event{r.Events, r.UserEvents} {
		asked, answered := map[string]bool{}, map[string]bool{}
		last := int64(0)
		for i := range events {
			e := &events[i]
			if e.At <= 0 || e.At < last {
				t.Fatalf("event %d is at %d, after %d", i, e.At, last)
			}
			last = e.At
			if e.Tokens.Input < 0 || e.Tokens.Output < 0 || e.Tokens.CacheRead < 0 || e.Tokens.CacheWrite1h < 0 || e.Tokens.CacheWrite < e.Tokens.CacheWrite1h || e.Cost < 0 {
				t.Fatalf("event %d takes less than nothing: %+v", i, e)
			}
			if format == trace.Events {
				continue // as its writer put them
			}
			switch e.Type {
			case session.ToolUse, session.Delegate:
				if e.CallID == "" || asked[e.CallID] {
					t.Fatalf("call id %q is not unique", e.CallID)
				}
				asked[e.CallID] = true
			case session.ToolResult:
				if answered[e.CallID] {
					t.Fatalf("two results of %q", e.CallID)
				}
				answered[e.CallID] = true
			}
		}
	}
	if totals := r.Totals(); len(r.Unanswered) > totals.Calls || totals.Errors < 0 || totals.InputTokens < 0 {
		t.Fatalf("%+v of %+v", totals, r)
	}
}

func FuzzDocuments(f *testing.F) {
	fuzzFormats(f, trace.AgentDojo, trace.TauBench, trace.Tau2, trace.SWEAgent, trace.GeminiCLI, trace.OpenHands, trace.Inspect)
}

func FuzzSessions(f *testing.F) { fuzzFormats(f, trace.ClaudeCode, trace.Pi) }

func FuzzSpans(f *testing.F) { fuzzFormats(f, trace.Jaeger, trace.OTLP, trace.Langfuse) }

func FuzzOwn(f *testing.F) { fuzzFormats(f, trace.Events, trace.Recording) }

// FuzzDetect holds that a format is found or refused, never both, and that
// only so much of the beginning counts as is promised.
func FuzzDetect(f *testing.F) {
	for _, text := range samples() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := trace.Detect([]byte(text))
		if (name == "") == (err == nil) {
			t.Fatalf("%q, %v", name, err)
		}
		const prefix = 16 << 20
		if len(text) > prefix {
			if short, _ := trace.Detect([]byte(text[:prefix])); short != name {
				t.Errorf("%q with more, %q without", name, short)
			}
		}
	})
}

// How a file comes in makes no difference: byte by byte, or compressed.
func TestReadInAnyWay(t *testing.T) {
	for format, text := range samples() {
		want := outcomes(t, format, fileName(format), text)
		if got := outcomes(t, format, fileName(format), zipped(t, text)); got != want {
			t.Errorf("%s compressed:\n%s\nwant\n%s", format, got, want)
		}
		var b strings.Builder
		for r, err := range trace.Read(fileName(format), iotest.OneByteReader(strings.NewReader(text)), trace.Options{}) {
			if err != nil {
				t.Errorf("%s byte by byte: %v", format, err)
				continue
			}
			b.WriteString(r.Source + "\n" + show(r.Events))
		}
		if b.String() != want {
			t.Errorf("%s byte by byte:\n%s\nwant\n%s", format, b.String(), want)
		}
	}
}

// An error of the reader below is the error of the run.
func TestReadFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	for format, text := range samples() {
		var last error
		n := 0
		for _, err := range trace.Read("f", iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text))), trace.Options{Format: format}) {
			last, n = err, n+1
		}
		if n != 1 || !errors.Is(last, iotest.ErrTimeout) {
			t.Errorf("%s: %v", format, last)
		}
		after := len(text) * 3 / 4
		for _, err := range trace.Read("f", &failing{text[:after], broken}, trace.Options{Format: format, Limits: trace.Limits{}}) {
			last = err
		}
		if !errors.Is(last, broken) {
			t.Errorf("%s: %v", format, last)
		}
	}
}

// failing reads a text and then fails.
type failing struct {
	text string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.text == "" {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}
