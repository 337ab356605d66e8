//go:build linux || darwin

package tui

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// What is pasted is text, whatever bytes are in it.
func TestPasteWithEscapes(t *testing.T) {
	w := newWorld(t, "expect-re red.*end\nsay Got it.\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	title := s.Title()
	s.Raw("\x1b[200~one\x1b[31mred\x1b]0;evil\x07\x1b[2J\x1b[200~\x03\x04\x9b3J\xff\ttab end\x1b[201~")
	s.WaitText(`❯ one.*red.*end`)
	s.Press("enter")
	s.WaitText(`Got it\.`)
	s.WaitFor(func(s *screentest.Screen) bool { return s.Title() == title })
	s.CheckNoErase()
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// A paste whose end never comes does not take the keyboard away for good.
func TestPasteWithoutEnd(t *testing.T) {
	for name, key := range map[string]string{"ctrl+c": "\x03", "esc": "\x1b"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			s := w.start(80, 24)
			s.WaitText(`default · claude`)
			s.Raw("\x1b[200~rm -rf x\r")
			time.Sleep(pasteQuiet + pasteQuiet/2) // the terminal is silent, and then a key is pressed
			s.Raw(key)
			s.WaitIdle(200*time.Millisecond, nil) // the key is read alone
			if name == "esc" {
				s.WaitText(`❯ rm -rf x`)
				s.Press("ctrl+c")
				s.WaitGone(`rm -rf x`)
			}
			s.Type("typed again")
			s.WaitText(`❯ typed again`)
			s.Press("ctrl+c", "ctrl+d")
			s.Exit()
			s.CheckRestored()
		})
	}
}

// A key is the same key however its bytes are cut, and Esc alone is Esc.
func TestKeysInPieces(t *testing.T) {
	w := newWorld(t, "hang\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	s.Type("ab")
	s.WaitText(`❯ ab`)
	for _, piece := range []string{"\x1b", "[", "D"} { // left
		s.Raw(piece)
		time.Sleep(5 * time.Millisecond) // so that they are read one by one
	}
	s.Type("-")
	s.WaitText(`❯ a-b`)
	for _, b := range []byte("漢") {
		s.Raw(string([]byte{b}))
		time.Sleep(5 * time.Millisecond)
	}
	s.WaitText(`❯ a-漢b`)
	s.Press("enter")
	s.WaitText(`waiting for the model`)
	w.asked(s, 1)
	s.Raw("\x1b")
	s.WaitText(`The turn ended: interrupted`)
	s.Press("ctrl+d")
	s.Exit()
}

// A key that is held down repeats, and Enter that is held sends once.
func TestHeldKeys(t *testing.T) {
	w := newWorld(t, "say Good.\n")
	s := w.start(80, 24)
	s.WaitText(`/ commands`)
	s.Raw(strings.Repeat("a", 500))
	s.WaitText(`a{74}\n  a{10}`)
	s.Raw(strings.Repeat("\x7f", 499))
	s.WaitText(`❯ a\n`)
	s.Raw(strings.Repeat("\r", 100))
	s.WaitText(`Good\.`)
	s.Raw(strings.Repeat("\x1b[D", 100) + strings.Repeat("\x1b[A", 20))
	s.WaitText(`❯ a\n`)
	s.Press("ctrl+c")
	s.WaitText(`/ commands`)
	s.Press("ctrl+d")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if n := w.server.Script.Asked(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// The keys mean the same to terminals with and without the kitty protocol.
func TestKeyboards(t *testing.T) {
	for name, kitty := range map[string]bool{"legacy": false, "kitty": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "expect-re one\\\\ntwo\nsay Good.\n\nhang\n")
			o := w.options(80, 24)
			o.Kitty = kitty
			s := screentest.Start(t, o)
			s.WaitText(`default · claude`)
			s.Type("one")
			s.Press("alt+enter")
			s.Type("twx")
			s.Press("backspace")
			s.Type("o")
			s.WaitText(`(?m)^  two`)
			s.Press("enter")
			s.WaitText(`Good\.`)
			s.Press("ctrl+o")
			s.WaitText(`Transcript`)
			s.Press("esc")
			s.WaitGone(`Transcript`)
			s.Type("again")
			s.Press("enter")
			s.WaitText(`waiting for the model`)
			w.asked(s, 2)
			s.Press("esc")
			s.WaitText(`The turn ended: interrupted`)
			s.Type("typed")
			s.WaitText(`❯ typed`)
			s.Press("ctrl+c")
			s.WaitGone(`❯ typed`)
			s.Press("ctrl+c")
			s.WaitText(`again leaves`)
			s.Press("ctrl+c")
			if code := s.Exit(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			s.CheckRestored()
		})
	}
}

// The cursor stands in the cell where the next character goes, in all scripts
// and at the edge.
func TestCursorCell(t *testing.T) {
	for name, text := range map[string]string{
		"ascii":     "abcdefghijklmnopqrstuvwxyz",
		"wide":      "漢字漢字漢字漢字漢字漢字漢字",
		"odd":       "a漢字漢字漢字漢字漢字漢字漢字",
		"emoji":     strings.Repeat("👨‍👩‍👧x", 9),
		"combining": strings.Repeat("e\u0301", 25),
		"arabic":    "مرحبا بالعالم مرحبا بالعالم",
		"hebrew":    "שלום עולם שלום עולם שלום",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			s := w.start(20, 12)
			s.WaitText(`default`)
			typed := ""
			for _, r := range text {
				typed += string(r)
				s.Type(string(r))
			}
			_, size := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\u0301"))
			last := strings.TrimRight(text, "\u0301")
			last = last[len(last)-size:]
			s.WaitFor(func(s *screentest.Screen) bool {
				x, y, visible := s.Cursor()
				if !visible {
					return false
				}
				row := s.Rows()[y]
				if x == 2 { // a new row: the last character ends the one above
					row = s.Rows()[y-1]
				}
				return strings.HasSuffix(strings.TrimRight(row, "\u0301 "), last)
			})
			s.WaitIdle(100*time.Millisecond, nil)
			s.Type("|")
			s.WaitFor(func(s *screentest.Screen) bool {
				x, y, _ := s.Cursor()
				return x > 0 && ansi.Cut(s.Rows()[y], x-1, x) == "|" || x == 2 && strings.HasSuffix(s.Rows()[y-1], "|")
			})
			s.Press("ctrl+c", "ctrl+d")
			s.Exit()
		})
	}
}

