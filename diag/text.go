package diag

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// TextOptions tune Text. The zero value is plain text.
type TextOptions struct {
	Color bool // use ANSI colours
}

// Widths of what Text prints, in terminal cells.
const (
	indent   = "  "
	tabStop  = 4
	maxCells = 100 // of a source line; what is beyond is cut, the caret stays in view
	ellipsis = "…"
)

// Text writes the findings for people, in the order given: one block each,
// with the source line and a caret under the text where the line is known.
func Text(w io.Writer, l List, o TextOptions) error {
	p := painter(o.Color)
	for _, f := range l {
		if _, err := io.WriteString(w, block(f, p)); err != nil {
			return err
		}
	}
	return nil
}

func block(f *Finding, p painter) string {
	var b strings.Builder
	b.WriteString(p.paint(bold, f.where()) + p.paint(severityColor[f.Severity], f.Severity.String()+":") +
		" " + Escape(f.Message) + p.paint(faint, " ["+Escape(f.ID)+"]") + "\n")
	if f.Text != "" && f.Pos.Column > 0 {
		line, caret := excerpt(f)
		b.WriteString(indent + line + "\n" + indent + p.paint(severityColor[f.Severity], caret) + "\n")
	}
	if f.Hint != "" {
		b.WriteString(indent + p.paint(cyan, "hint:") + " " + Escape(f.Hint) + "\n")
	}
	for _, r := range f.Related {
		b.WriteString(p.paint(bold, place(r.File, r.Pos)) + p.paint(cyan, "note:") + " " + Escape(r.Message) + "\n")
	}
	return b.String()
}

// cell is one character of a source line as it is shown.
type cell struct {
	text  string
	width int
}

// excerpt returns the source line, cut around the marked text, and the
// underline to print below it.
func excerpt(f *Finding) (line, caret string) {
	start, cells := window(f.Text, f.Pos.Column-1)
	from := f.Pos.Column - 1 - start
	to := from + 1
	if f.End.Line == f.Pos.Line && f.End.Column > f.Pos.Column {
		to = f.End.Column - 1 - start
	}
	var text, mark strings.Builder
	if start > 0 {
		text.WriteString(ellipsis)
		mark.WriteByte(' ')
	}
	used, marked := 0, 0
	for i, c := range cells {
		if used += c.width; used > maxCells {
			text.WriteString(ellipsis)
			break
		}
		text.WriteString(c.text)
		switch {
		case i < from:
			mark.WriteString(strings.Repeat(" ", c.width))
		case i < to:
			mark.WriteString(strings.Repeat("^", c.width))
			marked += c.width
		}
	}
	if marked == 0 { // the end of the line, or a combining character
		mark.WriteByte('^')
	}
	return text.String(), mark.String()
}

// window returns the cells of the text from shortly before the column (from
// 0) and the column it begins at. It decodes no more of a long line than it shows.
func window(text string, column int) (start int, cells []cell) {
	const before = maxCells / 2
	if column > before && utf8.RuneCountInString(text) > maxCells {
		start = column - before
	}
	i, at := 0, 0
	for at < start && i < len(text) {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		at++
	}
	used := 0
	for i < len(text) && used <= maxCells && len(cells) <= 2*maxCells {
		r, size := utf8.DecodeRuneInString(text[i:])
		c := show(r, text[i:i+size], used)
		cells = append(cells, c)
		used += c.width
		i += size
	}
	return start, cells
}

// show renders one character that begins at the given cell of the line.
func show(r rune, raw string, at int) cell {
	if r == '\t' {
		n := tabStop - at%tabStop
		return cell{strings.Repeat(" ", n), n}
	}
	if Invisible(r) || r == utf8.RuneError && len(raw) == 1 {
		s := Escape(raw)
		return cell{s, len(s)}
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return cell{raw, 0}
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return cell{raw, 2}
	}
	return cell{raw, 1}
}

// Columns returns how many columns of a terminal a text takes, escaped.
func Columns(s string) int {
	n := 0
	for s = Escape(s); s != ""; {
		r, size := utf8.DecodeRuneInString(s)
		n += show(r, s[:size], n).width
		s = s[size:]
	}
	return n
}

// ANSI codes.
const (
	bold   = "1"
	faint  = "2"
	red    = "1;31"
	yellow = "1;33"
	cyan   = "36"
)

var severityColor = [...]string{Error: red, Warning: yellow, Info: cyan}

// painter colours text if it is true.
type painter bool

func (p painter) paint(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
