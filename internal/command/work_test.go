package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// turn sends a prompt to its end.
func turn(t *testing.T, conv *app.Conversation, prompt string) {
	t.Helper()
	for _, err := range conv.Prompt(t.Context(), prompt) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func answersOf(t *testing.T, script string) []llmtest.Answer {
	t.Helper()
	answers, err := llmtest.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

func TestTasks(t *testing.T) {
	conv := open(t, answersOf(t, `call run_command {"command":"echo one; echo two; sleep 300","background":true}

say Started.
`)...)
	if out := run(t, conv, "/tasks"); out != "Nothing was started in the background." {
		t.Error(out)
	}
	run(t, conv, "/mode full-access")
	turn(t, conv, "begin")
	want := "task_1   running   echo one; echo two; sleep 300\n  one\n  two"
	for late := time.Now().Add(20 * time.Second); run(t, conv, "/tasks") != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("the tasks are\n%s", run(t, conv, "/tasks"))
		}
	}
	if _, err := command.Run(t.Context(), conv, "/tasks stop task_2", nil); err == nil || !strings.Contains(err.Error(), "task_1") {
		t.Error(err)
	}
	if _, err := command.Run(t.Context(), conv, "/tasks end", nil); err == nil {
		t.Error("what is no argument was taken")
	}
	if out := run(t, conv, "/tasks stop task_1"); out != "task_1: stopped" {
		t.Error(out)
	}
	if out := run(t, conv, "/tasks"); !strings.HasPrefix(out, "task_1   stopped ") {
		t.Error(out)
	}
}

func TestTodosAndCopy(t *testing.T) {
	conv := open(t, answersOf(t, `say On it.
call todo_write {"items":[{"text":"read","status":"completed"},{"text":"write","status":"in_progress"},{"text":"test","status":"pending"}]}

say "It is **done**."
`)...)
	if out := run(t, conv, "/todos"); out != "The todo list is empty." {
		t.Error(out)
	}
	if _, err := command.Run(t.Context(), conv, "/copy", nil); err == nil {
		t.Error("copied an answer before there is one")
	}
	turn(t, conv, "begin")
	if out := run(t, conv, "/todos"); out != "1 of 3 done\n[x] read\n[>] write\n[ ] test" {
		t.Error(out)
	}
	if out := run(t, conv, "/copy"); out != "It is **done**." {
		t.Error(out)
	}
}

func TestDiff(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	conv := open(t)
	dir := conv.Info().Cwd
	if _, err := command.Run(t.Context(), conv, "/diff", nil); err == nil || !strings.Contains(err.Error(), "no git repository") {
		t.Error(err)
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("a.txt", "one\n")
	git("add", "a.txt")
	git("commit", "-qm", "first")
	if out := run(t, conv, "/diff"); out != "Nothing is changed." {
		t.Error(out)
	}
	write("a.txt", "two\n")
	write("new name.txt", "x")
	// What the repository would have git run must not be run.
	ran := filepath.Join(t.TempDir(), "ran")
	git("config", "diff.external", "touch "+ran)
	git("config", "diff.x.textconv", "touch "+ran+"; cat")
	write(".gitattributes", "*.txt diff=x\n")
	out := run(t, conv, "/diff")
	if !strings.Contains(out, "-one\n+two") || !strings.Contains(out, "\n  new name.txt") {
		t.Error(out)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's was run")
	}
}

func TestSetup(t *testing.T) {
	conv := open(t)
	for line, want := range map[string]string{
		"/effort":                "effort: default",
		"/memory":                "Instruction files are not used (--bare)",
		"/config terminal.theme": "terminal.theme = ",
		"/theme":                 "theme: auto\nthemes: auto, dark",
		"/cost":                  "input ",
	} {
		if out := run(t, conv, line); !strings.HasPrefix(out, want) {
			t.Errorf("%s: %s", line, out)
		}
	}
	if out := run(t, conv, "/effort high"); out != "effort: high" || conv.Effort() != "high" {
		t.Error(out)
	}
	if out := run(t, conv, "/effort default"); out != "effort: default" || conv.Effort() != "" {
		t.Error(out)
	}
	for _, line := range []string{"/effort utmost", "/config nonesuch", "/theme nonesuch", "/theme ../settings.json"} {
		if out, err := command.Run(t.Context(), conv, line, nil); err == nil {
			t.Errorf("%s: %s", line, out)
		}
	}
	dirs := conv.Settings().Dirs
	if err := os.MkdirAll(dirs.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dirs.In("mine.json"), []byte(`{"base":"light","accent":"1;31"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if theme, err := command.ThemeNamed("mine.json", dirs); err != nil || theme.Accent != "1;31" {
		t.Errorf("%v, %v", theme.Accent, err)
	}
	run(t, conv, "/theme mine.json")
	if data, err := os.ReadFile(dirs.Settings()); err != nil || !strings.Contains(string(data), "mine.json") {
		t.Errorf("%s, %v", data, err)
	}
}
