package compose

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// What a paste may have and still be put in as it is; more becomes a
// placeholder.
const (
	mostPastedLines = 10
	mostPastedRunes = 1000
)

const longestImageLabel = 40 // cells

// Buffer is a text being written, with a cursor in it. The zero value is empty
// and ready for use.
type Buffer struct {
	lines  []*line // at least one once anything was done
	cursor position

	undone, done []group // what Redo and Undo take up, newest last
	last         action  // the latest thing done, for what goes on from it
	goal         int     // the cell that Up and Down aim at, while last is moveRows

	ring   [][]element // what was killed, newest last
	yanked int         // the entry of ring that was yanked last

	pastes, images int // placeholders made so far
}

// line is one line of the text, without its end.
type line struct {
	elements []element
	width    int // that rows is for; 0 when it is not known
	rows     []row
}

// position is a place between elements.
type position struct{ line, column int }

// Image is a picture in a prompt.
type Image struct {
	Label string // its placeholder, as in the text around it
	Data  []byte
	Media string // its media type, such as image/png
}

// Part is a piece of what was written: a text or an image.
type Part struct {
	Text  string // "" for an image
	Image *Image
}

// Draft is the contents of a Buffer at one time, placeholders included.
type Draft struct {
	elements []element
	cursor   position
}

// Text is the whole text, with long pastes in full and with an image's
// placeholder where an image is.
func (d Draft) Text() string { return textOf(d.elements) }

// Parts is the text with the images in it, in order. The text keeps the
// placeholder of an image, which is the image's label too; the image follows.
func (d Draft) Parts() []Part {
	var parts []Part
	from := 0
	for i, e := range d.elements {
		if e.object == nil || e.object.image == nil {
			continue
		}
		parts = append(parts, Part{Text: textOf(d.elements[from : i+1])}, Part{Image: e.object.image})
		from = i + 1
	}
	if from < len(d.elements) {
		parts = append(parts, Part{Text: textOf(d.elements[from:])})
	}
	return parts
}

// Empty says that there is nothing in it, not even a blank.
func (d Draft) Empty() bool { return len(d.elements) == 0 }

// Draft is the contents and the cursor as they are now.
func (b *Buffer) Draft() Draft {
	b.ready()
	return Draft{b.slice(position{}, b.end()), b.cursor}
}

// Text is the whole text, see [Draft.Text].
func (b *Buffer) Text() string { return b.Draft().Text() }

// Parts is the text with its images, see [Draft.Parts].
func (b *Buffer) Parts() []Part { return b.Draft().Parts() }

// Empty says that there is nothing in the buffer, not even a blank.
func (b *Buffer) Empty() bool {
	return len(b.lines) == 0 || len(b.lines) == 1 && len(b.lines[0].elements) == 0
}

// Before is the text of the cursor's line up to the cursor, with U+FFFC for
// each placeholder: what completion looks at.
func (b *Buffer) Before() string {
	b.ready()
	var s strings.Builder
	for _, e := range b.lines[b.cursor.line].elements[:b.cursor.column] {
		if e.object != nil {
			s.WriteRune('\uFFFC')
		} else {
			s.WriteString(e.text)
		}
	}
	return s.String()
}

// Head is the first characters of the text, with U+FFFC for each placeholder:
// enough to see what kind of text it is, however long it is.
func (b *Buffer) Head() string {
	const most = 64
	var s strings.Builder
	n := 0
	for i, l := range b.lines {
		if i > 0 {
			s.WriteByte('\n')
		}
		for _, e := range l.elements {
			if n++; n > most {
				return s.String()
			}
			if e.object != nil {
				s.WriteRune('\uFFFC')
			} else {
				s.WriteString(e.text)
			}
		}
		if n++; n > most {
			break
		}
	}
	return s.String()
}

// Cursor is the line that the cursor is in and the number of elements before
// it in that line, both from 0.
func (b *Buffer) Cursor() (line, column int) { return b.cursor.line, b.cursor.column }

