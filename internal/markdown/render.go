package markdown

import (
	"bytes"
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
	turns  map[turn]string // escape sequences from one style to another
	parsed int             // bytes, to hold streams to parsing little
}

// New is a renderer in the styles of t. It costs nothing until it is used.
func New(t theme.Theme) *Renderer {
	return &Renderer{theme: t, code: highlighter{theme: t, now: time.Now}, turns: map[turn]string{}}
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
	borrowed bool      // refs are those of another edge
	code     *progress // the next block is the rest of one of which this was shown
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
	for label, r := range refs {
		if _, ok := e.refs[label]; !ok {
			e.refs[label] = r
		}
	}
}

// unit renders one block of the top level, with the blank line that parts it
// from the one before, and makes e the edge for the next. What is done tells how
// many lines come before each of two offsets of the source.
func (r *Renderer) unit(source string, width int, e *edge, shown, final int) (done *writer) {
	if r.parser == nil {
		r.parser = newParser()
	}
	r.parsed += len(source)
	scope := newScope(e.refs)
	src := shallow(source)
	document := r.parser.Parse(text.NewReader(src), parser.WithContext(scope))
	w := &writer{r: r, source: src, whole: max(width, 10), width: max(width, 10), resumed: e.code}
	w.bounds = [2]bound{{at: shown, lines: -1}, {at: final, lines: -1}}
	last := e.last
	if e.code != nil {
		last = nil
	}
	w.children(document, last, e.blank)
	w.reach(len(source) + 1)
	e.define(scope.own)
	if len(w.lines) > 0 {
		e.last, e.blank = document.LastChild(), false
	}
	e.code = nil
	e.blank = e.blank || blankEnd(source)
	return w
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
	parts   int  // how many blank lines there are between blocks
	lines   []string
	line    []span
	b       strings.Builder

	bounds   [2]bound
	resumed  *progress // of the first block of code
	progress progress  // of the last one, before the second bound
}

// bound is an offset of the source, and how many lines stand before it; -1 as
// long as that is not known.
type bound struct{ at, lines int }

// reach tells that the source is rendered up to an offset; a negative one is not
// known, and may be any.
func (w *writer) reach(offset int) {
	for i := range w.bounds {
		if b := &w.bounds[i]; b.lines < 0 && (offset < 0 || offset >= b.at) {
			b.lines = len(w.lines)
		}
	}
}

// emit adds one line. A blank line that is due comes before it, so that none is
// ever the last.
func (w *writer) emit(content []span) {
	if w.parted {
		w.parted = false
		w.parts++
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
	w.r.paint(&w.b, w.line)
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

// within calls body with a margin. If that left too little space, what the margin
// says gets lines of its own. A margin that is on no line yet gets one.
func (w *writer) within(first, rest []span, cells int, body func()) {
	if w.width-cells < 4 {
		w.emitAll(wrap(first, w.width))
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
		if before != nil && w.gap(before, n, blank) {
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
// the source has one. A list keeps together with the sentence that it belongs
// to, and what is short within the items of a list as it was written.
func (w *writer) gap(before, n ast.Node, blank bool) bool {
	if spacious(before) || spacious(n) {
		return true
	}
	if _, item := n.Parent().(*ast.ListItem); item {
		return blank
	}
	_, list := n.(*ast.List)
	_, definition := n.(*ast.LinkReferenceDefinition)
	_, afterDefinition := before.(*ast.LinkReferenceDefinition)
	if list && ast.IsParagraph(before) || definition && afterDefinition {
		return blank
	}
	return true
}

// spacious tells what always has blank lines around it.
func spacious(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindHeading, ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindBlockquote, ast.KindThematicBreak, extension.KindTable:
		return true
	}
	return false
}

func (w *writer) block(n ast.Node) {
	t := &w.r.theme
	w.reach(n.Pos())
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
		w.code(string(n.Language(w.source)), n)
	case *ast.CodeBlock:
		w.code("", n)
	case *ast.HTMLBlock:
		raw := w.text(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(w.source))
		}
		for _, line := range split(raw, w.base.With(t.Dim)) {
			w.verbatim(line)
		}
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
	_, in.head = n.(*ast.Heading)
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

// heading shows a heading: the deeper its level, the quieter.
func (w *writer) heading(n *ast.Heading) {
	t := &w.r.theme
	style := t.Heading
	switch {
	case style == "":
	case n.Level == 1:
		style = style.With("4")
	case n.Level == 3:
		style = t.Strong
	case n.Level == 4:
		style = t.Strong.With(t.Emphasis)
	case n.Level == 5:
		style = t.Emphasis
	case n.Level > 5:
		style = t.Dim.With(t.Emphasis)
	}
	spans := w.inline(n, w.base.With(style))
	if style == "" {
		spans = append([]span{{strings.Repeat("#", n.Level) + " ", ""}}, spans...)
	}
	if len(spans) > 0 {
		w.emitAll(wrap(spans, w.width))
	}
}

// list shows a list. So that an item can be final before its successors are
// known, its layout depends on those before it alone: from the first blank line
// in a list on there is one between all items.
func (w *writer) list(n *ast.List) {
	digits := len(strconv.Itoa(n.Start))
	number := n.Start
	if !n.IsOrdered() {
		w.lists++
		defer func() { w.lists-- }()
	}
	parts := w.parts
	if w.parted {
		parts++ // the blank line before the list
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item != n.FirstChild() && (w.parts > parts || item.HasBlankPreviousLines()) {
			w.part()
		}
		w.reach(item.Pos())
		number = max(number, w.written(n, item))
		w.item(n, item, number, digits)
		number++
	}
}

// written is the number that an item has in the source: a list that skips some
// was meant to.
func (w *writer) written(list *ast.List, item ast.Node) int {
	if !list.IsOrdered() || item.Pos() < 0 {
		return 0
	}
	digits := w.source[item.Pos():]
	digits = digits[:max(0, bytes.IndexByte(digits, list.Marker))]
	n, err := strconv.Atoi(strings.TrimSpace(string(digits)))
	if err != nil {
		return 0
	}
	return n
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

// raw shows the text of a block that is nested too deep to be laid out.
func (w *writer) raw(n ast.Node) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			w.reach(line.Start)
			for _, spans := range split(safeLines(string(line.Value(w.source))), w.base) {
				w.verbatim(spans)
			}
		}
		return ast.WalkContinue, nil
	})
}
