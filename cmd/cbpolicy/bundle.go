package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/link"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
)

func newBundle() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bundle build|sign|verify|inspect|keygen",
		Short: "Put policy files into one signed file",
		Long: `bundle makes one file of many policy files, with the hash of each, signed with an
ed25519 key, for --policy FILE.cbb with --policy-key.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownWord("bundle", "verb", args[0], []string{"build", "sign", "verify", "inspect", "keygen"})
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage("bundle: want build, sign, verify, inspect or keygen\nSee '%s --help'.", cmd.CommandPath())
		},
	}
	cmd.AddCommand(newBundleBuild(), newBundleSign(), newBundleVerify(), newBundleInspect(), newBundleKeygen())
	return cmd
}

func newBundleBuild() *cobra.Command {
	var out string
	var revision uint64
	cmd := &cobra.Command{
		Use:   "build DIR --revision N -o FILE" + bundle.Extension,
		Short: "Make a bundle of the policy files below a directory",
		Long: `build puts the .cbp files below a directory into one file. A file with a fault is
refused, and so are files that cannot be in force together. The revision is a number that grows with every bundle.`,
		Args: exactlyOne("one directory"),
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write (required)")
	cmd.Flags().Uint64Var(&revision, "revision", 0, "`NUMBER` of the bundle, greater than that of any before (required)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if out == "" || revision == 0 {
			return usage("bundle build: --output and --revision are required")
		}
		if err := beside(out, args[0]); err != nil {
			return err
		}
		b, err := bundleOf(cmd, args[0], revision)
		if err != nil {
			return err
		}
		return os.WriteFile(out, b.Append(nil), 0o644)
	}
	return cmd
}

// beside refuses to write a bundle where it would not be read as one: under
// another kind of name, or below the directory that it is made of, which could
// not be read any more.
func beside(out, dir string) error {
	if filepath.Ext(out) != bundle.Extension {
		return usage("bundle build: --output %s: a bundle is called NAME%s", out, bundle.Extension)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(out))
	if err != nil {
		return err
	}
	if parent, err = filepath.Abs(parent); err != nil {
		return err
	}
	for {
		if link.Same(parent, dir) {
			return usage("bundle build: --output %s: the bundle would lie in the directory that it is made of: write it elsewhere", out)
		}
		up := filepath.Dir(parent)
		if up == parent {
			return nil
		}
		parent = up
	}
}

// bundleOf reads the policy files below a directory, as they would be if it was a
// source itself. What could not be put in force together is no bundle.
func bundleOf(cmd *cobra.Command, dir string, revision uint64) (*bundle.Bundle, error) {
	files, err := policies.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []*dsl.Policy
	var faults diag.List
	for i := range files {
		policy, fs := dsl.ParsePolicy(files[i].Path, files[i].Data)
		all, faults = append(all, policy), append(faults, fs...)
		inside, err := filepath.Rel(dir, files[i].Path)
		if err != nil {
			return nil, err
		}
		files[i].Path = filepath.ToSlash(inside)
	}
	if faults.Err() != nil {
		return nil, refuse(cmd, faults)
	}
	if err := new(registry.Registry).Load(all...); err != nil {
		return nil, refuse(cmd, err)
	}
	return bundle.New(revision, files)
}

func newBundleSign() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "sign FILE" + bundle.Extension + " --key PRIVATE.pem",
		Short: "Sign a bundle",
		Args:  exactlyOne("one bundle"),
	}
	nonEmptyFlag(cmd.Flags(), &key, "key", "private key in PEM (`FILE`, required)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if key == "" {
			return usage("bundle sign: --key is required")
		}
		pem, err := os.ReadFile(key)
		if err != nil {
			return err
		}
		private, err := bundle.ParsePrivateKey(pem)
		if err != nil {
			return usage("%s: %w", key, err)
		}
		b, err := readBundle(cmd, args[0], bundle.Read)
		if err != nil {
			return err
		}
		b.Sign(private)
		return os.WriteFile(args[0], b.Append(nil), 0o644)
	}
	return cmd
}

func newBundleVerify() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "verify FILE" + bundle.Extension + " --key PUBLIC.pem…",
		Short: "Check that a bundle is whole and signed by one of the keys",
		Args:  exactlyOne("one bundle"),
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key in PEM (`FILE`, repeatable)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		b, err := verifiedBundle(cmd, args[0], keys)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "revision: %d, files: %d\n", b.Revision, len(b.Files))
		return err
	}
	return cmd
}

func newBundleInspect() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE" + bundle.Extension,
		Short: "Print what a bundle holds",
		Args:  exactlyOne("one bundle"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := readBundle(cmd, args[0], bundle.Read)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(b.Manifest())
			return err
		},
	}
}

func newBundleKeygen() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen NAME",
		Short: "Make a pair of keys, NAME.pem and NAME.pub.pem",
		Args:  exactlyOne("one name"),
		RunE: func(_ *cobra.Command, args []string) error {
			_, key, err := ed25519.GenerateKey(rand.Reader)
			if err != nil {
				return err
			}
			private, public, err := bundle.EncodeKeys(key)
			if err != nil {
				return err
			}
			if err := writeNew(args[0]+".pem", private, 0o600); err != nil {
				return err
			}
			return writeNew(args[0]+".pub.pem", public, 0o644)
		},
	}
}

// writeNew writes a file that is not there yet: a key that is lost is lost.
func writeNew(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// readBundle reads a bundle as parse does: whoever signed it, or not.
func readBundle(cmd *cobra.Command, path string, parse func([]byte) (*bundle.Bundle, error)) (*bundle.Bundle, error) {
	name, data, err := read(cmd, path)
	if err != nil {
		return nil, err
	}
	b, err := parse(data)
	if err != nil {
		return nil, &exitError{exitFindings, fmt.Errorf("%s: %w", name, err)}
	}
	return b, nil
}

// keyError says which public key cannot be read, and why.
type keyError struct {
	path string
	err  error
}

func (e *keyError) Error() string { return e.err.Error() }

func (e *keyError) Unwrap() error { return e.err }

// readKeys reads public keys.
func readKeys(paths []string) (public []ed25519.PublicKey, err error) {
	for _, path := range paths {
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, &keyError{path, err}
		}
		key, err := bundle.ParsePublicKey(pem)
		if err != nil {
			return nil, &keyError{path, usage("%s: %w", path, err)}
		}
		public = append(public, key)
	}
	return public, nil
}

// verifiedBundle reads a bundle that one of the keys has signed.
func verifiedBundle(cmd *cobra.Command, path string, keys []string) (*bundle.Bundle, error) {
	if len(keys) == 0 {
		return nil, usage("%s: who may have signed the bundle? Give the public key", path)
	}
	public, err := readKeys(keys)
	if err != nil {
		return nil, err
	}
	return readBundle(cmd, path, func(data []byte) (*bundle.Bundle, error) { return bundle.ReadSigned(data, public...) })
}
