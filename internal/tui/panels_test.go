//go:build linux || darwin

package tui

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

const background = `
say "I start it, and go on."
call run_command {"command":"echo compiling; echo 'listening on :8080'; sleep 600","background":true}
call todo_write {"items":[{"text":"Start the server","status":"completed"},{"text":"Write the handler","status":"in_progress"},{"text":"Test it","status":"pending"}]}

say "It runs."
`

// TestTasksAndTodos looks at what runs in the background, ends it, and unfolds
// the todo list.
func TestTasksAndTodos(t *testing.T) {
	w := newWorld(t, background)
	s := screentest.Start(t, fullAccess(w.options(80, 24, "begin")))
	s.WaitText(`It runs\.`)
	s.WaitText(`☐ 1 of 3 done · Write the handler`)
	s.Press("alt+t")
	s.WaitText(`(?m)☐ 1 of 3 done$`)
	rest(s)
	s.Press("alt+t")
	s.WaitGone(`(?m)☐ 1 of 3 done$`)
	s.Type("/tasks")
	s.Press("enter")
	s.WaitText(`── Tasks`)
	s.WaitText(`listening on :8080\n`)
	s.Press("enter")
	s.WaitText(`Output of task_1`)
	s.Press("q")
	s.WaitText(`x ends it`)
	s.Press("x")
	s.WaitText(`x again ends task_1`)
	s.Press("down") // anything else forgets it
	s.WaitText(`x ends it`)
	s.Press("x")
	s.WaitText(`x again ends task_1`)
	s.Press("x")
	s.WaitText(`task_1: stopped`)
	s.Press("esc")
	s.WaitText(`It runs`)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// TestSessionsPicker renames a session and deletes another one.
func TestSessionsPicker(t *testing.T) {
	w := newWorld(t, `say The first answer.

say The second answer.

say The third answer.`)
	for _, prompt := range []string{"alpha", "beta"} {
		s := w.start(80, 24, prompt)
		s.WaitText(`answer\.`)
		rest(s)
		s.Press("ctrl+d")
		s.Exit()
	}
	s := w.start(80, 24)
	s.WaitText(`(?m)^❯`)
	s.Type("/resume")
	s.Press("enter")
	s.WaitText(`The second answer`)
	s.Press("down")
	s.WaitText(`The first answer`)
	s.Press("ctrl+r")
	s.WaitText(`new title:`)
	s.Type("the oldest")
	s.Press("enter")
	s.WaitText(`the oldest +1 turn`)
	s.Type("beta")
	s.WaitText(`▸ .*beta`)
	s.Press("ctrl+x")
	s.WaitText(`y deletes`)
	s.Press("n")
	s.WaitText(`Ctrl\+X deletes`)
	s.Press("ctrl+x")
	s.WaitText(`y deletes`)
	s.Press("y")
	s.WaitText(`nothing is like that`)
	s.Press("ctrl+u")
	s.WaitText(`▸ .*the oldest`)
	s.Press("enter")
	s.WaitText(`resumed(?s:.*)The first answer(?s:.*)/ commands`)
	s.Type("go on")
	s.Press("enter")
	s.WaitText(`The third answer`)
	rest(s)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
	if files, _ := filepath.Glob(filepath.Join(w.root, ".local/state/minicode/projects/*/0*.jsonl")); len(files) > 2 {
		t.Errorf("the sessions are %v", files)
	}
}

// TestModelAndTheme picks a model and a theme, and copies an answer.
func TestModelAndTheme(t *testing.T) {
	w := newWorld(t, `say "Copy **me**, 漢字."`)
	if err := os.MkdirAll(filepath.Join(w.root, ".config", "minicode"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := w.start(80, 24, "begin")
	s.WaitText(`Copy me`)
	rest(s)
	s.Type("/copy")
	s.Press("enter")
	s.WaitText(`copied`)
	if !strings.Contains(string(s.Bytes()), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte("Copy **me**, 漢字."))) {
		t.Error("the clipboard did not get the answer")
	}
	s.Type("/model")
	s.Press("enter")
	s.WaitText(`── Models`)
	s.Type("haiku45")
	s.WaitText(`▸ .*claude-haiku-4-5`)
	s.Press("enter")
	s.WaitText(`model: anthropic/claude-haiku-4-5`)
	s.Type("/theme")
	s.Press("enter")
	s.WaitText(`── Themes`)
	s.Type("light")
	s.Press("enter")
	s.WaitText(`theme: light`)
	rest(s)
	data, err := os.ReadFile(filepath.Join(w.root, ".config/minicode/settings.json"))
	if err != nil || !strings.Contains(string(data), `"theme": "light"`) {
		t.Errorf("the settings are %s, %v", data, err)
	}
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}
