//go:build linux || darwin

package tui

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// waits is a command that runs until the file go is there.
const waits = `call run_command {"command":"touch begun; while [ ! -e go ]; do sleep 0.01; done"}`

// fullAccess lets commands run without approval.
func fullAccess(o screentest.Options) screentest.Options {
	o.Env = append(o.Env, "MODE=full-access")
	return o
}

// However the program ends, the terminal is as it was found, and the session
// can be gone on with.
func TestEveryWayOut(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(*screentest.Screen)
		exit  int
	}{
		"ctrl+c twice": {func(s *screentest.Screen) { s.Press("ctrl+c"); s.WaitText("again leaves"); s.Press("ctrl+c") }, 130},
		"term":         {func(s *screentest.Screen) { s.Signal(syscall.SIGTERM) }, 143},
		"hang up":      {func(s *screentest.Screen) { s.Signal(syscall.SIGHUP) }, 129},
		"panic":        {func(s *screentest.Screen) { s.Press("f12") }, 1},
		"panic on the whole screen": {func(s *screentest.Screen) {
			s.Press("ctrl+o")
			s.WaitText(`Transcript`)
			s.Signal(syscall.SIGTERM)
		}, 143},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, waits+"\n\nsay Good.\n")
			s := screentest.Start(t, fullAccess(w.options(80, 24, "begin")))
			s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
			s.WaitText(`Run touch begun`)
			c.leave(s)
			if code := s.Exit(); code != c.exit {
				t.Errorf("exit code %d, want %d", code, c.exit)
			}
			s.CheckRestored()
			s.CheckNoErase()
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

// A terminal that goes away ends the program.
func TestTerminalGoesAway(t *testing.T) {
	w := newWorld(t, waits+"\n")
	s := screentest.Start(t, fullAccess(w.options(80, 24, "begin")))
	s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
	s.HangUp()
	s.Exit()
	if facts := w.facts(); !strings.Contains(facts, `"type":"ended"`) {
		t.Errorf("the turn has no end in\n%s", facts)
	}
}

