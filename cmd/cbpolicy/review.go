package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/process"
	"github.com/cbpolicy/cbpolicy/session"
)

// reviewFlags are the flags of a verb that has work reviewed.
type reviewFlags struct{ by, url, model, keyEnv, patterns string }

// add adds them; dry to a verb that asks nobody and writes nothing.
func (f *reviewFlags) add(cmd *cobra.Command, dry bool) {
	patterns := "remember failures that were reviewed, and what helped, in this `FILE`"
	if dry {
		patterns = "let the reviewer know the failures in this `FILE`, to which a dry run writes nothing"
	}
	nonEmptyFlag(cmd.Flags(), &f.by, "review", "who reviews: rules, none, or a command 'CMD …' (a case as JSON in, guidance as JSON out)")
	nonEmptyFlag(cmd.Flags(), &f.url, "review-url", "`URL` of an endpoint for chat completions whose model reviews")
	nonEmptyFlag(cmd.Flags(), &f.model, "review-model", "the model behind --review-url")
	nonEmptyFlag(cmd.Flags(), &f.keyEnv, "review-key-env", "the variable that holds the key for --review-url")
	nonEmptyFlag(cmd.Flags(), &f.patterns, "patterns", patterns)
}

// apply puts what the flags say in the place of the configuration.
func (f *reviewFlags) apply(v *config.Review) error {
	v.Patterns = cmp.Or(f.patterns, v.Patterns)
	switch {
	case f.by != "" && f.url != "":
		return usage("--review and --review-url both say who reviews")
	case f.url == "" && (f.model != "" || f.keyEnv != "") && v.By != config.ModelReview:
		return usage("--review-model and --review-key-env say nothing without --review-url")
	case f.by == "none":
		v.By = config.NoReviewer
	case f.by == "rules":
		v.By = config.RulesReviewer
	case f.by != "":
		words, err := process.Split(f.by)
		if err != nil {
			return usage("--review: %w", err)
		}
		v.By, v.Command = config.CommandReview, words
	case f.url != "":
		v.By, v.URL, v.Model, v.KeyEnv = config.ModelReview, f.url, "", ""
	}
	v.Model, v.KeyEnv = cmp.Or(f.model, v.Model), cmp.Or(f.keyEnv, v.KeyEnv)
	if f.patterns != "" && v.By == config.NoReviewer {
		return usage("--patterns says nothing without a reviewer: --review, --review-url, or review: in the configuration")
	}
	return nil
}

// reviews is what a run is reviewed by.
type reviews struct {
	actions.Review
	path string // of the patterns; "": they are not written
}

// open makes ready what the configuration and the flags say of reviews,
// and sets the session up for them. A dry run asks nobody and writes nothing.
func (f *reviewFlags) open(cmd *cobra.Command, s *config.Settings, o *session.Options, dry bool) (*reviews, error) {
	v := &s.Review
	if err := f.apply(v); err != nil {
		return nil, err
	}
	r := &reviews{Review: actions.Review{Timeout: v.Timeout}}
	var err error
	if r.Reviewer, r.Name, err = reviewerOf(v, dry); err != nil {
		return nil, err
	}
	if v.Mandatory.Asks(r.Reviewer != nil) {
		r.Mandatory = &v.Mandatory.Limits
	}
	if err := preambles(cmd, s, o); err != nil {
		return nil, err
	}
	if r.Reviewer == nil {
		if f.by == "" { // else it is the wish of whoever calls
			warnUnreviewed(cmd, s)
		}
		return r, nil
	}
	o.Recall = review.MaxCalls
	if dry {
		warnDry(cmd, v)
	}
	if v.Patterns != "" {
		err = r.remember(v.Patterns, dry)
	}
	return r, err
}

// warnUnreviewed tells that nothing is remembered where nobody reviews.
func warnUnreviewed(cmd *cobra.Command, s *config.Settings) {
	if s.Review.By == config.NoReviewer && s.Review.Patterns != "" {
		warn(cmd, "%s: patterns is not in effect, as nobody reviews", s.Place("review.patterns"))
	}
}

