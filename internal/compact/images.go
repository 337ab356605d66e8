package compact

import (
	"context"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// Images leaves the pictures out, for a provider that refused the request: one
// that cannot be read, or too many, would be refused in every later request as
// well. Whatever was said beside them stays.
type Images struct{}

// imageGone is what stands in the place of a picture.
const imageGone = "(an image was left out here: the provider did not take the request with it)"

// Name is the stage's name in the log.
func (Images) Name() string { return "images" }

// Edits replaces each message that holds a picture.
func (Images) Edits(_ context.Context, v event.View, _ func(event.Signal)) (Work, error) {
	var edits []event.Edit
	for _, m := range v.Request.Messages {
		parts, found := withoutImages(m.Parts, imageGone)
		if !found {
			continue
		}
		edit := event.Edit{From: m.ID, To: m.ID}
		m.ID, m.Parts = "", parts
		edit.With = []llm.Message{m}
		edits = append(edits, edit)
	}
	return Work{Edits: edits}, nil
}

func withoutImages(parts llm.Parts, gone string) (out llm.Parts, found bool) {
	for _, p := range parts {
		switch q := p.(type) {
		case llm.Image:
			p, found = llm.Text{Text: gone}, true
		case llm.ToolResult:
			inner, has := withoutImages(q.Parts, gone)
			q.Parts, found = inner, found || has
			p = q
		}
		out = append(out, p)
	}
	return out, found
}
