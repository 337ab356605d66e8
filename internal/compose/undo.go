package compose

const mostUndone = 1000 // steps

// action is the kind of the latest thing done: some go on with the one
// before.
type action int

const (
	other     action = iota
	insertion        // a step of its own
	typing           // characters, one by one
	erasing          // Backspace
	deleting         // Delete
	killing
	yanking
	setting
	moveRows // Up and Down, which keep their goal
)

// record is one replacement, as it was carried out.
type record struct {
	at                position
	removed, inserted []element
}

// group is what one Undo takes back.
type group struct {
	kind          action
	records       []record
	before, after position // the cursor
}

// remember adds a record to the steps of undo.
func (b *Buffer) remember(kind action, join bool, before position, r record) {
	b.undone = nil
	n := len(b.done)
	if !join || n == 0 {
		if n == mostUndone {
			b.done = append(b.done[:0], b.done[1:]...)
		}
		b.done = append(b.done, group{kind: kind, before: before})
		n = len(b.done)
	}
	g := &b.done[n-1]
	g.records = append(g.records, r)
	g.after = b.cursor
}

// Undo takes the latest step back: a word typed, a run of deletions, a paste,
// a kill. It is false when there is none.
func (b *Buffer) Undo() bool {
	b.ready()
	n := len(b.done)
	if n == 0 {
		return false
	}
	g := b.done[n-1]
	b.done = b.done[:n-1]
	b.revert(g)
	b.undone = append(b.undone, g)
	return true
}

func (b *Buffer) revert(g group) {
	for i := len(g.records) - 1; i >= 0; i-- {
		r := g.records[i]
		b.splice(r.at, after(r.at, r.inserted), r.removed)
	}
	b.cursor = g.before
	b.last = other
}

// Redo does again what Undo took back, until something else is done. It is
// false when there is nothing.
func (b *Buffer) Redo() bool {
	b.ready()
	n := len(b.undone)
	if n == 0 {
		return false
	}
	g := b.undone[n-1]
	b.undone = b.undone[:n-1]
	for _, r := range g.records {
		b.splice(r.at, after(r.at, r.removed), r.inserted)
	}
	b.cursor = g.after
	b.last = other
	b.done = append(b.done, g)
	return true
}
