package webpage

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// inlineMode is what becomes of line breaks and blocks in a run of text.
type inlineMode int

const (
	inlineText    inlineMode = iota // breaks are kept
	inlineHeading                   // all is one line
	inlineBold                      // all is one line, and stands out already
	inlineCell                      // breaks are <br>, as in a cell of a table
)

// span writes a run of text. Marks are written when there is text for them,
// so that none stands around nothing or beside a blank.
type span struct {
	r     *renderer
	mode  inlineMode
	b     []byte
	space bool     // a blank is due before the next text
	opens []string // marks that are due before the next text
	// the mark that was closed last, and where that was
	closed   string
	closedAt int
	// what is being written
	strong, emphasis, strike, link, raising, formula bool
}

// span is the text of nodes with its emphasis, code and links. Two breaks in
// a row are an empty line.
func (r *renderer) span(mode inlineMode, run ...*node) string {
	s := &span{r: r, mode: mode, strong: mode == inlineBold, emphasis: mode == inlineBold}
	for _, n := range run {
		if n.Block && n.Tag != "" {
			s.contents(n) // the heading or cell itself
		} else {
			s.add(n)
		}
	}
	r.spend(len(s.b))
	return strings.TrimRight(string(s.b), "\n ")
}

func (s *span) contents(n *node) {
	for c := range n.Children() {
		s.add(c)
	}
}

func (s *span) add(n *node) {
	if len(s.b) > s.r.out.most {
		return
	}
	if n.Tag == "" {
		s.words(n.Text)
		return
	}
	if s.r.skips(n) {
		return
	}
	s.r.note(n)
	if n.Block {
		s.blockWithin(n)
		return
	}
	switch n.Tag {
	case "br":
		s.br()
	case "a":
		s.anchor(n)
	case "b", "strong":
		s.marked(n, "**", &s.strong, strings.Contains(strings.ReplaceAll(n.Attr("style"), " ", ""), "font-weight:normal"))
	case "em", "i", "dfn", "var", "cite":
		s.marked(n, "*", &s.emphasis, false)
	case "del", "s", "strike":
		s.marked(n, "~~", &s.strike, false)
	case "code", "kbd", "samp", "tt":
		s.codeSpan(n)
	case "sub", "sup":
		s.raised(n)
	case "q":
		s.emit(`"`)
		s.contents(n)
		s.b = append(s.b, '"')
	case "rt":
		s.b = append(s.b, '(')
		s.contents(n)
		s.b = append(s.b, ')')
	case "img":
		s.image(n)
	case "input":
		box := "[ ]"
		if n.Has("checked") {
			box = "[x]"
		}
		s.emit(box)
		s.space = true
	case "iframe", "frame":
		s.frame(n)
	case "math":
		s.maths(n)
	case "annotation", "annotation-xml", "colgroup", "wbr":
	default:
		s.contents(n)
	}
}

// blockWithin writes a block in a place that has room for one line only.
func (s *span) blockWithin(n *node) {
	apart := func() {
		if s.mode == inlineCell && len(s.b) > 0 && !bytes.HasSuffix(s.b, []byte("<br>")) {
			s.b, s.space = append(s.b, "<br>"...), false
		} else {
			s.space = true
		}
	}
	apart()
	if n.Tag == "li" {
		s.emit("•")
		s.space = true
	}
	s.contents(n)
	if n.Next != nil && strings.TrimSpace(n.Next.Text) != "" {
		apart()
	}
}

func (s *span) br() {
	s.space = false
	switch s.mode {
	case inlineHeading, inlineBold:
		s.space = true
	case inlineCell:
		if len(s.b) > 0 {
			s.b = append(s.b, "<br>"...)
		}
	case inlineText:
		if len(s.b) > 0 && !bytes.HasSuffix(s.b, []byte("\n\n")) {
			s.b = append(s.b, '\n')
		}
	}
}

// emit writes text as it is, after the blank and the marks that are due.
func (s *span) emit(text string) {
	if s.space && len(s.b) > 0 && s.b[len(s.b)-1] != '\n' && !bytes.HasSuffix(s.b, []byte("<br>")) {
		s.b = append(s.b, ' ')
	}
	s.space = false
	for _, mark := range s.opens {
		s.b = append(s.b, mark...)
	}
	s.opens = s.opens[:0]
	s.b = append(s.b, text...)
}

