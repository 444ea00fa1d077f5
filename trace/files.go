package trace

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordings are the extensions of files that are taken for recordings by their
// names, without .gz; chains, tests and settings have the others.
var (
	recordings = []string{".json", ".jsonl", ".ndjson", ".traj"}
	others     = []string{".yaml", ".yml"}
)

// Files lists the files that Open reads: the path itself if it is a file, or
// else those below it, in the order of their paths, whose names end in .json,
// .jsonl, .ndjson or .traj, or in one of these and .gz, and those that begin
// like a recording, whatever their names. Where the options name a format, it is
// those in .yaml and .yml, too. Of the rest o.PassedOver is told. Files and directories whose names
// begin with a dot are left out. Links below the path are followed to files, and
// not to directories; a file that has several names there is read once, under
// the first of them.
func Files(path string, o Options) iter.Seq2[string, error] {
	passedOver := o.PassedOver
	if passedOver == nil {
		passedOver = func(string) {}
	}
	return func(yield func(string, error) bool) {
		info, err := os.Stat(path)
		if err != nil {
			yield("", unread(path, err))
			return
		}
		switch {
		case info.IsDir():
		case !info.Mode().IsRegular() && inFileSystem(path):
			yield("", &Error{Source: path, Err: errNoFile})
			return
		default:
			yield(path, nil)
			return
		}
		var read fileSet
		// The walk itself reports errors by its function only.
		_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			hidden := p != path && strings.HasPrefix(filepath.Base(p), ".")
			switch {
			case err != nil:
				if !yield("", unread(p, err)) {
					return fs.SkipAll
				}
			case hidden && d.IsDir():
				return fs.SkipDir
			case hidden || !isFile(p, d):
			case read.has(p):
			case !mayHoldRuns(p, o.Format):
				passedOver(p)
			default:
				read.add(p)
				if !yield(p, nil) {
					return fs.SkipAll
				}
			}
			return nil
		})
	}
}

// fileSet holds files, whatever their names. The zero value is empty.
type fileSet map[fileKey][]fs.FileInfo

// fileKey is equal for two names of a file, and for few others.
type fileKey struct{ size, modified int64 }

// has reports whether a file is in the set. One that is not there is in none.
func (s fileSet) has(path string) bool {
	info, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(s[keyOf(info)], func(other fs.FileInfo) bool { return os.SameFile(info, other) })
}

func (s *fileSet) add(path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	if *s == nil {
		*s = fileSet{}
	}
	(*s)[keyOf(info)] = append((*s)[keyOf(info)], info)
}

func keyOf(info fs.FileInfo) fileKey { return fileKey{info.Size(), info.ModTime().UnixNano()} }

// errNoFile refuses what reading might never end of.
var errNoFile = errors.New("this is a pipe or a device, and no file: give what it holds to standard input, and - for the path")

// inFileSystem reports whether a path stands in the file system, and not for a file
// that this process was given open, such as what a shell puts there for <(…).
func inFileSystem(path string) bool {
	_, err := filepath.EvalSymlinks(path)
	return err == nil && !strings.HasPrefix(path, "/dev/fd/")
}

// isFile reports whether an entry of a directory is a file, or a link to one
// or to nothing. Pipes and devices are none: reading them might never end.
func isFile(path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// hasExtension reports whether a file's name ends in one of some extensions.
func hasExtension(path string, extensions []string) bool {
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(name, e) })
}

// mayHoldRuns reports whether a file is to be read: by its name, or by what it
// begins with. One that is no recording but is named like one is, and one whose
// beginning cannot be read, so that it is told why.
func mayHoldRuns(path, format string) bool {
	if hasExtension(path, recordings) || format != "" && hasExtension(path, others) {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) || hasExtension(path, others) // a link to nothing
	}
	defer f.Close()
	_, _, err = begin(path, f, Options{})
	if wrong := (*EncodingError)(nil); errors.As(err, &wrong) {
		return wrong.Format != ""
	}
	return err == nil || !unknown(err) && !errors.Is(err, errEmpty)
}