// warnDry tells of what stops a run and not a dry one.
func warnDry(cmd *cobra.Command, v *config.Review) {
	if v.By == config.CommandReview {
		if _, err := process.Find(v.Command); err != nil {
			warn(cmd, "review: %v; a run would not begin", err)
		}
	}
	if v.Patterns != "" {
		if _, err := os.Stat(v.Patterns); errors.Is(err, fs.ErrNotExist) {
			warn(cmd, "there are no failure patterns in %s, and a dry run writes none", v.Patterns)
		}
	}
}

// warn says something on standard error without which a program may go on.
func warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy: warning:", diag.Escape(fmt.Sprintf(format, args...)))
}

// remember reads the failures of a file. What cannot be written at the end is
// refused before anything is done.
func (r *reviews) remember(path string, dry bool) (err error) {
	if r.Patterns, err = review.LoadPatterns(path); err != nil {
		if errors.As(err, new(*review.FileError)) {
			return &exitError{exitFindings, err}
		}
		return err
	}
	if dry {
		return nil
	}
	r.path = path
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("failure patterns: %w", err)
	}
	return nil
}

// close writes what was remembered.
func (r *reviews) close() error {
	if r.path == "" {
		return nil
	}
	return r.Patterns.Save(r.path)
}

// reviewerOf is who reviews, and his name; nil: nobody does.
func reviewerOf(v *config.Review, dry bool) (review.Reviewer, string, error) {
	switch v.By {
	case config.RulesReviewer:
		return review.Rules{}, "rules", nil
	case config.CommandReview:
		name := "command " + v.Command[0]
		if dry {
			return notAsked(name), "dry run", nil
		}
		r, err := review.NewCommand(v.Command)
		if err != nil {
			return nil, "", usage("review: %w", err)
		}
		r.Timeout = v.Timeout
		return r, name, nil
	case config.ModelReview:
		key := ""
		if v.KeyEnv != "" && !dry {
			if key = os.Getenv(v.KeyEnv); key == "" {
				return nil, "", usage("review: the variable %s, which holds the key, is not set", v.KeyEnv)
			}
		}
		r, err := review.NewHTTP(v.URL, v.Model, key)
		if err != nil {
			return nil, "", usage("review: %w", err)
		}
		if dry {
			return notAsked(r.Name()), "dry run", nil
		}
		r.Timeout = v.Timeout
		return r, r.Name(), nil
	}
	return nil, "", nil
}

// notAsked stands in for a reviewer in a dry run, which goes on as if he had
// answered.
func notAsked(name string) review.Reviewer {
	return review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
		return &review.Guidance{Analysis: "A dry run asks nobody: here " + name + " would be asked.", Approach: []string{"Run the chain to have it reviewed."}}, nil
	})
}

// preambles reads what the operator has to say to reviewers. A file that an
// environment variable names is passed over with a warning if it cannot be read.
func preambles(cmd *cobra.Command, s *config.Settings, o *session.Options) (err error) {
	if o.Review.Preamble, err = preamble(s.Review.Preamble); err != nil {
		by := s.Variable("review.preamble")
		if by == "" {
			return placedAt(err, s.Place("review.preamble"), "review.preamble")
		}
		warn(cmd, "%s: %v; there is no preamble", by, err)
	}
	for i := range s.Tasks {
		if o.TaskLimits[i].Review.Preamble, err = preamble(s.Tasks[i].Preamble); err != nil {
			setting := fmt.Sprintf("tasks[%d].preamble", i)
			return placedAt(err, s.Place(setting), setting)
		}
	}
	return nil
}

// preamble reads a file; "" for none.
func preamble(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("the preamble of the reviewer: %w", err)
	case len(data) > review.MaxPreamble:
		return "", fmt.Errorf("the preamble of the reviewer: %s has %d bytes; at most %d are sent", path, len(data), review.MaxPreamble)
	case !utf8.Valid(data):
		return "", fmt.Errorf("the preamble of the reviewer: %s is not UTF-8", path)
	}
	return strings.TrimSpace(string(data)), nil
}
