package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

const (
	// large is the size of an unfinished block from which it is not parsed
	// anew for each piece, but only when it has grown by a share of itself:
	// a text without blocks must not cost the square of its length.
	large = 8 << 10
	share = 16
)

// Stream is Markdown that arrives in pieces. The zero value is not usable; see
// Renderer.Stream.
type Stream struct {
	r    *Renderer
	edge edge

	tail   string // what is not settled, or not entirely
	shown  int    // what stands before it in tail is settled
	cr     bool   // the last piece ended in a carriage return
	looked int    // length of tail when blocks were last looked for

	open      []string // what Open gave last
	opened    int      // length of tail then
	openWidth int
}

// Stream begins a text that arrives in pieces.
func (r *Renderer) Stream() *Stream { return &Stream{r: r} }

// Add adds a piece of text. It may end anywhere, also within a character.
func (s *Stream) Add(piece string) {
	if piece == "" {
		return
	}
	if s.cr {
		piece = "\r" + piece
	}
	if s.cr = piece[len(piece)-1] == '\r'; s.cr {
		piece = piece[:len(piece)-1]
	}
	if strings.Contains(piece, "\r") {
		piece = strings.ReplaceAll(strings.ReplaceAll(piece, "\r\n", "\n"), "\r", "\n")
	}
	s.tail += piece
}

// Settled gives the lines that can no longer change, once. The width is in
// cells. Blank lines at the end of the text make no difference.
func (s *Stream) Settled(width int) (lines []string) {
	end := s.sure()
	if end <= s.looked || end > large && end-s.looked < end/share {
		return nil
	}
	s.looked = end
	starts, document := s.r.starts(s.tail[:end])
	if len(starts) > 1 {
		end -= starts[len(starts)-1]
		lines = s.settle(starts, width)
		_, document = s.r.starts(s.tail[:end])
	}
	return append(lines, s.within(s.tail[:end], document, width)...)
}

// sure is how much of the tail tells for sure which blocks there are: all lines
// before the last one, and of that the first letter, which makes a paragraph or
// the item of a list of it, whatever follows. A last line that begins otherwise
// may become many things.
func (s *Stream) sure() int {
	text := strings.TrimRight(s.tail, " \t\n")
	line := strings.LastIndexByte(text, '\n') + 1
	letter := strings.TrimLeft(text[line:], " \t>-*+0123456789.)")
	if letter == "" || letter[0] < 0x80 && (letter[0]|0x20 < 'a' || letter[0]|0x20 > 'z') {
		return line
	}
	return len(text) - len(letter) + 1
}

// settle renders the blocks that begin at starts, except the last one.
func (s *Stream) settle(starts []int, width int) (lines []string) {
	for i, start := range starts[:len(starts)-1] {
		w := s.r.unit(s.tail[start:starts[i+1]], width, &s.edge, s.shown, 0)
		lines = append(lines, w.lines[w.bounds[0].lines:]...)
		s.shown = 0
	}
	s.drop(starts[len(starts)-1])
	return lines
}

// drop forgets what was settled.
func (s *Stream) drop(before int) {
	s.tail = strings.Clone(s.tail[before:])
	s.looked -= before
	s.open, s.opened = nil, 0
}

// within gives the lines of the last block that can no longer change: all before
// its last leaf, and what is complete of a leaf that is code.
func (s *Stream) within(source string, document ast.Node, width int) []string {
	last := leaf(document)
	final := strings.LastIndexByte(source[:from(last)], '\n') + 1
	code := last.Kind() == ast.KindFencedCodeBlock
	if code {
		for i := range last.Lines().Len() {
			line := last.Lines().At(i)
			if source[line.Stop-1] == '\n' && codeText([]byte(source[line.Start:line.Stop])) != "" {
				final = line.Stop
			}
		}
	}
	if final <= s.shown {
		return nil
	}
	e := s.edge
	e.borrowed = true
	w := s.r.unit(source, width, &e, s.shown, final)
	lines := w.lines[w.bounds[0].lines:w.bounds[1].lines]
	if len(lines) == 0 {
		return nil
	}
	s.shown = final
	s.open, s.opened = nil, 0
	if code && last == document.FirstChild() {
		// Nothing but the fence is needed from what was shown.
		start := strings.LastIndexByte(s.tail[:last.Pos()], '\n') + 1
		end := start + strings.IndexByte(s.tail[start:], '\n') + 1
		s.tail = s.tail[start:end] + s.tail[final:]
		s.shown, s.looked = 0, s.looked-final+end-start
		s.edge.last, s.edge.blank, s.edge.code = e.last, false, &w.progress
	}
	return lines
}

