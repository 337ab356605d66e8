// Package screentest runs a program on a terminal and looks at the screen, for
// tests only. The program is a real process on a real pseudo-terminal; the
// terminal is an emulator that answers what programs ask of terminals, and
// remembers everything that was written to it.
//
//	s := screentest.Start(t, screentest.Options{
//		Command: []string{"minicode", "demo"}, Dir: t.TempDir(), Cols: 80, Rows: 24,
//	})
//	s.WaitText(`ready`)
//	s.Type("hello")
//	s.Press("enter")
//	s.WaitText(`Hello, too`)
//	s.Golden("greeting")
//	s.Press("ctrl+d")
//	if code := s.Exit(); code != 0 {
//		t.Errorf("exit code %d", code)
//	}
//	s.CheckRestored()
//	s.CheckNoErase()
//
// Invariants: what is shown is what a terminal with grapheme clusters, without
// reflow and with a scrollback for lines that leave the top of the main screen
// would show; between the begin and the end of a synchronized update the
// screen is the one before it; no wait passes by sleeping. A wait that fails
// ends the test with the screen as it was.
//
// Golden files are in testdata/screens of the package under test: the text of
// the screen, then which cells have which style, then what the styles are. The
// package under test declares the flag -update, as everywhere. A Shot is the
// screen at one moment, to be compared after what moves is replaced in it, and to
// be drawn: where the package declares the flag -pictures, Picture writes SVG into
// the directory that it names.
//
// What it does not do: reflow lines when the width changes (what a narrower
// window cuts off is gone, as in xterm), pull lines back from the scrollback
// when the window grows, show images, or run on Windows, where Start skips the
// test.
package screentest
