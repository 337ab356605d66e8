package app

import "github.com/minicode-go/minicode/internal/question"

// Pending is the question that waits for the next prompt, if one does.
func (c *Conversation) Pending() (question.Pending, bool) {
	return question.Of(c.currentLog().Messages())
}

// Reply turns what the person typed into the next prompt. The approval of a
// plan changes the mode.
func (c *Conversation) Reply(typed string) (string, error) {
	p, _ := c.Pending()
	text, mode, err := p.Answer(typed)
	if err != nil || mode == "" {
		return text, err
	}
	return text, c.SetMode(mode)
}
