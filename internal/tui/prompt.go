package tui

import (
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/internal/compose"
	"github.com/minicode-go/minicode/llm"
)

// prompt is what was typed, on its way to the model or to a command.
type prompt struct {
	text   string
	images []*compose.Image
	draft  compose.Draft // with the placeholders, to be put back
}

// typed is what is in the composer.
func (c *composer) typed() prompt {
	d := c.buf.Draft()
	return prompt{text: strings.TrimRight(d.Text(), " \t\r\n"), images: d.Images(), draft: d}
}

// parts is the images as the model gets them.
func (p prompt) parts() (all []llm.Image) {
	for _, i := range p.images {
		all = append(all, llm.NewImage(i.Media, i.Data))
	}
	return all
}

// kept is what the history keeps: images are not kept, and their placeholders
// would stand for nothing.
func (p prompt) kept() string {
	if len(p.images) == 0 {
		return p.text
	}
	return strings.TrimRight(p.draft.Words(), " \t\r\n")
}

// labels is the placeholders of the images.
func (p prompt) labels() string {
	var labels []string
	for _, i := range p.images {
		labels = append(labels, i.Label)
	}
	return strings.Join(labels, " ")
}

// withheld is why the prompt is not sent as it is; "" when it can be. It is
// found out before anything is sent: an image that a model refuses would stay
// in the conversation, and one in the queue would be lost.
func (m *model) withheld(p prompt) string {
	if len(p.images) == 0 {
		return ""
	}
	switch {
	case isShell(p.text):
		return "the shell takes no images: take " + p.labels() + " out"
	case m.busy():
		return p.labels() + " cannot wait in the queue: the prompt stays here, and Enter sends it when what runs is over"
	case !isCommand(p.text):
		return m.blind(p.labels())
	}
	return ""
}

// blind is what is to be said of images where the model takes none.
func (m *model) blind(labels string) string {
	i := m.conv.Info()
	if i.ModelInfo(i.Model).Images {
		return ""
	}
	return fmt.Sprintf("%s takes no images as far as is known: take %s out, or choose another model with /model. For a model that does, set images to true under models.%q in the settings.",
		i.Model, labels, i.Model)
}

// putBack gives back what could not be sent.
func (m *model) putBack(p prompt) {
	if p.draft.Empty() {
		m.composer.restore(p.text)
		return
	}
	m.composer.buf.Prepend(p.draft)
	m.composer.menu = nil
	m.dirty = true
}

// isShell says whether the text is a command for the shell.
func isShell(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "!") }

// ownHints is what to press when something else than a prompt is written; nil
// for the usual.
func (m *model) ownHints() []string {
	c := &m.composer
	switch {
	case c.reading != nil:
		return []string{"reading the image · Esc gives up", "reading the image"}
	case c.menu != nil || c.search != nil || !isShell(c.buf.Head()):
		return nil
	case m.busy():
		return []string{"Esc interrupts", "Esc stops"}
	}
	return []string{"Enter runs it · Tab completes", "Enter runs it"}
}