// What is pasted comes whole, however it is cut and whatever is in it, and
// nothing else is taken for a paste.
func TestPastes(t *testing.T) {
	const long, short = pasteQuiet, pasteQuiet - 1
	type read struct {
		after time.Duration
		bytes string
	}
	at := func(pieces ...string) (reads []read) {
		for _, piece := range pieces {
			reads = append(reads, read{bytes: piece})
		}
		return reads
	}
	for name, c := range map[string]struct {
		reads []read
		want  string // pastes in ⟨⟩
	}{
		"paste":            {at(pasteBegin+"a\tb\r\n\r\x1b[31m\x00\xff"+pasteEnd, "\r"), "⟨a\tb\r\n\r\x1b[31m\x00\xff⟩\r"},
		"two":              {at("x" + pasteBegin + "a" + pasteEnd + pasteBegin + "b" + pasteEnd + "y"), "x⟨a⟩⟨b⟩y"},
		"in pieces":        {at("\x1b", "[20", "0~a", "b\x1b", "[2", "01~", "\r"), "⟨ab⟩\r"},
		"a beginning only": {at("\x1b", "[20", "1~"), "\x1b[20" + "1~"},
		"end within":       {at(pasteBegin + "a" + pasteEnd + "b\r\x03" + pasteEnd), "⟨ab\r\x03⟩"},
		"end within, in pieces": {
			at(pasteBegin+"a"+pasteEnd+"b\rc", "d"+pasteEnd), "⟨a⟩⟨b\rc⟩⟨d⟩",
		},
		"begin within": {at(pasteBegin + "a" + pasteBegin + "b" + pasteEnd), "⟨a" + pasteBegin + "b⟩"},

		"key after silence": {[]read{{0, pasteBegin + "a"}, {long, "\x03"}}, "⟨a⟩\x03"},
		"byte of the paste": {[]read{{0, pasteBegin + "a"}, {short, "\x03"}, {0, pasteEnd}}, "⟨a\x03⟩"},
		"more than a key":   {[]read{{0, pasteBegin + "a"}, {long, "\x03rm\r"}, {0, pasteEnd}}, "⟨a\x03rm\r⟩"},
		"another key":       {[]read{{0, pasteBegin + "a"}, {long, "\r"}, {0, pasteEnd}}, "⟨a\r⟩"},
		"after a paste":     {[]read{{0, pasteBegin + "a" + pasteEnd}, {long, "\x03"}}, "⟨a⟩\x03"},
		"kitty key":         {[]read{{0, "\x1b[20"}, {0, "0~a"}, {long, "\x1b[99;5u"}}, "⟨a⟩\x1b[99;5u"},
		"once":              {[]read{{0, pasteBegin}, {long, "\x1b"}, {long, "\x1b"}}, "⟨⟩\x1b\x1b"},

		"burst":          {at("one\r\ttwo\r\r"), "⟨one\r\ttwo\r\r⟩"},
		"rest of burst":  {at("one", "\rtwo"), "one⟨\rtwo⟩"},
		"typed":          {at("one", "\r", "two", "\r"), "one\rtwo\r"},
		"typed at once":  {at("one\r"), "one\r"},
		"typed ahead":    {[]read{{0, "one"}, {burstQuiet, "\rtwo"}}, "one\rtwo"},
		"keys":           {at("one\r\x1b[A\x1bOP\r\x1b[13;2u"), "one\r\x1b[A\x1bOP\r\x1b[13;2u"},
		"repeated enter": {at("\r\r\r"), "\r\r\r"},
		"burst of keys":  {at("one\r\x1b[Atwo"), "⟨one\r\x1b[Atwo⟩"},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1, 0)
			in := newInput(nil)
			in.now = func() time.Time { return now }
			in.more = func(time.Duration) bool { return false }
			got := ""
			for _, r := range c.reads {
				now = now.Add(r.after)
				got += string(in.pass([]byte(r.bytes)))
			}
			for token := range in.pastes {
				text := in.filter(nil, tea.PasteMsg{Content: token}).(tea.PasteMsg).Content
				got = strings.ReplaceAll(got, pasteBegin+token+pasteEnd, "⟨"+text+"⟩")
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if len(in.pastes) > 0 {
				t.Errorf("kept for good: %q", in.pastes)
			}
		})
	}
}
