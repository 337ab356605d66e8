package compact

import (
	"context"
	"fmt"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// Refuse keeps a request from being sent that the model would refuse. It comes
// last, when nothing helped.
type Refuse struct {
	Above float64 // the share of the effective input from which on it refuses
}

// Name is the stage's name in errors; it is never in the log.
func (Refuse) Name() string { return "refuse" }

// Edits has none to give. Its error wraps [llm.ErrContextTooLong] where the
// window is known and the number rests on what the provider counted: where most
// of it is that, and it would be over the line even if only half of the rest
// were there.
// Otherwise the provider is the one to say that it is too long.
func (r Refuse) Edits(_ context.Context, v event.View, _ func(event.Signal)) (Work, error) {
	sure := v.Used
	sure.Tokens = (v.Used.Tokens + v.Used.Counted) / 2
	switch {
	case v.Why != event.Threshold:
		return Work{}, Nothing("a request is refused only before it is sent")
	case v.Used.Known && 2*v.Used.Counted >= v.Used.Tokens && sure.Share() >= r.Above:
		return Work{}, fmt.Errorf("%w: it takes %d of %d tokens, as the provider counts, and nothing more can be taken out. The biggest parts are %s. %s",
			llm.ErrContextTooLong, v.Used.Tokens, v.Used.Window, biggest(v), waysOut)
	}
	return Work{}, Warning("The request may be too long for the model, which is not certain. It is sent as it is. " + waysOut + ".")
}
