package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/chain"
	chainrun "github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
)

// loadPolicies puts policies in force, all or nothing: files, directories of
// them, and bundles that one of the keys has signed.
func loadPolicies(cmd *cobra.Command, reg *registry.Registry, paths []string, keys ...string) (*policies.Loader, error) {
	public, err := readKeys(keys)
	if err != nil {
		return nil, err
	}
	l, err := policies.Open(reg, policies.Options{
		Paths: paths, Keys: public, Stdin: cmd.InOrStdin(), Changed: func(s policies.Status) { tellUpdate(cmd, s) },
	})
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, policies.ErrNoKeys):
		if cmd.Flags().Lookup("policy-key") != nil {
			err = fmt.Errorf("%w with --policy-key, or policy_keys: in the configuration", err)
		}
		return nil, usage("%w", err)
	case errors.Is(err, policies.ErrNoRules):
		return nil, usage("%s: %w", cmd.Name(), err)
	case errors.As(err, new(diag.List)):
		return nil, refuse(cmd, err)
	case errors.As(err, new(*fs.PathError)):
		return nil, err
	}
	return nil, &exitError{exitFindings, err}
}

// loadConfigured loads the policies of the configuration, and others. An error of
// what the configuration names says where.
func loadConfigured(cmd *cobra.Command, reg *registry.Registry, s *config.Settings, paths, keys []string) (*policies.Loader, error) {
	l, err := loadPolicies(cmd, reg, slices.Concat(s.Policies, paths), slices.Concat(s.PolicyKeys, keys)...)
	if key := (*keyError)(nil); errors.As(err, &key) {
		return nil, placed(err, s, "policy_keys", slices.Index(s.PolicyKeys, key.path))
	}
	return l, placedSource(err, s)
}

// placedSource puts before an error of a source where the configuration names it.
func placedSource(err error, s *config.Settings) error {
	if source := (*policies.SourceError)(nil); errors.As(err, &source) {
		return placed(err, s, "policies", slices.Index(s.Policies, source.Path))
	}
	return err
}

// placed puts before an error where the configuration names what it is about: an
// entry of a list, -1 if it is none of it.
func placed(err error, s *config.Settings, setting string, entry int) error {
	return placedAt(err, s.Place(fmt.Sprintf("%s[%d]", setting, entry)), setting)
}

// placedAt puts before an error where the configuration says a setting; "": it
// does not.
func placedAt(err error, place, setting string) error {
	if place == "" || err == nil {
		return err
	}
	code := exitInternal
	if e := (*exitError)(nil); errors.As(err, &e) {
		if code, err = e.code, e.err; err == nil {
			return e // it was said
		}
	}
	return &exitError{code, fmt.Errorf("%s: %s: %w", place, setting, err)}
}

// tellUpdate says what became of an update.
func tellUpdate(cmd *cobra.Command, s policies.Status) {
	if s.Refused != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy: warning:", diag.Escape(s.Note()))
		return
	}
	files, rules := 0, 0
	for _, source := range s.Sources {
		files, rules = files+source.Files, rules+source.Rules
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "cbpolicy: the policies are those of %s: files: %d, rules: %d, digest %s\n", s.Since.UTC().Format(time.RFC3339), files, rules, s.Digest())
}

// loadChain reads a chain and puts its rules in force.
func loadChain(cmd *cobra.Command, reg *registry.Registry, path string) (*chain.Chain, error) {
	name, data, err := read(cmd, path)
	if err != nil {
		return nil, err
	}
	c, faults := parseChain(name, data)
	if faults.Err() != nil {
		return nil, refuse(cmd, faults)
	}
	into := reg
	if c.Block != nil {
		into = new(registry.Registry) // a model's rules come into force with its session
	}
	if err := into.Replace(chainrun.Rulesets(c, cmd.Name())...); err != nil {
		return nil, refuse(cmd, err)
	}
	return c, nil
}

// parseChain reads a chain: a document, or the one block of a model's text.
func parseChain(name string, data []byte) (*chain.Chain, diag.List) {
	if lint.KindOf(name) != lint.Text || !bytes.Contains(data, []byte("<nyaya>")) {
		return chain.Parse(name, data)
	}
	raw, fault := dsl.ExtractBlock(name, data)
	if fault != nil {
		return nil, diag.List{fault}
	}
	block, faults := dsl.ParseBlock(raw)
	if block == nil {
		return nil, faults
	}
	return chain.FromBlock(block)
}

// refuse prints findings to stderr and ends with the code for findings.
func refuse(cmd *cobra.Command, err error) error {
	list, ok := err.(diag.List)
	if !ok {
		return err
	}
	if err := diag.Text(cmd.ErrOrStderr(), list, diag.TextOptions{Color: colour(cmd.ErrOrStderr())}); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return exit(exitFindings)
}
