package session

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// form is the kind of a record.
type form uint8

const (
	other form = iota // a type that this program does not know: a link in the chain, nothing else
	opened
	message
	edited
	decided
	changed
	ended
	broken // the envelope can be read and the rest cannot: a link, too
)

// summarize is the stage whose edits are a boundary.
const summarize = "summarize"

// entry is what is kept of a record when its body is passed over.
type entry struct {
	id, parent string
	turn       int
	time       time.Time
	form       form
	said       llm.Kind
	calls      []string   // ids of the calls in a message
	todo       bool       // one of the calls is to todo_write
	answer     bool       // a message of the assistant
	usage      llm.Usage  // of a message, an edit or a turn
	files      llm.Meta   // what a result says it read and wrote
	run        run        // what an edit is of
	bound      string     // the last message that a boundary replaces
	fact       event.Fact // opened, changed, and decided when it grants
}

// entryOf is the entry of a record that was decoded.
func entryOf(r event.Record) entry {
	e := entry{id: r.ID, parent: r.Parent, turn: r.Turn, time: r.Time}
	switch f := r.Event.(type) {
	case event.Opened:
		e.form, e.fact = opened, f
	case event.Changed:
		e.form, e.fact = changed, f
	case event.Ended:
		e.form, e.usage = ended, f.Usage
	case event.Decided:
		e.form = decided
		if f.Allow && f.Grant != nil {
			e.fact = event.Decided{Allow: true, Grant: f.Grant}
		}
	case event.Edited:
		e.form, e.run = edited, runOf(f)
		if f.Usage != nil {
			e.usage = *f.Usage
		}
		if i := boundary(f); i >= 0 {
			e.bound = f.Edits[i].To
		}
	case event.Message:
		e.form, e.said, e.answer = message, f.Kind, f.Role == llm.Assistant
		if f.Usage != nil {
			e.usage = *f.Usage
		}
		for _, c := range f.Calls() {
			e.addCall(c.ID, c.Name)
		}
		if r, ok := f.Result(); ok {
			e.files = llm.Meta{Read: r.Meta.Read, Wrote: r.Meta.Wrote}
		}
	}
	return e
}

func (e *entry) addCall(id, name string) {
	if id != "" {
		e.calls = append(e.calls, id)
	}
	e.todo = e.todo || name == "todo_write"
}

// boundary is the edit of a summary: the one that puts a message of kind
// summary in, or -1.
func boundary(f event.Edited) int {
	if f.Stage != summarize {
		return -1
	}
	for i, e := range f.Edits {
		for _, m := range e.With {
			if m.Kind == llm.Summary {
				return i
			}
		}
	}
	return -1
}

// readEntry is the entry of a line. Bodies of messages are passed over where
// the line has the shape that [event.Encode] gives it; the bodies of all
// other records are parsed. With an error and an id the line is broken but
// its place in the chain is known.
func readEntry(line []byte) (entry, error) {
	env, ok := scanEnvelope(line)
	if !ok {
		loose, err := looseEnvelope(line)
		if err != nil {
			return entry{}, err
		}
		r, err := event.Decode(line)
		if err != nil {
			return entry{form: broken, id: loose.ID, parent: loose.Parent, turn: loose.Turn, time: loose.Time}, err
		}
		return entryOf(r), nil
	}
	e := entry{id: string(env.id), parent: string(env.parent), turn: env.turn, time: env.when()}
	var err error
	switch string(env.typ) {
	case "message":
		if e.skim(line, env.body) {
			return e, nil
		}
		return e.whole(line)
	case "edited":
		err = e.readEdited(line)
	case "decided":
		err = e.readDecided(line)
	default:
		return e.whole(line)
	}
	if err != nil {
		e.form = broken
	}
	return e, err
}

// whole parses all of the line.
func (e entry) whole(line []byte) (entry, error) {
	r, err := event.Decode(line)
	if err != nil {
		e.form = broken
		return e, err
	}
	return entryOf(r), nil
}

