package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/chain"
	chainrun "github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/registry"
)

// loadPolicies puts policy files in force, all or nothing. A directory
// stands for the .cbp files below it, a bundle for those in it, if one of the
// keys has signed it. Policies without a single rule are
// refused: they would let everything through, which nobody asks for so.
func loadPolicies(cmd *cobra.Command, reg *registry.Registry, paths []string, keys ...string) error {
	files, err := walk(paths, ".cbp")
	if err != nil {
		return err
	}
	var policies []*dsl.Policy
	var faults diag.List
	parse := func(name string, data []byte) {
		p, fs := dsl.ParsePolicy(name, data)
		faults = append(faults, fs...)
		policies = append(policies, p)
	}
	for _, path := range files {
		if filepath.Ext(path) == bundle.Extension {
			b, err := verifiedBundle(cmd, path, keys)
			if err != nil {
				return err
			}
			for _, f := range b.Files {
				parse(path+"/"+f.Path, f.Data)
			}
			continue
		}
		name, data, err := read(cmd, path)
		if err != nil {
			return err
		}
		parse(name, data)
	}
	if faults.Err() != nil {
		return refuse(cmd, faults)
	}
	if err := reg.Load(policies...); err != nil {
		return refuse(cmd, err)
	}
	if len(paths) > 0 && reg.Set().Len() == 0 {
		return usage("%s: no rule in %s (a policy file is named *.cbp, or named itself)", cmd.Name(), strings.Join(paths, ", "))
	}
	return nil
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
