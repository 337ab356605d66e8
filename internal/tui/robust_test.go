//go:build linux || darwin

package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// spinning is what is seen while something runs.
const spinning = `[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] `

// storm changes the size many times and ends with 100x30.
func storm(s *screentest.Screen) {
	for i := range 40 {
		s.Resize(20+(i*137)%281, 5+(i*61)%96)
		if i%4 == 0 { // some sizes are drawn, others are gone before
			s.WaitIdle(20*time.Millisecond, nil)
		}
	}
	s.Resize(100, 30)
}

// A question can be answered whatever happened to the window while it was
// open.
func TestResizeStormInDialog(t *testing.T) {
	w := newWorld(t, "say Now:\ncall write_file {\"path\":\"a.txt\",\"content\":"+jsonText(strings.Repeat("a line of the file\n", 60))+"}\n\nsay Good.\n")
	s := w.start(80, 24, "begin")
	s.WaitText(`\[y\]`)
	storm(s)
	s.WaitText(`(?s)Create a\.txt.*\[y\].*Esc interrupts`)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitText(`Good\.`)
	if !w.has("a.txt") {
		t.Error("it was not done")
	}
	s.CheckNoErase()
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// So can the transcript be read, and what was printed meanwhile is there when
// it is closed.
func TestResizeStormInTranscript(t *testing.T) {
	w := newWorld(t, "delay 5ms\nsay "+jsonText(strings.Repeat("A paragraph that is a little longer than the smallest window.\n\n", 60)+"the end")+"\n")
	s := w.start(80, 24, "begin")
	s.WaitText(`A paragraph`)
	s.Press("ctrl+o")
	s.WaitText(`Transcript`)
	storm(s)
	s.WaitText(`(?s)Transcript.*q closes`)
	s.Resize(30, 12)
	s.Press("q")
	s.WaitText(`the end(?s:.*)──(?s:.*)❯`)
	s.WaitGone(`Esc interrupts`)
	for i, row := range s.Rows() {
		if strings.Contains(row, "──") && i < len(s.Rows())-6 {
			t.Errorf("the prompt is drawn at row %d, too:\n%s", i, s.Text())
		}
	}
	s.CheckNoErase()
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// In a window that is much too small everything can still be done, and nothing
// breaks in one that has no room at all.
func TestTinyWindow(t *testing.T) {
	w := newWorld(t, `
call write_file {"path":"a.txt","content":"one\ntwo\nthree\nfour\nfive\nsix\n"}

say Good.
`)
	s := w.start(20, 5)
	s.WaitText(`❯`)
	s.Type("make it, please, and be quick")
	s.WaitText(`quick`)
	s.Press("enter")
	s.WaitText(`\[y\]`)
	for _, size := range [][2]int{{1, 1}, {2, 2}, {3, 40}, {300, 1}, {10, 3}, {20, 5}} {
		s.Resize(size[0], size[1])
		s.WaitIdle(30*time.Millisecond, nil)
	}
	s.WaitText(`\[y\]`)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitFor(func(s *screentest.Screen) bool { // it may have left the screen at once
		return strings.Contains(strings.Join(append(s.Scrollback(), s.Rows()...), "\n"), "Good.")
	})
	for _, key := range []string{"ctrl+o", "f1"} {
		s.Press(key)
		s.WaitFor(func(s *screentest.Screen) bool { return s.Modes().AltScreen })
		for _, size := range [][2]int{{1, 1}, {2, 2}, {300, 1}, {20, 5}} {
			s.Resize(size[0], size[1])
			s.WaitIdle(30*time.Millisecond, nil)
		}
		s.Press("q")
		s.WaitFor(func(s *screentest.Screen) bool { return !s.Modes().AltScreen })
	}
	s.Type("/resume\r")
	s.WaitFor(func(s *screentest.Screen) bool { return s.Modes().AltScreen })
	s.Resize(1, 1)
	s.WaitIdle(30*time.Millisecond, nil)
	s.Resize(20, 5)
	s.Press("esc")
	s.WaitFor(func(s *screentest.Screen) bool { return !s.Modes().AltScreen })
	s.Press("ctrl+r")
	s.WaitText(`search`)
	s.Resize(1, 1)
	s.WaitIdle(30*time.Millisecond, nil)
	s.Resize(20, 5)
	s.WaitText(`search`)
	s.Press("esc")
	s.WaitGone(`search`)
	s.CheckNoErase()
	s.Press("ctrl+d")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.CheckRestored()
}

// Wherever the program is when it is ended, the terminal is as it was found.
func TestEndedAnywhere(t *testing.T) {
	for name, c := range map[string]struct {
		where string
		reach func(*screentest.Screen)
	}{
		"dialog":   {`\[y\]`, func(s *screentest.Screen) {}},
		"guidance": {`❯`, func(s *screentest.Screen) { s.WaitFor(answerable); s.Press("g") }},
		"transcript": {`Transcript`, func(s *screentest.Screen) {
			s.Press("ctrl+c")
			s.WaitText(`interrupted`)
			s.WaitGone(spinning)
			s.Press("ctrl+o")
		}},
		"sessions": {`Sessions`, func(s *screentest.Screen) {
			s.Press("ctrl+c")
			s.WaitText(`interrupted`)
			s.WaitGone(spinning)
			s.Type("/resume\r")
		}},
		"search": {`search:`, func(s *screentest.Screen) {
			s.Press("ctrl+c")
			s.WaitText(`interrupted`)
			s.WaitGone(spinning)
			s.Press("ctrl+r")
		}},
	} {
		for how, end := range map[string]struct {
			signal syscall.Signal
			exit   int
		}{"term": {syscall.SIGTERM, 143}, "hang up": {syscall.SIGHUP, 129}, "gone": {}} {
			t.Run(name+", "+how, func(t *testing.T) {
				w := newWorld(t, `call write_file {"path":"a.txt","content":"a"}`+"\n")
				s := w.start(80, 24, "begin")
				s.WaitText(`\[y\]`)
				c.reach(s)
				s.WaitText(c.where)
				if how == "gone" {
					s.HangUp()
					s.Exit()
				} else {
					s.Signal(end.signal)
					if code := s.Exit(); code != end.exit {
						t.Errorf("exit code %d, want %d", code, end.exit)
					}
					s.CheckRestored()
					s.CheckNoErase()
				}
				if facts := w.facts(); !strings.Contains(facts, `"type":"ended"`) {
					t.Errorf("the turn has no end in\n%s", facts)
				}
			})
		}
	}
}

// A fault anywhere gives the terminal back, and tells.
func TestFaults(t *testing.T) {
	for name, key := range map[string]string{"update": "f12", "command": "f11", "batch": "f10", "render": "f9"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, waits+"\n\nsay Good.\n")
			s := screentest.Start(t, fullAccess(w.options(100, 40, "begin")))
			s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
			s.Press(key)
			if code := s.Exit(); code != 1 {
				t.Errorf("exit code %d", code)
			}
			s.CheckRestored()
			s.CheckNoErase()
			if text := strings.Join(append(s.Scrollback(), s.Rows()...), "\n"); !strings.Contains(text, "fault of the program") || !strings.Contains(text, "as wanted") {
				t.Errorf("it is not told:\n%s", text)
			}
			if facts := w.facts(); !strings.Contains(facts, `"type":"ended"`) {
				t.Errorf("the turn has no end in\n%s", facts)
			}
			again := screentest.Start(t, fullAccess(w.options(80, 24, "-c", "again")))
			again.WaitText(`Good\.`)
			again.Press("ctrl+d")
			again.Exit()
		})
	}
}

