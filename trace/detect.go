package trace

import (
	"bytes"
	"errors"
)

// format is one way in which runs are recorded.
type format struct {
	name string
	// is reports whether a file that begins so is of the format.
	is func(*outline) bool
	// read emits the runs of a file.
	read func(*input)
}

// The names of the formats.
const (
	AgentDojo  = "agentdojo"
	ClaudeCode = "claude-code"
	Events     = "events"
	GeminiCLI  = "gemini-cli"
	Inspect    = "inspect"
	Jaeger     = "jaeger"
	Langfuse   = "langfuse"
	OpenHands  = "openhands"
	OTLP       = "otlp"
	Pi         = "pi"
	Recording  = "recording"
	SWEAgent   = "swe-agent"
	TauBench   = "tau-bench"
	Tau2       = "tau2"
)

// formats returns every format, by name.
func formats() []format {
	return []format{
		{AgentDojo, isAgentDojo, readAgentDojo},
		{ClaudeCode, isClaudeCode, readClaudeCode},
		{Events, isEvents, readEvents},
		{GeminiCLI, isGeminiCLI, readGeminiCLI},
		{Inspect, isInspect, readInspect},
		{Jaeger, isJaeger, readJaeger},
		{Langfuse, isLangfuse, readLangfuse},
		{OpenHands, isOpenHands, readOpenHands},
		{OTLP, isOTLP, readOTLP},
		{Pi, isPi, readPi},
		{Recording, isRecording, readRecording},
		{SWEAgent, isSWEAgent, readSWEAgent},
		{TauBench, isTauBench, readTauBench},
		{Tau2, isTau2, readTau2},
	}
}

// Formats returns the names of the formats that are read, in order.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// Detect tells the format of a file by its beginning: the first 64 KiB, and if
// these are of no format the first 16 MiB, as what tells may stand behind a long
// list. The error is an [*UnknownFormatError] or an [*AmbiguousFormatError].
func Detect(prefix []byte) (string, error) {
	_, f, err := detectIn(prefix[:min(len(prefix), outlineBytes)])
	if unknown(err) && mayTellLater(prefix) {
		_, f, err = detectIn(prefix[:min(len(prefix), outlineFar)])
	}
	return f.name, err
}

func detectIn(prefix []byte) (*outline, format, error) {
	o := outlineOf(prefix)
	f, err := detect(o)
	return o, f, err
}

func unknown(err error) bool { return errors.As(err, new(*UnknownFormatError)) }

// mayTellLater reports whether more of a file than so much of its beginning may
// show its format: it is JSON, and goes on.
func mayTellLater(prefix []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(prefix, []byte(byteOrderMark)), " \t\r\n")
	return len(prefix) >= outlineBytes && len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

func detect(o *outline) (format, error) {
	var found []format
	var names []string
	for _, f := range formats() {
		if f.is(o) {
			found, names = append(found, f), append(names, f.name)
		}
	}
	switch len(found) {
	case 0:
		return format{}, &UnknownFormatError{Tried: Formats()}
	case 1:
		return found[0], nil
	}
	return format{}, &AmbiguousFormatError{Formats: names}
}

// named returns the format of a name.
func named(name string) (format, error) {
	for _, f := range formats() {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, &NoSuchFormatError{Name: name, Known: Formats()}
}
