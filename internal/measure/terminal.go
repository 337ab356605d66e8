package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/minicode-go/minicode/llm/llmtest"
)

// screen is a terminal with the program on it. It answers what the program
// asks, counts what is written and forgets it.
type screen struct {
	cmd *exec.Cmd
	pty *os.File

	mu      sync.Mutex
	written int
	frames  int
	recent  []byte
	changed chan struct{}
	ended   chan struct{}
}

// The questions that begin an answer, and the mark that begins a frame.
const (
	askSync  = "\x1b[?2026$p"
	askColor = "\x1b]11;?"
	inFrame  = "\x1b[?2026h"
)

// open runs the program on a terminal.
func open(ctx context.Context, p *place, command ...string) (*screen, error) {
	s := &screen{cmd: exec.CommandContext(ctx, command[0], command[1:]...), changed: make(chan struct{}, 1), ended: make(chan struct{})}
	s.cmd.Dir, s.cmd.Env = p.project, append(p.env[:len(p.env):len(p.env)], "TERM=xterm-256color")
	var err error
	if s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		return nil, err
	}
	go s.read()
	return s, nil
}

func (s *screen) read() {
	defer close(s.ended)
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.pty.Read(buffer)
		if bytes.Contains(buffer[:n], []byte(askSync)) {
			s.send("\x1b[?2026;2$y")
		}
		if bytes.Contains(buffer[:n], []byte(askColor)) {
			s.send("\x1b]11;rgb:0000/0000/0000\x07")
		}
		s.mu.Lock()
		s.written += n
		s.frames += bytes.Count(buffer[:n], []byte(inFrame))
		s.recent = append(s.recent, buffer[:n]...)
		s.recent = s.recent[max(0, len(s.recent)-16*kB):]
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) send(text string) { _, _ = s.pty.WriteString(text) }

// wait waits until all texts are among what was written last.
func (s *screen) wait(texts ...string) error {
	late := time.After(time.Minute)
	for {
		s.mu.Lock()
		missing := ""
		for _, text := range texts {
			if !bytes.Contains(s.recent, []byte(text)) {
				missing = text
			}
		}
		recent := string(s.recent)
		s.mu.Unlock()
		if missing == "" {
			return nil
		}
		select {
		case <-s.changed:
		case <-s.ended:
			return fmt.Errorf("%q was never shown, but %q", missing, recent)
		case <-late:
			return fmt.Errorf("%q is not shown, but %q", missing, recent)
		}
	}
}

// forget counts anew.
func (s *screen) forget() (written, frames int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	written, frames = s.written, s.frames
	s.written, s.frames, s.recent = 0, 0, nil
	return written, frames
}

func (s *screen) close() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	_ = s.pty.Close()
	<-s.ended
}

