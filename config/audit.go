package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Audit sets up the log of decisions. The zero Audit is none.
type Audit struct {
	Path string // relative to the configuration until Resolve; "": there is no log
	// Masks are JSON pointers into records whose values the log hides.
	Masks []string
	// RotateSize is how large a file grows, in bytes; 0: audit.DefaultRotate.
	RotateSize int64
	// RotateFiles is how many files that were put aside are kept; 0: all.
	RotateFiles int
	// Sync waits for every line to be on the disk.
	Sync bool
}

// Options returns the options of the log, with more masks than the file says.
func (a *Audit) Options(masks ...string) (audit.Options, error) {
	mask, err := audit.ParseMask(slices.Concat(a.Masks, masks))
	return audit.Options{Mask: mask, Rotate: a.RotateSize, Keep: a.RotateFiles, Sync: a.Sync}, err
}

const auditPrefix = "audit."

func (r *reader) audit(n *document.Node) {
	a := &r.config.Audit
	var fields []document.Field
	add := func(name string, required bool, read func(n *document.Node)) {
		fields = append(fields, document.Field{Name: name, Required: required, Read: func(n *document.Node) {
			r.mark(auditPrefix+name, n)
			read(n)
		}})
	}
	add("path", true, func(n *document.Node) {
		if path, ok := r.Text(n, "path"); ok && path == "" {
			r.wrong(n, "path", "name the file that the log is written to")
		} else {
			a.Path = path
		}
	})
	add("masks", false, func(n *document.Node) { a.Masks = r.masks(n) })
	add("rotate_size", false, func(n *document.Node) { a.RotateSize = r.size(n, "rotate_size") })
	add("rotate_files", false, func(n *document.Node) { a.RotateFiles = r.count(n, "rotate_files", 1) })
	add("sync", false, func(n *document.Node) { a.Sync = r.flag(n, "sync") })
	r.Fields(n, "audit", fields, map[string]string{
		"file": "did you mean path?", "mask": "did you mean masks?", "max_size": "did you mean rotate_size?",
		"rotate": "did you mean rotate_size?", "keep": "did you mean rotate_files?", "max_files": "did you mean rotate_files?",
	})
}

// masks reads JSON pointers.
func (r *reader) masks(n *document.Node) []string {
	texts := r.texts(n, "masks")
	for i, text := range texts {
		if _, err := audit.ParseMask([]string{text}); err != nil && text != "" && len(texts) == len(n.Items) {
			r.Report(document.SyntaxID, n.Items[i].Pos, err.Error(), "such as /verdict/fired/*/actual")
		}
	}
	return texts
}

// sizes are units of bytes.
var sizes = [...]struct {
	unit  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}

// size reads a number of bytes, with or without a unit.
func (r *reader) size(n *document.Node, what string) int64 {
	text, factor := n.Text, int64(1)
	if n.Kind == jsonv.String {
		for _, s := range sizes {
			if number, ok := strings.CutSuffix(text, s.unit); ok {
				text, factor = strings.TrimSpace(number), s.bytes
				break
			}
		}
	}
	v, ok := decimal.Parse(text)
	count, whole := v.Int()
	if !n.Scalar() || !ok || !whole || count < 1 || count > math.MaxInt64/factor {
		r.wrong(n, what, "write a whole number of bytes of at least 1, or a size such as 100MB or 64MiB")
		return 0
	}
	return count * factor
}

// sizeText shows a size as it may be written.
func sizeText(bytes int64) string {
	for i := len(sizes) - 1; i >= 0; i-- {
		if s := sizes[i]; s.unit != "KB" && bytes%s.bytes == 0 && bytes/s.bytes < 1000 {
			return fmt.Sprint(bytes/s.bytes, s.unit)
		}
	}
	return fmt.Sprint(bytes)
}

// audit shows the log of decisions.
func (s *Settings) audit() []Setting {
	a := &s.Audit
	say := func(key, value string) Setting {
		return Setting{auditPrefix + key, value, s.origin(auditPrefix + key)}
	}
	path, size, files := "none", a.RotateSize, "all"
	if a.Path != "" {
		path = a.Path
	}
	if size == 0 {
		size = audit.DefaultRotate
	}
	if a.RotateFiles > 0 {
		files = fmt.Sprint(a.RotateFiles)
	}
	return []Setting{
		say("path", path), say("masks", list(a.Masks)), say("rotate_size", sizeText(size)), say("rotate_files", files), say("sync", fmt.Sprint(a.Sync)),
	}
}
