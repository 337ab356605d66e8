package screentest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Options says what is run, and on what terminal.
type Options struct {
	// Command is the program and its arguments.
	Command []string
	// Env is the whole environment. PATH, TERM=xterm-256color and LANG=C.UTF-8
	// are added where they are not in it.
	Env []string
	// Dir is the working directory; empty means that of the test.
	Dir string
	// Cols and Rows are the size in cells; 0 means 80 and 24.
	Cols, Rows int
	// Background is what the terminal says its background is.
	Background Background
	// Kitty makes the terminal know the kitty keyboard protocol.
	Kitty bool
	// Mute makes the terminal answer nothing that it is asked.
	Mute bool
	// Within bounds every wait; 0 means 20 seconds.
	Within time.Duration
}

// Write is one piece of output, as it was read from the terminal.
type Write struct {
	At   time.Duration // since the start
	Data []byte
}

// Screen is a terminal with a program on it.
type Screen struct {
	t       testing.TB
	cmd     *exec.Cmd
	tty     *terminal
	within  time.Duration
	started time.Time
	exited  chan struct{} // the process has ended
	drained chan struct{} // and all output has been read

	mu      sync.Mutex
	display *display
	output  []byte
	pieces  []piece
	changed chan struct{} // closed at the next change

	typing sync.Mutex // apart from mu, which is held while the terminal answers
	input  []byte     // not yet written to the terminal
	closed bool       // no more input
	more   chan struct{}
}

type piece struct {
	at  time.Duration
	end int // of the output
}

// settle is how long a character waits for a mark that combines with it.
const settle = 10 * time.Millisecond

// Start runs a program on a new terminal. At the end of the test the program
// is killed, with all that runs on the same terminal, if it has not ended; a
// test that failed logs the screen.
func Start(t testing.TB, o Options) *Screen {
	t.Helper()
	if len(o.Command) == 0 {
		t.Fatal("screentest: no command")
	}
	cols, rows := size(o.Cols, 80), size(o.Rows, 24)
	within := o.Within
	if within == 0 {
		within = 20 * time.Second
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), o.Command[0], o.Command[1:]...) // stop ends it
	cmd.Dir, cmd.Env = o.Dir, environment(o.Env)
	s := &Screen{
		t: t, cmd: cmd, within: within,
		exited: make(chan struct{}), drained: make(chan struct{}),
		display: newDisplay(cols, rows, o.Background, o.Kitty, o.Mute),
		changed: make(chan struct{}), more: make(chan struct{}, 1),
	}
	tty, err := openTerminal(cols, rows)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, pty.ErrUnsupported) {
		t.Skip("screentest: there are no pseudo-terminals on this system")
	}
	if err != nil {
		t.Fatalf("screentest: cannot open a terminal: %v", err)
	}
	s.tty, s.started = tty, time.Now()
	if err := tty.start(cmd); err != nil {
		tty.hangUp()
		t.Fatalf("screentest: cannot start %s: %v", o.Command[0], err)
	}
	var running sync.WaitGroup
	running.Go(func() { s.display.answers(s.send) })
	running.Go(s.writeInput)
	running.Go(s.readOutput)
	running.Go(func() {
		_ = cmd.Wait() // the exit code says it
		tty.release()
		close(s.exited)
	})
	t.Cleanup(func() {
		t.Helper()
		s.stop()
		running.Wait()
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", s.report())
		}
	})
	return s
}

func size(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

func environment(env []string) []string {
	env = slices.Clone(env)
	for _, v := range []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"} {
		name := v[:strings.Index(v, "=")+1]
		if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, name) }) {
			env = append(env, v)
		}
	}
	return env
}

// stop ends everything.
func (s *Screen) stop() {
	select {
	case <-s.exited:
	default:
		s.tty.kill(s.cmd.Process)
		<-s.exited
	}
	select {
	case <-s.drained:
	case <-time.After(2 * time.Second): // something else still has the terminal
	}
	s.tty.hangUp()
	s.typing.Lock()
	s.closed = true
	s.typing.Unlock()
	s.wake()
	<-s.drained
	s.display.close()
}

// readOutput shows what the program writes until nobody has the terminal.
func (s *Screen) readOutput() {
	defer close(s.drained)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.master.Read(buf)
		s.mu.Lock()
		if n > 0 {
			s.output = append(s.output, buf[:n]...)
			s.pieces = append(s.pieces, piece{time.Since(s.started), len(s.output)})
			s.display.write(buf[:n])
			if len(s.display.cluster) > 0 {
				s.settleLater(len(s.output))
			}
		}
		if err != nil { // hung up
			s.display.finish()
		}
		s.notify()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// settleLater shows the last character if nothing comes after it.
func (s *Screen) settleLater(length int) {
	time.AfterFunc(settle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.output) == length && len(s.display.cluster) > 0 {
			s.display.flush()
			s.notify()
		}
	})
}

// notify tells those who wait that something changed. The lock is held.
func (s *Screen) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// send queues input; a program that does not read must not stop its output
// from being read.
func (s *Screen) send(p []byte) {
	s.typing.Lock()
	s.input = append(s.input, p...)
	s.typing.Unlock()
	s.wake()
}

func (s *Screen) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *Screen) writeInput() {
	for range s.more {
		s.typing.Lock()
		p, closed := s.input, s.closed
		s.input = nil
		s.typing.Unlock()
		if closed {
			return
		}
		if _, err := s.tty.master.Write(p); err != nil {
			continue // it has ended
		}
	}
}

