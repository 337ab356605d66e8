package tool

import (
	"context"
	"encoding/json"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// Tool is one thing that an agent can do.
//
// Prepare validates the arguments, resolves what they name and computes what
// would be done. It must have no effects. Its error is read by the model: it
// says what is wrong and what would succeed. Prepare must be safe for
// concurrent use.
type Tool interface {
	Spec() llm.ToolSpec
	Prepare(ctx context.Context, args json.RawMessage) (Action, error)
}

// Action is one call, checked and ready, that has touched nothing yet.
type Action struct {
	Title   string         // such as "Edit internal/foo.go"
	Effects []event.Effect // everything that Run may do; none means that it only computes
	Preview event.Preview  // what the person is shown before deciding

	// Proposal is the change of a file's text that this is, nil for anything
	// else; Instead then gives the arguments that make another text of it.
	Proposal *event.Proposal
	Instead  func(content string) (json.RawMessage, error)

	// Run does it. It must stop when ctx does and may then give back what it
	// has; it must not do more than Effects says. An error becomes a failed
	// result that the model reads.
	Run func(ctx context.Context, emit Emit) (Result, error)
}

// Emit shows something of a running action. A tool can only signal; it cannot
// state facts. It is safe for concurrent use while Run runs.
type Emit func(event.Signal)

// Result is what an action gives back to the model.
type Result struct {
	Parts llm.Parts
	Error bool // the action failed, and Parts say how
	Meta  llm.Meta

	// Question ends the turn once the whole batch has run, and is what the
	// person is asked. Set by ask_user and propose_plan only.
	Question string
}

// TextResult is a result of plain text.
func TextResult(text string) Result { return Result{Parts: llm.Parts{llm.Text{Text: text}}} }

// ErrorResult is a failed result of plain text.
func ErrorResult(text string) Result {
	return Result{Parts: llm.Parts{llm.Text{Text: text}}, Error: true}
}

// Outcome is a call with its result, on its way into the log.
type Outcome struct {
	Call   llm.ToolCall
	Result Result
}

// Message is the outcome as it is recorded.
func (o Outcome) Message() llm.Message {
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{
		Call: o.Call.ID, Name: o.Call.Name, Parts: o.Result.Parts, Error: o.Result.Error, Meta: o.Result.Meta,
	}}}
}

// Verdict is what a hook says of a call before it is judged.
type Verdict string

// The verdicts of a hook; the empty one has no opinion.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask"
)

// Advice is what the hooks say of a call.
type Advice struct {
	Verdict Verdict
	Reason  string
	Args    json.RawMessage // the arguments, where a hook changed them
}
