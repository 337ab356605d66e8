package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
)

func showContext(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	return conv.Context().String(), nil
}

func summarize(ctx context.Context, conv *app.Conversation, focus string) (string, error) {
	room, err := makeRoom(ctx, conv, "summarize", focus)
	if err != nil {
		return nothing(err, "Nothing was compressed")
	}
	saved := room.Before - room.After
	if summaries(room) == 0 { // there were but a few answers, with large results
		return fmt.Sprintf("Nothing to summarize yet: %d large result(s) moved to files. %d%% reduction (%d tokens saved).", len(room.Edits), percent(saved, room.Before), saved), nil
	}
	return fmt.Sprintf("Context compressed: %d messages summarized. %d%% reduction (%d tokens saved).", replaced(conv), percent(saved, room.Before), saved), nil
}

func snip(ctx context.Context, conv *app.Conversation, _ string) (string, error) {
	room, err := makeRoom(ctx, conv, "snip", "")
	if err != nil {
		return nothing(err, "Nothing safe to snip")
	}
	return fmt.Sprintf("Snipped earlier context: removed %d messages, freed ~%d tokens.", replaced(conv), room.Before-room.After), nil
}

func collapse(ctx context.Context, conv *app.Conversation, _ string) (string, error) {
	room, err := makeRoom(ctx, conv, "collapse", "")
	if err != nil {
		return nothing(err, "Nothing safe to collapse")
	}
	return fmt.Sprintf("Context collapse projected %d span(s) into model-visible summaries, freed ~%d tokens. Original transcript is preserved.", summaries(room), room.Before-room.After), nil
}

// summaries is how many a stage put in.
func summaries(room event.Edited) (n int) {
	for _, e := range room.Edits {
		for _, m := range e.With {
			if m.Kind == llm.Summary {
				n++
			}
		}
	}
	return n
}

func percent(part, whole int) int {
	if whole <= 0 {
		return 0
	}
	return (100*part + whole/2) / whole
}

// makeRoom runs a stage by hand. A failure of its own is an error here: the
// person asked for it.
func makeRoom(ctx context.Context, conv *app.Conversation, stage, focus string) (event.Edited, error) {
	room, err := conv.MakeRoom(ctx, stage, focus)
	if err == nil && room.Error != "" {
		err = fmt.Errorf("the conversation was not made smaller: %s. It is as it was", room.Error)
	}
	return room, err
}

// replaced is how many messages the newest edit took out.
func replaced(conv *app.Conversation) int {
	edits := conv.Edits()
	return edits[len(edits)-1].Messages
}

// nothing says that there was nothing to do and why, if that is the error.
func nothing(err error, lead string) (string, error) {
	if why := compact.Nothing(""); errors.As(err, &why) {
		return lead + ": " + string(why) + ".", nil
	}
	return "", err
}

// listedEdits is how many of the newest edits are listed.
const listedEdits = 10

func expand(_ context.Context, conv *app.Conversation, which string) (string, error) {
	edits := conv.Edits()
	if len(edits) == 0 {
		return "Nothing was taken out of the model's view.", nil
	}
	at := len(edits)
	if which != "" {
		n, err := strconv.Atoi(which)
		if err != nil || n < 1 || n > len(edits) {
			return "", fmt.Errorf("/expand takes a number from 1 to %d, not %q", len(edits), which)
		}
		at = n
	}
	var b strings.Builder
	shown := 0 // how many of the list
	if which == "" {
		shown = min(len(edits), listedEdits)
	}
	if shown > 0 && shown < len(edits) {
		fmt.Fprintf(&b, "(%d older ones)\n", len(edits)-shown)
	}
	for i, e := range edits {
		if i < len(edits)-shown {
			continue
		}
		fmt.Fprintf(&b, "%3d  %-9s  turn %d, %d messages, %d to %d tokens\n", i+1, e.Stage, e.Turn, e.Messages, e.Before, e.After)
	}
	messages, err := conv.Replaced(edits[at-1].ID)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\nWhat was there before %d of %d (%s); /expand N shows another:\n", at, len(edits), edits[at-1].Stage)
	for _, m := range messages {
		b.WriteString("\n" + render(m))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// render is a message as plain text.
func render(m llm.Message) string {
	var b strings.Builder
	who := string(m.Kind)
	if r, ok := m.Result(); ok {
		who = "result of " + r.Name
		if r.Error {
			who += " (error)"
		}
		m.Parts = r.Parts
	}
	fmt.Fprintf(&b, "[%s]\n", who)
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			b.WriteString(strings.TrimRight(p.Text, "\n") + "\n")
		case llm.ToolCall:
			fmt.Fprintf(&b, "%s %s\n", p.Name, p.Args)
		case llm.Image:
			b.WriteString("(image)\n")
		}
	}
	return b.String()
}

func export(_ context.Context, conv *app.Conversation, file string) (string, error) {
	if file == "" {
		file = "minicode-" + conv.Info().Session[:8] + ".md"
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(conv.Info().Cwd, path)
	}
	format := FormatOf(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("%s is there already; name another file", file)
	}
	if err != nil {
		return "", err
	}
	if err := errors.Join(conv.Export(f, format), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return "The conversation is in " + path + " (" + format + ").", nil
}

// FormatOf is the format of an export to a file of that name.
func FormatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return "json"
	case ".html", ".htm":
		return "html"
	}
	return "markdown"
}
