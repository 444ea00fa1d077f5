package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// fmtOptions are the flags of fmt.
type fmtOptions struct {
	write, list, diff, check bool
}

// prints reports whether the formatted text goes to standard output.
func (o fmtOptions) prints() bool { return !o.write && !o.list && !o.diff && !o.check }

func newFmt() *cobra.Command {
	var o fmtOptions
	cmd := &cobra.Command{
		Use:   "fmt [-w] [-l] [-d] [--check] PATH…|-",
		Short: "Print policies canonically",
		Long: `fmt prints policies (.cbp) in their one canonical form, comments kept. A
directory stands for the .cbp files below it; - is standard input.

A file that cannot be read as a policy is reported and left as it is, which
ends in exit code 3, as does --check where a file is not in canonical form.`,
		Example: `  cbpolicy fmt -w policies
  cbpolicy fmt --check -l .`,
		Args: atLeast(1, "a policy file, a directory, or - for standard input"),
	}
	cmd.Flags().BoolVarP(&o.write, "write", "w", false, "rewrite files that differ")
	cmd.Flags().BoolVarP(&o.list, "list", "l", false, "list files that differ")
	cmd.Flags().BoolVarP(&o.diff, "diff", "d", false, "print what differs as a unified diff")
	cmd.Flags().BoolVar(&o.check, "check", false, "end with exit code 3 if a file differs")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runFmt(cmd, args, o) }
	return cmd
}

func runFmt(cmd *cobra.Command, args []string, o fmtOptions) error {
	paths, err := distinct(args, ".cbp")
	if err != nil {
		return err
	}
	failed := false
	for _, path := range paths {
		if path == stdin && o.write {
			return usage("fmt: standard input cannot be rewritten: leave out -w")
		}
		differs, err := formatFile(cmd, path, o)
		var e *exitError
		switch {
		case errors.As(err, &e) && e.code == exitFindings:
			failed = true // it was reported; the other files are still formatted
		case err != nil:
			return err
		case differs && o.check:
			failed = true
		}
	}
	if failed {
		return exit(exitFindings)
	}
	return nil
}

// formatFile formats one file as the options say and reports whether it differs.
func formatFile(cmd *cobra.Command, path string, o fmtOptions) (differs bool, err error) {
	name, data, err := read(cmd, path)
	if err != nil {
		return false, err
	}
	policy, findings := dsl.ParsePolicy(name, data)
	if len(findings) > 0 {
		return false, refuse(cmd, findings)
	}
	text, err := dsl.FormatPolicy(policy)
	if err != nil {
		return false, refuse(cmd, diag.List{{ID: dsl.LimitID, File: name, Message: "cannot be formatted: " + err.Error()}})
	}
	out := cmd.OutOrStdout()
	if o.prints() {
		_, err := out.Write(text)
		return false, err
	}
	if bytes.Equal(text, data) {
		return false, nil
	}
	if o.list {
		if _, err := fmt.Fprintln(out, name); err != nil {
			return true, err
		}
	}
	if o.diff {
		if _, err := out.Write(unifiedDiff(name, data, text)); err != nil {
			return true, err
		}
	}
	if o.write {
		err = rewrite(path, text)
	}
	return true, err
}

// rewrite puts a text in the place of a file's, in one step, so that nobody
// ever reads half of it. The file's mode is kept; of a symbolic link the
// target is rewritten.
func rewrite(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once the file has its new name
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
