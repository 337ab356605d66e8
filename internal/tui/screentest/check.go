package screentest

import "fmt"

// CheckRestored fails the test if the terminal is not as it was at the start:
// echo, line editing and signals of the terminal's driver, the main screen, a
// visible cursor, and none of the reports and encodings that programs turn on.
// It may be called while the program runs, for one that was suspended.
func (s *Screen) CheckRestored() {
	s.t.Helper()
	for _, what := range s.leftBehind() {
		s.t.Errorf("the terminal was not restored: %s", what)
	}
}

func (s *Screen) leftBehind() []string {
	out := s.tty.changed()
	m := s.Modes()
	for _, mode := range []struct {
		on   bool
		what string
	}{
		{m.AltScreen, "the alternate screen is shown"},
		{m.Paste, "pasted text comes between marks"},
		{m.Mouse, "the mouse is reported"},
		{m.Focus, "the focus is reported"},
		{m.CursorHidden, "the cursor is hidden"},
		{m.CursorKeys, "arrow keys send their application form"},
		{m.Keypad, "the keypad sends its application form"},
		{m.OtherKeys != 0, "modifyOtherKeys is on"},
		{m.KittyDepth != 0, fmt.Sprintf("%d states of the kitty keyboard protocol were not popped", m.KittyDepth)},
		{m.Sync, "a synchronized update has not ended"},
		{m.NoWrap, "lines do not wrap"},
		{m.Margins, "only a part of the screen scrolls"},
	} {
		if mode.on {
			out = append(out, mode.what)
		}
	}
	return out
}

// CheckNoErase fails the test if the program erased what a person could still
// read: the scrollback (CSI 3 J), the whole main screen (CSI 2 J), or all by a
// reset (ESC c). The alternate screen may be cleared.
func (s *Screen) CheckNoErase() {
	s.t.Helper()
	for _, e := range s.Erasures() {
		if e.What == "screen" && e.Alt {
			continue
		}
		s.t.Errorf("the program erased the %s, at byte %d of its output", e.What, e.At)
	}
}