// on runs a program on a terminal until f is done with it.
func on(ctx context.Context, p *place, f func(*screen) error, command ...string) error {
	s, err := open(ctx, p, command...)
	if errors.Is(err, pty.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.close()
	return f(s)
}

// sessions puts a number of sessions into the place, and a large one behind
// them if it has a size.
func (p *place) sessions(ctx context.Context, binary string, n, size int) error {
	if _, err := runOnce(ctx, p.project, p.env, binary, "-p", "hi"); err != nil {
		return err
	}
	first, err := filepath.Glob(filepath.Join(p.home, "minicode", "projects", "*", "*.jsonl"))
	if err != nil || len(first) == 0 {
		return fmt.Errorf("%d session files: %w", len(first), err)
	}
	for i := range n {
		name := fmt.Sprintf("019b7000-0000-7000-8000-%012x.jsonl", i)
		if err := copyFile(filepath.Join(filepath.Dir(first[0]), name), first[0]); err != nil {
			return err
		}
	}
	if size == 0 {
		return nil
	}
	return writeSession(first[0], size)
}

// terminalStart is how long it takes until something can be typed, with 500
// sessions and no network.
func terminalStart(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	p := newPlace(dir, hi())
	defer p.close()
	if err := p.fresh(ctx); err != nil {
		return nil, err
	}
	if err := p.sessions(ctx, binary, 500, 0); err != nil {
		return nil, err
	}
	p.server.Close()
	f := figure{name: "first prompt, 500 sessions, network dead", unit: "ms", budget: 80}
	for range n {
		start := time.Now()
		err := on(ctx, p, func(s *screen) error {
			defer func() { f.samples = append(f.samples, ms(time.Since(start))) }()
			return s.wait("❯ ", "/ commands")
		}, binary)
		if err != nil {
			return nil, err
		}
	}
	return some(f), nil
}

// some is the figures that were taken.
func some(figures ...figure) (taken []figure) {
	for _, f := range figures {
		if len(f.samples) > 0 {
			taken = append(taken, f)
		}
	}
	return taken
}

// messages5000 is the size of a session of about 5,000 messages.
const messages5000 = 9 * mB

// terminalStream is an answer of 200 kB in deltas of 20 bytes, in a new
// session and in one of 5,000 messages.
func terminalStream(ctx context.Context, dir, binary string, n int) (all []figure, err error) {
	text := strings.Repeat(strings.Repeat("Some words in a paragraph, and *some* of them `code`. ", 6)+"\n\n", 200*kB/326)
	for _, c := range []struct {
		name string
		size int
	}{{"new session", 0}, {"5,000 messages", messages5000}} {
		p := newPlace(dir, append(hi()[:0:0], llmtest.Say("hi"), llmtest.Join(llmtest.Pieces(20), llmtest.Delay(500*time.Microsecond), llmtest.Say(text+"the end"), llmtest.Repeat(llmtest.Forever))))
		ratio := figure{name: "200 kB on a terminal, " + c.name + ", bytes / text", unit: "x", budget: 2.5}
		cpu := figure{name: "the same, CPU", unit: "ms"}
		frame := figure{name: "the same, CPU of a frame", unit: "ms", budget: 8}
		memory := figure{name: "the same, memory at rest", unit: "MB", budget: 60}
		if err := p.fresh(ctx); err != nil {
			return nil, err
		}
		if err := p.sessions(ctx, binary, 0, c.size); err != nil {
			return nil, err
		}
		command := []string{binary}
		if c.size > 0 {
			command = append(command, "--continue")
		}
		for range max(1, n/30) {
			err := on(ctx, p, func(s *screen) error {
				if err := s.wait("❯ ", "/ commands"); err != nil {
					return err
				}
				before := now(s.cmd.Process.Pid)
				memory.samples = append(memory.samples, before.resident/mB)
				s.forget()
				s.send("go\r")
				if err := s.wait("the end", "/ commands"); err != nil {
					return err
				}
				spent := now(s.cmd.Process.Pid).cpu - before.cpu
				written, frames := s.forget()
				ratio.samples = append(ratio.samples, float64(written)/float64(len(text)))
				cpu.samples = append(cpu.samples, ms(spent))
				frame.samples = append(frame.samples, ms(spent)/float64(max(1, frames)))
				return nil
			}, command...)
			if err != nil {
				p.close()
				return nil, err
			}
		}
		p.close()
		all = append(all, some(ratio, cpu, frame, memory)...)
	}
	return all, nil
}

// terminalRest is what the program does when nothing happens, and what it
// writes while it waits for the model.
func terminalRest(ctx context.Context, dir, binary string, _ int) ([]figure, error) {
	p := newPlace(dir, []llmtest.Answer{llmtest.Hang()})
	defer p.close()
	if err := p.fresh(ctx); err != nil {
		return nil, err
	}
	const long = 5 * time.Second
	idle := figure{name: "terminal at rest, CPU", unit: "%", budget: 0.5}
	wakes := figure{name: "the same, threads that sleep anew", unit: "1/s"}
	bytes := figure{name: "the same, bytes", unit: "B/s", budget: 1}
	spin := figure{name: "terminal with a spinner", unit: "kB/s", budget: 5}
	busy := figure{name: "the same, CPU", unit: "%"}
	err := on(ctx, p, func(s *screen) error {
		if err := s.wait("❯ ", "/ commands"); err != nil {
			return err
		}
		for _, waiting := range []bool{false, true} {
			if waiting {
				s.send("go\r")
				if err := s.wait("waiting for the model"); err != nil {
					return err
				}
			}
			time.Sleep(time.Second)
			s.forget()
			before := now(s.cmd.Process.Pid)
			time.Sleep(long)
			after := now(s.cmd.Process.Pid)
			written, _ := s.forget()
			share := 100 * (after.cpu - before.cpu).Seconds() / long.Seconds()
			if waiting {
				spin.samples = append(spin.samples, float64(written)/kB/long.Seconds())
				busy.samples = append(busy.samples, share)
				return nil
			}
			idle.samples = append(idle.samples, share)
			wakes.samples = append(wakes.samples, float64(after.switches-before.switches)/long.Seconds())
			bytes.samples = append(bytes.samples, float64(written)/long.Seconds())
		}
		return nil
	}, binary)
	return some(idle, wakes, bytes, spin, busy), err
}

// terminalResume is how long it takes until the end of a session of 50 MB is
// seen.
func terminalResume(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	p := newPlace(dir, hi())
	defer p.close()
	if err := p.fresh(ctx); err != nil {
		return nil, err
	}
	if err := p.sessions(ctx, binary, 0, 50*mB); err != nil {
		return nil, err
	}
	f := figure{name: "end of a 50 MB session on a terminal", unit: "ms", budget: 1000}
	for range max(1, n/6) {
		start := time.Now()
		err := on(ctx, p, func(s *screen) error {
			defer func() { f.samples = append(f.samples, ms(time.Since(start))) }()
			return s.wait("done", "/ commands")
		}, binary, "--continue")
		if err != nil {
			return nil, err
		}
	}
	return some(f), nil
}

// terminalInterrupt is how long it takes from Esc until nothing runs any more.
func terminalInterrupt(ctx context.Context, dir, binary string, n int) (all []figure, err error) {
	for _, c := range []struct {
		name, there string
		answer      llmtest.Answer
	}{
		{"an answer", "writing", llmtest.Join(llmtest.Say("Some words"), llmtest.Hang(), llmtest.Repeat(llmtest.Forever))},
		{"a command that ignores it", "Run trap", llmtest.Join(llmtest.Call("run_command", `{"command":"trap '' INT TERM; sleep 60"}`), llmtest.Repeat(llmtest.Forever))},
	} {
		p := newPlace(dir, []llmtest.Answer{c.answer})
		f := figure{name: "Esc during " + c.name + ", until it is idle", unit: "ms", budget: 500}
		for range max(1, n/6) {
			if err = p.fresh(ctx); err != nil {
				break
			}
			err = on(ctx, p, func(s *screen) error {
				if err := s.wait("❯ ", "/ commands"); err != nil {
					return err
				}
				s.send("go\r")
				if err := s.wait(c.there); err != nil {
					return err
				}
				s.forget()
				start := time.Now()
				s.send("\x1b")
				defer func() { f.samples = append(f.samples, ms(time.Since(start))) }()
				return s.wait("interrupted", "/ commands")
			}, binary, "--permission-mode", "full-access")
			if err != nil {
				break
			}
		}
		p.close()
		if err != nil {
			return nil, err
		}
		all = append(all, some(f)...)
	}
	return all, nil
}
