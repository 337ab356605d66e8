//go:build linux || darwin

package tui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tmux is the program in a terminal that breaks lines anew when it gets
// narrower, and has a scrollback.
type tmux struct {
	t      *testing.T
	socket string
}

// tmux starts the program in a tmux of its own, of which nobody's settings are
// read.
func (w *world) tmux(cols, rows int, args ...string) *tmux {
	w.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.t.Skip("there is no tmux here")
	}
	s := &tmux{w.t, filepath.Join(w.root, "tmux")}
	o := w.options(cols, rows, args...)
	command := []string{"-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "-c", o.Dir}
	for _, pair := range o.Env {
		command = append(command, "-e", pair)
	}
	s.do(append(command, o.Command...)...)
	w.t.Cleanup(func() { s.do("kill-server") })
	return s
}

func (s *tmux) do(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil && args[0] != "kill-server" {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// all is the scrollback and the screen, lines as they were written.
func (s *tmux) all() string { return s.do("capture-pane", "-p", "-J", "-S", "-") }

// wait waits until the screen has a text.
func (s *tmux) wait(pattern string) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	for until := time.Now().Add(20 * time.Second); !re.MatchString(s.do("capture-pane", "-p")); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			s.t.Fatalf("there is no %q in\n%s", pattern, s.all())
		}
	}
}

func (s *tmux) resize(cols, rows int) {
	s.t.Helper()
	s.do("resize-window", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows))
}

// leftovers looks for parts of the live region that stayed where they were. A
// frame may be half drawn when it looks.
func (s *tmux) leftovers() {
	s.t.Helper()
	rule, prompt := regexp.MustCompile(`(?m)^─+ *$`), regexp.MustCompile(`(?m)^❯ *$`)
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		all := s.all()
		rules, prompts := len(rule.FindAllString(all, -1)), len(prompt.FindAllString(all, -1))
		if rules == 1 && prompts == 1 {
			return
		}
		if time.Now().After(until) {
			s.t.Fatalf("there are %d rules and %d empty prompts:\n%s", rules, prompts, all)
		}
	}
}

// A window that gets narrower and wider leaves nothing of the live region in
// the scrollback: by steps that are drawn, and by many that are not.
func TestNarrowedInTmux(t *testing.T) {
	w := newWorld(t, "")
	s := w.tmux(120, 40)
	s.wait(`(?m)^─{24}\n❯`)
	for i, cols := range []int{110, 80, 50, 44, 100, 40, 120} {
		s.resize(cols, 40-i)
		s.wait(`(?m)^─{24}\n❯`)
	}
	for cols := 119; cols > 40; cols -= 3 {
		s.resize(cols, 40)
	}
	s.resize(44, 30)
	s.wait(`(?m)^─{24}\n❯ *\n.*\? keys$`)
	s.leftovers()
}

// So it is while an answer comes, all of which is there in the end, once.
func TestNarrowedWhileStreamingInTmux(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, `Paragraph %d has some words.\n\n`, i)
	}
	w := newWorld(t, "delay 2ms\nsay \""+text.String()+"the end\"\n")
	s := w.tmux(120, 40, "begin")
	for !strings.Contains(s.all(), "Paragraph 3 has") { // until the deadline of the whole test
		time.Sleep(10 * time.Millisecond)
	}
	for i := range 40 {
		s.resize(50+(i*37)%70, 15+i%30)
	}
	s.resize(60, 30)
	s.wait(`the end(?s:.*)(?m:^)─{24} *\n❯(?s:.*)\? keys`)
	s.leftovers()
	all := s.all()
	for i := range 60 {
		if n := strings.Count(all, fmt.Sprintf("Paragraph %d has some words.", i)); n != 1 {
			t.Errorf("paragraph %d is there %d times", i, n)
		}
	}
	if t.Failed() {
		t.Log(all)
	}
}
