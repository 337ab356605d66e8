package compose

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

// left is the position one element before, or the same at the very start.
func (b *Buffer) left(at position) position {
	switch {
	case at.column > 0:
		at.column--
	case at.line > 0:
		at.line--
		at.column = len(b.lines[at.line].elements)
	}
	return at
}

// right is the position one element behind, or the same at the very end.
func (b *Buffer) right(at position) position {
	switch {
	case at.column < len(b.lines[at.line].elements):
		at.column++
	case at.line < len(b.lines)-1:
		at.line, at.column = at.line+1, 0
	}
	return at
}

// move puts the cursor somewhere and ends what was going on. It is false when
// the cursor was there.
func (b *Buffer) move(to position) bool {
	moved := b.cursor != to
	b.cursor, b.last = to, other
	return moved
}

// Left moves over the element before the cursor. It is false at the start.
func (b *Buffer) Left() bool {
	b.ready()
	return b.move(b.left(b.cursor))
}

// Right moves over the element after the cursor. It is false at the end.
func (b *Buffer) Right() bool {
	b.ready()
	return b.move(b.right(b.cursor))
}

// Home moves to the start of the line. It is false when it is there.
func (b *Buffer) Home() bool {
	return b.move(position{b.cursor.line, 0})
}

// End moves to the end of the line. It is false when it is there.
func (b *Buffer) End() bool {
	b.ready()
	return b.move(position{b.cursor.line, len(b.lines[b.cursor.line].elements)})
}

// Start moves before everything. It is false when it is there.
func (b *Buffer) Start() bool { return b.move(position{}) }

// Finish moves behind everything. It is false when it is there.
func (b *Buffer) Finish() bool {
	b.ready()
	return b.move(b.end())
}

// WordLeft moves to the start of the word before the cursor, over what is no
// word. Words are those of Unicode (UAX 29); a placeholder is one. It is
// false at the start.
func (b *Buffer) WordLeft() bool {
	b.ready()
	return b.move(b.wordLeft(b.cursor))
}

// WordRight moves to the end of the word after the cursor, over what is no
// word. It is false at the end.
func (b *Buffer) WordRight() bool {
	b.ready()
	return b.move(b.wordRight(b.cursor))
}

func (b *Buffer) wordLeft(at position) position {
	for {
		found := -1
		for _, w := range wordsOf(b.lines[at.line].elements) {
			if w.start < at.column {
				found = w.start
			}
		}
		if found >= 0 {
			return position{at.line, found}
		}
		if at.line == 0 {
			return position{}
		}
		at.line--
		at.column = len(b.lines[at.line].elements)
	}
}

func (b *Buffer) wordRight(at position) position {
	for {
		for _, w := range wordsOf(b.lines[at.line].elements) {
			if w.end > at.column {
				return position{at.line, w.end}
			}
		}
		if at.line == len(b.lines)-1 {
			return b.end()
		}
		at.line, at.column = at.line+1, 0
	}
}

// word is the elements of one word, from start up to end.
type word struct{ start, end int }

// wordsOf finds the words of a line.
func wordsOf(elements []element) []word {
	var found []word
	for i := 0; i < len(elements); {
		if elements[i].object != nil {
			found = append(found, word{i, i + 1})
			i++
			continue
		}
		first := i
		for i < len(elements) && elements[i].object == nil {
			i++
		}
		found = wordsOfText(found, elements[first:i], first)
	}
	return found
}

// wordsOfText appends the words of elements without placeholders, the first
// of which is number first of its line.
func wordsOfText(found []word, elements []element, first int) []word {
	i, passed := 0, 0 // elements, and the bytes in them
	for segments := words.FromString(textOf(elements)); segments.Next(); {
		start := i
		for i < len(elements) && passed < segments.End() {
			passed += len(elements[i].text)
			i++
		}
		if i > start && strings.ContainsFunc(segments.Value(), inWord) {
			found = append(found, word{first + start, first + i})
		}
	}
	return found
}

// inWord says that a character makes a word of what it is in: letters,
// digits, ideographs, and pictures such as emoji.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' || r > unicode.MaxLatin1 && unicode.Is(unicode.So, r)
}
