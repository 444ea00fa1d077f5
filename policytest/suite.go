package policytest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Limits of a test file.
const (
	MaxFile   = 4 << 20 // bytes; of YAML at most 1 MiB
	MaxTests  = 10_000  // rows of tables included
	MaxSteps  = 10_000  // of one test, repetitions included
	maxDepth  = 200
	maxNodes  = 500_000
	maxPaths  = 1000
	maxListed = 1000 // rule ids of one expectation
)

// UnknownRuleID is the id of findings about rules that a test names and no
// policy has.
const UnknownRuleID = "unknown-rule"

// ReadFile returns the contents of a file that a test file names, such as
// os.ReadFile. The path is that of the test file's directory joined with the
// one written.
type ReadFile func(path string) ([]byte, error)

// Suite is a test file that was read without a fault, with the policies and
// chains that it names.
type Suite struct {
	File  string
	Tests []*Test // at least one, in the order of the file

	start    time.Time
	policies []*dsl.Policy
	chains   []*chain.Chain
	builtins bool
	shared   *registry.Registry // of all tests but dry runs, which add rules
}

// Test is one test, or one row of a table. It is run on a state of its own.
type Test struct {
	Name string // unique in its file; of a row: the test's name, a slash and the row's
	Pos  diag.Position

	steps  []*step
	dryrun *dryrun
}

// FileError says what is wrong in a test file. Anything else that Load
// returns is wrong elsewhere.
type FileError struct{ Findings diag.List }

// Error renders one finding a line.
func (e *FileError) Error() string { return e.Findings.Error() }

// Unwrap gives the findings to errors.As.
func (e *FileError) Unwrap() error { return e.Findings }

// Load reads a test file and what it names. Every fault of it is reported at
// once, in a *FileError; faults of a policy, a chain or a recording are a
// [diag.List]; any other error is one of reading.
func Load(file string, data []byte, read ReadFile) (*Suite, error) {
	d := document.Parse(file, data, document.Limits{Bytes: MaxFile, Depth: maxDepth, Nodes: maxNodes})
	l := &loader{Document: d, read: read, suite: &Suite{File: file}, named: map[string]diag.Position{}}
	if d.Root != nil {
		l.file(d.Root)
	}
	switch findings := distinct(d.Findings()); {
	case findings.Err() != nil:
		return nil, &FileError{findings}
	case l.elsewhere.Err() != nil:
		return nil, l.elsewhere
	case l.failed != nil:
		return nil, l.failed
	}
	return l.suite, nil
}

// distinct drops what was reported twice, as defaults are read with every step.
func distinct(list diag.List) diag.List {
	type key struct {
		pos     diag.Position
		message string
	}
	seen := map[key]bool{}
	var out diag.List
	for _, f := range list {
		if k := (key{f.Pos, f.Message}); !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}

// registry puts the rules in force anew, for whoever adds to them.
func (s *Suite) registry() (*registry.Registry, error) {
	var reg registry.Registry
	if err := reg.Load(s.policies...); err != nil {
		return nil, err
	}
	for _, c := range s.chains {
		if err := reg.Replace(run.Ruleset(c)); err != nil {
			return nil, err
		}
	}
	if s.builtins {
		if err := reg.LoadBuiltins(); err != nil {
			return nil, err
		}
	}
	return &reg, nil
}

// loader reads a test file.
type loader struct {
	*document.Document
	read  ReadFile
	suite *Suite
	named map[string]diag.Position // tests by name

	defaults  *document.Node // of the file; nil: none
	rules     *ruleBook      // nil until the policies and chains were read
	elsewhere diag.List      // faults of the files named
	unread    bool           // one of them does not exist
	failed    error          // the first error of reading them
}

// load reads a file that the test file names. It reports false if that was
// not possible, once that is noted.
func (l *loader) load(n *document.Node, what string) (path string, data []byte, ok bool) {
	text, ok := l.Text(n, what)
	if !ok {
		return "", nil, false
	}
	path = filepath.FromSlash(text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(l.File), path)
	}
	data, err := l.read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.Report(chain.DanglingID, n.Pos, fmt.Sprintf("%s: there is no file %s", what, document.Quote(path)), "paths are relative to the test file")
		l.unread = true
		return "", nil, false
	case err != nil:
		if l.failed == nil {
			l.failed = fmt.Errorf("%s:%d:%d: %s: %w", l.File, n.Pos.Line, n.Pos.Column, what, err)
		}
		return "", nil, false
	}
	return path, data, true
}

func (l *loader) policy(n *document.Node) {
	path, data, ok := l.load(n, "a policy")
	if !ok {
		return
	}
	p, faults := dsl.ParsePolicy(path, data)
	l.elsewhere = append(l.elsewhere, faults...)
	if faults.Err() == nil && p.Rules() == 0 {
		l.Report(document.SyntaxID, n.Pos, "the policy "+document.Quote(path)+" has no rule", "rules begin with B:")
	}
	l.suite.policies = append(l.suite.policies, p)
}

func (l *loader) chain(n *document.Node) *chain.Chain {
	path, data, ok := l.load(n, "a chain")
	if !ok {
		return nil
	}
	c, faults := chain.Parse(path, data)
	l.elsewhere = append(l.elsewhere, faults...)
	return c
}
