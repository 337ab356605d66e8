package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/minicode-go/minicode/internal/tagged"
	"github.com/minicode-go/minicode/llm"
)

// Head says where an event stands: the first keys of its line, in this
// order, after "type".
type Head struct {
	ID      string    // UUIDv7; "" for a signal
	Parent  string    // the record before it in its branch; "" in the first (written as null) and for a signal
	Turn    int       // from 1; 0 before the first
	Time    time.Time // UTC, written with milliseconds
	Session string    // UUIDv7 of the session
	Cwd     string    // absolute
}

// Record is an event in its envelope. Event is nil when the line's type is
// not known to this program.
type Record struct {
	Head
	Event Event
	Type  string // the kind in snake_case, as in the line; set by Decode
}

var kinds = tagged.New(map[string]Event{
	"opened": Opened{}, "message": Message{}, "edited": Edited{}, "decided": Decided{}, "changed": Changed{}, "ended": Ended{},
	"text_delta": TextDelta{}, "thinking_delta": ThinkingDelta{}, "call_delta": CallDelta{}, "started": Started{}, "output": Output{},
	"finished": Finished{}, "waiting": Waiting{}, "retrying": Retrying{}, "compacting": Compacting{}, "notice": Notice{}, "nested": Nested{},
})

// TypeOf is the name of the event's kind, such as "text_delta".
func TypeOf(e Event) string { return kinds.Name(e) }

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Encode writes the record as one line of JSON, in one Write. A message's own
// id and time are the record's and not written twice.
func Encode(w io.Writer, r Record) error {
	e := r.Event
	if m, ok := e.(Message); ok {
		m.ID, m.Time = "", time.Time{}
		e = m
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"` + kinds.Name(e) + `"`)
	text := func(key, value string) {
		v, _ := json.Marshal(value)
		b.WriteString(`,"` + key + `":`)
		b.Write(v)
	}
	if _, ok := e.(Fact); ok {
		text("id", r.ID)
		if r.Parent == "" {
			b.WriteString(`,"parent":null`)
		} else {
			text("parent", r.Parent)
		}
	}
	turn, _ := json.Marshal(r.Turn)
	b.WriteString(`,"turn":`)
	b.Write(turn)
	text("time", r.Time.UTC().Format(timeLayout))
	text("session", r.Session)
	text("cwd", r.Cwd)
	if len(body) > 2 {
		b.WriteByte(',')
	}
	b.Write(body[1:])
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

// Envelope is the part of a line that can be read without its body.
type Envelope struct {
	Type    string    `json:"type"`
	ID      string    `json:"id"`
	Parent  string    `json:"parent"`
	Turn    int       `json:"turn"`
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Cwd     string    `json:"cwd"`
}

// Head is the envelope without the type.
func (e Envelope) Head() Head { return Head{e.ID, e.Parent, e.Turn, e.Time, e.Session, e.Cwd} }

// Decode reads one line. A kind that this program does not know is no error:
// the record then has no Event.
func Decode(line []byte) (Record, error) {
	var env Envelope
	if err := json.Unmarshal(line, &env); err != nil {
		return Record{}, err
	}
	r := Record{Head: env.Head(), Type: env.Type}
	e, err := kinds.DecodeAs(env.Type, line)
	if errors.Is(err, tagged.ErrUnknown) {
		return r, nil
	}
	if err != nil {
		return Record{}, err
	}
	if m, ok := e.(Message); ok {
		m.ID, m.Time = env.ID, env.Time
		e = m
	}
	r.Event = e
	return r, nil
}

// MessageOf is the message of a record that holds one.
func (r Record) MessageOf() (llm.Message, bool) {
	m, ok := r.Event.(Message)
	return m.Message, ok
}
