//go:build linux || darwin

package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// evil is text that would act on a terminal, or lie about what it is.
const evil = "A\x1b[31mB\x1b]0;owned\x07C\x1b[3J\x1b[2J\x1b[?1049hD\x1b]52;c;ZXZpbA==\x07E\x1bcF\x9b2JG\u009b3JH\u202egnp\u2066I\x08\x08\x1bP+q\x1b\\\x1b[6n\x0eJ\x07\x1b[?25lK"

// harmless fails the test if something of the text has reached the terminal.
func harmless(t *testing.T, s *screentest.Screen) {
	t.Helper()
	s.CheckNoErase()
	out := s.Bytes()
	for _, bad := range []string{"owned", "\x1b]52", "\x1bc", "\u202e", "\u2066", "\u009b", "\x1bP", "\x1b[6n", "\x0e", "\x08", "\x1b[31m"} {
		if i := bytes.Index(out, []byte(bad)); i >= 0 && bad != "owned" {
			t.Errorf("%q was written in %q", bad, out[max(0, i-60):min(len(out), i+60)])
		}
	}
	if s.Title() != "work" && s.Title() != "● work" {
		t.Errorf("the title is %q", s.Title())
	}
	if s.Bells() > 0 {
		t.Errorf("the bell rang")
	}
}

// What the model says does nothing to the terminal.
func TestHostileAnswer(t *testing.T) {
	quoted := strconv.Quote("# " + evil + "\n\n`" + evil + "`\n\n- " + evil + "\n\n```" + evil + "\n" + evil + "\n```\n\n[" + evil + "](http://x/" + "\x1b]0;owned\x07)\n\n| " + evil + " |\n|---|\n| b |\n\nthe end")
	w := newWorld(t, "think "+strconv.Quote(strings.ToValidUTF8(evil, ""))+"\nsay "+quoted+"\ncall no_such_tool {\"path\":"+jsonText(evil)+"}\n\nfail 400 "+`{"error":{"message":`+jsonText(evil)+`}}`+"\n")
	s := w.start(80, 40, "begin")
	s.WaitText(`The turn ended`)
	rest(s)
	s.Press("ctrl+o")
	s.WaitText(`(?s)Transcript.*no_such_tool`)
	s.Press("q")
	s.WaitText(`/ commands`)
	harmless(t, s)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// Nor does what a command writes, while it runs and after it.
func TestHostileOutput(t *testing.T) {
	w := newWorld(t, `call run_command {"command":"cat evil; touch begun; while [ ! -e go ]; do sleep 0.01; done; exit 3"}

say Good.
`)
	w.write("evil", evil+"\n\x1b[10;10Hx\r\rlast "+evil+"\n")
	s := screentest.Start(t, fullAccess(w.options(80, 24, "begin")))
	s.WaitText(`last A`)
	w.write("go", "")
	s.WaitText(`Good\.`)
	rest(s)
	harmless(t, s)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

func jsonText(text string) string {
	b, _ := json.Marshal(text) // every string can be
	return string(b)
}

// Text of a kind that costs much is shown to its end all the same, and stays
// within the budget of bytes.
func TestHugeAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"one line":   strings.Repeat("x", 1<<20) + " end",
		"words":      strings.Repeat("word ", 1<<16) + "end",
		"lines":      strings.Repeat("ab\n", 10_000) + "end",
		"paragraphs": strings.Repeat("ab\n\n", 10_000) + "end",
		"list":       deepList(60) + "- end",
		"half fence": strings.Repeat("text\n\n```go\nfunc f() {\n", 1000) + "end",
		"long fence": "```go\n" + strings.Repeat("\tx := f(1, \"two\")\n", 12_000) + "end",
		"backticks":  "a" + strings.Repeat("`", 100_000) + " end",
		"brackets":   strings.Repeat("[", 100_000) + " end",
		"quotes":     strings.Repeat(">", 20_000) + " end",
		"stars":      strings.Repeat("*a_", 30_000) + " end",
		"table":      "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 10_000) + "\nend",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "pieces 200\nsay "+strconv.Quote(text)+"\n")
			o := w.options(80, 24, "begin")
			s := screentest.Start(t, o)
			begun := time.Now()
			s.WaitText(`(?m)end[ │]*$(?s:.*)/ commands`)
			used := len(s.Bytes())
			took := time.Since(begun)
			s.CheckNoErase()
			s.Press("ctrl+d")
			s.Exit()
			s.CheckRestored()
			t.Logf("%d bytes for %d of text: %.2f; %v, %v of CPU", used, len(text), float64(used)/float64(len(text)), took.Round(time.Millisecond), s.CPU())
		})
	}
}

func deepList(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "%s- item %d\n", strings.Repeat("  ", i), i)
	}
	return b.String()
}
