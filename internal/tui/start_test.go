//go:build linux || darwin

package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// sessions is where the sessions of the workspace are.
func (w *world) sessions() string {
	w.t.Helper()
	conv, err := app.Open(context.Background(), app.Options{Cwd: filepath.Join(w.root, "work"), Home: w.root, Environ: []string{"ANTHROPIC_API_KEY=key"}, Now: time.Now, NewID: func() string { return "019b7000-0000-7000-8000-000000000000" }})
	if err != nil {
		w.t.Fatal(err)
	}
	defer conv.Close()
	return filepath.Dir(conv.Info().Path)
}

// hasRead is how many bytes the program has read so far, 0 where the system
// does not tell.
func hasRead(s *screentest.Screen) (bytes int) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", s.Process().Pid))
	_, _ = fmt.Sscanf(string(data), "rchar: %d", &bytes)
	return bytes
}

// With 500 sessions, and where nobody can be reached, the prompt is there as
// it is else, and takes keys; the sessions are not read.
func TestStartWithManySessions(t *testing.T) {
	w := newWorld(t, "")
	o := w.options(80, 24)
	for i, pair := range o.Env {
		if strings.HasPrefix(pair, "ANTHROPIC_BASE_URL=") {
			o.Env[i] = "ANTHROPIC_BASE_URL=http://192.0.2.1" // of an address that is nobody's
		}
	}
	start := func() (bytes int) {
		s := screentest.Start(t, o)
		s.WaitText(`/ commands`)
		s.Type("typed")
		s.WaitText(`❯ typed`)
		bytes = hasRead(s)
		s.Press("ctrl+c")
		s.WaitText(`/ commands`)
		s.Press("ctrl+d")
		if code := s.Exit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		return bytes
	}
	before, dir := start(), w.sessions()
	for i := range 500 {
		writeConversation(t, filepath.Join(dir, fmt.Sprintf("019b7000-0000-7000-8000-%012x.jsonl", i)), 80)
	}
	if after := start(); after > before+64<<10 {
		t.Errorf("%d bytes are read, without sessions %d", after, before)
	}
}

// The end of a large session is seen when it is gone on with: it is read once to
// know what is where and once for the request, and only its end is shown.
func TestResumeOfLargeSession(t *testing.T) {
	w := newWorld(t, "")
	path := filepath.Join(w.sessions(), "019b7000-0000-7000-8000-000000000001.jsonl")
	const messages = 8_000
	writeConversation(t, path, messages)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := w.start(80, 24, "-c")
	s.WaitText(fmt.Sprintf(`Turn %d(?s:.*)func f\(\) error(?s:.*)/ commands`, messages/8))
	if n := hasRead(s); n > 2*int(info.Size())+4<<20 {
		t.Errorf("%d bytes are read of a session of %d", n, info.Size())
	}
	if n := len(s.Bytes()); n > 64<<10 {
		t.Errorf("%d bytes are written", n)
	}
	s.Press("ctrl+d")
	s.Exit()
	s.CheckNoErase()
	s.CheckRestored()
}
