package markdown

import (
	"strings"

	extension "github.com/yuin/goldmark/extension/ast"
)

// unbroken is the longest word that a column is made wide enough for.
const unbroken = 16

// table shows a table with thin rules; if it has more columns than fit, each
// row as a list of its cells. Rows with nothing in them are left out.
func (w *writer) table(n *extension.Table) {
	var rows [][][]span
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		style := w.base
		if _, head := r.(*extension.TableHeader); head {
			style = style.With(w.r.theme.Strong)
		}
		var row [][]span
		empty := true
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, trimEnd(w.inline(c, style)))
			empty = empty && len(row[len(row)-1]) == 0
		}
		if empty {
			row = nil
		}
		if row != nil || len(rows) == 0 {
			rows = append(rows, row)
		}
	}
	widths := fit(rows, len(n.Alignments), w.width-3*(len(n.Alignments)-1))
	if widths == nil {
		w.records(rows)
		return
	}
	var wrapped [][][][]span // row, cell, line
	tall := false
	for _, row := range rows {
		cells := make([][][]span, len(widths))
		for i := range min(len(row), len(widths)) {
			cells[i] = wrap(row[i], widths[i])
			tall = tall || len(wrapped) > 0 && len(cells[i]) > 1
		}
		wrapped = append(wrapped, cells)
	}
	rule := w.rule(widths)
	head := len(rows[0]) > 0
	for i, cells := range wrapped {
		if i == 0 && !head {
			continue
		}
		if i == 1 && head || i > 1 && tall {
			w.emit(rule)
		}
		w.row(cells, widths, n.Alignments)
	}
	if len(wrapped) == 1 && head {
		w.emit(rule)
	}
}

func (w *writer) rule(widths []int) []span {
	var b strings.Builder
	for i, cells := range widths {
		if i > 0 {
			b.WriteString("─┼─")
		}
		b.WriteString(strings.Repeat("─", cells))
	}
	return []span{{b.String(), w.r.theme.Rule}}
}

func (w *writer) row(cells [][][]span, widths []int, alignments []extension.Alignment) {
	height := 1
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	for at := range height {
		var line []span
		for i, lines := range cells {
			if i > 0 {
				line = append(line, span{" │ ", w.r.theme.Rule})
			}
			var content []span
			if at < len(lines) {
				content = lines[at]
			}
			left, right := 0, widths[i]-total(content)
			switch alignments[i] {
			case extension.AlignRight:
				left, right = right, 0
			case extension.AlignCenter:
				left, right = right/2, right-right/2
			}
			line = append(line, span{strings.Repeat(" ", max(0, left)), ""})
			line = append(line, content...)
			line = append(line, span{strings.Repeat(" ", max(0, right)), ""})
		}
		w.emit(line)
	}
}

// records shows each row as its cells, one under the other, each with the head
// of its column.
func (w *writer) records(rows [][][]span) {
	head := rows[0]
	if len(rows) == 1 {
		for _, cell := range head {
			if len(cell) > 0 {
				w.emitAll(wrap(cell, w.width))
			}
		}
	}
	for i, row := range rows[1:] {
		if i > 0 {
			w.part()
		}
		for j, cell := range row {
			var spans []span
			if j < len(head) && len(head[j]) > 0 {
				spans = append(append(spans, head[j]...), span{": ", w.base.With(w.r.theme.Strong)})
			}
			if spans = append(spans, cell...); len(spans) == 0 {
				continue
			}
			w.within(nil, []span{{"  ", ""}}, 2, func() { w.emitAll(wrap(spans, w.width)) })
		}
	}
}

// fit gives each column the width it would like, and takes from the widest what
// is too much; nil if words would have to be broken.
func fit(rows [][][]span, columns, cells int) []int {
	like, least := make([]int, columns), make([]int, columns)
	for _, row := range rows {
		for i := range min(len(row), columns) {
			whole, word := extent(row[i])
			like[i] = max(like[i], whole)
			least[i] = max(least[i], min(word, unbroken))
		}
	}
	sum, widest := 0, 0
	for i := range columns {
		like[i], least[i] = max(like[i], 1), max(least[i], 1)
		sum += least[i]
		widest = max(widest, like[i])
	}
	if sum > cells {
		return nil
	}
	out := make([]int, columns)
	for most := min(widest, cells); ; most-- {
		sum = 0
		for i := range out {
			out[i] = max(least[i], min(like[i], most))
			sum += out[i]
		}
		if sum <= cells {
			break
		}
	}
	for i := range out { // what is left over by rounding
		if out[i] < like[i] && sum < cells {
			out[i]++
			sum++
		}
	}
	return out
}

// extent is the width of the longest line of spans and of the longest word.
func extent(spans []span) (whole, word int) {
	line, run := 0, 0
	for _, s := range spans {
		if s.text == "\n" {
			line, run = 0, 0
			continue
		}
		for i, part := range strings.Split(s.text, " ") {
			if i > 0 {
				line++
				run = 0
			}
			cells := width(part)
			line += cells
			if strings.IndexFunc(part, func(r rune) bool { return r >= 0x2e80 }) >= 0 { // may be broken anywhere
				cells = 2
			}
			run += cells
			word = max(word, run)
		}
		whole = max(whole, line)
	}
	return max(whole, line), word
}
