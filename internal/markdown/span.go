package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/theme"
)

// span is text in one style. Its text is safe (see safe); a span that is
// "\n" breaks the line.
type span struct {
	text  string
	style theme.Style
}

// appendSpan adds text to spans. What only changes the character before it goes
// with that character, since apart they would be measured wrongly.
func appendSpan(spans []span, text string, style theme.Style) []span {
	if n := len(spans); n > 0 && spans[n-1].text != "\n" && text != "" && text[0] >= 0x80 {
		cut := 0
		for cut < len(text) {
			r, size := utf8.DecodeRuneInString(text[cut:])
			if !extender(r) {
				break
			}
			cut += size
		}
		if cut > 0 {
			spans[n-1].text += text[:cut]
			text = text[cut:]
		}
	}
	if text == "" {
		return spans
	}
	return append(spans, span{text, style})
}

// wrapper breaks spans into lines.
type wrapper struct {
	width int
	lines [][]span

	line  []span
	used  int    // cells of line
	gap   span   // blanks before word
	word  []span // what must stay together
	cells int    // of word
	last  string // the last character of word
}

// wrap breaks spans into lines of at most width cells, at blanks and between
// wide characters; only what is wider than a whole line is broken elsewhere.
// There are no empty lines at the beginning and the end.
func wrap(spans []span, width int) [][]span {
	w := wrapper{width: width}
	for _, s := range spans {
		if s.text == "\n" {
			w.place()
			w.newline()
			continue
		}
		w.add(s)
	}
	w.place()
	if len(w.line) > 0 {
		w.newline()
	}
	lines := w.lines
	for len(lines) > 0 && len(lines[0]) == 0 {
		lines = lines[1:]
	}
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (w *wrapper) add(s span) {
	text := s.text
	for text != "" {
		n := 0
		for n < len(text) && text[n] == ' ' {
			n++
		}
		if n > 0 {
			w.place()
			w.gap = span{text[:n], s.style}
			text = text[n:]
			continue
		}
		cells := 0
		for n < len(text) && text[n] != ' ' {
			c, more := together(text[n:])
			if w.parts(c, more) {
				w.push(text[:n], s.style, cells)
				text, n, cells = text[n:], 0, 0
				w.place()
			}
			n, cells, w.last = n+len(c), cells+more, lastOf(c)
		}
		w.push(text[:n], s.style, cells)
		text = text[n:]
	}
}

// together is the beginning of text within which no line is broken, and its
// width: one character or several narrow ones.
func together(text string) (string, int) {
	n := 0
	for n < len(text) && text[n] != ' ' && text[n] < 0x80 {
		n++
	}
	if n > 1 && n < len(text) && text[n] >= 0x80 {
		n-- // the last may be the base of what follows
	}
	if n > 0 && (n == len(text) || n > 1 || text[n] < 0x80) {
		return text[:n], n
	}
	return cluster(text)
}

func lastOf(c string) string {
	if last := c[len(c)-1:]; last[0] < 0x80 {
		return last
	}
	return c
}

// parts tells whether a line may end before c.
func (w *wrapper) parts(c string, cells int) bool {
	if w.last == "" || leads(w.last) || c[0] >= 0x80 && stays(c) || c[0] < 0x80 && punctuation(c[0]) {
		return false
	}
	return wide(w.last) || c[0] >= 0x80 && cells > 1
}

// wide tells whether a line may be broken beside c.
func wide(c string) bool { return len(c) > 1 && width(c) > 1 }

func (w *wrapper) push(text string, style theme.Style, cells int) {
	if text == "" {
		return
	}
	if n := len(w.word); n > 0 && w.word[n-1].style == style {
		w.word[n-1].text += text
	} else {
		w.word = append(w.word, span{text, style})
	}
	w.cells += cells
}

// place puts the word into a line.
func (w *wrapper) place() {
	if len(w.word) == 0 {
		return
	}
	word, cells, gap := w.word, w.cells, w.gap
	w.word, w.cells, w.gap, w.last = w.word[len(w.word):], 0, span{}, ""
	switch {
	case w.used+len(gap.text)+cells <= w.width:
	case cells <= w.width || w.width-w.used-len(gap.text) < 8:
		w.newline()
	}
	if w.used > 0 && gap.text != "" {
		w.line = append(w.line, gap)
		w.used += len(gap.text)
	}
	if w.used+cells <= w.width {
		w.line = append(w.line, word...)
		w.used += cells
		return
	}
	for _, s := range word {
		w.chop(s)
	}
}

// chop fills lines with s, character by character.
func (w *wrapper) chop(s span) {
	from := 0
	for i := 0; i < len(s.text); {
		c, cells := cluster(s.text[i:])
		if w.used+cells > w.width {
			if i > from {
				w.line = append(w.line, span{s.text[from:i], s.style})
			}
			w.newline()
			from = i
		}
		w.used += cells
		i += len(c)
	}
	w.line = append(w.line, span{s.text[from:], s.style})
}

func (w *wrapper) newline() {
	w.lines = append(w.lines, w.line)
	w.line, w.used, w.gap = nil, 0, span{}
}

// trimEnd is spans without blanks at the end.
func trimEnd(spans []span) []span {
	for n := len(spans); n > 0; n = len(spans) {
		last := spans[n-1]
		text := strings.TrimRight(last.text, " ")
		if text == last.text && text != "" {
			break
		}
		if spans = spans[: n-1 : n-1]; text != "" {
			return append(spans, span{text, last.style})
		}
	}
	return spans
}

// turn is a change of style.
type turn struct{ from, to theme.Style }

// paint joins spans to a line without blanks at its end, with as few escape
// sequences as there can be: what cannot be seen on a blank is not changed for
// one.
func (r *Renderer) paint(b *strings.Builder, spans []span) {
	spans = trimEnd(spans)
	now := theme.Style("")
	for i, s := range spans {
		if s.text == "" {
			continue
		}
		style := s.style
		if style != now && strings.Trim(s.text, " ") == "" && !style.Inks() {
			style = r.onBlanks(now, spans[i+1:])
		}
		if style != now {
			b.WriteString(r.between(now, style))
			now = style
		}
		b.WriteString(s.text)
	}
	b.WriteString(r.between(now, ""))
}

// onBlanks is the style for blanks that any style does for.
func (r *Renderer) onBlanks(now theme.Style, rest []span) theme.Style {
	next := theme.Style("")
	for _, s := range rest {
		if strings.Trim(s.text, " ") != "" || s.style.Inks() {
			next = s.style
			break
		}
	}
	switch {
	case !next.Inks():
		return next
	case !now.Inks():
		return now
	}
	return ""
}

func (r *Renderer) between(from, to theme.Style) string {
	if from == to {
		return ""
	}
	t := turn{from, to}
	sequence, ok := r.turns[t]
	if !ok {
		sequence = theme.Between(from, to)
		r.turns[t] = sequence
	}
	return sequence
}
