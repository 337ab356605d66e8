package command_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// open opens a new conversation whose model gives these answers.
func open(t *testing.T, answers ...llmtest.Answer) *app.Conversation {
	t.Helper()
	return openWith(t, llmtest.New(t, answers...))
}

func openWith(t *testing.T, model *llmtest.Script) *app.Conversation {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	conv, err := app.Open(t.Context(), app.Options{
		Cwd: project, Home: home, Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, Now: time.Now, Bare: true,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Model: model,
		Flags: []config.Flag{{Name: "test", Key: "context.tailTokens", Value: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conv.Close(); err != nil {
			t.Error(err)
		}
	})
	return conv
}

func run(t *testing.T, conv *app.Conversation, line string) string {
	t.Helper()
	out, err := command.Run(t.Context(), conv, line, nil)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return out.Text
}

func TestNoCommand(t *testing.T) {
	conv := open(t)
	for line, want := range map[string]string{
		"/statu":        "/statu: there is no such command; did you mean /status? /help lists them",
		"/STATUS":       "/STATUS: there is no such command; did you mean /status? /help lists them",
		" /quti now ":   "/quti: there is no such command; did you mean /quit? /help lists them",
		"/nonsense x y": "/nonsense: there is no such command; /help lists them",
		"/":             "/: there is no such command; /help lists them",
	} {
		_, err := command.Run(t.Context(), conv, line, nil)
		if !errors.Is(err, command.ErrNoCommand) || err.Error() != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestExit(t *testing.T) {
	for _, line := range []string{"/exit", "/quit", " /exit  now"} {
		if _, err := command.Run(t.Context(), nil, line, nil); !errors.Is(err, command.ErrExit) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestAll checks that no name stands for two commands, and that the help has
// them all.
func TestAll(t *testing.T) {
	help := run(t, open(t), "/help")
	seen := map[string]bool{"": true}
	for _, c := range command.All() {
		if seen[c.Name] || c.Alias != "" && seen[c.Alias] || c.Name == c.Alias {
			t.Errorf("/%s or /%s stands for two commands", c.Name, c.Alias)
		}
		seen[c.Name], seen[c.Alias] = true, true
		if !strings.Contains("\n"+help, "\n/"+c.Name+" ") || c.Help == "" {
			t.Errorf("the help says nothing of /%s", c.Name)
		}
	}
}

func TestGoingToAnotherSession(t *testing.T) {
	conv := open(t, llmtest.Say("One."))
	first := conv.Info().Session
	if _, err := command.Run(t.Context(), conv, "/fork", nil); err == nil || conv.Info().Session != first {
		t.Fatalf("forked before anything was said: %v", err)
	}
	for r, err := range conv.Prompt(t.Context(), "alpha") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Event.(event.Ended); !ok {
			continue
		}
		// The turn is not over before its last event was taken.
		for _, line := range []string{"/new", "/fork"} {
			if _, err := command.Run(t.Context(), conv, line, nil); !errors.Is(err, app.ErrBusy) {
				t.Errorf("%s while a turn runs: %v", line, err)
			}
		}
	}
	run(t, conv, "/rename the first")
	if out := run(t, conv, "/resume the first"); out != "this is that session already" {
		t.Error(out)
	}
	out := run(t, conv, "/fork")
	second := conv.Info().Session
	if second == first || !strings.HasPrefix(out, "forked "+first+" as "+second) {
		t.Error(out)
	}
	out = run(t, conv, "/new")
	third := conv.Info().Session
	if third == first || third == second || out != "new session "+third {
		t.Error(out)
	}
	if out := run(t, conv, "/resume "+first); out != "resumed "+first+" the first" || conv.Info().Session != first {
		t.Error(out)
	}
	if _, err := command.Run(t.Context(), conv, "/resume nonesuch", nil); err == nil || conv.Info().Session != first {
		t.Errorf("resumed what is not there: %v", err)
	}
	if out := run(t, conv, "/resume"); !strings.Contains(out, first) || !strings.Contains(out, second) {
		t.Error(out)
	}
}

func TestWhatIsInForce(t *testing.T) {
	conv := open(t)
	if out := run(t, conv, "/permissions"); out != "mode default in "+conv.Info().Root+"\nno rules are set" {
		t.Error(out)
	}
	if out := run(t, conv, "/mode plan"); out != "mode: plan" {
		t.Error(out)
	}
	if out := run(t, conv, "/tools"); !strings.Contains("\n"+out, "\nread_file ") {
		t.Error(out)
	}
	if out := run(t, conv, "/status"); !strings.Contains(out, conv.Info().Session) || !strings.Contains(out, "plan") {
		t.Error(out)
	}
}

// TestHarmless: no command writes what a terminal would act on, whatever was
// said by the model, by a tool and by the person.
func TestHarmless(t *testing.T) {
	const evil = "\x1b]0;pwn\x07\x1b[2J\u009b31m\rover\u202egnp\b"
	answers := []llmtest.Answer{llmtest.Say("First " + evil)}
	for range 6 {
		answers = append(answers, llmtest.Say(strings.Repeat("and so on ", 100)))
	}
	conv := open(t, append(answers, llmtest.Say("<summary>the story "+evil+"</summary>"))...)
	for i := range answers {
		for _, err := range conv.Prompt(t.Context(), fmt.Sprint("alpha ", i, evil)) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	run(t, conv, "/compact")
	if err := conv.SetTitle("title " + evil); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"/expand", "First ]0;pwn[2J31movergnp\n"},
		{"/expand 1", "alpha 0]0;pwn"},
		{"/status", "title ]0;pwn[2J31m overgnp\n"},
		{"/resume", "title ]0;pwn"},
		{"/rename again " + evil, "renamed to again ]0;pwn"},
		{"/fork", "(again ]0;pwn"},
	} {
		line, want := c[0], c[1]
		out := run(t, conv, line)
		if !strings.Contains(out+"\n", want) {
			t.Errorf("%s: %q is not in %q", line, want, out)
		}
		if at := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Errorf("%s: %q at %d of %q", line, out[at], at, out)
		}
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"/help": true, " /mode plan": true, "/nonsense x": true, "/": false, "/etc/hosts is empty": false, "//x": false, "/a.txt": false, "help": false, "": false,
		"/help\nme": false, "!ls": true, " ! ls -l": true, "a!": false,
	} {
		if got := command.Is(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