// What is said while a turn runs is shown, can be taken back, and is sent in
// its place.
func TestQueue(t *testing.T) {
	w := newWorld(t, waits+`

expect-new and the docs
say Documented.
`)
	s := screentest.Start(t, fullAccess(w.options(80, 24, "begin")))
	s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
	s.Type("and the dogs")
	s.Press("enter")
	s.WaitText(`↳ and the dogs`)
	s.Press("up")
	s.WaitGone(`↳`)
	s.WaitText(`❯ and the dogs`)
	s.Press("ctrl+u")
	s.Type("and the docs")
	s.Press("enter")
	s.WaitText(`↳ and the docs`)
	w.write("go", "")
	s.WaitText(`(?s)❯ and the docs.*Documented\.`)
	s.Press("ctrl+d")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Esc interrupts a tool at once, and an approval too; what was queued stays.
func TestInterrupt(t *testing.T) {
	w := newWorld(t, waits+`

call write_file {"path":"a.txt","content":"a"}

say Good.
`)
	o := w.options(80, 24, "begin")
	o.Env = append(o.Env, "MODE=default")
	s := screentest.Start(t, o)
	s.WaitText(`\[y\]`)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
	s.Type("kept")
	s.Press("enter")
	s.WaitText(`↳ kept`)
	pressed := time.Now()
	s.Press("esc")
	s.WaitText(`The turn ended: interrupted`)
	t.Logf("interrupted after %v", time.Since(pressed))
	s.WaitText(`↳ kept`)
	s.Press("enter") // sends it
	s.WaitText(`Create a\.txt`)
	s.WaitFor(answerable)
	s.Press("esc")
	s.WaitText(`(?s)interrupted.*interrupted`)
	if w.has("a.txt") {
		t.Error("what was not approved was done")
	}
	s.Type("go on")
	s.Press("enter")
	s.WaitText(`Good\.`)
	s.Press("ctrl+d")
	s.Exit()
}

// Keys that were typed before a question opened do not answer it, and are not
// lost.
func TestEarlyKeysDoNotAnswer(t *testing.T) {
	w := newWorld(t, `
stall 300ms
call write_file {"path":"a.txt","content":"a"}

say Good.
`)
	s := w.start(80, 24, "begin")
	s.WaitText(`waiting for the model`)
	for range 12 { // over the time at which it opens
		s.Type("y")
		time.Sleep(50 * time.Millisecond)
	}
	s.WaitText(`\[y\]`)
	s.WaitFor(answerable)
	if w.has("a.txt") {
		t.Fatal("an early key has answered")
	}
	s.Press("n")
	s.WaitText(`Good\.`)
	s.WaitText(`❯ y{12}`)
	s.Press("ctrl+c", "ctrl+d")
	s.Exit()
}

// A paste of a megabyte is one element, and is sent byte for byte.
func TestBigPaste(t *testing.T) {
	w := newWorld(t, "expect-re BEGIN(.|\\n)*END\nsay Got it.\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	s.Paste("BEGIN\n" + strings.Repeat("0123456789abcdef\n", 1<<16) + "END")
	s.WaitText(`Pasted text #1: 65538 lines`)
	s.Press("enter")
	s.WaitText(`Got it\.`)
	s.WaitText(`more lines`)
	s.Press("ctrl+d")
	s.Exit()
	if !strings.Contains(w.facts(), strings.Repeat(`0123456789abcdef\n`, 100)) {
		t.Error("it was not sent as it is")
	}
}

// The size changes while an answer comes: it is all there in the end, once,
// nothing of the live region is left elsewhere, and nothing is erased.
func TestResizeStorm(t *testing.T) {
	var text strings.Builder
	for i := range 80 {
		fmt.Fprintf(&text, `Paragraph %d has some words.\n\n`, i)
	}
	w := newWorld(t, "delay 2ms\nsay \""+text.String()+"\"\n")
	s := w.start(80, 24, "begin")
	s.WaitText(`Paragraph \d`)
	for i := range 60 {
		s.Resize(20+(i*37)%281, 12+i%30)
		if i%3 == 0 { // some sizes are drawn, others are gone before
			s.WaitText(`❯`)
		}
	}
	s.Resize(100, 30)
	s.WaitText(`Paragraph 79 has some words(?s:.*)/ commands`)
	all := strings.Join(append(s.Scrollback(), s.Rows()...), "\n")
	for i := range 80 {
		if n := strings.Count(all, fmt.Sprintf("Paragraph %d has", i)); n != 1 {
			t.Errorf("paragraph %d is there %d times", i, n)
		}
	}
	if n := strings.Count(all, strings.Repeat("─", 20)+"\n"); n != 1 {
		t.Errorf("there are %d rules", n)
	}
	s.CheckNoErase()
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// Bytes: an answer that is streamed costs little more than its text, and
// nothing moves at rest.
func TestBytes(t *testing.T) {
	line := strings.Repeat("word ", 11) + `word.\n\n`
	w := newWorld(t, "pieces 20\nsay \""+strings.Repeat(line, 3300)+"\"\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	before := len(s.Bytes())
	s.Type("begin")
	s.Press("enter")
	s.WaitText(`(?s)word.*/ commands`)
	spent, said := len(s.Bytes())-before, 3300*len(line)
	t.Logf("%d bytes for %d of text: %.2f", spent, said, float64(spent)/float64(said))
	if spent > said*5/2 {
		t.Errorf("%d bytes for %d of text", spent, said)
	}
	s.CheckNoErase()
	rest(s)
	quiet := len(s.Bytes())
	time.Sleep(300 * time.Millisecond)
	if n := len(s.Bytes()) - quiet; n > 0 {
		t.Errorf("%d bytes at rest", n)
	}
	s.Press("ctrl+d")
	s.Exit()
}

// Ctrl+Z gives the terminal to the shell, fg takes it back.
func TestSuspend(t *testing.T) {
	w := newWorld(t, "say Good.\n")
	o := w.options(80, 24)
	o.Command, o.Env = []string{"bash", "--norc", "-i"}, append(o.Env, "PS1=shell: ")
	s := screentest.Start(t, o)
	s.WaitText(`shell:$`)
	s.Type(os.Args[0] + "\r")
	s.WaitText(`default · claude`)
	s.Press("ctrl+z")
	s.WaitText(`Stopped`)
	s.Type("stty -a | grep -o ' echo '\r")
	s.WaitText(`(?m)^ echo`)
	s.Type("fg\r")
	s.WaitText(`default · claude`)
	s.Type("hello")
	s.Press("enter")
	s.WaitText(`Good\.`)
	s.Press("ctrl+d")
	s.WaitText(`(?s)--resume.*shell:$`)
	s.Type("exit\r")
	s.Exit()
}

// Where there is no shell to go on with it, the program does not stop.
func TestSuspendWithoutShell(t *testing.T) {
	w := newWorld(t, "")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	s.Press("ctrl+z")
	s.WaitText(`there is no shell here`)
	s.Press("ctrl+d")
	s.Exit()
}

// Who looks elsewhere is told by a bell that an answer is needed, once.
func TestNotify(t *testing.T) {
	w := newWorld(t, `
stall 100ms
call write_file {"path":"a.txt","content":"a"}

say Good.
`)
	s := w.start(80, 24, "begin")
	s.WaitText(`waiting for the model`)
	s.Focus(false)
	s.WaitText(`\[y\]`)
	s.WaitFor(func(s *screentest.Screen) bool { return s.Bells() == 1 })
	s.WaitFor(func(s *screentest.Screen) bool { return s.Title() == "◆ work" })
	s.Focus(true)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitText(`Good\.`)
	s.WaitFor(func(s *screentest.Screen) bool { return s.Title() == "work" })
	if n := s.Bells(); n != 1 {
		t.Errorf("%d bells", n)
	}
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}
