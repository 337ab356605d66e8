package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/builtin"
	"github.com/minicode-go/minicode/internal/prompt"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/llm"
)

const (
	newestChars = 2000 // looked at of a task's output
	newestLines = 3    // shown of it
)

// tasks lists what was started in the background, or stops one.
func tasks(_ context.Context, conv *app.Conversation, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 2 && words[0] == "stop":
		task, err := conv.Tasks().Stop(words[1])
		if err != nil {
			return "", err
		}
		return task.ID + ": " + StateOf(task), nil
	case len(words) > 0:
		return "", fmt.Errorf("/tasks takes nothing, or stop ID, not %q", args)
	}
	var b strings.Builder
	for _, t := range conv.Tasks().List() {
		fmt.Fprintf(&b, "%-8s %-9s %s\n", t.ID, StateOf(t), strings.Join(strings.Fields(t.Command), " "))
		newest, err := conv.Tasks().Newest(t.ID, newestChars)
		if err != nil {
			return "", err
		}
		for _, line := range LastLines(newest, newestLines) {
			b.WriteString("  " + line + "\n")
		}
	}
	if b.Len() == 0 {
		return "Nothing was started in the background.", nil
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// StateOf is how a task stands, in words.
func StateOf(t builtin.Task) string {
	if t.Exit != nil && t.Status == builtin.TaskExited {
		return fmt.Sprintf("exit %d", *t.Exit)
	}
	return string(t.Status)
}

// LastLines is the last n lines of a text that are not blank.
func LastLines(text string, n int) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n\t "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}

func todos(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	list := conv.Todos()
	if len(list) == 0 {
		return "The todo list is empty.", nil
	}
	var b strings.Builder
	done := 0
	for _, t := range list {
		box := "[ ]"
		switch t.Status {
		case "in_progress":
			box = "[>]"
		case "completed":
			box = "[x]"
			done++
		}
		b.WriteString("\n" + box + " " + t.Text)
	}
	return fmt.Sprintf("%d of %d done", done, len(list)) + b.String(), nil
}

var errNoGit = errors.New("/diff needs git, which is not installed")

// diff shows what is changed since the last commit. No program that the
// repository names is run.
func diff(ctx context.Context, conv *app.Conversation, _ string) (string, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", errNoGit
	}
	cwd, env := conv.Info().Cwd, conv.CommandEnv()
	git := prompt.GitIn(cwd, append(env[:len(env):len(env)], shell.SafeEnv()...))
	if _, err := git(ctx, "rev-parse", "--git-dir"); err != nil {
		return "", fmt.Errorf("%s is in no git repository", cwd)
	}
	found, _ := git(ctx, shell.GitDrivers()...) // it fails where there are none
	drivers := strings.FieldsFunc(string(found), func(r rune) bool { return r == 0 })
	git = prompt.GitIn(cwd, append(env[:len(env):len(env)], shell.SafeEnv(drivers...)...))
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"}
	if _, err := git(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		args = append(args, "HEAD")
	}
	out, err := git(ctx, append(args, "--", ".")...)
	if err != nil {
		return "", fmt.Errorf("git diff: %w", err)
	}
	untracked, err := git(ctx, "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	text := strings.TrimRight(string(out), "\n")
	if names := strings.Fields(string(untracked)); len(names) > 0 {
		text = strings.TrimPrefix(text+"\n\nnew, and not known to git:\n  "+strings.Join(strings.Split(strings.TrimSpace(string(untracked)), "\n"), "\n  "), "\n\n")
	}
	if text == "" {
		return "Nothing is changed.", nil
	}
	return text, nil
}

// answerLooked is how many records are looked at for the last answer.
const answerLooked = 200

// lastAnswer is the text of the newest answer.
func lastAnswer(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	text := ""
	for r, err := range conv.Tail(answerLooked) {
		if err != nil {
			return "", err
		}
		if m, ok := r.MessageOf(); ok && m.Role == llm.Assistant && m.Kind != llm.Progress && strings.TrimSpace(m.Text()) != "" {
			text = strings.TrimSpace(m.Text())
		}
	}
	if text == "" {
		return "", errors.New("there is no answer yet")
	}
	return text, nil
}
