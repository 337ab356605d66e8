//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/minicode-go/minicode/llm/llmtest"
)

const (
	soon   = 500 * time.Millisecond // what is promised to a person who interrupts
	atMost = 10 * soon              // what a busy machine may make of it
)

// world is a home directory, a working directory and a strict server, on
// which several runs of the binary follow each other.
type world struct {
	t      *testing.T
	home   string
	dir    string
	server *llmtest.Server
	env    []string
}

// newWorld serves the script, in the format of llmtest.ParseScript. What the
// server refuses, and answers left over, fail the test at its end.
func newWorld(t *testing.T, script string) *world {
	t.Helper()
	t.Parallel()
	answers, err := llmtest.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	// The path is short, so that it stands in one line of the terminal.
	root, err := os.MkdirTemp("", "line")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "work")}
	for _, dir := range []string{w.home, filepath.Join(w.dir, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.server = llmtest.NewServer(llmtest.New(nil, answers...))
	t.Cleanup(func() {
		w.server.Close()
		if err := w.server.Verify(); err != nil {
			t.Error(err)
		}
		w.alone()
		_ = os.RemoveAll(root)
	})
	w.env = []string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "WORK=" + root, "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"ANTHROPIC_BASE_URL=" + w.server.BaseURL(llmtest.Anthropic), "ANTHROPIC_API_KEY=key-for-tests", "MINICODE_MODEL=anthropic/claude-sonnet-4-5",
	}
	return w
}

// leftBy is the processes that the runs have started and that still run, by
// their ids.
func (w *world) leftBy() map[int]string {
	left := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte("WORK="+filepath.Dir(w.home)+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if name := strings.ReplaceAll(string(line), "\x00", " "); name != "" && err == nil { // else it is about to be reaped
			left[id] = name
		}
	}
	return left
}

func (w *world) left() []string { return slices.Sorted(maps.Values(w.leftBy())) }

// endLeft ends what a killed run has left.
func (w *world) endLeft() {
	for id := range w.leftBy() {
		_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
	}
}

// alone fails if the runs have left a process.
func (w *world) alone() {
	w.t.Helper()
	w.until("no process is left", func() bool { return len(w.left()) == 0 }, func() string { return strings.Join(w.left(), "\n") })
}

// until waits for a condition.
func (w *world) until(what string, holds func() bool, state func() string) {
	w.t.Helper()
	for late := time.Now().Add(comes); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			w.t.Fatalf("waited in vain: %s\n%s", what, state())
		}
	}
}

// asked waits until the server has got n requests.
func (w *world) asked(n int) {
	w.t.Helper()
	w.until(fmt.Sprintf("request %d", n), func() bool { return len(w.server.Requests()) >= n }, func() string { return "" })
}

// request is the body of a request, from 1.
func (w *world) request(n int) string {
	w.t.Helper()
	w.asked(n)
	return string(w.server.Requests()[n-1].Body)
}

// made waits until a file is there.
func (w *world) made(name string) {
	w.t.Helper()
	w.until("the file "+name, func() bool { return w.has(name) }, func() string { return "" })
}

