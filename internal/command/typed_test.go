package command_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/direct"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

func put(t *testing.T, conv *app.Conversation, name, text string) {
	t.Helper()
	path := filepath.Join(conv.Info().Cwd, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestToolsOfThePerson: they show what is there, and leave the conversation as
// it is.
func TestToolsOfThePerson(t *testing.T) {
	conv := open(t)
	put(t, conv, "sub/a.txt", "one\ntwo needle\nthree\n")
	put(t, conv, "b.txt", "a needle\n")
	for line, want := range map[string][]string{
		"/ls":                    {"b.txt", "sub"},
		"/ls sub":                {"a.txt"},
		"/grep needle":           {"two needle", "a needle"},
		"/grep two needle sub":   {"two needle"},
		"/grep needle::b.txt":    {"a needle"},
		"/read sub/a.txt 2-2":    {"two needle"},
		"/cmd cat b.txt | wc -l": {"1"},
		"/cmd exit 4":            {"EXIT: 4"},
	} {
		out := run(t, conv, line)
		for _, part := range want {
			if !strings.Contains(out, part) {
				t.Errorf("%s: %s", line, out)
			}
		}
	}
	if out := run(t, conv, "/grep needle b.txt"); strings.Contains(out, "two") {
		t.Error(out)
	}
	if out := run(t, conv, "/read sub/a.txt 2-2"); strings.Contains(out, "three") {
		t.Error(out)
	}
	if out := run(t, conv, "/cmd echo -n done"); out != "done" {
		t.Errorf("%q", out)
	}
	for _, line := range []string{"/ls nonesuch", "/grep", "/grep [", "/read", "/read nonesuch", "/read b.txt 3-1", "/cmd", "!", "! "} {
		if out, err := command.Run(t.Context(), conv, line, nil); err == nil {
			t.Errorf("%s: %s", line, out.Text)
		}
	}
	if got := conv.Used(); got.Counted != 0 || len(conv.Prompts()) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAloud: the model is told of a command that was run, with the next prompt
// and once; not of one that was refused.
func TestAloud(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."), llmtest.Say("Two."))
	conv := openWith(t, model)
	var signals []string
	out, err := command.Run(t.Context(), conv, "!echo made; exit 2", func(s event.Signal) {
		if o, ok := s.(event.Output); ok {
			signals = append(signals, o.Text)
		}
	})
	if err != nil || out.Text != "EXIT: 2\n\nmade\n" || out.Prompt != "" || !slices.Equal(signals, []string{"made\n"}) {
		t.Errorf("%+v, %v, signals %q", out, err, signals)
	}
	if _, err := command.Run(t.Context(), conv, "!rm -rf "+conv.Info().Cwd, nil); !errors.Is(err, direct.ErrRefused) {
		t.Errorf("%v", err)
	}
	turn(t, conv, "alpha")
	turn(t, conv, "bravo")
	var notes []string
	for _, m := range model.Requests()[1].Messages {
		if m.Kind == llm.Note && strings.HasPrefix(m.Text(), "The user ran") {
			notes = append(notes, m.Text())
		}
	}
	if want := []string{"The user ran a command, outside of the conversation: echo made; exit 2\nEXIT: 2\n\nmade\n"}; !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
}

// TestAloudAndStopped: what a command has done before it was stopped is told.
func TestAloudAndStopped(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."))
	conv := openWith(t, model)
	ctx, cancel := context.WithCancelCause(t.Context())
	by := &app.Interrupt{Signal: "SIGINT", Exit: 130}
	out, err := command.Run(ctx, conv, "!echo begun; sleep 300", func(s event.Signal) {
		if _, ok := s.(event.Output); ok {
			cancel(by)
		}
	})
	if !errors.Is(err, by) || !strings.Contains(out.Text, "begun") {
		t.Errorf("%+v, %v", out, err)
	}
	turn(t, conv, "alpha")
	found := false
	for _, m := range model.Requests()[0].Messages {
		found = found || m.Kind == llm.Note && strings.Contains(m.Text(), "sleep 300") && strings.Contains(m.Text(), "begun")
	}
	if !found {
		t.Error("the model was not told")
	}
}

func TestRewind(t *testing.T) {
	conv := open(t, llmtest.Say("One."), llmtest.Say("Two."), llmtest.Say("Three."))
	if _, err := command.Run(t.Context(), conv, "/rewind", nil); err == nil {
		t.Error("there is nothing to go back to")
	}
	turn(t, conv, "alpha")
	turn(t, conv, "bravo\nin two lines \x1b[2J")
	turn(t, conv, strings.Repeat("charlie ", 40))
	out := run(t, conv, "/rewind")
	if !strings.Contains(out, "  2  ") || !strings.Contains(out, "  bravo in two lines [2J\n") || !strings.Contains(out, "…\n") {
		t.Error(out)
	}
	for _, line := range []string{"/rewind 0", "/rewind 4", "/rewind x"} {
		if _, err := command.Run(t.Context(), conv, line, nil); err == nil || !strings.Contains(err.Error(), "1 to 3") {
			t.Errorf("%s: %v", line, err)
		}
	}
	got, err := command.Run(t.Context(), conv, "/rewind 2", nil)
	if err != nil || got.Draft != "bravo\nin two lines \x1b[2J" || got.Prompt != "" || !strings.Contains(got.Text, "before prompt 2, and 1 later. Files are not changed.") {
		t.Errorf("%+v, %v", got, err)
	}
	if len(conv.Prompts()) != 1 {
		t.Errorf("%v", conv.Prompts())
	}
}

func TestInit(t *testing.T) {
	conv := open(t)
	out, err := command.Run(t.Context(), conv, "/init Mind the docs.", nil)
	if err != nil || !strings.HasPrefix(out.Prompt, "Study this repository") || !strings.HasSuffix(out.Prompt, "The user adds: Mind the docs.") {
		t.Errorf("%+v, %v", out, err)
	}
}

// Without wishes it is written at once, and what is there stays.
func TestInitByItself(t *testing.T) {
	conv := open(t)
	out, err := command.Run(t.Context(), conv, "/init", nil)
	if err != nil || out.Prompt != "" || !strings.Contains(out.Text, "AGENTS.md was written") {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := command.Run(t.Context(), conv, "/init", nil); err != nil || !strings.Contains(out.Text, "AGENTS.md is there already") {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestPermissions(t *testing.T) {
	conv := open(t)
	if out := run(t, conv, "/permissions add deny Bash(git push:*) user"); out != "from now on, in all projects: deny Bash(git push:*)" {
		t.Error(out)
	}
	run(t, conv, "/permissions add allow run_command(make test)")
	run(t, conv, "/permissions add allow run_command(make test) user")
	run(t, conv, "/permissions add ask run_command(make test) project")
	if out := run(t, conv, "/permissions"); strings.Count(out, "run_command(make test)") != 3 || !strings.Contains(out, "deny   Bash(git push:*) ") {
		t.Error(out)
	}
	for line, want := range map[string]string{
		"/permissions add":                                "write /permissions add",
		"/permissions add allow":                          "write /permissions add",
		"/permissions add permit Bash":                    "write /permissions add",
		"/permissions add allow user":                     "names no tool",
		"/permissions add allow Bash(":                    "parenthesis",
		"/permissions remove":                             "write /permissions remove",
		"/permissions remove Bash(ls)":                    "there is no rule",
		"/permissions remove run_command(make test)":      "several rules",
		"/permissions remove deny run_command(make test)": "there is no rule",
		"/permissions list":                               "not \"list\"",
	} {
		if out, err := command.Run(t.Context(), conv, line, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", line, out.Text, err)
		}
	}
	if out := run(t, conv, "/permissions remove allow run_command(make test)"); strings.Count(out, "removed: allow run_command(make test) (") != 2 {
		t.Error(out)
	}
	run(t, conv, "/permissions remove run_command(make test)")
	if out := run(t, conv, "/permissions remove Bash(git push:*)"); !strings.HasPrefix(out, "removed: deny Bash(git push:*) ("+conv.Settings().Dirs.Settings()) {
		t.Error(out)
	}
	if len(conv.Rules()) != 0 {
		t.Errorf("%v", conv.Rules())
	}
}
