//go:build linux || darwin

package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// all is what the terminal has, with what has left its top.
func all(s *screentest.Screen) string { return strings.Join(append(s.Scrollback(), s.Rows()...), "\n") }

// An answer of 500 lines in which a block of code changes what is above it
// clears nothing, and is printed once.
func TestField_T01(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "Paragraph %d has *some* words\nand a second line\n\n```go\nfunc f%d() {} // of it\n```\n\n", i, i)
	}
	w := newWorld(t, "pieces 20\nsay "+jsonText(text.String()+"the end")+"\n")
	s := w.start(80, 24, "begin")
	s.WaitText(`the end(?s:.*)/ commands`)
	for i := range 100 {
		for _, line := range []string{fmt.Sprintf("Paragraph %d has some words", i), fmt.Sprintf("func f%d() {} // of it", i)} {
			if n := strings.Count(all(s), line); n != 1 {
				t.Errorf("%q is there %d times", line, n)
			}
		}
	}
	s.CheckNoErase()
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// Ten seconds of a spinner in a long session, on a terminal that knows no
// synchronized updates, take less than 5 kB/s and clear nothing.
func TestField_T02(t *testing.T) {
	conv, now := conversation(t, 5000)
	s := newStill(t, 80, 24, conv, now)
	s.m.screen.synced = false
	s.begin()
	for range 10 * 60 {
		s.pass()
	}
	sent := s.sent.String()
	t.Logf("%d bytes in %d frames", len(sent), s.frames)
	if s.frames < 50 || len(sent) > 50_000 {
		t.Errorf("%d bytes in %d frames", len(sent), s.frames)
	}
	for _, clear := range []string{"\x1b[2J", "\x1b[3J", "\x1b[J", "\x1b[H", "\x1bc"} {
		if strings.Contains(sent, clear) {
			t.Errorf("%q is sent", clear)
		}
	}
}

// Wide characters in the path and the title, a line of 5,000 columns and tabs
// in a narrow window, whose width then changes, neither break the program nor
// leave lines that are too wide.
func TestField_T04(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "段落 %d に言葉があります。\n\n", i)
	}
	w := newWorld(t, `call run_command {"command":"printf %05000d 7; echo; printf 'a\\tb\\t\\tc\\t漢字\\td\\n%.0s' 1 2 3"}`+"\n\ndelay 2ms\nsay "+jsonText(text.String()+"the end")+"\n")
	dir := filepath.Join(w.root, "work", strings.Repeat("漢字", 12))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o := fullAccess(w.options(30, 24))
	o.Dir = dir
	s := screentest.Start(t, o)
	s.WaitText(`❯`)
	s.Type("/rename " + strings.Repeat("表題", 20))
	s.WaitText(`表題`)
	s.Press("enter")
	s.WaitText(`❯ *\n`)
	s.Type("begin")
	s.WaitText(`❯ begin`)
	s.Press("enter")
	s.WaitText(`段落 \d`)
	for _, cols := range []int{80, 20, 120} {
		s.Resize(cols, 24)
		s.WaitText(`❯`)
	}
	s.WaitText(`the end(?s:.*)/ commands`)
	rows := append(s.Scrollback(), s.Rows()...)
	for _, row := range rows {
		if n := ansi.StringWidth(row); n > 120 {
			t.Errorf("a line has %d columns: %q", n, row)
		}
	}
	if n := strings.Count(strings.Join(rows, "\n"), "❯ \n") + strings.Count(strings.Join(rows, "\n"), "❯\n"); n != 1 {
		t.Errorf("there are %d empty prompts", n)
	}
	s.CheckNoErase()
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// Thirty lines at once are one message that is sent with Enter, whether the
// terminal marks pastes or not; an end within one does not end it, and escape
// sequences are left out.
func TestField_T05(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("\tline %d\t", i), "")
	}
	text := strings.Join(lines, "\n")
	keys := strings.ReplaceAll(text, "\n", "\r")
	for name, c := range map[string]struct{ sent, told string }{
		"burst": {keys, ""},
		"paste": {pasteBegin + keys[:100] + "\x1b[31m\x1b[201~" + keys[100:] + pasteEnd, "escape sequences were left out"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "say Got it.\n")
			s := w.start(80, 24)
			s.WaitText(`/ commands`)
			s.Raw("BEGIN ")
			s.WaitText(`BEGIN`)
			s.Raw(c.sent)
			s.WaitText(c.told + `(?s:.*)\[Pasted text #1: `)
			if n := w.server.Script.Asked(); n > 0 {
				t.Errorf("%d requests before Enter", n)
			}
			s.Type(" END")
			s.WaitText(` END`)
			s.Press("enter")
			s.WaitText(`Got it\.`)
			s.Press("ctrl+d")
			s.Exit()
			if n := w.server.Script.Asked(); n != 1 {
				t.Errorf("%d requests", n)
			}
			want, _ := json.Marshal("BEGIN " + text + " END")
			if facts := w.facts(); strings.Count(facts, `"kind":"prompt"`) != 1 || !strings.Contains(facts, string(want)) {
				t.Errorf("the prompt is not what was sent:\n%s", facts)
			}
		})
	}
}

