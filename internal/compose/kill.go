package compose

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

const mostKilled = 32 // entries of the kill ring

// Backspace deletes the element before the cursor.
func (b *Buffer) Backspace() {
	b.ready()
	b.erase(erasing, b.left(b.cursor), b.cursor)
}

// Delete deletes the element after the cursor.
func (b *Buffer) Delete() {
	b.ready()
	b.erase(deleting, b.cursor, b.right(b.cursor))
}

func (b *Buffer) erase(kind action, from, to position) {
	if from == to {
		return
	}
	b.edit(kind, b.last == kind, from, to, nil)
	b.last = kind
}

// kill deletes what is between two positions, one of which is the cursor, and
// keeps it to be yanked. Kills without anything between them are kept as one.
func (b *Buffer) kill(from, to position) {
	if from == to {
		return
	}
	killed := b.slice(from, to)
	backwards := to == b.cursor
	again := b.last == killing && len(b.ring) > 0
	switch n := len(b.ring); {
	case again && backwards:
		b.ring[n-1] = slices.Concat(killed, b.ring[n-1])
	case again:
		b.ring[n-1] = slices.Concat(b.ring[n-1], killed)
	case n == mostKilled:
		b.ring = append(b.ring[:0], b.ring[1:]...)
		fallthrough
	default:
		b.ring = append(b.ring, killed)
	}
	b.edit(killing, false, from, to, nil)
	b.last = killing
}

// DeleteWordLeft kills back to the start of a word.
func (b *Buffer) DeleteWordLeft() {
	b.ready()
	b.kill(b.wordLeft(b.cursor), b.cursor)
}

// DeleteWordRight kills up to the end of a word.
func (b *Buffer) DeleteWordRight() {
	b.ready()
	b.kill(b.cursor, b.wordRight(b.cursor))
}

// DeleteToBlank kills back to a blank, and the blanks before the cursor: a
// path or an option whole.
func (b *Buffer) DeleteToBlank() {
	b.ready()
	to := b.cursor
	blank := func() bool { return isBlank(b.lines[to.line].elements[to.column-1]) }
	if to.column == 0 {
		to = b.left(to)
	}
	for to.column > 0 && blank() {
		to.column--
	}
	for to.column > 0 && !blank() {
		to.column--
	}
	b.kill(to, b.cursor)
}

func isBlank(e element) bool {
	r, _ := utf8.DecodeRuneInString(e.text)
	return e.object == nil && unicode.IsSpace(r)
}

// KillToEnd kills the rest of the line, or its end when there is no rest.
func (b *Buffer) KillToEnd() {
	b.ready()
	to := position{b.cursor.line, len(b.lines[b.cursor.line].elements)}
	if to == b.cursor {
		to = b.right(to)
	}
	b.kill(b.cursor, to)
}

// KillToStart kills the line up to the cursor, or the line end before it when
// there is nothing.
func (b *Buffer) KillToStart() {
	b.ready()
	from := position{b.cursor.line, 0}
	if from == b.cursor {
		from = b.left(from)
	}
	b.kill(from, b.cursor)
}

// Yank puts in what was killed last. It is false when nothing was.
func (b *Buffer) Yank() bool {
	b.ready()
	b.yanked = len(b.ring) - 1
	return b.yank()
}

// YankPop replaces what Yank or YankPop has just put in by what was killed
// before that, and begins again behind the oldest. It is false when the last
// thing done was neither.
func (b *Buffer) YankPop() bool {
	b.ready()
	if b.last != yanking || len(b.ring) == 0 {
		return false
	}
	n := len(b.done)
	b.revert(b.done[n-1])
	b.done = b.done[:n-1]
	b.yanked = (b.yanked + len(b.ring) - 1) % len(b.ring)
	return b.yank()
}

func (b *Buffer) yank() bool {
	if len(b.ring) == 0 {
		return false
	}
	b.edit(yanking, false, b.cursor, b.cursor, b.ring[b.yanked])
	b.last = yanking
	return true
}

// Transpose swaps the elements around the cursor and moves behind them; at
// the end of a line, the two before it.
func (b *Buffer) Transpose() {
	b.ready()
	elements := b.lines[b.cursor.line].elements
	at := min(b.cursor.column, len(elements)-1)
	if at < 1 {
		return
	}
	from := position{b.cursor.line, at - 1}
	b.edit(insertion, false, from, position{b.cursor.line, at + 1}, []element{elements[at], elements[at-1]})
}
