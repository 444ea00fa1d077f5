package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/diag"
)

// entry is a logged record as it is shown. Any part of it may be masked.
type entry struct {
	At       string `json:"at"`
	Session  string `json:"session"`
	Chain    string `json:"chain"`
	Ability  string `json:"ability"`
	decision string
	fired    []firedEntry
	// What is not known: which rules have fired, whose session, what was decided.
	hidden, sessionHidden, decisionHidden bool
}

type firedEntry struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

func parseEntry(l *audit.Line) (*entry, error) {
	masked, err := audit.MaskedIn(l.Record)
	if err != nil {
		return nil, err
	}
	isMasked := func(format string, args ...any) bool { return slices.Contains(masked, fmt.Sprintf(format, args...)) }
	e := entry{sessionHidden: isMasked("/session")}
	var raw struct {
		Verdict json.RawMessage `json:"verdict"`
	}
	var verdict struct {
		Decision string          `json:"decision"`
		Fired    json.RawMessage `json:"fired"`
	}
	if err := json.Unmarshal(l.Record, &e); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(l.Record, &raw); err != nil {
		return nil, err
	}
	if isMasked("/verdict") {
		e.decision, e.decisionHidden, e.hidden = audit.Masked, true, true
		return &e, nil
	}
	if err := json.Unmarshal(raw.Verdict, &verdict); err != nil {
		return nil, err
	}
	e.decision = verdict.Decision
	e.decisionHidden = isMasked("/verdict/decision")
	if isMasked("/verdict/fired") {
		e.hidden = true
		return &e, nil
	}
	var fired []json.RawMessage
	if err := json.Unmarshal(verdict.Fired, &fired); err != nil {
		return nil, err
	}
	for i, raw := range fired {
		f := firedEntry{audit.Masked, audit.Masked}
		if !isMasked("/verdict/fired/%d", i) {
			f = firedEntry{}
			if err := json.Unmarshal(raw, &f); err != nil {
				return nil, err
			}
		}
		e.fired, e.hidden = append(e.fired, f), e.hidden || isMasked("/verdict/fired/%d", i) || isMasked("/verdict/fired/%d/rule", i)
	}
	return &e, nil
}

// show renders an entry.
func (e *entry) show(l *audit.Line, format string) string {
	if format == "json" {
		return string(l.Record) + "\n"
	}
	what := e.Ability
	if e.Chain != "" {
		what = e.Chain + ": " + what
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d  %s  %s  %s  %s\n", l.Seq, diag.Escape(e.At), diag.Escape(e.Session), e.decision, diag.Escape(what))
	for _, f := range e.fired {
		fmt.Fprintf(&b, "    %s: %s\n", diag.Escape(f.Rule), diag.Escape(f.Reason))
	}
	if e.hidden && len(e.fired) == 0 {
		fmt.Fprintf(&b, "    %s\n", audit.Masked)
	}
	return b.String()
}

// wanted says which decisions are shown.
type wanted struct {
	blocked       bool
	rule, session string // "": any
}

// matches reports whether a decision is wanted, and whether that is known.
func (w *wanted) matches(e *entry) (is, known bool) {
	if w.session != "" && e.Session != w.session {
		return false, !e.sessionHidden
	}
	if w.blocked && e.decisionHidden {
		return false, false
	}
	if w.blocked && (e.decision == "allow" || e.decision == "warn") {
		return false, true
	}
	if w.rule == "" {
		return true, true
	}
	for _, f := range e.fired {
		if f.Rule == w.rule {
			return true, true
		}
	}
	return false, !e.hidden
}
