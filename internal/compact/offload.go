package compact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	persistedHead = "<persisted-output>"
	persistedTail = "</persisted-output>"
	previewChars  = 2000
	previewLeast  = 1000 // a preview is cut at its last newline after so many
)

// ResultLimit is how many characters one result may have, for an effective
// input of so many tokens.
func ResultLimit(effectiveInput int) int { return min(50_000, effectiveInput*3/4) }

// BatchLimit is how many characters the results of one answer may have.
func BatchLimit(effectiveInput int) int { return min(200_000, effectiveInput*17/10) }

// Offload moves what is too large into files that the model can read back.
type Offload struct {
	Dir         func() string // <session>.d/results
	ResultLimit func() int    // characters
	BatchLimit  func() int    // characters
}

// Clean replaces one oversized result by a preview and the path of the whole.
// Exactly the limit passes. Where the file cannot be written the preview is all
// that stays.
func (o Offload) Clean(_ context.Context, out tool.Outcome) tool.Outcome {
	text := out.Result.Parts.Text()
	switch {
	case out.Result.Meta.Saved != "":
		o.adopt(&out, text)
	case utf8.RuneCountInString(text) > o.ResultLimit() && !strings.HasPrefix(text, persistedHead):
		r := o.persist(llm.ToolResult{Call: out.Call.ID, Parts: out.Result.Parts, Meta: out.Result.Meta}, text)
		out.Result.Parts, out.Result.Meta = r.Parts, r.Meta
	}
	return out
}

// adopt gives a command's spill file, which holds the whole output already,
// its final name, and frames the preview that came with it.
func (o Offload) adopt(out *tool.Outcome, text string) {
	meta := &out.Result.Meta
	path := o.path(out.Call.ID)
	if meta.Saved != path && os.Rename(meta.Saved, path) == nil {
		meta.Saved = path
	}
	if !strings.HasPrefix(text, persistedHead) {
		out.Result.Parts = withText(out.Result.Parts, frame("Full output saved to: "+meta.Saved, int(meta.Size), text))
	}
}

// Name is the stage's name in the log.
func (o Offload) Name() string { return "offload" }

// Edits replaces the largest results of the newest answer until the batch
// fits; of two as large, the one with the smaller id goes first.
func (o Offload) Edits(_ context.Context, v event.View, _ func(event.Signal)) (Work, error) {
	type entry struct {
		message llm.Message
		result  llm.ToolResult
		text    string
		chars   int
	}
	var batch []entry
	total := 0
	for _, m := range slices.Backward(v.Request.Messages) {
		r, ok := m.Result()
		if !ok {
			if m.Role == llm.Assistant {
				break
			}
			continue
		}
		text := r.Parts.Text()
		chars := utf8.RuneCountInString(text)
		total += chars
		if !strings.HasPrefix(text, persistedHead) {
			batch = append(batch, entry{m, r, text, chars})
		}
	}
	slices.SortFunc(batch, func(a, b entry) int {
		if a.chars != b.chars {
			return b.chars - a.chars
		}
		return strings.Compare(a.result.Call, b.result.Call)
	})
	var edits []event.Edit
	for _, e := range batch {
		if total <= o.BatchLimit() {
			break
		}
		short := o.persist(e.result, e.text)
		saved := e.chars - utf8.RuneCountInString(short.Parts.Text())
		if saved <= 0 {
			break
		}
		total -= saved
		edits = append(edits, event.Edit{From: e.message.ID, To: e.message.ID, With: []llm.Message{
			{Role: e.message.Role, Kind: e.message.Kind, Parts: llm.Parts{short}},
		}})
	}
	return Work{Edits: edits}, nil
}

// persist writes the text of a result to its file and gives the result that
// stands for it. Without a file it is said that there is none.
func (o Offload) persist(r llm.ToolResult, text string) llm.ToolResult {
	where := "It is not kept, because no file could be written: ask for less at a time."
	if path, err := o.write(r.Call, text); err == nil {
		where = "Full output saved to: " + path
		r.Meta.Saved = path
	}
	r.Meta.Size = int64(len(text))
	r.Parts = withText(r.Parts, frame(where, utf8.RuneCountInString(text), preview(text, r.Meta.Exit != nil)))
	return r
}

// path is where the result of the call is kept.
func (o Offload) path(call string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, call)
	if strings.Trim(safe, ".") == "" {
		safe = "_" + safe
	}
	return filepath.Join(o.Dir(), safe+".txt")
}

func (o Offload) write(call, text string) (string, error) {
	if o.Dir() == "" {
		return "", errors.New("the session keeps no files")
	}
	path := o.path(call)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	err := os.WriteFile(path, []byte(text), 0o600)
	if err != nil {
		_ = os.Remove(path) // a torn file is worse than none
	}
	return path, err
}

// frame is what the model reads in the place of an oversized result.
func frame(where string, chars int, preview string) string {
	return fmt.Sprintf("%s\nOutput too large (%s). %s\n\nPreview (first 2K chars):\n%s\n...\n%s",
		persistedHead, size(chars), where, preview, persistedTail)
}

func size(chars int) string {
	switch {
	case chars >= 1_000_000:
		return fmt.Sprintf("%.1fM chars", float64(chars)/1e6)
	case chars >= 1000:
		return fmt.Sprintf("%dK chars", (chars+500)/1000)
	}
	return fmt.Sprintf("%d chars", chars)
}

// preview is the head of the text and, for a command, its tail as well: there
// the end says how it went.
func preview(text string, command bool) string {
	head := firstChars(text, previewChars)
	if cut := strings.LastIndexByte(head, '\n'); cut >= 0 && utf8.RuneCountInString(head[:cut]) > previewLeast {
		head = head[:cut]
	}
	if !command {
		return head
	}
	return head + "\n...\n" + lastChars(text, previewChars)
}

func firstChars(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func lastChars(text string, n int) string {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:]
}

// withText puts the text in the place of all text parts; images stay.
func withText(parts llm.Parts, text string) llm.Parts {
	out := llm.Parts{llm.Text{Text: text}}
	for _, p := range parts {
		if _, ok := p.(llm.Text); !ok {
			out = append(out, p)
		}
	}
	return out
}