// waitUntil looks at the screen whenever it changed.
func (s *Screen) waitUntil(what string, cond func() bool, within []time.Duration) {
	s.t.Helper()
	late := time.After(s.limit(within))
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-s.drained:
			if !cond() {
				s.t.Fatalf("%s without %s", s.ended(), what)
			}
			return
		case <-late:
			s.t.Fatalf("after %v there is not %s", s.limit(within), what)
		}
	}
}

// ended says how the program ended, when there is no more output.
func (s *Screen) ended() string {
	select {
	case <-s.exited:
		return fmt.Sprintf("the program ended (%v)", s.cmd.ProcessState)
	case <-time.After(time.Second):
		return "the terminal was closed"
	}
}

func (s *Screen) limit(within []time.Duration) time.Duration {
	if len(within) > 0 {
		return within[0]
	}
	return s.within
}

// WaitFor waits until a condition holds, which is looked at whenever the
// screen changed. A limit other than that of the options may be given.
func (s *Screen) WaitFor(cond func(*Screen) bool, within ...time.Duration) {
	s.t.Helper()
	s.waitUntil("what was waited for", func() bool { return cond(s) }, within)
}

// WaitText waits until the visible text matches a regular expression, in which
// (?m) makes ^ and $ those of a row.
func (s *Screen) WaitText(pattern string, within ...time.Duration) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	s.waitUntil(fmt.Sprintf("the text %q on the screen", pattern), func() bool { return re.MatchString(s.Text()) }, within)
}

// WaitGone waits until the visible text does not match.
func (s *Screen) WaitGone(pattern string, within ...time.Duration) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	s.waitUntil(fmt.Sprintf("a screen without %q", pattern), func() bool { return !re.MatchString(s.Text()) }, within)
}

// WaitIdle waits until a condition holds and nothing has been written for a
// while. A nil condition always holds.
func (s *Screen) WaitIdle(quiet time.Duration, cond func(*Screen) bool, within ...time.Duration) {
	s.t.Helper()
	late := time.After(s.limit(within))
	for {
		s.mu.Lock()
		changed, syncing := s.changed, s.display.modes[modeSync]
		s.mu.Unlock()
		holds := !syncing && (cond == nil || cond(s))
		select {
		case <-changed:
		case <-time.After(quiet):
			if holds {
				return
			}
			select {
			case <-changed:
			case <-s.drained:
				s.t.Fatalf("%s without what was waited for", s.ended())
			case <-late:
				s.t.Fatalf("after %v there is not what was waited for", s.limit(within))
			}
		case <-late:
			s.t.Fatalf("after %v the program still writes", s.limit(within))
		}
	}
}

// Exit waits for the end of the program and gives its exit code, which is 128
// and the signal's number where a signal ended it.
func (s *Screen) Exit(within ...time.Duration) int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(s.limit(within)):
		s.t.Fatalf("after %v the program still runs", s.limit(within))
	}
	select {
	case <-s.drained:
	case <-time.After(3 * time.Second):
		s.t.Error("the program ended and left something behind that has the terminal")
	}
	return exitCode(s.cmd.ProcessState)
}

// Running reports whether the program has not ended.
func (s *Screen) Running() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// Process is the program's process.
func (s *Screen) Process() *os.Process { return s.cmd.Process }

// CPU is the processor's time that the program took, once it has ended.
func (s *Screen) CPU() time.Duration {
	<-s.exited
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// Signal sends a signal to the program alone; a key like ctrl+c goes to all
// that are in the foreground.
func (s *Screen) Signal(signal os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatalf("cannot send %v: %v", signal, err)
	}
}

// HangUp takes the terminal away, as closing its window does.
func (s *Screen) HangUp() { s.tty.hangUp() }

// Resize changes the size of the terminal and tells the program.
func (s *Screen) Resize(cols, rows int) {
	s.t.Helper()
	s.mu.Lock()
	s.display.resize(cols, rows)
	s.notify()
	s.mu.Unlock()
	if err := s.tty.resize(cols, rows); err != nil {
		s.t.Fatalf("cannot resize: %v", err)
	}
}

// Bytes is everything that was written to the terminal.
func (s *Screen) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.output)
}

// Writes is everything that was written to the terminal, with the times at
// which it was read.
func (s *Screen) Writes() []Write {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Write
	start := 0
	for _, p := range s.pieces {
		all = append(all, Write{At: p.at, Data: slices.Clone(s.output[start:p.end])})
		start = p.end
	}
	return all
}

// Modes is what the program changed about the terminal.
func (s *Screen) Modes() Modes {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.display.state()
}

// Cursor is where the cursor is, from 0, and whether it is shown.
func (s *Screen) Cursor() (x, y int, visible bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.display.emu.CursorPosition()
	return at.X, at.Y, s.display.modes[modeShowCursor]
}

// Size is the size of the terminal in cells.
func (s *Screen) Size() (cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.display.emu.Width(), s.display.emu.Height()
}

// Title is the title of the window, and Bells how often the bell rang.
func (s *Screen) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.display.title
}

// Bells is how often the bell rang.
func (s *Screen) Bells() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.display.bells
}

// Erasures is what was sent that takes away what could still be read.
func (s *Screen) Erasures() []Erasure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.display.erased)
}
