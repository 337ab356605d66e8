//go:build linux || darwin

package screentest

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	switch os.Getenv("SCREENTEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "styles":
		fmt.Print(styles)
	case "ask":
		ask()
	case "untidy":
		_, _ = term.MakeRaw(0)
		fmt.Print("\x1b[?1049h\x1b[?2004h\x1b[?1002h\x1b[?25l\x1b[>1u\x1b[2J\x1b[3Juntidy")
	case "wait":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGHUP)
		fmt.Print("ready")
		<-c
		os.Exit(7)
	}
}

const styles = "plain \x1b[1mbold\x1b[m \x1b[2mdim\x1b[m \x1b[3mitalic\x1b[m \x1b[4munderlined\x1b[m \x1b[7mreverse\x1b[m \x1b[9mstruck\x1b[m\r\n" +
	"\x1b[31mred\x1b[m \x1b[92mbright green\x1b[m \x1b[38;5;75m75\x1b[m \x1b[38;2;1;2;3;48;5;236mboth\x1b[m\x1b[44m   \x1b[m\r\n" +
	"漢字 한국어 日本語 \x1b[1m漢\x1b[m!\r\n" +
	"👨‍👩‍👧‍👦 🇩🇪 👍🏽 ❤️ e\u0301 नि\r\n" +
	"\x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x1b\\ after\r\n" +
	"tab\tstop \xff invalid"

// program is this test binary as a program.
func program(name string) Options {
	return Options{Command: []string{os.Args[0]}, Env: []string{"SCREENTEST_PROGRAM=" + name, "GORACE=atexit_sleep_ms=0"}, Cols: 60, Rows: 10}
}

// ask asks the terminal what programs ask, and prints the answers.
func ask() {
	state, err := term.MakeRaw(0)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	in := bufio.NewReader(os.Stdin)
	fmt.Print("ab")
	var answers []string
	for _, q := range []struct{ query, end string }{
		{"\x1b[6n", "R"},
		{"\x1b]11;?\a", "\a"},
		{"\x1b[?u", "u"},
		{"\x1b[?2026$p", "y"},
		{"\x1b[?2027$p", "y"},
		{"\x1b[?2004$p", "y"},
		{"\x1b[?996n", "n"},
		{"\x1b[>q", "\\"},
		{"\x1b[c", "c"},
	} {
		if q.query == "\x1b[?u" && os.Getenv("KITTY") == "" {
			continue
		}
		fmt.Print(q.query)
		answer, _ := in.ReadString(q.end[0])
		answers = append(answers, strings.ReplaceAll(answer, "\x1b", "^"))
	}
	_ = term.Restore(0, state)
	fmt.Printf("\n%s\n", strings.Join(answers, " "))
}

func TestStyles(t *testing.T) {
	s := Start(t, program("styles"))
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.Golden("styles")
	s.CheckRestored()
	s.CheckNoErase()
	if x, y, ok := s.Find("bold"); !ok || s.StyleAt(x, y) != "bold" {
		t.Errorf("bold at %d,%d is %q", x, y, s.StyleAt(x, y))
	}
	if x, y, ok := s.Find("!"); !ok || x != 21 || y != 2 {
		t.Errorf("the mark after wide text is at %d,%d", x, y)
	}
	all := ""
	for _, w := range s.Writes() {
		all += string(w.Data)
	}
	if want := strings.ReplaceAll(styles, "\r\n", "\r\r\n"); all != want || string(s.Bytes()) != want {
		t.Errorf("the bytes are %q", all)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		background Background
		kitty      bool
		want       string
	}{
		{Dark, true, `^[1;3R ^]11;rgb:0000/0000/0000 ^[?0u ^[?2026;2$y ^[?2027;2$y ^[?2004;2$y ^[?997;1n ^P>|screentest^\ ^[?62;1;6;22c`},
		{Light, false, `^[1;3R ^]11;rgb:ffff/ffff/ffff ^[?2026;2$y ^[?2027;2$y ^[?2004;2$y ^[?997;2n ^P>|screentest^\ ^[?62;1;6;22c`},
	} {
		o := program("ask")
		o.Cols, o.Background, o.Kitty = 200, c.background, c.kitty
		if c.kitty {
			o.Env = append(o.Env, "KITTY=1")
		}
		s := Start(t, o)
		s.Exit()
		if diff := cmp.Diff("ab\n"+c.want, strings.ReplaceAll(s.Text(), "\a", "")); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		s.CheckRestored()
	}
}

func TestMute(t *testing.T) {
	o := program("ask")
	o.Mute = true
	s := Start(t, o)
	s.WaitText("^ab$")
	s.WaitIdle(50*time.Millisecond, nil)
	s.Type("R\ayyyn\\c") // what it waits for
	s.WaitText("R \\^?")
	s.Exit()
}

func TestUntidy(t *testing.T) {
	o := program("untidy")
	o.Kitty = true
	s := Start(t, o)
	s.Exit()
	got := strings.Join(s.leftBehind(), "\n")
	for _, want := range []string{
		"echo: was true, is false", "canonical mode: was true, is false", "the alternate screen is shown",
		"pasted text comes between marks", "the mouse is reported", "the cursor is hidden", "1 states of the kitty",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not among what was left behind:\n%s", want, got)
		}
	}
	r := &recorder{TB: t}
	s.t = r
	s.CheckNoErase()
	s.CheckRestored()
	s.t = t
	if len(r.errors) != 1+len(s.leftBehind()) || !strings.Contains(r.errors[0], "erased the scrollback") {
		t.Errorf("the checks said %q", r.errors)
	}
}

