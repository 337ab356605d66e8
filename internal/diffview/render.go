package diffview

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/internal/visible"
)

// Options says how a diff is shown.
type Options struct {
	// LineNumbers puts before each line its number: in the new text, and in the
	// old one for lines that go. Too narrow a width leaves them out.
	LineNumbers bool
	// MaxLines bounds what is returned; the last line then says how much is
	// left out. 0 is no bound.
	MaxLines int
	// Cut ends lines that are too long with an ellipsis, in place of wrapping
	// them.
	Cut bool
}

const (
	tabStop   = 4  // cells
	narrowest = 4  // cells; a narrower screen is taken for one of these
	roomy     = 16 // cells that the text must have beside the line numbers
)

// Render is the lines that show a diff, none of them wider than the width in
// cells, which counts as 4 if it is less. Words that differ between a line and
// the one in its place have the styles AddedWord and RemovedWord.
func Render(diff string, width int, t theme.Theme, o Options) []string {
	r := &renderer{width: max(width, narrowest), theme: t, options: o, marker: marker{budget: mostCompare}}
	files := parse(diff)
	for i, f := range files {
		r.file(f, len(files) > 1, i > 0)
	}
	return r.finish()
}

// Blocks is the lines of each of the hunks that Hunks returns, shown as Render
// shows them, without what stands between hunks: those of the hunks that only
// names, counted from 0, or of all if it is nil. MaxLines counts for nothing.
func Blocks(diff string, only []int, width int, t theme.Theme, o Options) [][]string {
	o.MaxLines = 0
	r := &renderer{width: max(width, narrowest), theme: t, options: o, marker: marker{budget: mostCompare}}
	var blocks [][]string
	for _, f := range parse(diff) {
		r.numbers(f)
		for _, h := range f.hunks {
			if !h.headed {
				continue
			}
			if r.rows = nil; only == nil || slices.Contains(only, len(blocks)) {
				r.hunk(h)
			}
			blocks = append(blocks, r.rows)
		}
	}
	return blocks
}

type renderer struct {
	width   int
	theme   theme.Theme
	options Options
	marker  marker

	number int // the width of the line numbers; 0 without
	rows   []string
	units  int // lines of the diff so far
	shown  int // of which so many are in full within the bound
}

func (r *renderer) full() bool {
	return r.options.MaxLines > 0 && len(r.rows) > r.options.MaxLines
}

// add takes the rows of one line of the diff.
func (r *renderer) add(rows []string) {
	r.units++
	r.rows = append(r.rows, rows...)
	if len(r.rows) < r.options.MaxLines {
		r.shown = r.units
	}
}

func (r *renderer) finish() []string {
	if !r.full() {
		return r.rows
	}
	left := r.units - r.shown
	word := "lines"
	if left == 1 {
		word = "line"
	}
	note := ansi.Truncate(fmt.Sprintf("… %d more %s", left, word), r.width, "")
	return append(r.rows[:r.options.MaxLines-1], r.theme.Dim.Paint(note))
}

func (r *renderer) file(f *file, titled, apart bool) {
	r.numbers(f)
	if titled && !r.full() {
		if apart {
			r.rows = append(r.rows, "")
		}
		r.title(f)
	}
	first := true
	for _, h := range f.hunks {
		if h.headed && !r.full() {
			r.separate(h, first)
		}
		first = first && !h.headed
		if r.full() {
			r.units += len(h.Lines)
			continue
		}
		r.hunk(h)
	}
}

// numbers makes room for the line numbers of a file.
func (r *renderer) numbers(f *file) {
	r.number = 0
	if r.options.LineNumbers {
		r.number = f.numberWidth()
		if r.width-r.number-3 < roomy {
			r.number = 0
		}
	}
}

func (r *renderer) hunk(h *Hunk) {
	var marks map[int][]part
	if r.theme.AddedWord != "" || r.theme.RemovedWord != "" {
		marks = r.marker.mark(h.Lines)
	}
	for i, l := range h.Lines {
		if r.full() {
			r.units++
			continue
		}
		r.line(l, marks[i])
	}
}

