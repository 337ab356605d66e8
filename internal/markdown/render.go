package markdown

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/minicode-go/minicode/internal/theme"
)

// Renderer makes lines of Markdown. It is not safe for use by several
// goroutines at once.
type Renderer struct {
	theme  theme.Theme
	parser parser.Parser // of one block, made when first needed
	blocks parser.Parser // of the whole
	code   highlighter
	parsed int // bytes, to hold streams to parsing little
}

// New is a renderer in the styles of t. It costs nothing until it is used.
func New(t theme.Theme) *Renderer {
	return &Renderer{theme: t, code: highlighter{theme: t, now: time.Now}}
}

// Lines is the whole text as lines of at most width cells; a width under 10 is
// taken as 10. There is no empty line at the beginning and the end.
func (r *Renderer) Lines(src string, width int) []string {
	s := r.Stream()
	s.Add(src)
	return s.End(width)
}

// edge is what the blocks before leave behind for the next one.
type edge struct {
	last     ast.Node // what was shown last
	blank    bool     // blank lines followed it
	refs     map[string]parser.Reference
	borrowed bool // refs are those of another edge
}

func (e *edge) define(refs map[string]parser.Reference) {
	if len(refs) == 0 {
		return
	}
	if e.borrowed || e.refs == nil {
		e.refs, e.borrowed = maps.Clone(e.refs), false
	}
	if e.refs == nil {
		e.refs = map[string]parser.Reference{}
	}
	maps.Copy(e.refs, refs)
}

// unit renders one block of the top level, with the blank line that parts it
// from the one before, and makes e the edge for the next.
func (r *Renderer) unit(source string, width int, e *edge) []string {
	if r.parser == nil {
		r.parser = newParser()
	}
	r.parsed += len(source)
	scope := newScope(e.refs)
	src := shallow(source)
	document := r.parser.Parse(text.NewReader(src), parser.WithContext(scope))
	w := writer{r: r, source: src, whole: max(width, 10), width: max(width, 10)}
	w.children(document, e.last, e.blank)
	e.define(scope.own)
	if len(w.lines) > 0 {
		e.last, e.blank = document.LastChild(), false
	}
	e.blank = e.blank || blankEnd(source)
	return w.lines
}

// blankEnd tells whether the last line is blank.
func blankEnd(source string) bool {
	source = strings.TrimSuffix(source, "\n")
	return strings.TrimSpace(source[strings.LastIndexByte(source, '\n')+1:]) == ""
}

// margin is what stands left of a block: bars and indents.
type margin struct {
	first []span // on the first line
	rest  []span // on the others
	used  bool
}

// writer lays blocks out.
type writer struct {
	r       *Renderer
	source  []byte
	whole   int // the width of all
	width   int // left for content
	margins []margin
	base    theme.Style
	depth   int
	lists   int  // how deep in lists with bullets
	skip    int  // offset of the source before which text is not shown
	parted  bool // a blank line is due before the next one
	bars    int  // how many margins the blank line has
	lines   []string
	line    []span
	b       strings.Builder
}

// emit adds one line. A blank line that is due comes before it, so that none is
// ever the last.
func (w *writer) emit(content []span) {
	if w.parted {
		w.parted = false
		w.put(w.margins[:w.bars], nil)
	}
	w.put(w.margins, content)
}

func (w *writer) put(margins []margin, content []span) {
	w.line = w.line[:0]
	for i := range margins {
		m := &margins[i]
		if m.used {
			w.line = append(w.line, m.rest...)
		} else {
			w.line = append(w.line, m.first...)
		}
		m.used = true
	}
	w.line = append(w.line, content...)
	w.b.Reset()
	paint(&w.b, w.line)
	w.lines = append(w.lines, w.b.String())
}

// part makes a blank line due.
func (w *writer) part() {
	if !w.parted {
		w.parted, w.bars = true, len(w.margins)
	}
}

func (w *writer) emitAll(lines [][]span) {
	for _, line := range lines {
		w.emit(line)
	}
}