// words writes text of the page, with blanks drawn together.
func (s *span) words(text string) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		piece := text[:size]
		text = text[size:]
		seen := visible(r)
		switch {
		case seen == ' ':
			s.space = true
			continue
		case seen < 0:
			continue
		case r == utf8.RuneError && size == 1:
			piece = "\uFFFD"
		case r == '<' && len(text) > 0 && startsTag(text[0]):
			piece = `\<`
		case r == '|' && s.mode == inlineCell:
			piece = `\|`
		}
		if s.space || len(s.opens) > 0 {
			s.emit(piece)
		} else {
			s.b = append(s.b, piece...)
		}
	}
}

func startsTag(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '!' || c == '?'
}

// marked writes what is in an element between two marks, if there is
// anything.
func (s *span) marked(n *node, mark string, state *bool, not bool) {
	if *state || not {
		s.contents(n)
		return
	}
	if !s.space && len(s.opens) == 0 && s.closed == mark && s.closedAt == len(s.b) {
		s.b = s.b[:len(s.b)-len(mark)] // two in a row are one
	} else {
		s.opens = append(s.opens, mark)
	}
	*state = true
	s.contents(n)
	*state = false
	if at := len(s.opens) - 1; at >= 0 && s.opens[at] == mark {
		s.opens = s.opens[:at]
		return
	}
	s.b = append(s.b, mark...)
	s.closed, s.closedAt = mark, len(s.b)
}

// codeSpan writes code. A link in it goes around it; several of them are
// worth more than its being code.
func (s *span) codeSpan(n *node) {
	var link *node
	links := 0
	for c := range n.All() {
		if c.Tag == "a" && c.Has("href") {
			link = c
			if links++; links > 1 {
				s.contents(n)
				return
			}
		}
	}
	text := oneLineCode(s.r.plain(n))
	if text == "" {
		return
	}
	if s.mode == inlineCell {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if len(fence) > 2 || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	code := fence + text + fence
	if link != nil && !s.link {
		if to := s.r.address(link.Attr("href")); to != "" {
			code = "[" + code + "](" + to + ")"
		}
	}
	if !s.space && len(s.b) > 0 && s.b[len(s.b)-1] == '`' {
		s.space = true // two in a row would be one
	}
	s.emit(code)
}

// oneLineCode is code on one line, its blanks drawn together.
func oneLineCode(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r = visible(r); r < 0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))), " ")
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// plain is the text of an element without what is dropped in it.
func (r *renderer) plain(n *node) string {
	var b strings.Builder
	r.pick.each(n, func(c *node) {
		for t := range c.Children() {
			b.WriteString(t.Text)
		}
	})
	return b.String()
}

// raised writes what is above or below the line. A number that leads to a
// footnote is only text.
func (s *span) raised(n *node) {
	if s.raising {
		s.contents(n)
		return
	}
	s.raising = true
	defer func() { s.raising = false }()
	if link := n.Find("a"); link != nil && strings.HasPrefix(s.r.address(link.Attr("href")), "#") {
		text := oneLine(s.r.plain(n))
		if strings.Trim(text, "0123456789") == "" && text != "" {
			text = "[" + text + "]"
		}
		s.words(text)
		return
	}
	if strings.TrimSpace(n.TextContent()) == "" {
		return
	}
	s.opens = append(s.opens, "<"+n.Tag+">")
	s.contents(n)
	if at := len(s.opens) - 1; at >= 0 && s.opens[at] == "<"+n.Tag+">" {
		s.opens = s.opens[:at]
		return
	}
	s.b = append(s.b, "</"+n.Tag+">"...)
}

// maths writes a formula as the page's author did, where that is there.
func (s *span) maths(n *node) {
	if s.formula {
		s.contents(n)
		return
	}
	s.formula = true
	defer func() { s.formula = false }()
	for c := range n.All() {
		if c.Tag == "annotation" && strings.Contains(c.Attr("encoding"), "tex") {
			if tex := oneLine(c.TextContent()); tex != "" {
				s.emit("$" + tex + "$")
			}
			return
		}
	}
	s.contents(n)
}