// Insert puts text in at the cursor, as it is but for its line ends. Single
// characters typed one after the other are undone by the word.
func (b *Buffer) Insert(text string) {
	b.ready()
	text = normalise(text)
	typed := utf8.RuneCountInString(text) == 1 && text != "\n"
	join := typed && b.last == typing && !(text != " " && strings.HasSuffix(b.Before(), " "))
	if b.edit(insertion, join, b.cursor, b.cursor, []element{{text: text}}) && typed {
		b.last = typing
	}
}

// Paste puts pasted text in at the cursor: as Insert does, or, when it has
// more than 10 lines or 1,000 characters, as a placeholder. The text is kept
// byte for byte but for CRLF, which becomes LF, and for CR in a text without
// any LF: terminals send line ends so. Escape sequences are left out; it gives
// how many.
func (b *Buffer) Paste(text string) (escapes int) {
	b.ready()
	text, escapes = stripped(text)
	text = normalise(text)
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	characters := utf8.RuneCountInString(text)
	if lines <= mostPastedLines && characters <= mostPastedRunes {
		b.edit(insertion, false, b.cursor, b.cursor, []element{{text: text}})
		return escapes
	}
	b.pastes++
	size := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		size = fmt.Sprintf("%d characters", characters)
	}
	pasted := &object{label: fmt.Sprintf("[Pasted text #%d: %s]", b.pastes, size), text: text}
	b.edit(insertion, false, b.cursor, b.cursor, []element{{object: pasted}})
	return escapes
}

// AddImage puts the placeholder of an image in at the cursor: [Image #1], or
// [Image #1: label] where a label is given, which may be a file's name.
func (b *Buffer) AddImage(label string, data []byte, media string) {
	b.ready()
	b.images++
	shown := fmt.Sprintf("[Image #%d]", b.images)
	if label != "" {
		var safe strings.Builder
		for _, e := range segment(nil, label) {
			safe.WriteString(drawn(e.text))
		}
		label = safe.String()
		if ansi.StringWidth(label) > longestImageLabel {
			label = cut(label, longestImageLabel)
		}
		shown = fmt.Sprintf("[Image #%d: %s]", b.images, label)
	}
	image := &object{label: shown, image: &Image{Label: shown, Data: data, Media: media}}
	b.edit(insertion, false, b.cursor, b.cursor, []element{{object: image}})
}

// Expand replaces the paste's placeholder before the cursor, or else the one
// after it, by its text, which can be edited then. It is false when there is
// none.
func (b *Buffer) Expand() bool {
	b.ready()
	for _, before := range []bool{true, false} {
		from, to := b.cursor, b.cursor
		if before {
			from = b.left(from)
		} else {
			to = b.right(to)
		}
		if from.line != to.line || from == to {
			continue
		}
		if o := b.lines[from.line].elements[from.column].object; o != nil && o.image == nil {
			return b.edit(insertion, false, from, to, []element{{text: o.text}})
		}
	}
	return false
}

// Set replaces everything by text and puts the cursor at its end. Several in
// a row are undone at once.
func (b *Buffer) Set(text string) { b.replaceAll([]element{{text: normalise(text)}}) }

// Clear takes everything out and gives what was there. It can be undone.
func (b *Buffer) Clear() Draft {
	d := b.Draft()
	b.edit(insertion, false, position{}, b.end(), nil)
	b.last = other
	return d
}

// Restore replaces everything by a draft, which may be another buffer's, with
// the cursor where it was then.
func (b *Buffer) Restore(d Draft) {
	b.replaceAll(d.elements)
	b.cursor = d.cursor
	if n := len(b.done); n > 0 && b.last == setting {
		b.done[n-1].after = b.cursor
	}
}

// Prepend puts a draft before everything, with a line end between the two where
// there is something, and the cursor at the end.
func (b *Buffer) Prepend(d Draft) {
	elements := slices.Clone(d.elements)
	if !b.Empty() {
		elements = append(append(elements, element{text: "\n"}), b.Draft().elements...)
	}
	b.replaceAll(elements)
}

func (b *Buffer) replaceAll(elements []element) {
	b.ready()
	if b.edit(setting, b.last == setting, position{}, b.end(), elements) {
		b.last = setting
	}
}

