package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	cutCallText  = "Not run: the response was cut off at the output limit. Send the call again, in smaller pieces."
	malformed    = "Not run: the arguments are not a JSON object: "
	notBegun     = "before it ran: nothing was done."
	halfDone     = "while it ran: it may be done in part. Look before you repeat it."
	byTheProgram = "Interrupted "
	byThePerson  = "Interrupted by the user "
)

// leftOpen is the result of a call that was interrupted.
func leftOpen(ctx context.Context, permitted bool) string {
	who, what := byTheProgram, notBegun
	if errors.Is(context.Cause(ctx), ErrByPerson) {
		who = byThePerson
	}
	if permitted {
		what = halfDone
	}
	return who + what
}

// cleanup makes one result fit and records it.
func (t *turn) cleanup(ctx context.Context, c *call) error {
	result := c.result
	if isBlank(result.Parts) {
		result.Parts = llm.Parts{llm.Text{Text: "(" + c.Name + " completed with no output)"}}
	}
	if result.Error {
		t.failed++
	}
	outcome := tool.Outcome{Call: c.ToolCall, Result: result}
	if t.Clean != nil {
		// A result is kept whatever happens: the work is done.
		outcome = t.Clean.Clean(context.WithoutCancel(ctx), outcome)
	}
	if err := t.say(outcome.Message()); err != nil {
		return err
	}
	t.emit(event.Finished{Call: c.ID, Error: result.Error})
	return nil
}

func isBlank(parts llm.Parts) bool {
	for _, p := range parts {
		if text, ok := p.(llm.Text); !ok || strings.TrimSpace(text.Text) != "" {
			return false
		}
	}
	return true
}