// leaf is the last block of a document that has no blocks in it.
func leaf(n ast.Node) ast.Node {
	for last := n.LastChild(); last != nil && last.Type() == ast.TypeBlock; last = n.LastChild() {
		n = last
	}
	return n
}

// from is where a block begins, or a little before: behind tabs its position may
// be three too far.
func from(n ast.Node) int {
	if n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	return max(0, n.Pos()-3)
}

// End gives all lines that Settled did not give. The stream is as new then.
func (s *Stream) End(width int) []string {
	if s.cr {
		s.tail += "\n"
	}
	starts, _ := s.r.starts(s.tail)
	lines := s.settle(append(starts, len(s.tail)), width)
	*s = Stream{r: s.r}
	return lines
}

// Open gives the lines of the block that is still being written, as it would
// be if it ended here, without those that were settled. Large blocks may lag
// behind a little, and the last line is left out as long as it may become
// something else. The lines are valid until the next call.
func (s *Stream) Open(width int) []string {
	tail := s.tail
	if !s.cr {
		tail = begun(whole(tail))
	}
	if s.opened > 0 && width == s.openWidth && (len(tail) == s.opened || len(tail) > large && len(tail) > s.opened && len(tail)-s.opened < len(tail)/share) {
		return s.open
	}
	s.opened, s.openWidth = len(tail), width
	s.open = nil
	e, shown := s.edge, s.shown
	e.borrowed = true
	starts, _ := s.r.starts(tail)
	starts = append(starts, len(tail))
	for i, start := range starts[:len(starts)-1] {
		w := s.r.unit(tail[start:starts[i+1]], width, &e, shown, 0)
		s.open = append(s.open, w.lines[w.bounds[0].lines:]...)
		shown = 0
	}
	return s.open
}

// longestRow is how much of a line is taken for a row of a table that is still
// being written.
const longestRow = 1 << 10

// begun is text without a last line of which it cannot be told yet what it will
// be: a row of a table, with each piece of which all would be laid out anew, or
// the signs that a line begins with. A dash under a paragraph would make a
// heading of it until the item of a list has arrived.
func begun(text string) string {
	end := strings.LastIndexByte(text, '\n') + 1
	line := strings.TrimLeft(text[end:], " \t>")
	if len(line) < longestRow && strings.HasPrefix(line, "|") || len(line) < 10 && strings.Trim(line, " -=`~*_+#0123456789.)") == "" {
		return text[:end]
	}
	return text
}

// whole is text without a character at its end that has not arrived entirely.
func whole(text string) string {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if utf8.RuneStart(text[len(text)-i]) {
			if !utf8.FullRuneInString(text[len(text)-i:]) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// starts are the offsets at which the blocks of the top level begin, the first
// of them 0, and what they were found in. They depend on nothing that follows,
// except that the last block may turn out to be longer.
func (r *Renderer) starts(source string) ([]int, ast.Node) {
	if r.blocks == nil {
		r.blocks = newBlockParser()
	}
	r.parsed += len(source)
	document := r.blocks.Parse(text.NewReader(shallow(source)))
	if source == "" {
		return nil, document
	}
	starts := []int{0}
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if n == document.FirstChild() || n.Pos() < 0 {
			continue
		}
		start := strings.LastIndexByte(source[:n.Pos()], '\n') + 1
		if start > starts[len(starts)-1] {
			starts = append(starts, start)
		}
	}
	return starts, document
}