// within calls body with a margin, unless that left too little space. A margin
// that is on no line yet gets one.
func (w *writer) within(first, rest []span, cells int, body func()) {
	if w.width-cells < 4 {
		body()
		return
	}
	w.margins = append(w.margins, margin{first: first, rest: rest})
	w.width -= cells
	body()
	if n := len(w.margins) - 1; !w.margins[n].used {
		w.emit(nil)
	}
	w.width += cells
	w.margins = w.margins[:len(w.margins)-1]
	w.bars = min(w.bars, len(w.margins))
}

// children renders the blocks in parent. Before is what is shown above the
// first one, if anything; blank, whether blank lines follow it in the source.
func (w *writer) children(parent, before ast.Node, blank bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n != parent.FirstChild() {
			blank = n.HasBlankPreviousLines()
		}
		if before != nil && gap(before, n, blank) {
			w.part()
		}
		w.depth++
		if w.depth > maxNesting {
			w.raw(n)
		} else {
			w.block(n)
		}
		w.depth--
		before = n
	}
}

// gap tells whether there is a blank line between two blocks; blank, whether
// the source has one. A heading keeps together with what follows, a list with
// the sentence that it belongs to.
func gap(before, n ast.Node, blank bool) bool {
	_, afterHeading := before.(*ast.Heading)
	_, heading := n.(*ast.Heading)
	_, list := n.(*ast.List)
	_, definition := n.(*ast.LinkReferenceDefinition)
	_, afterDefinition := before.(*ast.LinkReferenceDefinition)
	switch {
	case heading:
		return true
	case afterHeading:
		return false
	case list && ast.IsParagraph(before), definition && afterDefinition:
		return blank
	}
	switch before.(type) {
	case *ast.TextBlock:
		return blank
	}
	return true
}

func (w *writer) block(n ast.Node) {
	t := &w.r.theme
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n)
	case *ast.ThematicBreak:
		w.emit([]span{{strings.Repeat("─", min(w.width, 80)), t.Rule}})
	case *ast.List:
		w.list(n)
	case *ast.Blockquote:
		bar := []span{{"│ ", t.Rule}}
		base := w.base
		if base == "" {
			w.base = t.Quote
		}
		if body := func() { w.children(n, nil, false) }; w.width < w.whole*3/4 {
			body() // more bars would leave no room for the text
		} else {
			w.within(bar, bar, 2, body)
		}
		w.base = base
	case *ast.FencedCodeBlock:
		w.code(string(n.Language(w.source)), w.text(n))
	case *ast.CodeBlock:
		w.code("", w.text(n))
	case *ast.HTMLBlock:
		raw := w.text(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(w.source))
		}
		w.verbatim(split([]span{{strings.TrimRight(raw, " \t\n"), w.base.With(t.Dim)}}))
	case *ast.LinkReferenceDefinition:
		w.emitAll(wrap([]span{{safe("[" + string(n.Label) + "]: " + string(n.Destination)), w.base.With(t.Dim)}}, w.width))
	case *extension.Table:
		w.table(n)
	case *ast.Paragraph, *ast.TextBlock:
		if spans := w.inline(n, w.base); len(spans) > 0 {
			w.emitAll(wrap(spans, w.width))
		}
	default:
		w.children(n, nil, false)
	}
}

func (w *writer) inline(n ast.Node, style theme.Style) []span {
	in := inline{theme: &w.r.theme, source: w.source, skip: w.skip}
	_, in.cell = n.(*extension.TableCell)
	in.children(n, style)
	return in.spans
}

// text is the source of a block that is not parsed further.
func (w *writer) text(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(w.source))
	}
	return safeLines(b.String())
}

func (w *writer) heading(n *ast.Heading) {
	t := &w.r.theme
	style := t.Heading
	switch {
	case style == "":
	case n.Level == 1:
		style = style.With("4")
	case n.Level > 2:
		style = t.Strong
	}
	spans := w.inline(n, w.base.With(style))
	if style == "" {
		spans = append([]span{{strings.Repeat("#", n.Level) + " ", ""}}, spans...)
	}
	if len(spans) > 0 {
		w.emitAll(wrap(spans, w.width))
	}
}

