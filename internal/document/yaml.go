package document

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

func (d *Document) parseYAML() {
	if !d.checkCharacters() {
		return
	}
	dec := yaml.NewDecoder(strings.NewReader(d.text))
	root, err := decode(dec)
	switch {
	case errors.Is(err, io.EOF):
		d.Report(SyntaxID, diag.Position{Line: 1, Column: 1}, "the file is empty", "")
		return
	case err != nil:
		d.reportYAML(err)
		return
	}
	second, err := decode(dec)
	switch {
	case err == nil:
		d.Report(SyntaxID, diag.Position{Line: second.Line, Column: second.Column}, "a second document begins here", "a file holds one document: remove the ---, or split the file")
		return
	case !errors.Is(err, io.EOF):
		d.reportYAML(err)
		return
	}
	r := yamlReader{document: d, open: map[*yaml.Node]bool{}}
	d.Root = r.node(root.Content[0], 0)
}

// decode reads one document. The parser reports its own faults by panicking
// and recovering; what it lets through must not end the program.
func decode(dec *yaml.Decoder) (node *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: the text cannot be read: %v", r)
		}
	}()
	node = &yaml.Node{}
	err = dec.Decode(node)
	return node, err
}

// checkCharacters refuses what is not UTF-8, control characters, and the line
// separators that YAML counts as line ends and editors do not.
func (d *Document) checkCharacters() bool {
	pos := diag.Position{Line: 1, Column: 1}
	for i := 0; i < len(d.text); {
		r, size := utf8.DecodeRuneInString(d.text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			d.Report(SyntaxID, pos, "the text is not valid UTF-8", "save it as UTF-8")
			return false
		case r == '\r' && !strings.HasPrefix(d.text[i+1:], "\n"):
			d.Report(SyntaxID, pos, "a carriage return without a line feed", "end lines with a line feed")
			return false
		case r != '\n' && r != '\r' && r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff':
			d.Report(SyntaxID, pos, fmt.Sprintf("the character U+%04X", r), fmt.Sprintf(`remove it; text in double quotes may hold it as \u%04x`, r))
			return false
		}
		if pos.Column++; r == '\n' {
			pos = diag.Position{Line: pos.Line + 1, Column: 1}
		}
		i += size
	}
	return true
}

// yamlReader turns the parser's nodes into ours: aliases are followed, within
// the limits, and what YAML has beyond JSON is refused.
type yamlReader struct {
	document *Document
	nodes    int
	bytes    int                 // of texts
	full     bool                // a limit was reached and reported
	open     map[*yaml.Node]bool // lists and maps that are being read
}

// node returns nil where something was refused; reading goes on behind it.
func (r *yamlReader) node(y *yaml.Node, depth int) *Node {
	pos := diag.Position{Line: y.Line, Column: y.Column}
	if last := len(r.document.lines); pos.Line > last { // nothing, behind the last line
		pos = diag.Position{Line: last, Column: 1}
	}
	if !r.count(len(y.Value), pos) {
		return nil
	}
	if y.Kind == yaml.AliasNode {
		if r.open[y.Alias] {
			r.report(SyntaxID, pos, "the alias *"+y.Value+" stands inside what it repeats", "")
			return nil
		}
		return r.node(y.Alias, depth)
	}
	if tag := r.tag(y); tag != "" {
		r.report(SyntaxID, pos, "the tag "+tag+" has no meaning here", "leave it out; a number in quotes is a text")
		return nil
	}
	if y.Kind == yaml.ScalarNode {
		n := &Node{Pos: pos}
		n.Kind, n.Text = scalar(y)
		if y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			r.document.locateBlock(n)
		} else {
			r.document.locate(n)
		}
		return n
	}
	if depth++; depth > r.document.limits.Depth {
		r.report(LimitID, pos, fmt.Sprintf("nested more than %d deep", r.document.limits.Depth), "")
		return nil
	}
	r.open[y] = true
	defer delete(r.open, y)
	if y.Kind == yaml.SequenceNode {
		return r.list(y, pos, depth)
	}
	return r.object(y, pos, depth)
}

