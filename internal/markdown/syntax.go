package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newParser parses CommonMark with tables and strikethrough. Goldmark's own
// extensions are not used, since they bring the HTML renderer and compile
// regular expressions at start-up.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inlineParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tables{}, 200))...),
	)
}

func inlineParsers() []util.PrioritizedValue {
	all := parser.DefaultInlineParsers()
	for i, p := range all {
		if inner, ok := p.Value.(parser.InlineParser); ok && bytes.Equal(inner.Trigger(), []byte("*_")) {
			all[i].Value = &emphasis{InlineParser: inner}
		}
	}
	return append(all, util.Prioritized(strikethrough{}, 500))
}

// mostMarks is how many marks of emphasis a paragraph may have; what comes
// after them is text: the parser needs the square of their number.
const mostMarks = 2000

// emphasis is goldmark's, for the first marks of each paragraph.
type emphasis struct {
	parser.InlineParser
	in    ast.Node
	marks int
}

func (e *emphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if parent != e.in {
		e.in, e.marks = parent, 0
	}
	if e.marks++; e.marks > mostMarks {
		return nil
	}
	return e.InlineParser.Parse(parent, block, pc)
}

// newBlockParser finds only where blocks begin.
func newBlockParser() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
}

// shallow is a copy of source in which no line opens more than maxNesting lists
// and quotes: the parser needs the square of their number. The mark that would
// open one more becomes a backslash, so that offsets stay.
func shallow(source string) []byte {
	out := []byte(source)
	for from := 0; from < len(out); {
		end := len(out)
		if n := bytes.IndexByte(out[from:], '\n'); n >= 0 {
			end = from + n
		}
		if end-from > maxNesting {
			flatten(out[from:end])
		}
		from = end + 1
	}
	return out
}

func flatten(line []byte) {
	for i, marks := 0, 0; i < len(line); {
		n := mark(line[i:])
		if n == 0 {
			return
		}
		if c := line[i]; c != ' ' && c != '\t' {
			marks++
		}
		if marks > maxNesting {
			line[i] = '\\'
			return
		}
		i += n
	}
}

// mark is the length of the blank, or the mark of a list or quote, that a line
// begins with.
func mark(line []byte) int {
	n := 1
	switch c := line[0]; {
	case c == ' ' || c == '\t' || c == '>':
		return 1
	case c == '-' || c == '*' || c == '+':
	case c >= '0' && c <= '9':
		for n < len(line) && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(line) && !blank(line[n]) {
		return 0
	}
	return n
}

// strikethrough parses ~~text~~. One tilde is none: it stands for "about" too
// often.
type strikethrough struct{}

func (strikethrough) Trigger() []byte         { return []byte{'~'} }
func (strikethrough) IsDelimiter(b byte) bool { return b == '~' }
func (strikethrough) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}
func (strikethrough) OnMatch(int) ast.Node { return extension.NewStrikethrough() }

func (p strikethrough) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	before := block.PrecendingCharacter()
	found := parser.ScanDelimiter(line, before, 2, p)
	if found == nil || found.OriginalLength != 2 || before == '~' {
		return nil
	}
	found.Segment = segment.WithStop(segment.Start + 2)
	block.Advance(2)
	pc.PushDelimiter(found)
	return found
}

// tables makes tables of paragraphs that have a line such as |---|:-:|. What
// stands before the head of the table stays a paragraph.
type tables struct{}

func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := paragraph.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		columns := alignments(source, lines.At(i))
		if columns == nil {
			continue
		}
		head := cells(source, lines.At(i-1), len(columns)+1)
		if len(head) != len(columns) {
			return
		}
		table := extension.NewTable()
		table.Alignments = columns
		table.SetPos(lines.At(i - 1).Start)
		table.AppendChild(table, extension.NewTableHeader(row(head, columns)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, row(cells(source, lines.At(j), len(columns)), columns))
		}
		paragraph.Parent().InsertAfter(paragraph.Parent(), paragraph, table)
		lines.SetSliced(0, i-1)
		if lines.Len() == 0 {
			table.SetBlankPreviousLines(paragraph.HasBlankPreviousLines())
			paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
			return
		}
		last := lines.At(lines.Len() - 1)
		lines.Set(lines.Len()-1, last.TrimRightSpace(source))
		return
	}
}

func row(segments []text.Segment, columns []extension.Alignment) *extension.TableRow {
	row := extension.NewTableRow(columns)
	for i, s := range segments {
		cell := extension.NewTableCell()
		cell.Alignment = columns[i]
		cell.SetPos(s.Start)
		if !s.IsEmpty() {
			cell.Lines().Append(s)
		}
		row.AppendChild(row, cell)
	}
	return row
}

// alignments reads the line under the head of a table; nil if it is none.
func alignments(source []byte, line text.Segment) (all []extension.Alignment) {
	raw := strings.TrimSpace(string(source[line.Start:line.Stop]))
	if strings.Trim(raw, "|:- \t") != "" || !strings.Contains(raw, "-") || !strings.ContainsAny(raw, "|:") {
		return nil
	}
	raw = strings.TrimSuffix(strings.TrimPrefix(raw, "|"), "|")
	for column := range strings.SplitSeq(raw, "|") {
		column = strings.TrimSpace(column)
		left, right := strings.HasPrefix(column, ":"), strings.HasSuffix(column, ":")
		dashes := strings.TrimSuffix(strings.TrimPrefix(column, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch {
		case left && right:
			all = append(all, extension.AlignCenter)
		case left:
			all = append(all, extension.AlignLeft)
		case right:
			all = append(all, extension.AlignRight)
		default:
			all = append(all, extension.AlignNone)
		}
	}
	return all
}

// cells splits a row at bars that are not escaped. What is too much for the
// columns belongs to the last one: nobody meant it to disappear.
func cells(source []byte, line text.Segment, most int) (all []text.Segment) {
	trim := func(from, to int) text.Segment {
		for from < to && blank(source[from]) {
			from++
		}
		for to > from && blank(source[to-1]) {
			to--
		}
		return text.NewSegment(from, to)
	}
	whole := trim(line.Start, line.Stop)
	from, end := whole.Start, whole.Stop
	if from < end && source[from] == '|' {
		from++
	}
	if from < end && source[end-1] == '|' && !escaped(source[from:end-1]) {
		end--
	}
	if from >= end {
		return nil
	}
	for i := from; i < end && len(all) < most-1; i++ {
		if source[i] == '|' && !escaped(source[from:i]) {
			all = append(all, trim(from, i))
			from = i + 1
		}
	}
	return append(all, trim(from, end))
}

func escaped(before []byte) bool {
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// scope is where the parser keeps link definitions. Those of the blocks before
// count, those of the block at hand do not yet: part of it may have been shown
// before they were known.
type scope struct {
	parser.Context
	before, own map[string]parser.Reference
}

func newScope(before map[string]parser.Reference) *scope {
	return &scope{Context: parser.NewContext(), before: before, own: map[string]parser.Reference{}}
}

func (s *scope) AddReference(r parser.Reference) {
	label := util.ToLinkReference(r.Label())
	if _, ok := s.own[label]; !ok && !strings.HasPrefix(label, "^") { // not a footnote
		s.own[label] = r
	}
}

func (s *scope) Reference(label string) (parser.Reference, bool) {
	r, ok := s.before[label]
	return r, ok
}