// The terminal is as it was found on every way out; TestSuspend has the way
// out and back.
func TestField_T07(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(*screentest.Screen)
		exit  int
	}{
		"quit":    {func(s *screentest.Screen) { s.Type("/quit"); s.WaitText(`/quit`); s.Press("enter") }, 0},
		"panic":   {func(s *screentest.Screen) { s.Press("f12") }, 1},
		"term":    {func(s *screentest.Screen) { s.Signal(syscall.SIGTERM) }, 143},
		"hang up": {func(s *screentest.Screen) { s.Signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			s := w.start(80, 24)
			s.WaitText(`/ commands`)
			c.leave(s)
			if code := s.Exit(); code != c.exit {
				t.Errorf("exit code %d, want %d", code, c.exit)
			}
			s.CheckRestored()
			s.CheckNoErase()
		})
	}
}

// Keys that come within 300 ms of a question's appearance, or with the window's
// focus, neither answer it nor send anything. The tests of the terminal type
// until it is there.
func TestField_T08(t *testing.T) {
	conv, now := conversation(t, 0)
	s := newStill(t, 80, 24, conv, now)
	s.begin()
	d := &dialog{question: event.Question{Title: "Run x", Choices: []event.Option{{Choice: event.Once}, {Choice: event.No}}}, reply: make(chan event.Answer, 1)}
	typed := func(keys ...string) {
		for _, key := range keys {
			k := tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
			if key == "enter" {
				k = tea.KeyPressMsg{Code: tea.KeyEnter}
			}
			s.m.route(k)
		}
	}
	typed("m")
	s.m.ask(d)
	if !d.shown || d.open {
		t.Fatalf("shown %v, open %v", d.shown, d.open)
	}
	s.m.route(tea.BlurMsg{})
	s.m.route(tea.FocusMsg{})
	typed("y", "enter", "1", "y")
	s.m.opened(d) // the time is over, but somebody is typing
	typed("y", "enter")
	if d.open || len(d.reply) > 0 || len(s.m.asked) != 1 {
		t.Fatalf("open %v, %d answers", d.open, len(d.reply))
	}
	if got := s.m.composer.buf.Text(); got != "my1yy" {
		t.Errorf("what was typed is %q", got)
	}
	if n := len(conv.Queued()); n > 0 {
		t.Errorf("%d prompts are queued", n)
	}
	s.m.typed = time.Now().Add(-settle)
	s.m.opened(d)
	typed("y", "enter")
	if len(d.reply) != 1 || (<-d.reply).Choice != event.Once {
		t.Fatal("it is not answered")
	}
	if n := len(conv.Queued()); n != 1 { // Enter was for the prompt then
		t.Errorf("%d prompts are queued", n)
	}
}

// Files are completed at once, the best path first, without what is ignored
// and without anything of .git; a longer word does not lose a file that still
// fits, and shows nothing that does not.
func TestField_R02(t *testing.T) {
	w := newWorld(t, "")
	w.write(".gitignore", "target/\nnode_modules/\n.venv/\n")
	for _, name := range []string{".git/objects/uri", "target/uri.go", "node_modules/uri/uri.js", ".venv/uri.py", "net/uri_parse.go", "net/uri.go", "curious.go", "other.go"} {
		if err := os.MkdirAll(filepath.Join(w.root, "work", filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		w.write(name, "x")
	}
	s := w.start(80, 24)
	s.WaitText(`/ commands`)
	s.Type("@uri")
	s.WaitText(`@uri\n(?s:.*)▸ @net/uri\.go(?s:.*)@net/uri_parse\.go(?s:.*)@curious\.go`)
	for _, ignored := range []string{".git/", "target", "node_modules", ".venv", "other.go"} {
		if strings.Contains(s.Text(), "@"+ignored) {
			t.Errorf("%s is offered:\n%s", ignored, s.Text())
		}
	}
	s.Type("_p")
	s.WaitText(`@uri_p\n(?s:.*)▸ @net/uri_parse\.go`)
	s.WaitGone(`curious|uri\.go`)
	s.Press("backspace", "backspace")
	s.WaitText(`▸ @net/uri\.go(?s:.*)@net/uri_parse\.go`)
	s.Press("tab")
	s.WaitText(`❯ @net/uri\.go`)
	s.Press("ctrl+c", "ctrl+d")
	s.Exit()
}
