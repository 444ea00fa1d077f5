package review

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// The file of patterns is JSON Lines. The first line says the version of the
// format, how many patterns follow, and the number of the latest id:
//
//	{"cbpolicy_patterns":1,"patterns":12,"last":17}
//
// Each further line is a Pattern, the oldest first.
const (
	fileVersion = 1
	maxFileLine = 4 << 20 // bytes; the largest pattern takes less
)

type fileHead struct {
	Version  int `json:"cbpolicy_patterns"`
	Patterns int `json:"patterns"`
	Last     int `json:"last"`
}

// FileError says which line of a file of patterns is damaged. Nothing of such
// a file is used.
type FileError struct {
	File   string
	Line   int // from 1
	Column int // from 1, in characters; 0: the line as a whole
	Err    error
}

// Error renders file, line, column and fault.
func (e *FileError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the fault.
func (e *FileError) Unwrap() error { return e.Err }

// LoadPatterns reads the patterns of a file. A file that does not exist holds
// none; what is no file, such as a folder or a pipe, is an error. A damaged line
// is a *FileError.
func LoadPatterns(path string) (*Patterns, error) {
	p, err := load(path)
	return p, ofPatterns(err)
}

// ofPatterns says of an error what it is about, unless it names the file's line.
func ofPatterns(err error) error {
	if err != nil && !errors.As(err, new(*FileError)) {
		return fmt.Errorf("failure patterns: %w", err)
	}
	return err
}

func load(path string) (*Patterns, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Patterns{origin: origin{file: path, whole: true}}, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // to open a pipe may take for ever
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadPatterns(f, path)
}

// ReadPatterns reads patterns as WriteTo writes them. The name is that of the
// file, for errors and for Save. A damaged line is a *FileError, and so is one that is
// missing at the end.
func ReadPatterns(r io.Reader, name string) (*Patterns, error) {
	sum := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r, sum))
	lines.Buffer(nil, maxFileLine)
	line := 0
	next := func() bool { line++; return lines.Scan() }
	damaged := func(err error) error {
		var fault *jsonv.Error
		if errors.As(err, &fault) { // a line of JSON knows nothing of the file's lines
			message := fault.Message
			if fault.Path != "" {
				message += " in " + fault.Path
			}
			return &FileError{name, line, fault.Column, errors.New(message)}
		}
		return &FileError{name, line, 0, err}
	}
	if !next() {
		return nil, damaged(orElse(lines.Err(), errors.New(`the file is empty; it begins with {"cbpolicy_patterns":1,…}`)))
	}
	var head fileHead
	if err := decode(lines.Bytes(), &head); err != nil {
		return nil, damaged(err)
	}
	if err := head.check(); err != nil {
		return nil, damaged(err)
	}
	p, ids := &Patterns{last: head.Last}, map[string]bool{}
	for next() {
		k := &Pattern{}
		if err := decode(lines.Bytes(), k); err != nil {
			return nil, damaged(err)
		}
		switch n, ok := numberOf(k.ID); {
		case !ok || n > head.Last:
			return nil, damaged(fmt.Errorf("%q is no id of a pattern up to p%d", cut(k.ID, 40), head.Last))
		case ids[k.ID]:
			return nil, damaged(fmt.Errorf("a second pattern %s", k.ID))
		case len(p.list) == head.Patterns:
			return nil, damaged(fmt.Errorf("a pattern more than the %d that line 1 says", head.Patterns))
		}
		if err := k.check(); err != nil {
			return nil, damaged(err)
		}
		ids[k.ID] = true
		p.list = append(p.list, k)
	}
	if err := lines.Err(); err != nil {
		return nil, damaged(err)
	}
	if len(p.list) != head.Patterns {
		return nil, damaged(fmt.Errorf("the file ends after %d patterns; line 1 says %d", len(p.list), head.Patterns))
	}
	p.origin = origin{file: name, content: [sha256.Size]byte(sum.Sum(nil)), last: p.last, whole: true}
	return p, nil
}

func (h *fileHead) check() error {
	switch {
	case h.Version != fileVersion:
		return fmt.Errorf("the file's version is %d; this program reads %d", h.Version, fileVersion)
	case h.Patterns < 0 || h.Patterns > MaxPatterns:
		return fmt.Errorf("patterns: %d; at most %d are kept", h.Patterns, MaxPatterns)
	case h.Last < h.Patterns || h.Last > math.MaxInt/2:
		return fmt.Errorf("last: %d is no number of an id after %d patterns", h.Last, h.Patterns)
	}
	return nil
}

// check says what in a pattern no record can have made.
func (k *Pattern) check() error {
	switch {
	case k.Seen < 1 || k.Seen > maxCount:
		return fmt.Errorf("seen: %d; it is 1 to %d", k.Seen, maxCount)
	case k.Helped < 0 || k.Helped > k.Offered || k.Offered > maxCount:
		return fmt.Errorf("helped: %d of %d", k.Helped, k.Offered)
	case k.Specialist != Loop && k.Specialist != Mistake && k.Specialist != Approach:
		return fmt.Errorf("specialist: %q is none; it is loop, error or approach", cut(string(k.Specialist), 40))
	case len(k.Cause) > maxAnalysis:
		return fmt.Errorf("cause: longer than %d bytes", maxAnalysis)
	case len(k.Remedy) > maxPoints:
		return fmt.Errorf("remedy: more than %d texts", maxPoints)
	}
	for _, text := range k.Remedy {
		if len(text) > maxPoint {
			return fmt.Errorf("remedy: a text longer than %d bytes", maxPoint)
		}
	}
	s := &k.Symptoms
	for _, part := range []struct {
		name   string
		counts map[string]int
	}{{"abilities", s.Abilities}, {"doings", s.Doings}, {"classes", s.Classes}} {
		if len(part.counts) > maxGrams {
			return fmt.Errorf("symptoms.%s: more than %d counts", part.name, maxGrams)
		}
		for _, n := range part.counts {
			if n < 1 || n > MaxCalls*k.Seen {
				return fmt.Errorf("symptoms.%s: a count that is not 1 to %d for each of %d failures", part.name, MaxCalls, k.Seen)
			}
		}
	}
	return nil
}

// decode reads one line strictly: no unknown, repeated or further member.
func decode(line []byte, into any) error {
	if len(line) == 0 {
		return errors.New("a blank line")
	}
	if _, err := jsonv.Parse(line, jsonv.Limits{Depth: 10}); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