func (f *file) numberWidth() int {
	largest := 0
	for _, h := range f.hunks {
		for _, l := range h.Lines {
			largest = max(largest, l.Old, l.New)
		}
	}
	if largest == 0 {
		return 0
	}
	return len(fmt.Sprint(largest))
}

func (r *renderer) title(f *file) {
	name := f.path()
	switch {
	case f.old == "/dev/null":
		name += " (new)"
	case f.new == "/dev/null":
		name += " (deleted)"
	case f.old != "" && f.new != "" && strings.TrimPrefix(f.old, "a/") != strings.TrimPrefix(f.new, "b/"):
		name = strings.TrimPrefix(f.old, "a/") + " → " + strings.TrimPrefix(f.new, "b/")
	}
	if name == "" {
		name = "(no name)"
	}
	cells := r.cells(name, nil, r.theme.Strong, "")
	if added, removed := f.stat(); added+removed > 0 {
		cells = append(cells, r.cells(fmt.Sprintf(" +%d", added), nil, r.theme.Added, "")...)
		cells = append(cells, r.cells(fmt.Sprintf(" −%d", removed), nil, r.theme.Removed, "")...)
	}
	for _, row := range r.split(cells, r.width, 0) {
		r.rows = append(r.rows, paint(row))
	}
}

// separate shows where a hunk begins.
func (r *renderer) separate(h *Hunk, first bool) {
	if r.number == 0 {
		head, _, _ := strings.Cut(h.Diff, "\n")
		r.rows = append(r.rows, r.cut(head, r.width))
		return
	}
	if first && h.Section == "" {
		return
	}
	text := strings.Repeat(" ", r.number-1) + "⋮"
	if h.Section != "" {
		text += "   " + h.Section
	}
	r.rows = append(r.rows, r.cut(text, r.width))
}

// cut is one dim row.
func (r *renderer) cut(text string, width int) string {
	return paint(ellipsis(r.cells(text, nil, r.theme.Dim, ""), width, r.theme.Dim))
}

// line shows one line of a text.
func (r *renderer) line(l Line, differs []part) {
	sign, style, wordStyle, number := " ", r.theme.Text, r.theme.Text, l.New
	switch l.Kind {
	case Added:
		sign, style, wordStyle = "+", r.theme.Added, r.theme.AddedWord
	case Removed:
		sign, style, wordStyle, number = "-", r.theme.Removed, r.theme.RemovedWord, l.Old
	case Note:
		style = r.theme.Dim
	}
	lead, rest := "", ""
	indent := 2
	if r.number > 0 {
		rest = strings.Repeat(" ", r.number+1)
		lead = rest
		if number > 0 {
			lead = r.theme.Dim.Paint(fmt.Sprintf("%*d", r.number, number)) + " "
		}
		indent += r.number + 1
	}
	if sign != " " {
		sign = style.Paint(sign)
	}
	if r.width < 8 {
		lead, rest, indent = "", "", 1
		lead += sign
		rest += " "
	} else {
		lead += sign + " "
		rest += "  "
	}
	cells := r.cells(l.Text, differs, style, wordStyle)
	var split [][]cell
	if r.options.Cut {
		split = [][]cell{ellipsis(cells, r.width-indent, style)}
	} else {
		split = r.split(cells, r.width-indent, hanging(cells, r.width-indent))
	}
	var rows []string
	for _, row := range split {
		rows = append(rows, strings.TrimRight(lead+paint(row), " "))
		lead = rest
	}
	if l.NoNewline {
		rows = append(rows, rest+r.cut("(no newline at the end)", r.width-indent))
	}
	r.add(rows)
}

// cell is what a terminal shows as one character.
type cell struct {
	text  string
	width int
	style theme.Style
	ends  bool // a row may end with it
}

// blanks is an indent.
func blanks(width int) cell { return cell{text: strings.Repeat(" ", width), width: width} }

