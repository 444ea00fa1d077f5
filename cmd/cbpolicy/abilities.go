package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

// manifestNames are the files of a plugin that describe its abilities.
var manifestNames = []string{"manifest.yaml", "manifest.yml", "manifest.json"}

// readAbilities reads what the flags say of the abilities there are. A file
// that cannot be read is no file without findings: nothing is checked then.
func readAbilities(cmd *cobra.Command, o *checkOptions, known *lint.Abilities) error {
	for _, dir := range o.plugins {
		paths, err := manifests(dir)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := addAbilities(cmd, path, known.AddManifest); err != nil {
				return err
			}
		}
	}
	for _, path := range o.abilities {
		if err := addAbilities(cmd, path, known.AddList); err != nil {
			return err
		}
	}
	return nil
}

func addAbilities(cmd *cobra.Command, path string, add func(string, []byte) diag.List) error {
	name, data, err := read(cmd, path)
	if err != nil {
		return err
	}
	if findings := add(name, data); findings.Err() != nil {
		return usage("%w", findings.Err())
	}
	return nil
}

// manifests finds the manifests below a directory; there must be one.
func manifests(dir string) (paths []string, err error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("--plugins: %w", err)
	} else if !info.IsDir() {
		return []string{dir}, nil
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains(manifestNames, d.Name()) {
			paths = append(paths, path)
		}
		return err
	})
	if err == nil && len(paths) == 0 {
		return nil, usage("--plugins %s: no manifest.yaml below it", dir)
	}
	return paths, err
}
