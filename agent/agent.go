package agent

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Log is the history of one conversation.
//
// Append writes the fact and returns it in its envelope, as written; a
// message without an id gets one, and so does a message inside an edit. It
// fails only when the log can take nothing at all. Messages is the facts,
// folded into what the model sees. Calls are made from one goroutine.
type Log interface {
	Append(event.Fact) (event.Record, error)
	Messages() []llm.Message
	UsedCallIDs() func(id string) bool // whether a call of that id is in the file already, all branches counted
}

// Gate decides whether an action may run. It may ask a person, and emits
// Waiting before it does. The returned fact is recorded by the loop. An error
// is given only when ctx ended.
type Gate interface {
	Check(ctx context.Context, call llm.ToolCall, action tool.Action, advice tool.Advice, emit tool.Emit) (event.Decided, error)
}

// Compactor makes the model's view smaller.
//
// Compact yields signals and [event.Edited] facts; each fact is recorded
// before it goes on, so that view can be taken again. An error ends the turn,
// with reason context when it wraps [llm.ErrContextTooLong]. TooLong is such
// an error, for a view that the provider does not take: it names for the
// person what is biggest, and the ways out.
type Compactor interface {
	Compact(ctx context.Context, view func() event.View, why event.Why) iter.Seq2[event.Event, error]
	TooLong(event.View) error
}

// Cleaner makes a result fit before it is recorded.
type Cleaner interface {
	Clean(context.Context, tool.Outcome) tool.Outcome
}

// Hooks are the person's own programs, run around tools and turns.
type Hooks interface {
	Before(context.Context, llm.ToolCall) (tool.Advice, error)
	After(context.Context, llm.ToolCall, tool.Result) (tool.Result, error)
	Stop(context.Context, llm.Message) (note string, err error) // a note keeps the turn going
}

// Agent is a configured loop. Model, Tools, Log and Gate are required; a nil
// Gate panics at the first call rather than meaning yes.
type Agent struct {
	Model   llm.Model
	System  func() string
	Tools   func() []tool.Tool // taken once a turn, in a stable order
	Log     Log
	Gate    Gate
	Meter   *account.Meter // nil: one of its own for each turn
	Compact Compactor      // nil never compacts
	Clean   Cleaner        // nil leaves results as they are
	Hooks   Hooks          // nil runs none

	// Steer gives what goes in next: notes, then what the person typed
	// meanwhile. When the turn is about to end it must give nothing unless
	// something of the person's waits.
	Steer func(ending bool) []llm.Message

	// Budget is looked at before each request; it names what is used up, or
	// is "" to go on.
	Budget func(spent llm.Usage) string

	// Deadline is when waiting for the model stops and the turn ends with
	// reason budget; zero means never. A batch of calls is never cut by it.
	Deadline time.Time

	MaxSteps int    // 0 means DefaultSteps
	Effort   string // how hard to think, where the model can
	Retry    Retry  // zero values mean the defaults
}

// ErrByPerson is the cause of a context that the person cancelled; results of
// calls that it left open say so.
var ErrByPerson = errors.New("interrupted by the user")

// DefaultSteps is how many requests a turn may make.
const DefaultSteps = 200

// Turn says the prompt, after any notes given before it, and runs until
// control goes back to the person. It yields facts, each recorded before, and
// signals; the last fact is [event.Ended]. An error is yielded last, and only
// when nothing could be recorded any more. Cancelling ctx interrupts the turn,
// which still ends in Ended; [context.Cause] tells who did it: [ErrByPerson]
// or anything else. Breaking off the range interrupts the turn too. One turn
// at a time.
func (a *Agent) Turn(ctx context.Context, prompt ...llm.Message) iter.Seq2[event.Record, error] {
	if a.Gate == nil {
		panic("agent: Turn without a Gate")
	}
	return func(yield func(event.Record, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		t := newTurn(a, cancel, yield)
		t.drive(ctx, prompt)
	}
}
