// Package compose is the data of a prompt editor, without a terminal: what is
// typed and pasted, where the cursor is, what can be undone and yanked, how it
// is laid out in rows, and the history of what was sent.
//
//	var b compose.Buffer
//	b.Insert("explain ")
//	b.Paste(log)                          // long: one element, [Pasted text #1: 240 lines]
//	rows, row, col := b.Layout(80)        // what to draw, and where the cursor is
//	prompt := b.Clear().Text()            // the log in full, byte for byte
//
// A [Buffer] is made of elements: grapheme clusters, line ends, and
// placeholders for long pastes and images. The cursor is always between two
// elements, so that one key moves over or deletes what a reader takes for one
// thing: a flag, a family, a letter with its marks, a paste of a megabyte.
//
// Invariants: elements are exactly the grapheme clusters of the text between
// placeholders, whatever was edited; Undo brings back the elements and the
// cursor exactly, Redo too; Text gives back what came in byte for byte but for
// CRLF, which becomes LF; Layout gives nothing to the terminal that a terminal
// would obey or hide: control characters, what changes the direction of text,
// and what has no width are spelled out. Laying out a placeholder costs the
// same however long its text is.
//
// An image is in the text as long as its placeholder is. [Dropped] finds the
// images in a paste that is nothing but their paths, and [ReadImage] takes one
// if providers would.
//
// [History] is what was sent from this project before. It is one file, to
// which each process appends on its own.
//
// The package binds no keys, draws nothing, completes nothing and reads no
// clipboard. Nothing in it is safe for concurrent use.
package compose
