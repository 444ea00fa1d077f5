package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// stdin is the path that means standard input.
const stdin = "-"

// maxFile is how much of a file is read; a policy or a chain is far smaller.
const maxFile = 256 << 20

// read returns a file's contents, or standard input's for "-", and the name
// under which findings speak of it.
func read(cmd *cobra.Command, path string) (name string, data []byte, err error) {
	in := cmd.InOrStdin()
	name = "<stdin>"
	if path != stdin {
		name = path
		f, err := os.Open(path)
		if err != nil {
			return name, nil, err
		}
		defer f.Close()
		in = f
	}
	data, err = io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: larger than %d MiB", name, maxFile>>20)
	}
	return name, data, err
}

// walk returns the files that paths name: a directory stands for the files
// below it with one of the extensions, in the order of their names. A path
// that names nothing is an error.
func walk(paths []string, extensions ...string) ([]string, error) {
	var files []string
	for _, path := range paths {
		if path == stdin {
			files = append(files, path)
			continue
		}
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && p != path && len(d.Name()) > 1 && d.Name()[0] == '.':
				return filepath.SkipDir
			case d.IsDir() || p != path && !slices.Contains(extensions, strings.ToLower(filepath.Ext(p))):
				return nil
			}
			files = append(files, p)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
