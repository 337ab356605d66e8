//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// tourOn starts the tour in a home of its own, without network or key.
func tourOn(t *testing.T, cols, rows int) *screentest.Screen {
	t.Helper()
	return screentest.Start(t, tourOptions(t, cols, rows))
}

func tourOptions(t *testing.T, cols, rows int) screentest.Options {
	t.Helper()
	t.Parallel()
	home := t.TempDir()
	tmp := filepath.Join(home, "tmp")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	return screentest.Options{
		Command: []string{"minicode", "demo", "--tui"}, Dir: home, Cols: cols, Rows: rows, Within: time.Minute,
		Env: []string{"HOME=" + home, "TMPDIR=" + tmp, "PATH=" + os.Getenv("PATH"), "GOCACHE=" + goEnv("GOCACHE"), "GOFLAGS=-mod=mod", "GORACE=atexit_sleep_ms=0"},
	}
}

// answers presses the key as soon as the open dialog takes answers.
func answers(s *screentest.Screen, key string) {
	answerable(s, key)
	s.Press(key)
}

// answerable waits until the open dialog takes answers: its keys have their
// colour.
func answerable(s *screentest.Screen, key string) {
	s.WaitFor(func(s *screentest.Screen) bool {
		x, y, ok := s.Find("[" + key + "]")
		style := s.StyleAt(x, y)
		return ok && (style == "75" || style == "25")
	})
}

// TestTour goes through the tour, saying yes to everything.
func TestTour(t *testing.T) {
	s := tourOn(t, 100, 30)
	s.WaitText(`How far should I go\?`)
	s.WaitText(`2\. Repair the code, and add a case`)
	s.WaitText(`the number of an option`)
	s.Type("2")
	s.Press("enter")
	s.WaitText(`split\.go`)
	answers(s, "y")
	s.WaitText(`split_test\.go`)
	answers(s, "y")
	s.WaitText(`git push --force`)
	s.WaitText(`The test passes now`)
	s.WaitText(`/ commands`)
	if all := s.StyledAll(); !strings.Contains(all, "⊘") {
		t.Errorf("the screen shows\n%s", all)
	}
	s.Press("ctrl+d")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.CheckRestored()
	s.CheckNoErase()
}

// TestTourRefused refuses the edit.
func TestTourRefused(t *testing.T) {
	s := tourOn(t, 60, 20)
	s.WaitText(`the number of an option`)
	s.Type("1")
	s.Press("enter")
	answers(s, "n")
	s.WaitText(`Nothing is changed`)
	s.WaitText(`/ commands`)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}
