package event

import "encoding/json"

// Choice is one of the answers that a question takes.
type Choice string

// The answers to "may this call run?".
const (
	Once           Choice = "once"           // this call only
	ThisTurn       Choice = "turn"           // this file or this command, for this turn
	EditsThisTurn  Choice = "edits_turn"     // all edits, for this turn
	ThisSession    Choice = "session"        // for this session
	AlwaysProject  Choice = "always_project" // an allow rule in the project's local settings
	AlwaysUser     Choice = "always_user"    // an allow rule in the user's settings
	No             Choice = "no"             //
	NoWithGuidance Choice = "no_guidance"    // Answer.Text says what to do instead
	Never          Choice = "never"          // a deny rule in the user's settings
	NoAndStop      Choice = "stop"           // no, and end the turn
)

// Question asks a person. It is a plain call with a plain answer: the front
// end implements Ask, and nothing waits on an event.
type Question struct {
	Call    string   `json:"call,omitempty"`
	Tool    string   `json:"tool,omitempty"`
	Title   string   `json:"title"`
	Reason  string   `json:"reason,omitempty"` // why a person is asked
	Effects []Effect `json:"effects,omitempty"`
	Asking  []int    `json:"asking,omitempty"` // which of Effects need the approval
	Preview Preview  `json:"preview,omitzero"`
	Choices []Option `json:"choices"`

	// Proposal is the file that the call would change; nil for other calls. It
	// stays in the process.
	Proposal *Proposal `json:"-"`
}

// Proposal is what a call would make of the text of one file.
type Proposal struct{ Old, New string }

// Option is a choice with what it would do, spelled out.
type Option struct {
	Choice Choice   `json:"choice"`
	Label  string   `json:"label"`
	Rules  []string `json:"rules,omitempty"` // the rules that it would grant or save, exactly
}

// Answer is what the person said. The zero answer means no.
type Answer struct {
	Choice Choice          `json:"choice"`
	Text   string          `json:"text,omitempty"` // guidance
	Args   json.RawMessage `json:"args,omitempty"` // the arguments as the person changed them

	// Content is the text that the person wants the file of the proposal to
	// have instead.
	Content *string `json:"content,omitempty"`
}
