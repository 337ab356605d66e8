package screentest

import "testing"

// Terminal is the terminal without a program: the test writes to it what a
// program would. It is not for several goroutines.
type Terminal struct{ d *display }

// NewTerminal is a terminal of so many cells.
func NewTerminal(t testing.TB, cols, rows int) *Terminal {
	d := newDisplay(cols, rows, Dark, false, true)
	go d.answers(func([]byte) {})
	t.Cleanup(d.close)
	return &Terminal{d}
}

// Write shows what a program wrote.
func (t *Terminal) Write(text string) {
	t.d.write([]byte(text))
	t.d.flush()
}

// Resize changes its size.
func (t *Terminal) Resize(cols, rows int) { t.d.resize(cols, rows) }

// Rows is as [Screen.Rows].
func (t *Terminal) Rows() []string { return texts(t.d.rows()) }

// Scrollback is as [Screen.Scrollback].
func (t *Terminal) Scrollback() []string { return texts(t.d.scrollback) }

// Cursor is as [Screen.Cursor].
func (t *Terminal) Cursor() (x, y int, visible bool) {
	at := t.d.emu.CursorPosition()
	return at.X, at.Y, t.d.modes[modeShowCursor]
}

// Before is the text of the cells of a row before a column, and whether a
// character begins there.
func (t *Terminal) Before(x, y int) (text string, begins bool) {
	row := t.d.rows()[y]
	begins = x < len(row) && (row[x].Width > 0 || row[x].Content != "")
	for _, c := range row[:x] {
		text += c.Content
	}
	return text, begins
}