// A fault in a tool is its result, and the turn goes on; one in a turn or in a
// command is told, and the program goes on.
func TestFaultsThatDoNotEndIt(t *testing.T) {
	w := newWorld(t, `
call write_file {"path":"a.txt","content":"a"}

say Good.

say Better.
`)
	o := w.options(100, 30, "begin")
	o.Env = append(o.Env, "FAULT=asker")
	s := screentest.Start(t, o)
	s.WaitText(`⊘ Create a\.txt.*failed inside: as wanted(?s:.*)Good\.(?s:.*)/ commands`)
	w.write("fault", "")
	for i, line := range []string{"/rename other", "and now?"} {
		s.Type(line)
		s.WaitText(`❯ ` + regexp.QuoteMeta(line))
		s.Press("enter")
		s.WaitFor(func(s *screentest.Screen) bool {
			return strings.Count(all(s), "! a fault of the program: as wanted") == i+1
		})
		s.WaitText([]string{`/ commands`, `Enter sends`}[i]) // the prompt is given back
	}
	if err := os.Remove(filepath.Join(w.root, "work", "fault")); err != nil {
		t.Fatal(err)
	}
	s.Press("enter")
	s.WaitText(`Better\.`)
	rest(s)
	s.Press("ctrl+d")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.CheckRestored()
	s.CheckNoErase()
}

