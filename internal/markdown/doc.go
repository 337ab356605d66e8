// Package markdown shows Markdown in a terminal: text with escape sequences
// for styles, wrapped to a width.
//
//	r := markdown.New(theme.Dark())
//	for _, line := range r.Lines(answer, 80) {
//		fmt.Println(line)
//	}
//
// An answer that is still being written is a Stream. What can no longer change
// is handed out once, so that it can be printed above the part that still
// changes; only that part is looked at again when more arrives:
//
//	s := r.Stream()
//	for piece := range pieces {
//		s.Add(piece)
//		print(s.Settled(80)) // lines that are final, once
//		show(s.Open(80))     // the lines after them, each time anew
//	}
//	print(s.End(80))
//
// Final are blocks after which another one began, also within lists and quotes,
// and of a block of code each line. So nothing may depend on what comes later:
// the items of a list are parted by blank lines from the first blank line on, a
// number is as wide as it is, and the colours of a line of code follow from the
// lines before it. Only a table waits for its end, since its columns need all
// rows. A reference link ([text][label]) is a link only if its label was defined
// in a block before.
//
// Invariants, all tested with random and with hostile input:
//   - the lines of all Settled and End together are Lines of the whole, however
//     the text was cut into pieces;
//   - no line is wider than the width, for widths of 10 and more, and none ends
//     in blanks;
//   - every line ends without any style, so lines can be shown in any order, and
//     has no escape sequence that changes nothing;
//   - no control character of the text reaches the terminal, nor one that hides:
//     they are left out. The only escape sequences are the styles of the theme.
//
// HTML is shown as it is written, except <br>, which breaks the line.
//
// The theme decides what is visible by style; where it has none for something
// (the plain theme), the marks of the source stay: # Heading, **strong**, `code`.
//
// The package does not print, does not know the terminal, and does not fetch
// images: it shows their text and address.
package markdown