// cells lays out a text. Tabs go to stops; what is hidden is written out.
func (r *renderer) cells(text string, differs []part, style, differing theme.Style) []cell {
	out := make([]cell, 0, len(text))
	column := 0
	add := func(text string, width int, s theme.Style) {
		out = append(out, cell{text, width, s, strings.Contains(" ,;.:/|&=)}]", text) || width > 1})
		column += width
	}
	for i := 0; i < len(text); {
		for len(differs) > 0 && differs[0].end <= i {
			differs = differs[1:]
		}
		now := style
		if len(differs) > 0 && differs[0].start <= i {
			now = differing
		}
		c, n := text[i], 1
		switch {
		case c == '\t':
			for stop := tabStop - column%tabStop; stop > 0; stop-- {
				add(" ", 1, now)
			}
		case c == '\r' && i == len(text)-1:
			add("␍", 1, r.theme.Dim) // the line end of some files
		case c >= ' ' && c < 0x7F && (i+1 == len(text) || text[i+1] < utf8.RuneSelf):
			add(text[i:i+1], 1, now)
		default:
			n = r.other(text[i:], now, add)
		}
		i += n
	}
	return out
}

// other lays out the next character where it is not a plain one.
func (r *renderer) other(text string, style theme.Style, add func(string, int, theme.Style)) int {
	first, n := utf8.DecodeRuneInString(text)
	if first == utf8.RuneError && n == 1 || visible.Hidden(first) {
		for _, c := range visible.Mark(text[:n], visible.All, func(mark string) string { return mark }) {
			add(string(c), 1, r.theme.Warn)
		}
		return n
	}
	cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	for i, c := range cluster { // up to what is hidden in it
		if i > 0 && (visible.Hidden(c) || c == utf8.RuneError) {
			cluster = cluster[:i]
			width = ansi.StringWidth(cluster)
			break
		}
	}
	if width == 0 {
		add("◌"+cluster, 1, style)
	} else {
		add(cluster, width, style)
	}
	return len(cluster)
}

// hanging is by how much the rows after the first of a long line are indented:
// by more than the line itself.
func hanging(cells []cell, width int) int {
	n := 0
	for n < len(cells) && cells[n].text == " " {
		n++
	}
	if n+2 > width/2 {
		return 0
	}
	return n + 2
}

// split breaks cells into rows, after a blank or a sign if there is one near
// the end.
func (r *renderer) split(cells []cell, width, indent int) [][]cell {
	width = max(width, 2)
	var rows [][]cell
	var row []cell
	start, column := 0, 0
	for i := 0; i < len(cells); i++ {
		if column+cells[i].width <= width {
			column += cells[i].width
			continue
		}
		end := i
		for back := i; back > start && i-back < (width-len(row)*indent)/3; back-- {
			if cells[back-1].ends {
				end = back
				break
			}
		}
		rows = append(rows, append(row, cells[start:end]...))
		row, column = nil, 0
		if indent > 0 {
			row, column = []cell{blanks(indent)}, indent
		}
		start = end
		i = end - 1
	}
	return append(rows, append(row, cells[start:]...))
}

// ellipsis cuts cells that are too many for one row.
func ellipsis(cells []cell, width int, style theme.Style) []cell {
	width = max(width, 1)
	column := 0
	for _, c := range cells {
		column += c.width
	}
	if column <= width {
		return cells
	}
	column = 0
	for i, c := range cells {
		if column+c.width > width-1 {
			return append(cells[:i:i], cell{text: "…", width: 1, style: style})
		}
		column += c.width
	}
	return cells
}

// paint joins cells, neighbours of one style in one sequence.
func paint(cells []cell) string {
	var b, run strings.Builder
	for i, c := range cells {
		run.WriteString(c.text)
		if i+1 == len(cells) || cells[i+1].style != c.style {
			b.WriteString(c.style.Paint(run.String()))
			run.Reset()
		}
	}
	return b.String()
}
