package run

import (
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Status is how a run ended.
type Status string

// The ways in which a run ends.
const (
	Completed Status = "completed"
	Recovered Status = "recovered" // completed, after a failure that on_failure caught
	Aborted   Status = "aborted"   // by a rule, or for want of an answer
	Declined  Status = "declined"  // a person said no
	Throttled Status = "throttled" // no room in time; the chain may be run again later
	Failed    Status = "failed"    // a step failed, and nothing caught it
)

// StepOutcome is what became of a step.
type StepOutcome string

// The outcomes of a step.
const (
	Ran        StepOutcome = "ran"
	Skipped    StepOutcome = "skipped" // its condition does not hold
	StepFailed StepOutcome = "failed"
	Refused    StepOutcome = "refused" // a rule stopped it
)

// Result is the receipt of a run: every step that was reached, whatever the end.
type Result struct {
	Status Status       `json:"status"`
	Chain  string       `json:"chain"`
	Halt   *Halt        `json:"halt,omitempty"`
	Steps  []StepResult `json:"steps"`
	// Reviews are those of the run, in order.
	Reviews []Review `json:"reviews,omitempty"`
	// Final is the verdict after the last step, if a rule fired then.
	Final   *registry.VerdictJSON `json:"final,omitempty"`
	Outputs jsonv.Value           `json:"outputs"`
	// Meters are those of the run's task that are not 0, by name.
	Meters jsonv.Value `json:"meters"`
}

// Halt is where and why a run ended early.
type Halt struct {
	Step         string `json:"step"`
	Rule         string `json:"rule"` // "" if a failure ended it
	Reason       string `json:"reason"`
	RetryAfterMS int64  `json:"retry_after_ms"` // of a throttled run; -1: no time is known
}

// StepResult is the receipt of a step.
type StepResult struct {
	Step    string                `json:"step"`
	Ability string                `json:"ability"`
	Outcome StepOutcome           `json:"outcome"`
	Verdict *registry.VerdictJSON `json:"verdict,omitempty"` // nil: it was not judged
	Output  string                `json:"output"`
	Error   *StepError            `json:"error,omitempty"`
	At      int64                 `json:"at_ms"`   // milliseconds since the run began
	Took    int64                 `json:"took_ms"` // milliseconds, waiting included
}

// StepError is why a step failed.
type StepError struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

// Event tells of a step's progress.
type Event struct {
	Index, Total int // of the step in the chain's file, from 0
	// Done is false before the step is judged; Result is then only its name.
	Done   bool
	Result StepResult
}
