package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

type writeFileIn struct {
	Path    string `json:"path"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func writeFile(w *Workspace) tool.Tool {
	return tool.New(spec("write_file", "modify_file"), func(_ context.Context, in writeFileIn) (tool.Action, error) {
		return w.overwrite(in)
	})
}

func (w *Workspace) overwrite(in writeFileIn) (tool.Action, error) {
	path := w.existing(in.Path, composed)
	t, err := w.target(path)
	if err != nil {
		return tool.Action{}, err
	}
	verb := "Create"
	if t.old.exists() {
		verb = "Write"
		if err := w.known(t); err != nil {
			return tool.Action{}, err
		}
		if err := mayReplace(t.real, t.old.info); err != nil {
			return tool.Action{}, err
		}
	}
	made, err := rewritten(t.old, in.Content)
	if err != nil {
		return tool.Action{}, fmt.Errorf("%s: %w", w.show(path), err)
	}
	changed := func(content) (outcome, error) {
		return outcome{}, fmt.Errorf("%s changed since the write was prepared: nothing was written, read it again", w.show(path))
	}
	if t.old.exists() && string(made.data) == string(t.old.raw) {
		return w.unchanged(t), nil
	}
	action := w.action(verb+" "+w.show(path), t, made, changed, func(o outcome) string {
		added, removed := o.diff.counts()
		if !t.old.exists() {
			return fmt.Sprintf("Created %s (%d lines).", w.show(path), added)
		}
		return fmt.Sprintf("Wrote %s (+%d -%d).", w.show(path), added, removed)
	})
	return t.reviewed(action, made, in.insteadOf), nil
}

// known is an error unless the model has seen the file as it is.
func (w *Workspace) known(t target) error {
	stamp, ok := w.stamps()[t.real]
	if !ok {
		return fmt.Errorf("%s exists, and was not read in this session: read it with read_file first, or change parts of it with edit_file", w.show(t.path))
	}
	if stamp.SHA256 != t.old.sum() {
		return fmt.Errorf("%s changed since it was read: read it again", w.show(t.path))
	}
	return nil
}

// rewritten is the content as the file is written: with its byte order mark,
// its encoding, and CRLF where every line ended so.
func rewritten(old content, text string) (outcome, error) {
	doc, err := readDocument(old.raw)
	if err != nil {
		doc = document{} // an image, say: what is written is plain text
	}
	if doc.enc.bom != "" {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	if lines := strings.Count(doc.text, "\n"); lines > 0 && lines == strings.Count(doc.text, "\r\n") && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	data, err := doc.enc.encode(text)
	if err != nil {
		return outcome{}, err
	}
	return outcome{
		data: append([]byte(doc.enc.bom), data...), diff: diffTexts(doc.text, text),
		text: doc.text, edits: []edit{{0, len(doc.text), text}},
	}, nil
}

// unchanged is the call that finds the file to be as it is to be.
func (w *Workspace) unchanged(t target) tool.Action {
	return tool.Action{
		Title:   "Write " + w.show(t.path),
		Effects: []event.Effect{{Kind: event.Read, Target: t.path}},
		Run: func(context.Context, tool.Emit) (tool.Result, error) {
			now, err := load(t.real)
			if err != nil {
				return tool.Result{}, err
			}
			if !now.exists() || now.sum() != t.old.sum() {
				return tool.Result{}, fmt.Errorf("%s changed since the write was prepared: read it again", w.show(t.path))
			}
			return tool.TextResult("No changes needed for " + w.show(t.path) + "."), nil
		},
	}
}
