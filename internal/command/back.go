package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
)

const (
	listedPrompts = 20 // the newest ones
	promptChars   = 80 // shown of each
)

// rewind lists what the person said, or takes it back from a number on.
func rewind(_ context.Context, conv *app.Conversation, which string, _ func(event.Signal)) (Result, error) {
	prompts := conv.Prompts()
	if len(prompts) == 0 {
		return Result{}, errors.New("nothing has been said yet, so there is nothing to go back to")
	}
	if which == "" {
		return Result{Text: listPrompts(conv, prompts)}, nil
	}
	n, err := strconv.Atoi(which)
	if err != nil || n < 1 || n > len(prompts) {
		return Result{}, fmt.Errorf("/rewind takes a number from 1 to %d, not %q", len(prompts), which)
	}
	if err := conv.Rewind(prompts[n-1].Record); err != nil {
		return Result{}, err
	}
	text := fmt.Sprintf("Went back to before prompt %d", n)
	if later := len(prompts) - n; later > 0 {
		text += fmt.Sprintf(", and %d later", later)
	}
	return Result{Text: text + ". Files are not changed. What was said stays in the session's file.", Draft: prompts[n-1].Text}, nil
}

func listPrompts(conv *app.Conversation, prompts []app.Prompt) string {
	var b strings.Builder
	from := max(0, len(prompts)-listedPrompts)
	if from > 0 {
		fmt.Fprintf(&b, "(%d older ones)\n", from)
	}
	for i, p := range prompts[from:] {
		text := strings.Join(strings.Fields(p.Text), " ")
		if r := []rune(text); len(r) > promptChars {
			text = string(r[:promptChars-1]) + "…"
		}
		fmt.Fprintf(&b, "%3d  %s  %s\n", from+i+1, p.Time.In(conv.Now().Location()).Format("2006-01-02 15:04"), text)
	}
	b.WriteString("/rewind N goes back to before one of them; files are not changed")
	return b.String()
}

const initPrompt = `Study this repository and write AGENTS.md at its root: what a coding agent must know to work here well.

1. Look first. Read what says how the project is built and checked (build files, scripts, CI configuration, README, contributing notes) and enough of the code to know its parts and its conventions.
2. Instructions may be there already: AGENTS.md, MINI.md, CLAUDE.md, .claude/CLAUDE.md, and the Markdown files in .minicode/rules, .claude/rules and .mini-code/rules, also .cursorrules, .cursor/rules and .github/copilot-instructions.md. Respect them: what they say and what holds stays. If AGENTS.md is there, mend it in place: keep what is right, correct what is not, add what is missing. Do not repeat what another of these files says, and do not change those files.
3. Write, as briefly as it can be said: what the project is, in a sentence or two; the commands to build, test (also a single test), lint and run it; how it is laid out, as far as that is not plain from the names; the conventions that the code keeps to; and what must be minded. Take commands from the files or try them out, and make none up. Leave out what goes without saying.
4. Change nothing else. At the end, say in a few lines what you wrote, and what you could not find out.`
