package policies

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Status is what is in force, and what was refused since.
type Status struct {
	// Sources are in the order of Options.Paths.
	Sources []Source `json:"sources"`
	// Since is when what is in force was loaded.
	Since time.Time `json:"since"`
	// Looked is when the sources were looked at last. If it lies far back, a
	// look hangs, as on a file server that does not answer.
	Looked time.Time `json:"looked"`
	// Refused is the newest update, if it is not in force; nil: it is.
	Refused *Refusal `json:"refused,omitempty"`
}

// Source is a source as it is in force.
type Source struct {
	Path  string `json:"path"`
	Kind  Kind   `json:"kind"`
	Files int    `json:"files"`
	Rules int    `json:"rules"`
	// Revision is that of a bundle; 0: it is none.
	Revision uint64 `json:"revision,omitempty"`
	// Digest is the SHA-256 of a file, of a bundle's manifest, or of the files of
	// a directory as sha256sum lists them.
	Digest registry.Digest `json:"digest"`
	// Since is when this was loaded.
	Since time.Time `json:"since"`
}

// Refusal is an update that is not in force.
type Refusal struct {
	At  time.Time `json:"at"`
	Err error     `json:"-"`
	// Reason is the error on one line.
	Reason string `json:"reason"`
}

// Digest identifies what is in force: it is that of the only source, or of the
// list of the sources' digests, a line each.
func (s Status) Digest() registry.Digest {
	if len(s.Sources) == 1 {
		return s.Sources[0].Digest
	}
	h := sha256.New()
	for _, source := range s.Sources {
		fmt.Fprintln(h, source.Digest)
	}
	return registry.Digest(h.Sum(nil))
}

// Note is what verdicts say while an update is refused; "": nothing.
func (s Status) Note() string {
	if s.Refused == nil {
		return ""
	}
	return fmt.Sprintf("the policy update found at %s is refused: %s; in force since %s: %sdigest %s",
		stamp(s.Refused.At), s.Refused.Reason, stamp(s.Since), s.revisions(), s.Digest())
}

// revisions names those of bundles.
func (s Status) revisions() string {
	var all []string
	for _, source := range s.Sources {
		if source.Kind == Bundle {
			all = append(all, fmt.Sprint(source.Revision))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "revision " + strings.Join(all, ", ") + ", "
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// maxReason bounds what every verdict repeats, in bytes.
const maxReason = 500

// reasonOf puts an error on one line. Of many findings it tells the first.
func reasonOf(err error) string {
	text := err.Error()
	var list diag.List
	if errors.As(err, &list) && len(list) > 1 {
		text = fmt.Sprintf("%v (and %d more)", list[0], len(list)-1)
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\ufffd") // a file's name can be anything
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
