package dsl

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Limits of blocks. MaxBlock is the bytes that one may hold between its tags;
// maxBlocks is how many of a document are looked at.
const (
	MaxBlock  = 64 << 10
	maxBlocks = 1000
)

// RawBlock is the text between <nyaya> and </nyaya>.
type RawBlock struct {
	File string
	Pos  diag.Position // of the first character of Text
	Text string
}

const (
	openTag  = "<nyaya>"
	closeTag = "</nyaya>"
)

// ExtractBlock finds the block in the text that a model wrote. The text must
// hold exactly one complete pair of <nyaya> and </nyaya>: a second pair, a
// nested, unclosed or misspelt tag is a finding with its position, and a text
// without a tag gives one with the id NoBlockID.
func ExtractBlock(file string, text []byte) (*RawBlock, *diag.Finding) {
	x := &extractor{file: file, text: text, line: 1, column: 1}
	blocks, findings := x.blocks(1)
	switch {
	case len(findings) > 0:
		return nil, findings[0]
	case len(blocks) == 0:
		return nil, &diag.Finding{ID: NoBlockID, File: file, Message: "the text holds no <nyaya> block"}
	}
	return blocks[0], nil
}

// ExtractBlocks finds all blocks of a document, to check each. A tag in
// inline code (between backquotes on a line) is prose. Nested, unclosed and
// misspelt tags are findings; the blocks that are complete are returned beside them.
func ExtractBlocks(file string, text []byte) ([]*RawBlock, diag.List) {
	x := &extractor{file: file, text: text, line: 1, column: 1, prose: true}
	return x.blocks(maxBlocks)
}

// extractor walks over a text from tag to tag. It counts lines and columns
// forward only, so that each byte is counted once however many tags there are.
type extractor struct {
	file  string
	text  []byte
	prose bool

	counted      int // bytes up to which lines and columns are counted
	line, column int // of the byte at counted
	lineStart    int // offset of its line
}

// tag is something that looks like <nyaya> or </nyaya>.
type tag struct {
	at, end      int
	closes, fine bool // fine: written exactly
	pos          diag.Position
	lineStart    int
}

// blocks collects complete pairs; one more than most is a finding.
func (x *extractor) blocks(most int) (blocks []*RawBlock, findings diag.List) {
	var open *tag // the one that waits for its end
	for from := 0; len(findings) < MaxFindings; {
		t := x.next(from)
		if t == nil {
			break
		}
		from = t.end
		switch {
		case !t.fine:
			findings = append(findings, x.fault(t, "this is no tag of a block", "write exactly "+openTag+" and "+closeTag))
		case !t.closes && open != nil:
			f := x.fault(t, "a <nyaya> tag inside a block", "close the first block with </nyaya>")
			f.Related = []diag.Related{{File: x.file, Pos: open.pos, Message: "the block begins here"}}
			findings = append(findings, f)
			open = t
		case !t.closes && len(blocks) == most:
			f := x.fault(t, fmt.Sprintf("more than %d <nyaya> blocks", most), "put all lines into one block")
			return blocks, append(findings, f)
		case !t.closes:
			open = t
		case open == nil:
			findings = append(findings, x.fault(t, "</nyaya> closes no block", "remove it, or write <nyaya> before the block"))
		default:
			if block, f := x.block(open, t.at); f != nil {
				findings = append(findings, f)
			} else {
				blocks = append(blocks, block)
			}
			open = nil
		}
	}
	if open != nil {
		findings = append(findings, x.fault(open, "this block is not closed", "end it with </nyaya>"))
	}
	return blocks, findings
}

func (x *extractor) block(open *tag, end int) (*RawBlock, *diag.Finding) {
	if size := end - open.end; size > MaxBlock {
		f := x.fault(open, fmt.Sprintf("the block is %d bytes long; at most %d are allowed", size, MaxBlock), "split the chain")
		return nil, withID(f, LimitID)
	}
	pos := diag.Position{Line: open.pos.Line, Column: open.pos.Column + len(openTag)}
	return &RawBlock{File: x.file, Pos: pos, Text: string(x.text[open.end:end])}, nil
}

// next finds the first tag at or after an offset; nil: there is none.
func (x *extractor) next(from int) *tag {
	for {
		i := bytes.IndexByte(x.text[from:], '<')
		if i < 0 {
			return nil
		}
		from += i
		t := readTag(x.text, from)
		if t == nil {
			from++
			continue
		}
		if x.prose {
			if end, ok := inlineCode(x.text, from); ok {
				from = end
				continue
			}
		}
		x.count(from)
		t.pos, t.lineStart = diag.Position{Line: x.line, Column: x.column}, x.lineStart
		return t
	}
}

// readTag reads what looks like a tag of a block to a person or a lenient
// reader, so that a slip is reported and not passed over.
func readTag(text []byte, at int) *tag {
	const lookAhead, name = 32, "nyaya"
	rest := text[at:min(len(text), at+lookAhead)]
	if len(rest) < 2 || strings.IndexByte("nN/\\ \t\r\n", rest[1]) < 0 {
		return nil
	}
	for _, exact := range []string{openTag, closeTag} {
		if bytes.HasPrefix(rest, []byte(exact)) {
			return &tag{at: at, end: at + len(exact), closes: exact == closeTag, fine: true}
		}
	}
	word := bytes.TrimLeft(rest[1:], " \t\r\n/\\")
	if len(word) < len(name) || !bytes.EqualFold(word[:len(name)], []byte(name)) {
		return nil
	}
	if after := word[len(name):]; len(after) > 0 && wordByte(after[0]) {
		return nil
	}
	return &tag{at: at, end: at + len(rest) - len(word) + len(name)}
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// inlineCode reports whether a tag stands right behind a single backquote
// that has a partner on its line, and returns the offset behind the partner.
func inlineCode(text []byte, at int) (end int, ok bool) {
	if at == 0 || text[at-1] != '`' || at > 1 && text[at-2] == '`' {
		return at, false
	}
	for i := at; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == '`' {
			return i + 1, true
		}
	}
	return at, false
}

// count moves line and column forward to an offset.
func (x *extractor) count(at int) {
	for x.counted < at {
		i := bytes.IndexByte(x.text[x.counted:at], '\n')
		if i < 0 {
			x.column += utf8.RuneCount(x.text[x.counted:at])
			x.counted = at
			return
		}
		x.counted += i + 1
		x.line++
		x.column, x.lineStart = 1, x.counted
	}
}

func (x *extractor) fault(t *tag, message, hint string) *diag.Finding {
	line := x.text[t.lineStart:min(len(x.text), t.lineStart+maxFindingText+1)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return &diag.Finding{ID: SyntaxID, File: x.file, Pos: t.pos,
		End:     diag.Position{Line: t.pos.Line, Column: t.pos.Column + utf8.RuneCount(x.text[t.at:t.end])},
		Message: message, Hint: hint, Text: boundedText(bytes.TrimSuffix(line, []byte("\r")))}
}
