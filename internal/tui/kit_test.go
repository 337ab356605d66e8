//go:build linux || darwin

package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/builtin"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/tui/screentest"
	"github.com/minicode-go/minicode/llm/llmtest"
)

var _ = flag.Bool("update", false, "write the golden files anew")

// TestMain is the program itself when a test starts it.
func TestMain(m *testing.M) {
	if os.Getenv("TUI_PROGRAM") == "" {
		os.Exit(m.Run())
	}
	os.Exit(program(os.Args[1:]))
}

// program is what cmd/minicode does, with a key that makes a fault.
func program(args []string) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	cwd, _ := os.Getwd()
	o := app.Options{
		Cwd: cwd, Home: os.Getenv("HOME"), Environ: os.Environ(), Now: time.Now,
		NewID: func() string {
			if _, err := os.Stat("fault"); err == nil {
				panic("as wanted")
			}
			return uuid.Must(uuid.NewV7()).String()
		},
	}
	if os.Getenv("CLOCK") == "stopped" {
		now := time.Now()
		o.Now = func() time.Time { return now }
	}
	if i := slices.Index(args, "-c"); i >= 0 {
		o.Continue, args = true, slices.Delete(args, i, i+1)
	}
	if mode := os.Getenv("MODE"); mode != "" {
		o.Flags = append(o.Flags, config.Flag{Name: "permission-mode", Key: "mode", Value: mode})
	}
	t := New(Options{In: os.Stdin, Out: os.Stdout, Environ: os.Environ(), Signals: signals, Walk: builtin.Walk, Theme: os.Getenv("THEME")})
	o.Asker = t
	if os.Getenv("FAULT") == "asker" {
		o.Asker = faulty{}
	}
	conv, err := app.Open(context.Background(), o)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	term := &terminal{in: os.Stdin, out: os.Stdout}
	if err := term.raw(); err != nil {
		fmt.Println(err)
		return 2
	}
	m := newModel(context.Background(), t.o, conv, term)
	m.first = strings.Join(args, " ")
	if os.Getenv("TMUX") == "" { // screentest does answer, however slow the machine is
		m.answerTime = time.Minute
	}
	m.keys["f12"] = func(*model) tea.Cmd { panic("as wanted") }
	m.keys["f11"] = func(*model) tea.Cmd { return func() tea.Msg { panic("as wanted") } }
	m.keys["f10"] = func(*model) tea.Cmd {
		return tea.Batch(func() tea.Msg { panic("as wanted") }, func() tea.Msg { return nil })
	}
	m.keys["f9"] = func(m *model) tea.Cmd { m.whole = faulty{}; return nil }
	return t.drive(m)
}

// faulty is an overlay that cannot be drawn, and one who cannot be asked.
type faulty struct{}

func (faulty) Ask(context.Context, event.Question) (event.Answer, error) { panic("as wanted") }

func (faulty) Key(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

func (faulty) Render(int, int) ([]string, int, int) { panic("as wanted") }

// world is a home and a workspace for several runs with one scripted server.
type world struct {
	t      *testing.T
	root   string
	server *llmtest.Server
}

// newWorld serves the script, in the format of llmtest.ParseScript, to a test
// that runs beside others.
func newWorld(t *testing.T, script string) *world {
	t.Helper()
	t.Parallel()
	return serve(t, script)
}

// serve makes a world.
func serve(t *testing.T, script string) *world {
	t.Helper()
	answers, err := llmtest.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, server: llmtest.NewServer(llmtest.New(nil, answers...))}
	// The path is as long in every run, so that lines break at the same place.
	for n := os.Getpid(); w.root == ""; n += 7919 {
		root := filepath.Join("/tmp", fmt.Sprintf("tui%06d", n%1_000_000))
		if os.Mkdir(root, 0o755) == nil {
			w.root = root
		}
	}
	for _, dir := range []string{w.root, filepath.Join(w.root, "work"), filepath.Join(w.root, "work", ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		w.server.Close()
		if err := w.server.Verify(); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(w.root)
	})
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.root, "work", name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) has(name string) bool {
	_, err := os.Stat(filepath.Join(w.root, "work", name))
	return err == nil
}

// facts is the text of the newest session file.
func (w *world) facts() string {
	files, _ := filepath.Glob(filepath.Join(w.root, ".local/state/minicode/projects/*/0*.jsonl"))
	if len(files) == 0 {
		w.t.Fatal("there is no session file")
	}
	data, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// options starts the program on a terminal of so many columns and rows.
func (w *world) options(cols, rows int, args ...string) screentest.Options {
	return screentest.Options{
		Command: append([]string{os.Args[0]}, args...), Dir: filepath.Join(w.root, "work"), Cols: cols, Rows: rows,
		Env: []string{
			"TUI_PROGRAM=1", "HOME=" + w.root, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GORACE=atexit_sleep_ms=0",
			"ANTHROPIC_BASE_URL=" + w.server.BaseURL(llmtest.Anthropic), "ANTHROPIC_API_KEY=key-for-tests", "MINICODE_MODEL=anthropic/claude-sonnet-4-5",
		},
	}
}

func (w *world) start(cols, rows int, args ...string) *screentest.Screen {
	w.t.Helper()
	return screentest.Start(w.t, w.options(cols, rows, args...))
}

// asked waits until the server has had so many requests: the screen says that
// it waits for the model a moment before the request goes out.
func (w *world) asked(s *screentest.Screen, requests int) {
	w.t.Helper()
	s.WaitFor(func(*screentest.Screen) bool { return w.server.Script.Asked() >= requests })
}

// same replaces what differs from run to run, and what the request costs: all
// that is said to the model counts for that.
func (w *world) same(text string) string {
	text = regexp.MustCompile(`\$0\.\d{4}`).ReplaceAllString(text, "$$0.0100")
	text = regexp.MustCompile(`ctx \d%`).ReplaceAllString(text, "ctx 2%")
	return strings.ReplaceAll(text, w.root, "/tmp/tui000000")
}

// rest waits until nothing runs and nothing changes.
func rest(s *screentest.Screen) {
	s.WaitIdle(150*time.Millisecond, func(s *screentest.Screen) bool { return !strings.Contains(s.Text(), "Esc interrupts") })
}

// answerable says whether the open dialog takes answers: its keys have their
// colour.
func answerable(s *screentest.Screen) bool {
	x, y, ok := s.Find("[y]")
	style := s.StyleAt(x, y)
	return ok && (style == "75" || style == "25") // the accents of the dark and the light theme
}
