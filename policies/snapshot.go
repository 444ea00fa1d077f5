package policies

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// The ways in which a source is not put in force, beside those of package
// bundle: bundle.ErrUnsigned, bundle.ErrSignature and bundle.ErrOlder.
var (
	// ErrNoKeys: there is a bundle, but nobody said who may have signed it.
	ErrNoKeys = errors.New("who may have signed the bundle? Give the public key")
	// ErrNoRules: there is no rule in a source, so that what its rules are to stop
	// would be let through. A file that was cut and a directory that was unmounted
	// look like that; who wants no rules from a source does not name it.
	ErrNoRules = errors.New("no rule")
	// ErrSameRevision: the bundle has the revision of the one in force, and other files.
	ErrSameRevision = errors.New("the bundle has the revision of the one in force, but other files")
	// ErrEmptied: a file of a directory had rules and has none left. Whoever wants
	// to be rid of them removes the file, which no accident looks like.
	ErrEmptied = errors.New("it has no rule any more: remove the file if it is to have none")
	// ErrRestless: the sources were found to be different at every look.
	ErrRestless = errors.New("the sources do not come to rest: they were different at every look")
)

// key tells snapshots apart by what was found.
type key [sha256.Size]byte

// snapshot is what the sources held at a look, or the first error on the way.
type snapshot struct {
	contents []content
	err      error
	key      key
}

// snapshot looks at all sources.
func (r *reader) snapshot(paths []string) snapshot {
	var s snapshot
	h := sha256.New()
	for _, path := range paths {
		c, err := r.read(path)
		if err != nil {
			writePart(h, err.Error())
			s.contents, s.err = nil, err
			break
		}
		writePart(h, string(c.kind))
		for _, f := range c.files {
			writePart(h, f.Path)
			writePart(h, string(f.Data))
		}
		s.contents = append(s.contents, c)
	}
	s.key = key(h.Sum(nil))
	return s
}

// writePart hashes a text with its length, so that parts that are cut otherwise
// have another hash.
func writePart(w io.Writer, part string) {
	fmt.Fprintf(w, "%d\n", len(part))
	_, _ = io.WriteString(w, part) // a hash takes everything
}

// parsed is what a snapshot means.
type parsed struct {
	policies []*dsl.Policy
	sources  []Source
	ruled    map[string]bool // the files of directories that have rules
}

// parse reads the policies of a snapshot, and checks its bundles against who may
// have signed them and what is in force: its sources, and the files of directories
// whose rules are among it. The error is a [*SourceError] or a [diag.List] over all
// files.
func (s *snapshot) parse(keys []ed25519.PublicKey, inForce []Source, ruled map[string]bool) (p parsed, err error) {
	if s.err != nil {
		return p, s.err
	}
	var faults diag.List
	var empty []string
	var emptied *SourceError
	p.ruled = map[string]bool{}
	for i, c := range s.contents {
		var before *Source
		if i < len(inForce) {
			before = &inForce[i]
		}
		source, files, err := c.open(keys, before)
		if err != nil {
			return p, &SourceError{c.path, err}
		}
		for _, f := range files {
			policy, fs := dsl.ParsePolicy(f.Path, f.Data)
			faults = append(faults, fs...)
			p.policies = append(p.policies, policy)
			source.Rules += policy.Rules()
			switch has := policy.Rules() > 0; {
			case c.kind != Directory: // a bundle's files are as they were signed
			case has:
				p.ruled[f.Path] = true
			case ruled[f.Path] && emptied == nil:
				emptied = &SourceError{f.Path, ErrEmptied}
			}
		}
		p.sources = append(p.sources, source)
		if source.Rules == 0 {
			empty = append(empty, c.path)
		}
	}
	if err := faults.Err(); err != nil {
		return p, err
	}
	if len(empty) > 0 {
		return p, noRules(empty)
	}
	if emptied != nil {
		return p, emptied
	}
	return p, nil
}

func noRules(paths []string) error {
	return &SourceError{paths[0], fmt.Errorf("%w in %s (a policy file is named *%s, or named itself; leave out a source that is to have none)", ErrNoRules, strings.Join(paths, ", "), Extension)}
}

// open returns the policy files of a source, under the names by which findings
// speak of them.
func (c *content) open(keys []ed25519.PublicKey, before *Source) (Source, []bundle.File, error) {
	if c.kind != Bundle {
		return Source{Path: c.path, Kind: c.kind, Files: len(c.files), Digest: c.digest()}, c.files, nil
	}
	if len(keys) == 0 {
		return Source{}, nil, ErrNoKeys
	}
	b, err := bundle.ReadSigned(c.files[0].Data, keys...)
	if err != nil {
		return Source{}, nil, err
	}
	s := Source{Path: c.path, Kind: Bundle, Files: len(b.Files), Revision: b.Revision, Digest: registry.Digest(sha256.Sum256(b.Manifest()))}
	if before != nil && before.Kind == Bundle {
		switch {
		case s.Revision < before.Revision:
			return s, nil, fmt.Errorf("%w: it has revision %d, and %d is in force", bundle.ErrOlder, s.Revision, before.Revision)
		case s.Revision == before.Revision && s.Digest != before.Digest:
			return s, nil, fmt.Errorf("%w: build it with a revision above %d", ErrSameRevision, before.Revision)
		}
	}
	var files []bundle.File
	for _, f := range b.Files {
		files = append(files, bundle.File{Path: c.path + "/" + f.Path, Data: f.Data})
	}
	return s, files, nil
}