func (w *writer) list(n *ast.List) {
	digits := 0
	if n.IsOrdered() {
		digits = len(strconv.Itoa(n.Start + n.ChildCount() - 1))
	}
	number := n.Start
	if !n.IsOrdered() {
		w.lists++
		defer func() { w.lists-- }()
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if !n.IsTight && item != n.FirstChild() {
			w.part()
		}
		w.item(n, item, number, digits)
		number++
	}
}

func (w *writer) item(list *ast.List, item ast.Node, number, digits int) {
	t := &w.r.theme
	marker := span{w.bullet(), w.base.With(t.Dim)}
	if list.IsOrdered() {
		n := strconv.Itoa(number)
		marker.text = strings.Repeat(" ", max(0, digits-len(n))) + n + string(list.Marker)
	}
	first := []span{marker, {" ", ""}}
	cells := width(marker.text) + 1
	if box, ok := w.box(item); ok {
		if list.IsOrdered() {
			first = append(first, box, span{" ", ""})
			cells += 2
		} else {
			first[0] = box
		}
	}
	rest := []span{{strings.Repeat(" ", cells), ""}}
	w.within(first, rest, cells, func() { w.children(item, nil, false) })
}

func (w *writer) bullet() string {
	switch w.lists % 3 {
	case 1:
		return "•"
	case 2:
		return "◦"
	}
	return "▪"
}

// box is the box of a task, if the item is one; its source is not shown then.
func (w *writer) box(item ast.Node) (span, bool) {
	first := item.FirstChild()
	if first == nil || first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph || first.Lines().Len() == 0 {
		return span{}, false
	}
	start := first.Lines().At(0).Start
	t := &w.r.theme
	switch text := string(w.source[start:min(start+4, len(w.source))]); strings.ToLower(text) {
	case "[ ] ":
		w.skip = start + 4
		return span{"☐", w.base.With(t.Dim)}, true
	case "[x] ":
		w.skip = start + 4
		return span{"☑", w.base.With(t.Ok)}, true
	}
	return span{}, false
}

// code shows a block of code.
func (w *writer) code(language, code string) {
	lines := strings.SplitAfter(code, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if code = strings.TrimRight(strings.Join(lines, ""), " \t\n"); code != "" {
		w.indented(w.r.code.lines(language, code, w.base))
	}
}

func (w *writer) indented(lines [][]span) {
	indent := []span{{"  ", ""}}
	w.within(indent, indent, 2, func() { w.verbatim(lines) })
}

// verbatim shows lines as they are, broken only where the width demands it. An
// indent never takes more than two thirds of the width.
func (w *writer) verbatim(lines [][]span) {
	for _, line := range lines {
		broken := wrapper{width: w.width}
		line = trimEnd(untab(line))
		indent := 0
		for len(line) > 0 {
			text := strings.TrimLeft(line[0].text, " ")
			indent += len(line[0].text) - len(text)
			if line[0].text = text; text != "" {
				break
			}
			line = line[1:]
		}
		if indent = min(indent, w.width*2/3); indent > 0 {
			broken.chop(span{strings.Repeat(" ", indent), ""})
		}
		for _, s := range line {
			broken.chop(s)
		}
		broken.newline()
		w.emitAll(broken.lines)
	}
}

// untab makes the text of a line safe, and tabs blanks up to the next
// multiple of four.
func untab(line []span) (out []span) {
	column := 0
	for _, s := range line {
		for i, part := range strings.Split(s.text, "\t") {
			if i > 0 {
				n := 4 - column%4
				out = appendSpan(out, strings.Repeat(" ", n), s.style)
				column += n
			}
			part = safe(part)
			out = appendSpan(out, part, s.style)
			column += width(part)
		}
	}
	return out
}

// split makes lines of spans that have line breaks in them.
func split(spans []span) (lines [][]span) {
	var line []span
	for _, s := range spans {
		for i, part := range strings.Split(s.text, "\n") {
			if i > 0 {
				lines = append(lines, line)
				line = nil
			}
			if part != "" {
				line = append(line, span{part, s.style})
			}
		}
	}
	return append(lines, line)
}

// raw shows the text of a block that is nested too deep to be laid out.
func (w *writer) raw(n ast.Node) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		if text := strings.TrimSpace(w.text(n)); text != "" {
			w.verbatim(split([]span{{text, w.base}}))
		}
		return ast.WalkContinue, nil
	})
}
