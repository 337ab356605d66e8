package llm

import (
	"strings"
	"time"
)

// Role says who speaks a message.
type Role string

// The roles. A tool result is a message of its own; adapters join those that
// their wire wants joined.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Kind says what a message is for. Rules about "the last thing the person
// said" look at kinds, never at roles.
type Kind string

// The kinds.
const (
	Prompt     Kind = "prompt"   // user: what the person said
	Nudge      Kind = "nudge"    // user: a continuation that the loop adds
	Note       Kind = "note"     // user: what the program tells the model, sent in <note> tags
	Progress   Kind = "progress" // assistant: says what is being done; never ends a turn
	Work       Kind = "work"     // assistant: an answer with tool calls
	Final      Kind = "final"    // assistant: the answer that ends a turn
	Questioned Kind = "question" // assistant: what ask_user asked; ends the turn
	Resulted   Kind = "result"   // tool: one tool result
	Summary    Kind = "summary"  // user: what replaces compacted history
	Snipped    Kind = "snip"     // user: marks where a middle run was cut
)

// Message is one entry of a conversation. Messages are never changed once
// they are recorded.
type Message struct {
	ID    string    `json:"id,omitempty"`    // UUIDv7, given when the message is recorded
	Time  time.Time `json:"time,omitzero"`   // when it was recorded
	Role  Role      `json:"role"`            //
	Kind  Kind      `json:"kind"`            //
	Parts Parts     `json:"parts"`           // in the order they came
	Model string    `json:"model,omitempty"` // assistant: "provider/model" that said it
	Stop  Stop      `json:"stop,omitempty"`  // assistant: why the answer ended

	// Estimate is, of an answer, how many tokens its request was estimated at,
	// without calibration, so that the estimate can learn from Usage.
	Estimate int    `json:"estimate,omitempty"`
	Usage    *Usage `json:"usage,omitempty"` // assistant: what the provider counted
	Stale    string `json:"-"`               // in a view: what was done to the view that Usage was counted of; "" if nothing
}

// Text is the message's text parts, joined.
func (m Message) Text() string { return m.Parts.Text() }

// Calls is the message's tool calls, in order.
func (m Message) Calls() []ToolCall { return m.Parts.Calls() }

// Result is the tool result that a message of kind "result" holds.
func (m Message) Result() (ToolResult, bool) {
	for _, p := range m.Parts {
		if r, ok := p.(ToolResult); ok {
			return r, true
		}
	}
	return ToolResult{}, false
}

// NewText is a message of one text part.
func NewText(role Role, kind Kind, text string) Message {
	return Message{Role: role, Kind: kind, Parts: Parts{Text{Text: text}}}
}

// Text is the text parts, joined.
func (ps Parts) Text() string {
	if len(ps) == 1 {
		t, _ := ps[0].(Text) // the usual case, without a copy
		return t.Text
	}
	var b strings.Builder
	for _, p := range ps {
		if t, ok := p.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// Calls is the tool calls, in order.
func (ps Parts) Calls() []ToolCall {
	var calls []ToolCall
	for _, p := range ps {
		if c, ok := p.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}