// count counts a node with its text. It reports false when there are too many:
// aliases make much of little.
func (r *yamlReader) count(text int, pos diag.Position) bool {
	l := r.document.limits
	r.nodes++
	r.bytes += text
	over := ""
	switch {
	case r.full:
	case r.nodes > l.Nodes:
		over = fmt.Sprintf("more than %d values, those repeated by aliases counted", l.Nodes)
	case r.bytes > 2*l.Bytes: // an escape is at most half as long as what it stands for
		over = fmt.Sprintf("more than %d bytes of text, that repeated by aliases counted", 2*l.Bytes)
	}
	if over != "" {
		r.full = true
		r.report(LimitID, pos, over, "")
	}
	return !r.full
}

func (r *yamlReader) report(id string, pos diag.Position, message, hint string) *diag.Finding {
	return r.document.Report(id, pos, message, hint)
}

// tag returns an explicit tag as written, or "".
func (r *yamlReader) tag(y *yaml.Node) string {
	if y.Style&yaml.TaggedStyle != 0 {
		return y.Tag
	}
	if strings.HasPrefix(r.document.from(diag.Position{Line: y.Line, Column: y.Column}), "!") {
		return "!"
	}
	return ""
}

func (r *yamlReader) list(y *yaml.Node, pos diag.Position, depth int) *Node {
	n := &Node{Kind: jsonv.List, Pos: pos}
	for _, item := range y.Content {
		if item := r.node(item, depth); item != nil {
			n.Items = append(n.Items, item)
		}
	}
	return n
}

func (r *yamlReader) object(y *yaml.Node, pos diag.Position, depth int) *Node {
	n := &Node{Kind: jsonv.Object, Pos: pos}
	seen := map[string]diag.Position{}
	for i := 0; i+1 < len(y.Content) && !r.full && len(r.document.findings) < MaxFindings; i += 2 {
		name, ok := r.name(y.Content[i])
		if !ok {
			continue
		}
		if first, twice := seen[name.Text]; twice {
			f := r.report(SyntaxID, name.Pos, "duplicate key "+Quote(name.Text), "remove one of the two")
			f.Related = []diag.Related{{File: r.document.File, Pos: first, Message: "the first one"}}
			continue
		}
		seen[name.Text] = name.Pos
		item := r.node(y.Content[i+1], depth)
		if item == nil {
			item = &Node{Pos: name.Pos, refused: true}
		}
		n.Names, n.Items = append(n.Names, name), append(n.Items, item)
	}
	return n
}

// name reads a key, which must be a plain or quoted scalar.
func (r *yamlReader) name(y *yaml.Node) (Name, bool) {
	pos := diag.Position{Line: y.Line, Column: y.Column}
	switch {
	case y.Kind == yaml.AliasNode:
		r.report(SyntaxID, pos, "an alias as a key", "write the key out")
	case y.Kind == yaml.MappingNode:
		r.report(SyntaxID, pos, "a map as a key", `a template stands in quotes: "{{name}}"`)
	case y.Kind != yaml.ScalarNode:
		r.report(SyntaxID, pos, "a list as a key", "a key is a text")
	case y.Tag == "!!merge":
		r.report(SyntaxID, pos, "the merge key << is not read", "write the fields out")
	case r.tag(y) != "":
		r.report(SyntaxID, pos, "a key with the tag "+r.tag(y), "leave the tag out")
	default:
		return Name{Text: y.Value, Pos: pos}, true
	}
	return Name{}, false
}

// jsonNumber is a number as JSON writes it; no other form is one here.
var jsonNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
})

// scalar tells a scalar's kind: by its text if it is plain, else a text.
func scalar(y *yaml.Node) (jsonv.Kind, string) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if y.Style&quoted != 0 {
		return jsonv.String, y.Value
	}
	switch y.Value {
	case "", "~", "null", "Null", "NULL":
		return jsonv.Null, "null"
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return jsonv.Bool, strings.ToLower(y.Value)
	}
	if jsonNumber().MatchString(y.Value) {
		return jsonv.Number, y.Value
	}
	return jsonv.String, y.Value
}
