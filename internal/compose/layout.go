package compose

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

const (
	tabStop   = 4 // cells
	narrowest = 4 // cells; a narrower screen is taken for one of these
)

// row is the part of a line that is on one row of the screen.
type row struct {
	start int // its first element
	end   int
	text  string
}

// Layout lays everything out for a width in cells: the rows, none of them
// wider, and the row and the cell that the cursor is at. There is always a
// cell for the cursor in its row. Lines are broken between words, and between
// ideographs. Tabs go to stops of 4 cells; what a terminal would obey or not
// show is spelled out, as in ␛ and <U+202E>. A width under 4 counts as 4.
func (b *Buffer) Layout(width int) (rows []string, cursorRow, cursorColumn int) {
	b.ready()
	width = max(width, narrowest)
	for i, l := range b.lines {
		l.layout(width)
		if i == b.cursor.line {
			r := l.rowOf(b.cursor.column)
			cursorRow, cursorColumn = len(rows)+r, l.cell(r, b.cursor.column)
		}
		for _, r := range l.rows {
			rows = append(rows, r.text)
		}
	}
	return rows, cursorRow, cursorColumn
}

// layout breaks the line into rows, unless that is done. A row leaves the
// last cell of the width to the cursor; a blank that ends a row may have it,
// since the cursor is in the next row behind it.
func (l *line) layout(width int) {
	if l.width == width {
		return
	}
	limit := width - 1
	l.width, l.rows = width, l.rows[:0]
	var text strings.Builder
	closeRow := func(start, end int) {
		text.Reset()
		column := 0
		for _, e := range l.elements[start:end] {
			s, w := shown(e, column, limit)
			text.WriteString(s)
			column += w
		}
		l.rows = append(l.rows, row{start, end, text.String()})
	}
	start, column, wrap := 0, 0, 0
	before := cell{}
	for i := 0; i < len(l.elements); {
		e := l.elements[i]
		_, w := shown(e, column, limit)
		now := cell{e, w}
		if i > start && breaksBetween(before, now) {
			wrap = i
		}
		if i == start || w > 0 && column+w <= limit {
			column += w
			i++
			before = now
			continue
		}
		end := i
		switch {
		case e.text == " ":
			end = i + 1
		case wrap > start:
			end = wrap
		}
		closeRow(start, end)
		start, i, column, wrap = end, end, 0, end
	}
	closeRow(start, len(l.elements))
}

// cell is an element with its width.
type cell struct {
	element element
	width   int
}

// breaksBetween says that a row may end between two elements.
func breaksBetween(a, b cell) bool {
	switch {
	case b.element.text == " ":
		return false
	case a.element.text == " " || a.element.text == "\t":
		return true
	case b.element.text != "" && strings.Contains("，。、！？；：）」』】》〉”’…!?,.;:)]}%", b.element.text):
		return false
	case a.element.text != "" && strings.Contains("（「『【《〈“‘([{", a.element.text):
		return false
	}
	return a.width == 2 || b.width == 2 || a.element.object != nil || b.element.object != nil
}

// rowOf is the row that a column of a line is in. A column between two rows
// is in the second.
func (l *line) rowOf(column int) int {
	i, _ := slices.BinarySearchFunc(l.rows, column, func(r row, column int) int {
		if r.start <= column {
			return -1
		}
		return 1
	})
	return i - 1
}

// cell is how many cells of a row are before a column.
func (l *line) cell(row, column int) int {
	n := 0
	for _, e := range l.elements[l.rows[row].start:column] {
		_, w := shown(e, n, l.width-1)
		n += w
	}
	return n
}

// at is the column of a line that is at a cell of a row, or before it.
func (l *line) at(row, cell int) int {
	r := l.rows[row]
	end := r.end
	if row < len(l.rows)-1 {
		end-- // behind its last element is in the next row
	}
	n, i := 0, r.start
	for i < end {
		_, w := shown(l.elements[i], n, l.width-1)
		if n+w > cell {
			break
		}
		n += w
		i++
	}
	return i
}

// Up moves one row of the screen up, in the layout for a width. It aims at
// the cell from which Up or Down was first used. It is false in the first row.
func (b *Buffer) Up(width int) bool { return b.moveRow(width, -1) }

// Down moves one row of the screen down, as Up does up. It is false in the
// last row.
func (b *Buffer) Down(width int) bool { return b.moveRow(width, 1) }

func (b *Buffer) moveRow(width, by int) bool {
	b.ready()
	width = max(width, narrowest)
	l := b.lines[b.cursor.line]
	l.layout(width)
	r := l.rowOf(b.cursor.column)
	if b.last != moveRows {
		b.goal = l.cell(r, b.cursor.column)
	}
	n := b.cursor.line
	if r += by; r < 0 || r >= len(l.rows) {
		if n += by; n < 0 || n >= len(b.lines) {
			return false
		}
		l = b.lines[n]
		l.layout(width)
		r = 0
		if by < 0 {
			r = len(l.rows) - 1
		}
	}
	b.cursor = position{n, l.at(r, b.goal)}
	b.last = moveRows
	return true
}

// Place moves to what is at a row and a cell of the layout for a width, or to
// what is nearest: where the mouse was pressed.
func (b *Buffer) Place(width, row, cell int) {
	b.ready()
	width = max(width, narrowest)
	row = max(row, 0)
	for n, l := range b.lines {
		l.layout(width)
		if row < len(l.rows) {
			b.move(position{n, l.at(row, cell)})
			return
		}
		row -= len(l.rows)
	}
	b.move(b.end())
}

// shown is what the screen shows of an element that begins at a cell of a row
// with so many cells, and how wide that is.
func shown(e element, column, limit int) (text string, width int) {
	if len(e.text) == 1 && e.text[0] >= ' ' && e.text[0] < 0x7F {
		return e.text, 1
	}
	if e.text == "\t" {
		n := min(tabStop-column%tabStop, limit-column)
		return strings.Repeat(" ", max(n, 0)), max(n, 0)
	}
	text = drawn(e.text)
	if e.object != nil {
		text = e.object.label
	}
	if width = ansi.StringWidth(text); width > limit {
		text = cut(text, limit)
		width = ansi.StringWidth(text)
	}
	return text, width
}

// cut is the start of a text that is too wide, with … at its end.
func cut(text string, width int) string {
	left := width - 1
	for clusters := graphemes.FromString(text); clusters.Next(); {
		if left -= ansi.StringWidth(clusters.Value()); left < 0 {
			return text[:clusters.Start()] + "…"
		}
	}
	return text
}
