package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/theme"
)

// ink collects what the terminal is sent. It knows the style and the column
// that the terminal is at, and changes them only where something is written.
type ink struct {
	strings.Builder
	style string // SGR parameters; "" for none
	at    int    // -1: not known
}

// begin forgets what was sent. The terminal is at a column, without a style.
func (k *ink) begin(at int) {
	k.Reset()
	k.style, k.at = "", at
}

// column moves within the row.
func (k *ink) column(col int) {
	switch col {
	case k.at:
	case 0:
		k.WriteByte('\r')
	default:
		k.WriteString(ansi.CursorHorizontalAbsolute(col + 1))
	}
	k.at = col
}

// wear changes the style, by one sequence.
func (k *ink) wear(style string) {
	if style == k.style {
		return
	}
	more, longer := strings.CutPrefix(style, k.style+";")
	switch {
	case style == "":
		k.WriteString("\x1b[m")
	case k.style == "":
		k.WriteString("\x1b[" + style + "m")
	case longer:
		k.WriteString("\x1b[" + more + "m")
	case isColor(k.style) && hasColor(style): // the one takes the place of the other
		k.WriteString("\x1b[" + style + "m")
	default:
		k.WriteString("\x1b[0;" + style + "m")
	}
	k.style = style
}

// ground takes a style off that would be seen where nothing is written.
func (k *ink) ground() {
	if grounds(k.style) {
		k.wear("")
	}
}

// erase sends a sequence that clears something, and leaves the terminal at a
// column.
func (k *ink) erase(sequence string, at int) {
	k.ground()
	k.WriteString(sequence)
	k.at = at
}

// put writes text in a style. Blanks look alike in most.
func (k *ink) put(text, style string) {
	if strings.Trim(text, " ") != "" || grounds(style) || grounds(k.style) {
		k.wear(style)
	}
	k.WriteString(text)
}

// line writes styled text of so many cells. Behind the last cell of a row no
// column is known: the next character may go to either row.
func (k *ink) line(line string, width, room int) {
	style := ""
	for line != "" {
		end := strings.IndexByte(line, '\x1b')
		if end < 0 {
			end = len(line)
		}
		if end > 0 {
			k.put(line[:end], style)
			line = line[end:]
			continue
		}
		n := sequence(line)
		if params, ok := styles(line[:n]); ok {
			style = restyled(style, params)
		} else {
			k.WriteString(line[:n])
		}
		line = line[n:]
	}
	k.pass(width, room)
}

// cells writes cells.
func (k *ink) cells(cells []cell, room int) {
	for _, c := range cells {
		k.put(c.text, c.style)
	}
	k.pass(width(cells), room)
}

func (k *ink) pass(width, room int) {
	if k.at += width; width >= room {
		k.at = -1
	}
}

// cell is what is seen at a place of a line: a grapheme cluster.
type cell struct {
	text  string
	style string // "" for a blank that looks like one
	width int
}

// cellsOf takes a line apart. It is not ok if there is something in it that is
// neither text nor a style.
func cellsOf(line string) (cells []cell, ok bool) {
	cells = make([]cell, 0, len(line))
	style, blank := "", ""
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '\x1b':
			n := sequence(line[i:])
			params, ok := styles(line[i : i+n])
			if !ok {
				return nil, false
			}
			style, blank = restyled(style, params), ""
			if grounds(style) {
				blank = style
			}
			i += n
			continue
		case c < ' ' || c == 0x7F:
			return nil, false
		case c < utf8.RuneSelf && (i+1 == len(line) || line[i+1] < utf8.RuneSelf):
			cells = append(cells, cell{line[i : i+1], style, 1})
			i++
		default:
			text, width := ansi.FirstGraphemeCluster(line[i:], ansi.GraphemeWidth)
			if width == 0 {
				return nil, false
			}
			cells = append(cells, cell{text, style, width})
			i += len(text)
		}
		if last := &cells[len(cells)-1]; last.text == " " {
			last.style = blank
		}
	}
	return cells, true
}

func width(cells []cell) (n int) {
	for _, c := range cells {
		n += c.width
	}
	return n
}

// sure says whether all terminals agree on how wide a cell is.
func (c cell) sure() bool {
	_, n := utf8.DecodeRuneInString(c.text)
	return n == len(c.text)
}

// difference is how a line becomes another one.
type difference struct {
	from    int // cells that stay
	cells   []cell
	shorter bool // what is behind the cells must go
}

// compare finds what differs. It is not ok where all must be written.
func compare(old, line string) (d difference, ok bool) {
	a, ok := cellsOf(old)
	b, okay := cellsOf(line)
	if !ok || !okay {
		return difference{}, false
	}
	first, unsure := 0, false
	for first < len(a) && first < len(b) && a[first] == b[first] && a[first].sure() {
		first++
	}
	if near := 4; first <= near { // going there costs more than writing it
		for first > 0 && b[first-1].style == "" {
			first--
		}
	}
	for _, cells := range [][]cell{a[first:], b[first:]} {
		for _, c := range cells {
			unsure = unsure || !c.sure()
		}
	}
	from, before, after := width(b[:first]), width(a[first:]), width(b[first:])
	d = difference{from: from, cells: b[first:], shorter: after < before}
	for n := len(d.cells); before == after && !unsure && n > 0 && a[len(a)-1-len(b)+first+n] == d.cells[n-1]; n-- {
		d.cells = d.cells[:n-1]
	}
	return d, true
}

// sequence is the length of the escape sequence that the text begins with.
func sequence(text string) int {
	if len(text) < 2 || text[1] != '[' {
		return min(len(text), 2)
	}
	for i := 2; i < len(text); i++ {
		if text[i] >= 0x40 && text[i] <= 0x7E {
			return i + 1
		}
	}
	return len(text)
}

// styles is the parameters of a sequence that changes the style.
func styles(sequence string) (params string, ok bool) {
	if n := len(sequence); n > 2 && sequence[1] == '[' && sequence[n-1] == 'm' {
		return sequence[2 : n-1], true
	}
	return "", false
}

// restyled is a style after more parameters.
func restyled(style, params string) string {
	if params == "" {
		return ""
	}
	for rest := params; rest != ""; {
		var p string
		p, rest = theme.Parameter(rest)
		switch {
		case p == "" || strings.Trim(p, "0") == "":
			style = ""
		case style == "":
			style = p
		default:
			style += ";" + p
		}
	}
	return style
}

// isColor says whether a style is a colour of the text and nothing else.
func isColor(style string) bool {
	p, rest := theme.Parameter(style)
	return rest == "" && foreground(p)
}

// hasColor says whether a style has a colour of the text.
func hasColor(style string) bool {
	for style != "" {
		var p string
		if p, style = theme.Parameter(style); foreground(p) {
			return true
		}
	}
	return false
}

func foreground(p string) bool {
	return strings.HasPrefix(p, "38;") || len(p) == 2 && (p[0] == '3' || p[0] == '9') && p[1] <= '7'
}

// grounds says whether a style is seen on a blank: it has a background, lines,
// or is reversed.
func grounds(style string) bool {
	for style != "" {
		var p string
		p, style = theme.Parameter(style)
		if !foreground(p) && p != "1" && p != "2" && p != "3" && p != "22" && p != "23" && p != "39" {
			return true
		}
	}
	return false
}
