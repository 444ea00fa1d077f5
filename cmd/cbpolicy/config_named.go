package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/internal/process"
	"github.com/cbpolicy/cbpolicy/session"
)

// checkNamed looks for what the configuration names beside policies, as the verbs
// that need it do. It says all that is wrong, one line each, after what was wrong
// before; the last is the error.
func checkNamed(cmd *cobra.Command, s *config.Settings, before error) error {
	var faults []error
	if before != nil {
		faults = append(faults, before)
	}
	note := func(setting string, err error) {
		if err != nil {
			faults = append(faults, placedAt(err, s.Place(setting), setting))
		}
	}
	_, err := loadPrices(cmd, s.Prices)
	note("prices", err)
	var o session.Options
	s.Apply(&o)
	note("", preambles(cmd, s, &o)) // which places what it says
	if s.Review.By == config.CommandReview {
		if _, err := process.Find(s.Review.Command); err != nil {
			note("review.command", &exitError{exitFindings, err})
		}
	}
	if s.Review.Patterns != "" {
		note("review.patterns", new(reviews).remember(s.Review.Patterns, false))
	}
	for i, path := range s.Check.Plugins {
		note(fmt.Sprintf("check.plugins[%d]", i), thereIs(path))
	}
	for i, path := range s.Check.Abilities {
		note(fmt.Sprintf("check.abilities[%d]", i), thereIs(path))
	}
	if s.Audit.Path != "" {
		note("audit.path", thereIs(filepath.Dir(s.Audit.Path)))
	}
	return lastOf(cmd, faults)
}

// thereIs says that a path names nothing.
func thereIs(path string) error {
	_, err := os.Stat(path)
	return err
}

// lastOf prints errors, but for the last, which it returns with the code of the
// first.
func lastOf(cmd *cobra.Command, errs []error) error {
	code := exitOK
	for i, err := range errs {
		own, text := exitInternal, err
		if e := (*exitError)(nil); errors.As(err, &e) {
			own, text = e.code, e.err
		}
		if code == exitOK {
			code = own
		}
		if i == len(errs)-1 {
			return &exitError{code, text}
		}
		if text != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy:", text)
		}
	}
	return nil
}
