package webpage

import (
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/htmltree"
)

// maxColumns is how many columns of a table are shown.
const maxColumns = 60

// table writes a table of data as one, code in a table as code, and what a
// table only lays out as what it is.
func (r *renderer) table(n *node) {
	rows, caption := r.rows(n)
	if caption != nil {
		r.bold(caption)
	}
	if text, ok := r.codeLines(rows); ok {
		r.fenced(text, language(n))
		return
	}
	if !r.isData(n, rows) {
		for _, row := range rows {
			r.layoutRow(row)
		}
		return
	}
	grid, columns := r.grid(rows)
	r.out.begin()
	if !isHeader(rows[0]) {
		r.out.line(strings.Repeat("|  ", columns) + "|")
	}
	for i, cells := range grid {
		if i == 1 && isHeader(rows[0]) || i == 0 && !isHeader(rows[0]) {
			r.out.line(strings.Repeat("| --- ", columns) + "|")
		}
		r.out.line("| " + strings.Join(cells, " | ") + strings.Repeat(" | ", columns-len(cells)) + " |")
	}
	if len(grid) == 1 && isHeader(rows[0]) {
		r.out.line(strings.Repeat("| --- ", columns) + "|")
	}
}

// rows are the rows of a table, not of those in it.
func (r *renderer) rows(table *node) (rows []*node, caption *node) {
	var visit func(n *node)
	visit = func(n *node) {
		for c := range n.Children() {
			switch {
			case r.skips(c):
			case c.Tag == "tr":
				rows = append(rows, c)
			case c.Tag == "caption":
				caption = c
			case c.Tag == "table" || c.Tag == "colgroup":
			case c.Tag != "":
				visit(c)
			}
		}
	}
	visit(table)
	return rows, caption
}

func (r *renderer) cells(row *node) []*node {
	var out []*node
	for c := range row.Children() {
		if c.Is("td", "th") && !r.skips(c) {
			out = append(out, c)
		}
	}
	return out
}

// isData is whether a table is one of data: of rows and columns of short
// texts.
func (r *renderer) isData(table *node, rows []*node) bool {
	switch table.Attr("role") {
	case "presentation", "none":
		return false
	}
	columns, headers := 0, false
	for _, row := range rows {
		cells := r.cells(row)
		columns = max(columns, len(cells))
		for _, cell := range cells {
			headers = headers || cell.Tag == "th"
			if !r.isShort(cell) {
				return false
			}
		}
	}
	if columns == 0 {
		return false
	}
	return headers || columns > 1 && len(rows) > 1
}

// isShort is whether what is in a cell can stand on one line.
func (r *renderer) isShort(cell *node) bool {
	if cell.Block {
		for n := range cell.All() {
			if n.Is("table", "blockquote", "h1", "h2", "h3", "h4", "hr", "article", "section") && !r.pick.dropped[n] {
				return false
			}
			if n.Tag == "pre" && strings.Contains(strings.TrimSpace(n.TextContent()), "\n") {
				return false
			}
		}
	}
	return cell.Tag == "th" || r.pick.weight[cell].text < 1500
}

func isHeader(row *node) bool {
	if row.Parent != nil && row.Parent.Tag == "thead" {
		return true
	}
	headers := 0
	for c := range row.Children() {
		switch c.Tag {
		case "td":
			return false
		case "th":
			headers++
		}
	}
	return headers > 0
}

// grid is the text of the cells, with empty ones where a cell is more than
// one row or column wide.
func (r *renderer) grid(rows []*node) (grid [][]string, columns int) {
	var below []int // for each column, how many of the next rows a cell above takes
	for _, row := range rows {
		if r.enough {
			break
		}
		var line []string
		covered := func() bool {
			if len(line) < len(below) && below[len(line)] > 0 {
				below[len(line)]--
				return true
			}
			return false
		}
		for _, cell := range r.cells(row) {
			for len(line) < maxColumns && covered() {
				line = append(line, "")
			}
			r.note(cell)
			text := r.span(inlineCell, cell)
			for range count(cell, "colspan", maxColumns) {
				if len(line) >= maxColumns {
					break
				}
				for len(below) <= len(line) {
					below = append(below, 0)
				}
				below[len(line)] = count(cell, "rowspan", len(rows)) - 1
				line = append(line, text)
				text = ""
			}
		}
		for len(line) < len(below) && covered() {
			line = append(line, "")
		}
		r.spend(len(line))
		grid = append(grid, line)
		columns = max(columns, len(line))
	}
	return grid, columns
}

func count(cell *node, name string, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(cell.Attr(name)))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, max(most, 1))
}

// layoutRow writes a row of a table that is not one of data: on one line
// where its cells are only text.
func (r *renderer) layoutRow(row *node) {
	var run []*node
	for _, cell := range r.cells(row) {
		if childBlock(cell) {
			r.paragraph(run...)
			run = nil
			r.note(cell)
			r.children(cell)
			continue
		}
		for c := range cell.Children() {
			if !r.skips(c) {
				run = append(run, c)
			}
		}
		run = append(run, &htmltree.Node{Text: " "})
	}
	r.paragraph(run...)
}

// codeLines is the code in a table whose first column is the numbers of its
// lines: one cell with all of it, or one for each line.
func (r *renderer) codeLines(rows []*node) (string, bool) {
	if len(rows) == 0 {
		return "", false
	}
	var b strings.Builder
	for _, row := range rows {
		cells := r.cells(row)
		if len(cells) != 2 || !numbers(cells[0]) {
			return "", false
		}
		code := cells[1]
		isCode := code.Find("pre") != nil && len(rows) == 1 || named(code, func(part string) bool { return part == "code" })
		if !isCode {
			return "", false
		}
		if pre := code.Find("pre"); pre != nil {
			code = pre
		}
		b.WriteString(r.codeText(code))
		if len(rows) > 1 {
			b.WriteByte('\n')
		}
	}
	return b.String(), strings.TrimSpace(b.String()) != ""
}