// Esc and Ctrl+C get out of every state at once, and lose nothing.
func TestInterruptEverywhere(t *testing.T) {
	var answers strings.Builder
	for n := range 7 {
		answers.WriteString("say " + jsonText(strings.Repeat("many words ", 6000)+fmt.Sprintf("Number %d.", n+1)) + "\n\n")
	}
	for name, c := range map[string]struct {
		script, begin, there string
	}{
		"nothing yet": {"hang\n", "begin", `waiting for the model`},
		"thinking":    {"think Hm.\nhang\n", "begin", `thinking`},
		"streaming":   {"say \"Some words\\n\\nand more\"\nhang\n", "begin", `and more`},
		"call":        {"call read_file {\"path\":\"a\"}\nhang\n", "begin", `preparing|waiting`},
		"tool":        {"call run_command {\"command\":\"trap '' INT TERM; sleep 60\"}\n", "begin", `Run trap`},
		"retry":       {"fail 529 retry-after-ms=60000\n", "begin", `trying again in`},
		"compaction":  {answers.String() + "hang\n*\n", "begin", ``},
		"question":    {"call write_file {\"path\":\"a\",\"content\":\"b\"}\n", "begin", `\[y\]`},
	} {
		for _, key := range []string{"esc", "ctrl+c"} {
			t.Run(name+", "+key, func(t *testing.T) {
				w := newWorld(t, c.script)
				o := fullAccess(w.options(80, 24, c.begin))
				if name == "question" {
					o = w.options(80, 24, c.begin)
				}
				s := screentest.Start(t, o)
				if name == "compaction" { // comes when the context is nearly full
					for n := 1; !strings.Contains(s.Text(), "making room"); n++ {
						s.WaitText(fmt.Sprintf(`Number %d\.(?s:.*)/ commands|making room`, n))
						if !strings.Contains(s.Text(), "making room") {
							s.Type("more\r")
						}
					}
				} else {
					s.WaitText(c.there)
					w.asked(s, 1)
				}
				queued := name != "question"
				if queued {
					s.Type("kept\r")
					s.WaitText(`↳ kept`)
				} else {
					s.WaitFor(answerable)
				}
				pressed := time.Now()
				s.Press(key)
				s.WaitText(`The turn ended: interrupted`)
				s.WaitGone(spinning + `|\[y\]`)
				t.Logf("idle after %v", time.Since(pressed).Round(time.Millisecond))
				if queued {
					s.WaitText(`↳ kept`)
					s.Press("up")
					s.WaitText(`❯ kept`)
					s.WaitGone(`↳`)
					s.Press("ctrl+c")
					s.WaitGone(`kept`)
				}
				s.Press("ctrl+d")
				if code := s.Exit(); code != 0 {
					t.Errorf("exit code %d", code)
				}
				s.CheckRestored()
			})
		}
	}
}

// A second program cannot write into a session that is open in another one.
func TestSecondProgram(t *testing.T) {
	w := newWorld(t, "say One.\n\nsay Two.\n")
	s := w.start(80, 24, "begin")
	s.WaitText(`One\.(?s:.*)/ commands`)
	second := w.start(100, 24, "-c")
	second.Exit()
	second.CheckRestored()
	if !strings.Contains(second.Text(), "is open in process") {
		t.Errorf("the second one says\n%s", second.Text())
	}
	third := w.start(100, 24)
	third.WaitText(`default · claude`)
	third.Type("/resume\r")
	third.WaitText(`Sessions(?s:.*)begin`)
	third.Press("enter")
	third.WaitText(`! .*is open in process`)
	third.Press("ctrl+d")
	third.Exit()
	s.Type("more\r")
	s.WaitText(`Two\.`)
	s.Press("ctrl+d")
	s.Exit()
}

// Ctrl+Z works in the middle of an answer, in a dialog and on the whole screen.
func TestSuspendAnywhere(t *testing.T) {
	for name, c := range map[string]struct{ script, there, key string }{
		"streaming":  {"say \"Some words\\n\\nand more\"\nhang\n", `and more`, ""},
		"dialog":     {"call write_file {\"path\":\"a\",\"content\":\"b\"}\n", `\[y\]`, ""},
		"transcript": {"say \"Some words\\n\\nand more\"\nhang\n", `and more`, "ctrl+o"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.script)
			o := w.options(80, 24)
			o.Command, o.Env = []string{"bash", "--norc", "-i"}, append(o.Env, "PS1=shell: ")
			s := screentest.Start(t, o)
			s.WaitText(`shell:$`)
			s.Type(os.Args[0] + " begin\r")
			s.WaitText(c.there)
			if c.key != "" {
				s.Press(c.key)
				s.WaitText(`Transcript`)
			}
			s.Press("ctrl+z")
			s.WaitText(`Stopped`)
			s.Type("stty -a | grep -o ' echo '; echo x$((1+1))\r")
			s.WaitText(`(?m)^ echo(?s:.*)^x2`)
			if m := s.Modes(); m.AltScreen || m.Focus || m.CursorHidden || m.KittyDepth > 0 || m.OtherKeys > 0 {
				t.Errorf("while it is stopped: %+v", m)
			}
			s.Type("fg\r")
			if c.key != "" {
				s.WaitText(`Transcript`)
				s.Press("q")
			}
			s.WaitText(fmt.Sprintf(`fg(?s:.*)%s|Esc interrupts`, c.there))
			s.Press("ctrl+c")
			s.WaitText(`interrupted`)
			s.Press("ctrl+d")
			s.WaitText(`(?s)fg.*shell:$`)
			s.CheckNoErase()
			s.Type("exit\r")
			s.Exit()
		})
	}
}
