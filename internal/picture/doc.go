// Package picture draws the screen of a terminal as SVG: the picture in the
// README, and golden screens for whoever wants to look at them. It is no part
// of the program.
//
//	svg := picture.Screen{Rows: rows, Title: "minicode", CursorX: -1}.SVG()
//
// Every cell is drawn in its place, whatever fonts there are where the picture
// is shown: text is fitted to its cells, wide characters stand in the middle of
// theirs, and lines of boxes and shades are drawn, not written.
//
// Invariant: the same cells give the same bytes.
//
// It does not run anything on a terminal (internal/tui/screentest does), does
// not blink, and makes nothing of links but their text.
package picture
