package trace

import (
	"bytes"
	"strings"
)

// outline is what the beginning of a file shows of its shape: which names
// stand where, and a few short texts. It is made without insisting on JSON, as
// the beginning may end anywhere.
type outline struct {
	paths map[string]bool // such as info.agent_info, data.[].traceID, type=session
	list  bool            // the file begins with a list; paths are those of its elements
	lines bool            // the first value fills the first line, and a second one begins on the next
	broad bool            // the first value has line breaks after its first bracket, as no line of JSON Lines has
	texts int             // how many of the paths are of texts
}

// The bounds of an outline.
const (
	outlineBytes = 64 << 10 // of the beginning
	outlineFar   = 16 << 20 // of the beginning, if that much of it shows no format
	outlineDepth = 4        // names in a path
	outlinePaths = 4096     // in all
	outlineTexts = 2048     // of which are of texts
	outlineText  = 64       // bytes of a text
)

// byteOrderMark stands at the beginning of what some editors write.
const byteOrderMark = "\ufeff"

// has reports whether all of the paths are there.
func (o *outline) has(paths ...string) bool {
	for _, p := range paths {
		if !o.paths[p] {
			return false
		}
	}
	return true
}

// hasAny reports whether one of the paths is there.
func (o *outline) hasAny(paths ...string) bool {
	for _, p := range paths {
		if o.paths[p] {
			return true
		}
	}
	return false
}

// level is a list or object that is open.
type level struct {
	path   string // of what is in it, without its own name
	depth  int
	object bool
	name   string // of the member that comes
	value  bool   // its name was read
}

// outliner reads the beginning of a file.
type outliner struct {
	outline
	open []level
}

func outlineOf(prefix []byte) *outline {
	prefix = bytes.TrimPrefix(prefix, []byte(byteOrderMark))
	o := &outliner{outline: outline{paths: map[string]bool{}}}
	trimmed := bytes.TrimLeft(prefix, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		o.yaml(prefix)
		return &o.outline
	}
	o.list = trimmed[0] == '['
	rest := bytes.TrimLeft(trimmed[1:], " \t\r")
	o.broad = len(rest) > 0 && rest[0] == '\n'
	o.read(trimmed)
	return &o.outline
}

func (o *outliner) read(text []byte) {
	closed := -1 // where the first value ends
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			if closed >= 0 && len(o.open) == 0 && bytes.IndexByte(text[:closed], '\n') < 0 && bytes.IndexByte(text[closed:i], '\n') >= 0 {
				o.lines = true
			}
			if len(o.open) > maxDepth {
				return
			}
			o.enter(c == '{')
		case '}', ']':
			if len(o.open) == 0 {
				return
			}
			if o.open = o.open[:len(o.open)-1]; len(o.open) == 0 && closed < 0 {
				closed = i
			}
			o.done()
		case '"':
			n := quotedLen(text[i:])
			if n == 0 {
				return
			}
			o.text(text[i+1 : i+n-1])
			i += n - 1
		case ',':
			o.done()
		}
	}
}

// quotedLen is how long a text with its quotes is; 0: it is cut off.
func quotedLen(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// here is the path of the value that comes, and how many names it has.
func (o *outliner) here() (string, int) {
	if len(o.open) == 0 {
		return "", 0
	}
	l := &o.open[len(o.open)-1]
	name := l.name
	switch {
	case !l.object && len(o.open) == 1:
		return "", 0 // an element of the outermost list
	case !l.object:
		name = "[]"
	}
	if l.path == "" {
		return name, l.depth + 1
	}
	return l.path + "." + name, l.depth + 1
}

func (o *outliner) enter(object bool) {
	l := level{object: object, depth: outlineDepth}
	if len(o.open) == 0 || o.open[len(o.open)-1].depth < outlineDepth {
		l.path, l.depth = o.here()
	}
	o.open = append(o.open, l)
}

// done ends a member.
func (o *outliner) done() {
	if len(o.open) > 0 {
		o.open[len(o.open)-1].value = false
	}
}

// text takes in a text: the name of a member, or a value.
func (o *outliner) text(s []byte) {
	if len(o.open) == 0 {
		return
	}
	l := &o.open[len(o.open)-1]
	if l.depth >= outlineDepth || len(s) > outlineText || len(o.paths) >= outlinePaths {
		l.value = true
		return
	}
	if l.object && !l.value {
		l.name, l.value = string(s), true
		path, _ := o.here()
		o.paths[path] = true
		return
	}
	if path, _ := o.here(); path != "" && o.texts < outlineTexts {
		o.texts++
		o.paths[path+"="+string(s)] = true
	}
}

// yaml adds to an outline what a YAML recording shows: its outermost
// names, and those of the items of its lists.
func (o *outline) yaml(prefix []byte) {
	outer := ""
	for _, line := range bytes.Split(prefix, []byte("\n")) {
		text := string(line)
		bare := strings.TrimLeft(text, " ")
		item := strings.HasPrefix(bare, "- ")
		name, _, ok := strings.Cut(strings.TrimLeft(strings.TrimPrefix(bare, "- "), " {"), ":")
		if !ok || len(name) > outlineText || len(o.paths) >= outlinePaths || strings.ContainsAny(name, " \t#\"'") {
			continue
		}
		switch {
		case item && outer != "":
			o.paths[outer+".[]."+name] = true
		case bare == text:
			outer = name
			o.paths[name] = true
		}
	}
}
