package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// FiredJSON is a fired rule as every door prints it.
type FiredJSON struct {
	Rule      string `json:"rule"`
	Action    string `json:"action"`
	Reason    string `json:"reason"`
	Condition string `json:"condition"`
	Actual    string `json:"actual"`
	Limit     string `json:"limit"`
	Explain   string `json:"explain"`
	Origin    string `json:"origin"`
	Source    string `json:"source"`
	Mode      string `json:"mode"`
	Approved  bool   `json:"approved,omitempty"`
}

// VerdictJSON is a verdict as every door prints it. Times are milliseconds,
// rounded up; -1: no time is known.
type VerdictJSON struct {
	Decision     string      `json:"decision"`
	Chain        string      `json:"chain"`
	Step         string      `json:"step"`
	Ability      string      `json:"ability"`
	Fired        []FiredJSON `json:"fired"`
	RetryAfterMS int64       `json:"retry_after_ms"`
	Notes        []string    `json:"notes,omitempty"`
}

// JSON returns the verdict in the form that is printed. It makes the texts,
// which deciding does not.
func (v *Verdict) JSON() VerdictJSON {
	out := VerdictJSON{
		Decision: v.Decision.String(), Chain: v.Chain, Step: v.Step, Ability: v.Ability,
		Fired: make([]FiredJSON, len(v.Fired)), RetryAfterMS: Milliseconds(v.RetryAfter), Notes: v.Notes,
	}
	for i := range v.Fired {
		f := &v.Fired[i]
		out.Fired[i] = FiredJSON{
			Rule: f.Rule.ID, Action: f.Rule.Action.Kind.String(), Reason: f.ReasonText(),
			Actual: f.Actual, Limit: f.Limit, Explain: f.Explain(),
			Origin: f.Rule.Scope.Origin.String(), Source: f.Rule.Source.String(), Mode: f.Rule.Options.Mode.String(),
			Approved: f.Approved,
		}
		if f.Why != Refused {
			out.Fired[i].Condition = f.Rule.Condition.String()
		}
	}
	return out
}

// MarshalJSON renders the verdict as in JSON, leaving "<", ">" and "&" readable.
func (v *Verdict) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.JSON()); err != nil {
		return nil, fmt.Errorf("registry: encode verdict: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Milliseconds rounds a wait up to whole milliseconds; -1 stays -1.
func Milliseconds(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
