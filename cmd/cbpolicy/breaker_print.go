package main

import (
	"bufio"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// breakerJSON is a breaker for programs.
type breakerJSON struct {
	Ability   string `json:"ability"`
	Known     bool   `json:"known"` // the state has it
	Off       bool   `json:"off,omitempty"`
	Phase     string `json:"phase"`
	Failures  uint32 `json:"failures"` // in a row
	Threshold int    `json:"failure_threshold"`
	Trips     uint32 `json:"trips"`
	Manual    bool   `json:"manual,omitempty"` // only an operator closes it
	// Of one that is not closed.
	Opened string `json:"opened,omitempty"`
	TryAt  string `json:"try_at,omitempty"`
}

// resetJSON is a breaker that was reset, for programs.
type resetJSON struct {
	Ability  string `json:"ability"`
	Known    bool   `json:"known"` // the state had it; otherwise nothing was done
	Was      string `json:"was"`
	Failures uint32 `json:"failures"` // in a row, which are forgotten
	Trips    uint32 `json:"trips"`
}

// printBreakers prints breakers as they are.
func printBreakers(cmd *cobra.Command, all []session.BreakerStatus, format string) error {
	if format == "json" {
		list := []breakerJSON{}
		for _, b := range all {
			j := breakerJSON{
				Ability: b.Ability, Known: b.Known, Off: b.Off, Phase: b.Phase.String(), Failures: b.State.Failures,
				Threshold: b.Config.Threshold, Trips: b.State.Trips, Manual: b.Config.Manual,
			}
			if b.Phase != breaker.Closed {
				j.Opened = stamp(b.State.Opened)
				if !b.Config.Manual {
					j.TryAt = stamp(b.State.Until(b.Config))
				}
			}
			list = append(list, j)
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"breakers": list})
	}
	out, width := bufio.NewWriter(cmd.OutOrStdout()), 0
	for _, b := range all {
		width = max(width, diag.Columns(b.Ability))
	}
	for _, b := range all {
		fmt.Fprintf(out, "%s  %-9s  failures: %d of %d, trips: %d%s\n",
			pad(b.Ability, width), b.Phase, b.State.Failures, b.Config.Threshold, b.State.Trips, nextText(&b))
	}
	return out.Flush()
}

// nextText says when an ability is tried again, and whose breaker it is.
func nextText(b *session.BreakerStatus) (text string) {
	switch {
	case b.Phase == breaker.HalfOpen:
		text = ", tried again now, by one call"
	case b.Phase == breaker.Open && b.Config.Manual:
		text = ", not called until it is reset"
	case b.Phase == breaker.Open:
		until := b.State.Until(b.Config)
		text = fmt.Sprintf(", tried again in %s, at %s", time.Duration(until-b.At).Round(time.Millisecond), stamp(until))
	}
	switch {
	case !b.Known:
		text += ", not known to the state"
	case b.Off:
		text += ", none by the configuration: shown by the defaults"
	}
	return text
}

// stamp is a time of the state in the form of all output.
func stamp(at int64) string { return time.Unix(0, at).UTC().Format(time.RFC3339Nano) }

// printResets prints what breakers were before they were closed.
func printResets(cmd *cobra.Command, all []session.BreakerStatus, format string) error {
	if format == "json" {
		list := []resetJSON{}
		for _, b := range all {
			list = append(list, resetJSON{b.Ability, b.Known, b.Phase.String(), b.State.Failures, b.State.Trips})
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"breakers": list})
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for _, b := range all {
		switch {
		case !b.Known:
			fmt.Fprintf(out, "%s: nothing to reset\n", diag.Escape(b.Ability))
		case b.Phase != breaker.Closed:
			fmt.Fprintf(out, "%s: closed, was %s since %s\n", diag.Escape(b.Ability), b.Phase, stamp(b.State.Opened))
		case b.State.Failures > 0:
			fmt.Fprintf(out, "%s: was closed; %s in a row forgotten\n", diag.Escape(b.Ability), count(int(b.State.Failures), "failure"))
		default:
			fmt.Fprintf(out, "%s: was closed\n", diag.Escape(b.Ability))
		}
	}
	return out.Flush()
}