func (w *world) has(name string) bool {
	_, err := os.Stat(filepath.Join(w.dir, name))
	return err == nil
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// facts is the text of the session file that was written last.
func (w *world) facts() string {
	w.t.Helper()
	files, _ := filepath.Glob(filepath.Join(w.home, ".local/state/minicode/projects/*/*.jsonl"))
	if len(files) == 0 {
		w.t.Fatal("there is no session file")
	}
	data, err := os.ReadFile(files[len(files)-1]) // the names are in the order of time
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// person sits at a terminal on which the real binary runs.
type person struct {
	*world
	cmd    *exec.Cmd
	tty    *os.File
	out    *watched
	seen   int           // bytes of the output that were looked at
	exited chan struct{} // the process has ended
	ended  chan struct{} // and all it wrote is here

	reading sync.Mutex // held while the person does not look
}

// sit starts the binary on a terminal.
func (w *world) sit(args ...string) *person {
	w.t.Helper()
	cmd := exec.Command("minicode", args...)
	cmd.Dir = w.dir
	cmd.Env = append([]string{"TERM=dumb"}, w.env...)
	return w.sitAt(cmd)
}

func (w *world) sitAt(cmd *exec.Cmd) *person {
	w.t.Helper()
	p := &person{world: w, cmd: cmd, out: &watched{more: make(chan struct{}, 1)}, exited: make(chan struct{}), ended: make(chan struct{})}
	var err error
	if p.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200}); err != nil {
		w.t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 4096)
		for {
			p.reading.Lock()
			p.reading.Unlock() //nolint:staticcheck // it is a gate
			n, err := p.tty.Read(buf)
			_, _ = p.out.Write(buf[:n])
			if err != nil {
				return // the other side is closed
			}
		}
	}()
	go func() {
		_ = cmd.Wait() // the exit code says it
		close(p.exited)
		<-drained
		close(p.ended)
	}()
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-p.ended
		_ = p.tty.Close()
		if w.t.Failed() {
			w.t.Logf("the terminal:\n%s", p.out.String())
		}
		p.harmless()
	})
	return p
}

// harmless fails if something on the terminal could do more than print.
func (p *person) harmless() {
	p.t.Helper()
	text := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(p.out.String(), "")
	if strings.HasPrefix(p.cmd.Env[0], "TERM=dumb") {
		text = p.out.String()
	}
	if at := regexp.MustCompile("[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]|\u0080|\u009b|\u202e|\u200b").FindStringIndex(text); at != nil {
		p.t.Errorf("the terminal got %q", text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
}

// types sends keys; "\r" is Enter, "\x03" Ctrl+C, "\x04" Ctrl+D.
func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.tty, keys); err != nil {
		p.t.Fatal(err)
	}
}

// sees waits until what came after that which was seen last matches, and
// gives the match.
func (p *person) sees(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.After(comes)
	for {
		text := strings.ReplaceAll(p.out.String(), "\r\n", "\n")
		if at := re.FindStringIndex(text[p.seen:]); at != nil {
			found := text[p.seen:][at[0]:at[1]]
			p.seen += at[1]
			return found
		}
		select {
		case <-p.out.more:
		case <-p.ended:
			if re.MatchString(strings.ReplaceAll(p.out.String(), "\r\n", "\n")[p.seen:]) {
				continue
			}
			p.t.Fatalf("it ended (%v) and did not show %s, but:\n%s", p.cmd.ProcessState, pattern, text[p.seen:])
		case <-late:
			p.t.Fatalf("it did not show %s, but:\n%s", pattern, text[p.seen:])
		}
	}
}

// shown is all of the terminal's text so far.
func (p *person) shown() string { return strings.ReplaceAll(p.out.String(), "\r\n", "\n") }

// atRest is the prompt, with nothing behind it.
const atRest = `(?m)^> $`

// interrupts presses Ctrl+C and waits for the prompt, which must come soon.
func (p *person) interrupts() {
	p.t.Helper()
	pressed := time.Now()
	p.types("\x03")
	p.sees(`The turn ended: interrupted`)
	p.sees(atRest)
	took := time.Since(pressed)
	p.t.Logf("back at the prompt after %v (promised: %v)", took.Round(time.Millisecond), soon)
	if took > atMost {
		p.t.Errorf("back at the prompt only after %v", took)
	}
}

// leaves waits for the end, with the exit code.
func (p *person) leaves(code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(comes):
		p.t.Fatalf("it still runs; the terminal:\n%s", p.shown())
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
	p.alone()
}

// exits types /exit at the prompt.
func (p *person) exits() {
	p.t.Helper()
	p.types("/exit\r")
	p.leaves(0)
}

func (p *person) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// mode is the mode that the terminal is in.
func (p *person) mode() string {
	p.t.Helper()
	stty := exec.Command("stty", "-a")
	stty.Stdin = p.tty
	out, err := stty.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	return string(out)
}
