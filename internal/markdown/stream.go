package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/text"
)

const (
	// large is the size of an unfinished block from which it is not parsed
	// anew for each piece, but only when it has grown by a share of itself:
	// a text without blocks must not cost the square of its length.
	large = 8 << 10
	share = 16
	// step is how much code is added to an unfinished block of code before what
	// is shown of it is made anew from its beginning.
	step = 1 << 10
)

// Stream is Markdown that arrives in pieces. The zero value is not usable; see
// Renderer.Stream.
type Stream struct {
	r    *Renderer
	edge edge

	tail   string // what is not settled
	cr     bool   // the last piece ended in a carriage return
	looked int    // length of tail when blocks were last looked for

	open      []string // what Open gave last
	opened    int      // length of tail then
	openWidth int
	code      openCode
}

// openCode is what was shown of an unfinished block of code at the top level.
type openCode struct {
	lines  []string
	length int // how much of tail it is; 0 for none
	width  int
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

// Settled gives the lines of blocks that can no longer change, once. The width
// is in cells.
func (s *Stream) Settled(width int) []string {
	end := strings.LastIndexByte(s.tail, '\n') + 1
	if end <= s.looked || end > large && end-s.looked < end/share {
		return nil
	}
	s.looked = end
	starts := s.r.starts(s.tail[:end])
	if len(starts) < 2 {
		return nil
	}
	return s.settle(starts, width)
}

// settle renders the blocks that begin at starts, except the last one.
func (s *Stream) settle(starts []int, width int) (lines []string) {
	for i, start := range starts[:len(starts)-1] {
		lines = append(lines, s.r.unit(s.tail[start:starts[i+1]], width, &s.edge)...)
	}
	last := starts[len(starts)-1]
	s.tail = strings.Clone(s.tail[last:])
	s.looked -= last
	s.open, s.opened, s.code = nil, 0, openCode{}
	return lines
}

// End gives all lines that Settled did not give. The stream is as new then.
func (s *Stream) End(width int) []string {
	if s.cr {
		s.tail += "\n"
	}
	starts := append(s.r.starts(s.tail), len(s.tail))
	lines := s.settle(starts, width)
	*s = Stream{r: s.r}
	return lines
}

// Open gives the lines of the block that is still being written, as it would
// be if it ended here. Large blocks may lag behind a little, and a row of a table
// is shown when it is complete. The lines are valid until the next call.
func (s *Stream) Open(width int) []string {
	tail := rows(whole(s.tail))
	language, code := fence(tail, s.code.length)
	if s.opened > 0 && width == s.openWidth && (len(tail) == s.opened || len(tail) > large && !code && len(tail)-s.opened < len(tail)/share) {
		return s.open
	}
	s.opened, s.openWidth = len(tail), width
	if code {
		s.open = s.openFence(tail, language, width)
		return s.open
	}
	s.open = nil
	e := s.edge
	e.borrowed = true
	starts := append(s.r.starts(tail), len(tail))
	for i, start := range starts[:len(starts)-1] {
		s.open = append(s.open, s.r.unit(tail[start:starts[i+1]], width, &e)...)
	}
	return s.open
}

// openFence renders a block of code that is not closed: most of it as it was,
// the rest highlighted by itself.
func (s *Stream) openFence(tail, language string, width int) []string {
	if c := &s.code; len(tail)-c.length > max(step, c.length/share) || c.width != width {
		end := strings.LastIndexByte(tail, '\n') + 1
		for end > 1 && tail[end-2] == '\n' { // blank lines are not shown at the end
			end--
		}
		e := s.edge
		e.borrowed = true
		*c = openCode{lines: s.r.unit(tail[:end], width, &e), length: end, width: width}
		if len(c.lines) == 0 {
			*c = openCode{}
			e = s.edge
			e.borrowed = true
			return s.r.unit(tail, width, &e)
		}
	}
	if s.code.length > highlighted {
		language = ""
	}
	w := writer{r: s.r, width: max(width, 10)}
	if rest := strings.TrimRight(safeLines(tail[s.code.length:]), " \t\n"); rest != "" {
		w.indented(s.r.code.lines(language, rest, ""))
	}
	s.code.lines = slices.Grow(s.code.lines, len(w.lines))
	return append(s.code.lines, w.lines...)
}

// fence tells whether text is an unfinished block of code that begins with its
// fence, and its language. What stands before from is known to be within.
func fence(text string, from int) (language string, ok bool) {
	mark := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if mark == "" {
		mark = text[:len(text)-len(strings.TrimLeft(text, "~"))]
	}
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || len(mark) < 3 || mark[0] == '`' && strings.Contains(first[len(mark):], "`") {
		return "", false
	}
	for line := range strings.Lines(rest[max(0, from-len(first)-1):]) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == "" {
			return "", false
		}
	}
	language, _, _ = strings.Cut(strings.TrimSpace(first[len(mark):]), " ")
	return language, true
}

// longestRow is how much of a line is taken for a row of a table that is still
// being written.
const longestRow = 1 << 10

// rows is text without a row of a table at its end that has not arrived
// entirely: with each piece of it all would be laid out anew.
func rows(text string) string {
	end := strings.LastIndexByte(text, '\n') + 1
	if row := text[end:]; len(row) < longestRow && strings.HasPrefix(strings.TrimLeft(row, " "), "|") {
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
// of them 0. They depend on nothing that follows, except that the last block
// may turn out to be longer.
func (r *Renderer) starts(source string) []int {
	if r.blocks == nil {
		r.blocks = newBlockParser()
	}
	if source == "" {
		return nil
	}
	r.parsed += len(source)
	starts := []int{0}
	document := r.blocks.Parse(text.NewReader(shallow(source)))
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if n == document.FirstChild() || n.Pos() < 0 {
			continue
		}
		start := strings.LastIndexByte(source[:n.Pos()], '\n') + 1
		if start > starts[len(starts)-1] {
			starts = append(starts, start)
		}
	}
	return starts
}