// recorder takes failures that are wanted.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// fails is what a call ends the test with.
func fails(t *testing.T, s *Screen, call func()) string {
	t.Helper()
	r := &recorder{TB: t}
	s.t = r
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	<-done
	s.t = t
	return strings.Join(r.errors, "\n")
}

func TestShell(t *testing.T) {
	dir := t.TempDir()
	s := Start(t, Options{Command: []string{"bash", "--norc", "--noprofile", "-i"}, Env: []string{"PS1=$ ", "HOME=" + dir, "HISTFILE="}, Dir: dir, Cols: 40, Rows: 5})
	s.WaitText(`(?m)^\$$`)
	s.Type("pwd; stty size\n")
	s.WaitText("(?m)^5 40$")
	s.Resize(50, 6)
	s.Type("stty size\n")
	s.WaitText("(?m)^6 50$")
	s.Type("seq 1 9\n")
	s.WaitText(`(?m)^9\n\$`)
	if back := s.Scrollback(); len(back) == 0 || back[len(back)-1] != "4" {
		t.Errorf("the scrollback is %q", back)
	}
	s.Type("sh -c 'echo on; exec cat'\n")
	s.WaitText(`(?m)^on$`)
	s.Press("ctrl+c")
	s.WaitText(`(?m)^\^C\n\$$`)
	s.Type("sh -c 'echo up; exec cat'\n")
	s.WaitText(`(?m)^up$`)
	s.Press("ctrl+z")
	s.WaitText(`Stopped`)
	s.CheckNoErase()
	s.Type("disown -a; exit 3\n")
	if code := s.Exit(); code != 3 {
		t.Errorf("exit code %d", code)
	}
}

func TestKeysArrive(t *testing.T) {
	s := Start(t, Options{Command: []string{"sh", "-c", `stty raw -echo; printf 'ready\033[?2004h\r\n'; exec cat -v`}, Cols: 60, Rows: 5})
	s.WaitText("ready")
	s.Press("up", "ctrl+o", "esc", "shift+tab", "alt+b")
	s.Paste("two\nlines")
	s.Raw("\x1b[I")
	s.WaitText(regexp.QuoteMeta(`^[[A^O^[^[[Z^[b^[[200~two^Mlines^[[201~^[[I`))
	s.WaitFor(func(s *Screen) bool { return s.Modes().Paste })
	if x, y, visible := s.Cursor(); x != 43 || y != 1 || !visible {
		t.Errorf("the cursor is at %d,%d, shown: %t", x, y, visible)
	}
	s.Signal(syscall.SIGTERM)
	if code := s.Exit(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d", code)
	}
}

func TestLargePaste(t *testing.T) {
	s := Start(t, Options{Command: []string{"sh", "-c", `stty raw -echo; printf 'ready\r\n'; head -c 1000000 | wc -c`}, Cols: 60, Rows: 5})
	s.WaitText("ready")
	s.Paste(strings.Repeat("0123456789", 100_000))
	s.WaitText("1000000")
	s.Exit()
}

func TestHangUp(t *testing.T) {
	s := Start(t, program("wait"))
	s.WaitText("ready")
	s.HangUp()
	if code := s.Exit(); code != 7 {
		t.Errorf("exit code %d", code)
	}
}

func TestWaitsFail(t *testing.T) {
	s := Start(t, program("wait"))
	s.WaitText("ready")
	short := time.Millisecond
	for _, c := range []struct {
		call func()
		want string
	}{
		{func() { s.WaitText("never", short) }, `after 1ms there is not the text "never"`},
		{func() { s.WaitGone("ready", short) }, `a screen without "ready"`},
		{func() { s.WaitFor(func(*Screen) bool { return false }, short) }, "after 1ms there is not what was waited for"},
		{func() { s.WaitIdle(short, func(*Screen) bool { return false }, 5*short) }, "there is not what was waited for"},
		{func() { s.Exit(short) }, "the program still runs"},
		{func() { s.Press("escape") }, `there is no key "escape"`},
	} {
		if got := fails(t, s, c.call); !strings.Contains(got, c.want) {
			t.Errorf("it said %q, not %q", got, c.want)
		}
	}
	s.Signal(syscall.SIGKILL)
	if got := fails(t, s, func() { s.WaitText("never") }); !strings.Contains(got, "the program ended (signal: killed) without") {
		t.Errorf("it said %q", got)
	}
}

func TestGoldenDiffers(t *testing.T) {
	if *update {
		t.Skip("it would write")
	}
	t.Chdir(t.TempDir())
	var said []string
	fail := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	compare(fail, "a", "one\ntwo\n", nil)
	if err := os.MkdirAll("testdata/screens", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/screens/a.txt", []byte("one\nthree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	compare(fail, "a", "one\ntwo\n", nil)
	compare(fail, "a", "one\ntwo\n", []func(string) string{func(s string) string { return strings.Replace(s, "two", "three", 1) }})
	if len(said) != 2 || !strings.Contains(said[0], "-update") || !strings.Contains(said[1], "-three\n+two\n") {
		t.Errorf("the comparisons said %q", said)
	}
}
