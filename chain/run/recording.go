package run

import (
	"maps"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// Limits of a recording.
const (
	MaxRecording      = 16 << 20 // bytes of JSON; of YAML at most 1 MiB
	MaxRecordedSteps  = 10_000
	maxRecordingDepth = 200
	maxRecordingNodes = 500_000
)

// Recording is what happened in a run of a chain: what a dry run answers
// instead of calling anything.
type Recording struct {
	File       string
	Chain      string                 // the chain's id; "": any chain
	Params     map[string]chain.Value // parameters that the run was started with
	Start      time.Time              // the zero Time if it is not given
	Executions []time.Time            // earlier runs, ascending
	Steps      []RecordedStep         // in the order of the file
	Confirm    map[string]Answers     // by step id
	Pos        diag.Position          // of the chain's id; zero if it is not given

	places map[string]diag.Position // of the steps in Confirm
}

// RecordedStep is what came of one call of a step. Where a step runs several
// times, because an on_failure leads back to it, each of its entries stands
// for one call, in the order of the file.
type RecordedStep struct {
	Step   string
	Output *chain.Value   // nil: it put out nothing
	Error  *RecordedError // nil: it succeeded
	Took   time.Duration
	Usage  *Usage // nil: none
	Pos    diag.Position
}

// RecordedError says how a call failed.
type RecordedError struct {
	Class   string // such as NetworkError
	Message string
}

// Usage is what a call took of a language model.
type Usage struct {
	Model            string
	InputTokens      int64
	OutputTokens     int64
	CacheReadTokens  int64
	CacheWriteTokens int64

	CacheWrite1hTokens int64 // those of CacheWriteTokens that were written to a cache that lasts an hour
	Cost               int64 // nano-dollars; 0: the recording does not say
}

// Answer is what a person said to a question.
type Answer int

// The answers. Without one a question stays open, which stops the run.
const (
	NoAnswer Answer = iota
	Approve
	Decline
)

// Answers are the answers to the questions that a step raises.
type Answers struct {
	All   Answer            // to every confirm rule of the step
	Rules map[string]Answer // by rule id; nil where All is given
}

// Answer returns what was said to a confirm rule at a step.
func (r *Recording) Answer(step, rule string) Answer {
	a := r.Confirm[step]
	if a.All != NoAnswer {
		return a.All
	}
	return a.Rules[rule]
}

// Check holds the recording against the chain it is to be used with. It
// reports, as dangling-reference, another chain's id and unknown steps, each
// once.
func (r *Recording) Check(c *chain.Chain) diag.List {
	var l diag.List
	report := func(pos diag.Position, message, hint string) {
		l = append(l, &diag.Finding{ID: chain.DanglingID, File: r.File, Pos: pos, Message: message, Hint: hint})
	}
	if r.Chain != "" && r.Chain != c.ID {
		report(r.Pos, "the recording is of the chain "+document.Quote(r.Chain), "the chain's id is "+document.Quote(c.ID))
	}
	var ids []string
	for i := range c.Steps {
		ids = append(ids, c.Steps[i].ID)
	}
	told := map[string]bool{}
	unknown := func(step string, pos diag.Position) {
		if c.StepIndex(step) >= 0 || told[step] || len(l) >= document.MaxFindings {
			return
		}
		told[step] = true
		hint := "name a step of the chain"
		if like := diag.Suggest(step, ids); like != "" {
			hint = "did you mean " + like + "?"
		}
		report(pos, "the chain has no step "+document.Quote(step), hint)
	}
	for _, s := range r.Steps {
		unknown(s.Step, s.Pos)
	}
	for _, step := range slices.Sorted(maps.Keys(r.places)) {
		unknown(step, r.places[step])
	}
	l.Sort()
	return l
}