func (e *entry) readEdited(line []byte) error {
	var f struct {
		Stage string
		Why   event.Why
		Error string
		Usage llm.Usage
		Edits []struct {
			To   string
			With []struct{ Kind llm.Kind }
		}
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return err
	}
	e.form, e.usage = edited, f.Usage
	e.run = run{Stage: f.Stage, Edits: len(f.Edits) > 0, Failed: f.Error != "", Manual: f.Why == event.Manual}
	if f.Stage != summarize {
		return nil
	}
	for _, edit := range f.Edits {
		for _, m := range edit.With {
			if m.Kind == llm.Summary {
				e.bound = edit.To
				return nil
			}
		}
	}
	return nil
}

func (e *entry) readDecided(line []byte) error {
	var f struct {
		Allow bool
		Grant *event.Grant
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return err
	}
	e.form = decided
	if f.Allow && f.Grant != nil {
		e.fact = event.Decided{Allow: true, Grant: f.Grant}
	}
	return nil
}

// skim finds in the line of a message what an entry needs of it. It relies
// on the order of keys, and on quotes inside of strings being escaped: the
// patterns it looks for can only stand between values. It is false when the
// line has another shape.
func (e *entry) skim(line []byte, body int) bool {
	s := scan{line: line, at: body}
	role := s.word(`,"role":"`)
	kind := s.word(`,"kind":"`)
	if !s.skip(`,"parts":[`) || s.failed || line[len(line)-1] != '}' {
		return false
	}
	e.form, e.said = message, kindOf(kind)
	switch string(role) {
	case string(llm.ToolRole):
		return e.skimResult(line[s.at:])
	case string(llm.Assistant):
		e.answer = true
		return e.skimCalls(line[s.at:]) && e.skimUsage(line)
	}
	return e.skimUsage(line)
}

func kindOf(b []byte) llm.Kind {
	for _, k := range [...]llm.Kind{llm.Resulted, llm.Work, llm.Prompt, llm.Note, llm.Nudge, llm.Progress, llm.Final, llm.Questioned, llm.Summary, llm.Snipped} {
		if string(b) == string(k) {
			return k
		}
	}
	return llm.Kind(b)
}

func (e *entry) skimCalls(parts []byte) bool {
	const mark = `{"type":"tool_call"`
	for {
		i := bytes.Index(parts, []byte(mark))
		if i < 0 {
			return true
		}
		s := scan{line: parts, at: i + len(mark)}
		id := s.word(`,"id":"`)
		name := s.word(`,"name":"`)
		if s.failed {
			return false
		}
		e.addCall(string(id), string(name))
		parts = parts[s.at:]
	}
}

// skimUsage reads the usage, which is the last field of a message.
func (e *entry) skimUsage(line []byte) bool {
	const mark = `,"usage":{`
	tail := line[max(0, len(line)-512):]
	i := bytes.LastIndex(tail, []byte(mark))
	if i < 0 {
		return true
	}
	object := tail[i+len(mark)-1 : len(tail)-1]
	return bytes.IndexByte(object, '}') == len(object)-1 && json.Unmarshal(object, &e.usage) == nil
}

// skimResult reads what files a result names: the meta is the last field of
// the result, which is the only part of its message.
func (e *entry) skimResult(parts []byte) bool {
	const mark = `,"meta":`
	if !bytes.HasSuffix(parts, []byte(`}]}`)) {
		return false
	}
	if !bytes.HasSuffix(parts, []byte(`}}]}`)) {
		return true
	}
	i := bytes.LastIndex(parts, []byte(mark+"{"))
	if i < 0 {
		return false
	}
	var meta llm.Meta
	if json.Unmarshal(parts[i+len(mark):len(parts)-3], &meta) != nil {
		return false
	}
	e.files = llm.Meta{Read: meta.Read, Wrote: meta.Wrote}
	return true
}
