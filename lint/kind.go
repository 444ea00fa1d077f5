package lint

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind says how a file is read. The zero value tells it by the content.
type Kind int

// The kinds of files.
const (
	Auto   Kind = iota
	Policy      // CHAIN: and B: lines
	Chain       // a chain, or the recording of a run
	Text        // model text, or a document with blocks in it
)

// Extensions are those of the files that are looked for in a directory.
func Extensions() []string {
	return []string{".cbp", ".yaml", ".yml", ".json", ".md", ".txt", ".nyaya"}
}

// KindOf tells the kind of a file by its extension.
func KindOf(name string) Kind {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".cbp":
		return Policy
	case ".yaml", ".yml", ".json":
		return Chain
	}
	return Text
}

// maxSniffed is how many lines of a text are looked at to tell its kind.
const maxSniffed = 10_000

// sniff tells the kind of a text by its content: by its first line that says
// something, else by a tag of a block, else by any line. What looks like
// nothing at all is a text, unless it is no text: then the reader of policies
// says so.
func sniff(data []byte) Kind {
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return Policy
	}
	first, looked := true, 0
	fallback := Text
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if looked++; looked > maxSniffed {
			break
		}
		kind := kindOfLine(line, first)
		if first && kind != Auto {
			return kind
		}
		if first = false; fallback == Text && kind != Auto {
			fallback = kind
		}
	}
	if lower := bytes.ToLower(data); bytes.Contains(lower, []byte("<nyaya")) || bytes.Contains(lower, []byte("</nyaya")) {
		return Text
	}
	return fallback
}

var (
	actionFields = []string{"|abort", "|confirm", "|throttle", "|review", "|warn"}
	// The tags of a block count as a policy's in a first line: outside of a
	// block they are a mistake that should be named.
	firstTags   = []string{"B", "CHAIN", "D", "G", "C", "NEW", "PATCH", "CACHE", "PROPOSE_FUNC", "P", "S", "T", "L", "R"}
	laterTags   = []string{"B", "CHAIN"}
	firstFields = []string{"tests", "policies", "id", "name", "description", "params", "steps", "circuit_breakers", "chain", "start", "executions", "confirm"}
	laterFields = []string{"id", "steps", "circuit_breakers"}
)

// kindOfLine tells what a line belongs to; Auto: it does not say. A first
// line says more, as any line may stand in prose.
func kindOfLine(line []byte, first bool) Kind {
	tags, fields := laterTags, laterFields
	if first {
		tags, fields = firstTags, firstFields
		if line[0] == '{' || line[0] == '[' || bytes.Equal(line, []byte("---")) {
			return Chain
		}
	}
	word, rest, found := bytes.Cut(line[:min(len(line), 256)], []byte(":"))
	name := string(bytes.TrimSpace(word))
	switch {
	case found && slices.Contains(tags, name):
		return Policy
	case found && slices.Contains(fields, strings.Trim(name, `"'`)) && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t'):
		return Chain
	}
	compact := strings.ReplaceAll(string(line[:min(len(line), 256)]), " ", "")
	if slices.ContainsFunc(actionFields, func(a string) bool { return strings.Contains(compact, a) }) {
		return Policy
	}
	return Auto
}