// ReplaceBefore replaces that many bytes before the cursor, in its line and
// counted as in [Buffer.Before], by text: what was typed by its completion.
// Elements that are only partly meant are replaced whole.
func (b *Buffer) ReplaceBefore(bytes int, text string) {
	b.ready()
	from := b.cursor
	for bytes > 0 && from.column > 0 {
		from.column--
		if e := b.lines[from.line].elements[from.column]; e.object != nil {
			bytes -= len("\uFFFC")
		} else {
			bytes -= len(e.text)
		}
	}
	b.edit(insertion, false, from, b.cursor, []element{{text: normalise(text)}})
}

// ready makes sure that there is a line.
func (b *Buffer) ready() {
	if len(b.lines) == 0 {
		b.lines = []*line{{}}
	}
}

// end is the position after everything.
func (b *Buffer) end() position {
	n := len(b.lines) - 1
	return position{n, len(b.lines[n].elements)}
}

// slice is a copy of the elements between two positions, line ends included.
func (b *Buffer) slice(from, to position) []element {
	if from.line == to.line {
		return slices.Clone(b.lines[from.line].elements[from.column:to.column])
	}
	n := to.line - from.line + to.column
	for _, l := range b.lines[from.line:to.line] {
		n += len(l.elements)
	}
	out := make([]element, 0, n)
	for i := from.line; i <= to.line; i++ {
		elements := b.lines[i].elements
		if i == to.line {
			elements = elements[:to.column]
		}
		if i == from.line {
			elements = elements[from.column:]
		} else {
			out = append(out, element{text: "\n"})
		}
		out = append(out, elements...)
	}
	return out
}

// after is the position behind elements that begin at a position.
func after(at position, elements []element) position {
	for _, e := range elements {
		if e.isNewline() {
			at.line, at.column = at.line+1, 0
		} else {
			at.column++
		}
	}
	return at
}

// splice replaces what is between two positions, nothing else.
func (b *Buffer) splice(from, to position, elements []element) {
	first := b.lines[from.line]
	if from.line == to.line && !slices.ContainsFunc(elements, element.isNewline) {
		first.elements = slices.Replace(first.elements, from.column, to.column, elements...)
		first.width = 0
		return
	}
	head, tail := first.elements[:from.column], b.lines[to.line].elements[to.column:]
	var made []*line
	for {
		end := slices.IndexFunc(elements, element.isNewline)
		if end < 0 {
			break
		}
		made = append(made, &line{elements: slices.Concat(head, elements[:end])})
		head, elements = nil, elements[end+1:]
	}
	made = append(made, &line{elements: slices.Concat(head, elements, tail)})
	b.lines = slices.Replace(b.lines, from.line, to.line+1, made...)
}

// edit replaces what is between two positions, puts the cursor behind what is
// new, and makes one step of undo of it, or goes on with the last one. Where
// the new text and its neighbours make other grapheme clusters together, the
// neighbours are replaced as well. It is false when nothing changed.
func (b *Buffer) edit(kind action, join bool, from, to position, elements []element) bool {
	before := b.cursor
	cells := b.lines[from.line].elements
	if from.column > 0 && cells[from.column-1].isText() {
		from.column--
		elements = slices.Insert(slices.Clone(elements), 0, cells[from.column])
	}
	made := resegment(elements)
	caret := len(made)
	// What follows may belong to the last cluster. Clusters behind a boundary
	// do not depend on what is before it, so the first that stays ends this.
	rest := b.lines[to.line].elements
	for len(made) > 0 && made[len(made)-1].isText() && to.column < len(rest) && rest[to.column].isText() {
		last := made[len(made)-1]
		joined := segment(nil, last.text+rest[to.column].text)
		if joined[0] == last {
			break
		}
		made = append(made[:len(made)-1], joined...)
		to.column++
	}
	removed := b.slice(from, to)
	for len(removed) > 0 && len(made) > 0 && caret > 0 && removed[0] == made[0] {
		from = after(from, made[:1])
		removed, made, caret = removed[1:], made[1:], caret-1
	}
	b.cursor = after(from, made[:caret])
	b.last = other
	if len(removed) == 0 && len(made) == 0 {
		return false
	}
	b.splice(from, to, made)
	b.remember(kind, join, before, record{from, removed, made})
	return true
}
