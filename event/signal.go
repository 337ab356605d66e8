package event

import (
	"encoding/json"
	"time"
)

// TextDelta is some more of the answer's text. After [Retrying], what came
// before for this answer no longer counts.
type TextDelta struct {
	Text string `json:"text"`
}

// ThinkingDelta is some more of the answer's thinking.
type ThinkingDelta struct {
	Text string `json:"text"`
}

// CallDelta is some more of a call's arguments.
type CallDelta struct {
	Index int    `json:"index"`
	Name  string `json:"name,omitempty"`
	Args  string `json:"args,omitempty"`
}

// Started says that a call was prepared: what it would do, before it is
// decided.
type Started struct {
	Call    string   `json:"call"`
	Tool    string   `json:"tool"`
	Title   string   `json:"title"`
	Effects []Effect `json:"effects,omitempty"`
	Preview Preview  `json:"preview,omitzero"`
}

// Output is some output of a running call.
type Output struct {
	Call string `json:"call"`
	Text string `json:"text"`
}

// Finished says that a call is over. Its result is a [Message].
type Finished struct {
	Call  string `json:"call"`
	Error bool   `json:"error,omitempty"`
}

// Waiting says that a person is being asked.
type Waiting struct {
	Question Question `json:"question"`
}

// Retrying says that the request failed and will be sent again. What was
// streamed of the answer no longer counts.
type Retrying struct {
	Attempt int           `json:"attempt"` // the one that failed, from 1
	Of      int           `json:"of"`
	After   time.Duration `json:"after"` // nanoseconds
	Error   string        `json:"error"`
}

// Compacting says that a stage of compaction works.
type Compacting struct {
	Stage string `json:"stage"`
}

// Level is how much a notice matters.
type Level string

// The levels.
const (
	InfoLevel  Level = "info"
	WarnLevel  Level = "warning"
	ErrorLevel Level = "error"
)

// Notice tells the person something.
type Notice struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`
}

// Nested is an event of a sub-agent that works for a call. Event is a whole
// record as [Encode] writes it.
type Nested struct {
	Call  string          `json:"call"`
	Event json.RawMessage `json:"event"`
}

func (TextDelta) event()     {}
func (ThinkingDelta) event() {}
func (CallDelta) event()     {}
func (Started) event()       {}
func (Output) event()        {}
func (Finished) event()      {}
func (Waiting) event()       {}
func (Retrying) event()      {}
func (Compacting) event()    {}
func (Notice) event()        {}
func (Nested) event()        {}

func (TextDelta) signal()     {}
func (ThinkingDelta) signal() {}
func (CallDelta) signal()     {}
func (Started) signal()       {}
func (Output) signal()        {}
func (Finished) signal()      {}
func (Waiting) signal()       {}
func (Retrying) signal()      {}
func (Compacting) signal()    {}
func (Notice) signal()        {}
func (Nested) signal()        {}
