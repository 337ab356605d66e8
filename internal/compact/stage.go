package compact

import (
	"context"
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Stage is one way of making the view smaller. What it proposes must leave each
// call with its result, and thinking with its calls, and must be the same for
// the same view. It looks at [event.View.Why] where a run by hand or one that
// the provider forced is bound by less. Signals, such as that a model is
// asked, go to tell.
type Stage interface {
	Name() string
	Edits(ctx context.Context, v event.View, tell func(event.Signal)) (Work, error)
}

// Work is what a stage did: the edits it proposes, and what its own calls of a
// model cost.
type Work struct {
	Edits []event.Edit
	Usage llm.Usage
	Model string // "provider/name" that Usage is of; "" when no model was asked
}

// Nothing is why a stage has nothing to do, for a person who asked for it.
type Nothing string

func (n Nothing) Error() string { return string(n) }

// Warning is what the person is told, word for word, of a stage that could do
// nothing.
type Warning string

func (w Warning) Error() string { return string(w) }

// Strike is a failure of a stage by its own doing, such as a summary that is
// empty. It is recorded, and counts.
type Strike string

func (s Strike) Error() string { return string(s) }

// MaxStrikes is after how many strikes in a row a stage is off.
const MaxStrikes = 3

// sizes tells what messages of a view take, in calibrated tokens.
type sizes struct {
	meter *account.Meter
	ratio float64
}

func sizesOf(meter *account.Meter, v event.View) sizes {
	if meter == nil {
		meter = new(account.Meter)
	}
	return sizes{meter, account.Ratio(v.Request.Messages, modelOf(v))}
}

func (s sizes) of(messages ...llm.Message) int {
	return int(float64(s.meter.Estimate(llm.Request{Messages: messages}))*s.ratio + 0.5)
}

// at is what the message at that place takes.
func (s sizes) at(messages []llm.Message, i int) int { return s.of(messages[i : i+1]...) }

// hopeless says why asking a model for less of the older messages is of no use,
// nil where it may be: what stays in any case does not fit, even if a good part
// of it is estimated too high.
func hopeless(size sizes, v event.View) error {
	if v.Why == event.Manual || !v.Used.Known {
		return nil
	}
	stays := llm.Request{System: v.Request.System, Tools: v.Request.Tools}
	for _, m := range slices.Backward(v.Request.Messages) {
		if m.Kind == llm.Prompt {
			stays.Messages = []llm.Message{m}
			break
		}
	}
	if float64(size.meter.Estimate(stays))*size.ratio*0.75 > float64(v.Used.Window) {
		return Nothing("the newest prompt, with the system prompt and the tools, is larger than the window by itself")
	}
	return nil
}

func modelOf(v event.View) string {
	if v.Model == nil {
		return ""
	}
	return v.Model.Info().ID()
}
