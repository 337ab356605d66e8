package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/minicode-go/minicode/internal/theme"
)

// progress is how far a block of code was shown that is longer than what is
// rendered at once.
type progress struct {
	scan  scan
	bytes int // that were highlighted
}

// code shows a block of code. Blank lines at its beginning and end are left
// out.
func (w *writer) code(language string, n ast.Node) {
	for i := range n.Lines().Len() {
		if line := n.Lines().At(i); codeText(line.Value(w.source)) != "" {
			indent := []span{{"  ", ""}}
			w.within(indent, indent, 2, func() { w.codeLines(grammar(language), n) })
			return
		}
	}
}

func (w *writer) codeLines(grammar string, n ast.Node) {
	p, blank, begun := progress{}, 0, false
	if w.resumed != nil {
		p, begun = *w.resumed, true
		w.resumed = nil
	}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		text := codeText(segment.Value(w.source))
		if text == "" {
			blank++
			continue
		}
		w.reach(segment.Start)
		for ; blank > 0; blank-- {
			if begun {
				w.emit(nil)
			}
		}
		if p.bytes += len(text); p.bytes > highlighted {
			grammar = ""
		}
		spans, after := w.r.code.line(grammar, p.scan, text)
		p.scan, begun = after, true
		w.verbatim(untab(spans, w.base))
		if w.bounds[1].lines < 0 {
			w.progress = p
		}
	}
}

// codeText is a line of code without what cannot be seen.
func codeText(line []byte) string { return strings.TrimRight(safeLines(string(line)), " \t\n") }

// verbatim shows a line as it is, broken only where the width demands it. What
// goes on is indented by more than the line itself.
func (w *writer) verbatim(line []span) {
	line = trimEnd(line)
	if total(line) <= w.width {
		w.emit(line)
		return
	}
	indent, line := cutIndent(line)
	indent = min(indent, w.width/2)
	first := true
	for len(line) > 0 {
		lead := indent
		if !first {
			lead = min(indent+2, w.width/2)
		}
		row, rest := breakLine(line, w.width-lead)
		w.emit(append([]span{{strings.Repeat(" ", lead), ""}}, row...))
		line, first = rest, false
	}
}

// cutIndent takes the blanks at the beginning of a line away.
func cutIndent(line []span) (indent int, rest []span) {
	for len(line) > 0 {
		text := strings.TrimLeft(line[0].text, " ")
		indent += len(line[0].text) - len(text)
		if text != "" {
			return indent, append([]span{{text, line[0].style}}, line[1:]...)
		}
		line = line[1:]
	}
	return indent, line
}

// breakLine parts a line behind a blank or a sign near the width, or else at the
// width. The row has at least one character.
func breakLine(line []span, width int) (row, rest []span) {
	used := 0
	good, goodAt := -1, 0 // span and offset where it is good to break
	for i, s := range line {
		for at := 0; at < len(s.text); {
			c, cells := cluster(s.text[at:])
			if used+cells > width && used > 0 {
				if good < 0 {
					good, goodAt = i, at
				}
				return cutAt(line, good, goodAt)
			}
			used += cells
			at += len(c)
			if used > width/3 && len(c) == 1 && strings.Contains(" ,;.:/|&=)}]", c) {
				good, goodAt = i, at
			}
		}
	}
	return line, nil
}

func cutAt(line []span, i, at int) (row, rest []span) {
	s := line[i]
	row = append(row, line[:i]...)
	if at > 0 {
		row = append(row, span{s.text[:at], s.style})
	}
	if at < len(s.text) {
		rest = append(rest, span{s.text[at:], s.style})
	}
	_, rest = cutIndent(append(rest, line[i+1:]...))
	return row, rest
}

// untab makes the text of a line safe, and tabs blanks up to the next
// multiple of four.
func untab(line []span, base theme.Style) []span {
	out := make([]span, 0, len(line))
	column := 0
	for _, s := range line {
		style := base.With(s.style)
		for i, part := range strings.Split(s.text, "\t") {
			if i > 0 {
				n := 4 - column%4
				out = appendSpan(out, strings.Repeat(" ", n), style)
				column += n
			}
			part = safe(part)
			out = appendSpan(out, part, style)
			column += width(part)
		}
	}
	return out
}

// total is how many cells spans take.
func total(spans []span) (cells int) {
	for _, s := range spans {
		cells += width(s.text)
	}
	return cells
}

// split makes lines of text.
func split(text string, style theme.Style) (lines [][]span) {
	for line := range strings.SplitSeq(strings.TrimRight(text, " \t\n"), "\n") {
		lines = append(lines, untab([]span{{line, ""}}, style))
	}
	return lines
}
