package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// answer puts one answer together from its events.
type answer struct {
	provider string
	yield    func(llm.Chunk, error) bool
	over     bool // Done was yielded, or the reader has had enough

	blocks []*block
	calls  int
	done   llm.Done
}

// block is a content block that is being filled.
type block struct {
	index     int
	kind      string
	id, name  string
	call      int // which call of the answer
	raw       json.RawMessage
	input     json.RawMessage // what came at the start
	text      strings.Builder // text, thinking or input JSON
	signature string
}

type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message message         `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   delta           `json:"delta"`
	Usage   usage           `json:"usage"`
	Error   json.RawMessage `json:"error"` // gateways leave the type out
}

// message is the head of an answer, or the whole of one that was not streamed.
type message struct {
	Model   string            `json:"model"`
	Content []json.RawMessage `json:"content"`
	Usage   usage             `json:"usage"`
	Stop    string            `json:"stop_reason"`
	Details json.RawMessage   `json:"stop_details"`
}

type delta struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	JSON      string          `json:"partial_json"`
	Stop      string          `json:"stop_reason"`
	Details   json.RawMessage `json:"stop_details"`
}

type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (a *answer) emit(c llm.Chunk) {
	if !a.over && !a.yield(c, nil) {
		a.over = true
	}
}

// take reads one event.
func (a *answer) take(e wire.Event) error {
	if e.Plain {
		return a.whole(e.Data)
	}
	var ev event
	if err := json.Unmarshal(e.Data, &ev); wire.Broken(err) {
		return wire.Cut(a.provider, "an event of the stream is not JSON: "+err.Error())
	}
	switch ev.Type {
	case "message_start":
		a.done.Model = ev.Message.Model
		a.count(ev.Message.Usage)
	case "content_block_start":
		a.start(ev.Index, ev.Block)
	case "content_block_delta":
		a.add(ev.Index, ev.Delta)
	case "message_delta":
		a.count(ev.Usage)
		a.stopped(ev.Delta.Stop, ev.Delta.Details)
	case "message_stop":
		a.finish()
	case "error":
		return wire.Told(a.provider, e.Data)
	case "":
		if len(ev.Error) > 0 || e.Name == "error" {
			return wire.Told(a.provider, e.Data)
		}
	}
	return nil
}

// whole reads an answer that came in one piece.
func (a *answer) whole(data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); wire.Broken(err) || m.Content == nil {
		return wire.Cut(a.provider, "the answer is neither a stream nor a message")
	}
	a.done.Model = m.Model
	a.count(m.Usage)
	for i, b := range m.Content {
		a.start(i, b)
	}
	a.stopped(m.Stop, m.Details)
	a.finish()
	return nil
}

// count takes over what was counted. The counts only grow; a later event may
// leave some out or have them as 0.
func (a *answer) count(u usage) {
	d := &a.done.Usage
	d.Input, d.Output = max(d.Input, u.Input), max(d.Output, u.Output)
	d.CacheRead, d.CacheWrite = max(d.CacheRead, u.CacheRead), max(d.CacheWrite, u.CacheWrite)
	d.Reasoning = max(d.Reasoning, u.Details.Thinking)
}

func (a *answer) start(index int, raw json.RawMessage) {
	var head struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Input     json.RawMessage `json:"input"`
	}
	_ = json.Unmarshal(raw, &head) // a block that is not understood is kept as it is
	b := &block{index: index, kind: head.Type, id: head.ID, name: head.Name, input: head.Input, signature: head.Signature}
	b.raw = append(b.raw, raw...)
	a.blocks = append(a.blocks, b)
	switch b.kind {
	case "text":
		a.add(index, delta{Type: "text_delta", Text: head.Text})
	case "thinking":
		a.add(index, delta{Type: "thinking_delta", Thinking: head.Thinking})
	case "tool_use":
		b.call = a.calls
		a.calls++
		a.emit(llm.CallDelta{Index: b.call, ID: b.id, Name: b.name})
	}
}

func (a *answer) add(index int, d delta) {
	var b *block
	for i := len(a.blocks) - 1; i >= 0 && b == nil; i-- {
		if a.blocks[i].index == index {
			b = a.blocks[i]
		}
	}
	if b == nil {
		return
	}
	switch d.Type {
	case "text_delta":
		b.text.WriteString(d.Text)
		if d.Text != "" {
			a.emit(llm.TextDelta{Text: d.Text})
		}
	case "thinking_delta":
		b.text.WriteString(d.Thinking)
		if d.Thinking != "" {
			a.emit(llm.ThinkingDelta{Text: d.Thinking})
		}
	case "signature_delta":
		b.signature += d.Signature
	case "input_json_delta":
		b.text.WriteString(d.JSON)
		if d.JSON != "" && b.kind == "tool_use" {
			a.emit(llm.CallDelta{Index: b.call, Args: d.JSON})
		}
	}
}

func (a *answer) stopped(reason string, details json.RawMessage) {
	if reason != "" {
		a.done.Stop = llm.Stop(reason)
	}
	var d struct {
		Category    string `json:"category"`
		Explanation string `json:"explanation"`
	}
	if json.Unmarshal(details, &d) == nil && (d.Category != "" || d.Explanation != "") {
		a.done.Detail = strings.Trim(d.Category+": "+d.Explanation, ": ")
	}
}

func (a *answer) finish() {
	for _, b := range a.blocks {
		if p := b.part(); p != nil {
			a.done.Parts = append(a.done.Parts, p)
		}
	}
	switch a.done.Stop {
	case llm.StopEnd, llm.StopSequence, llm.StopTools, llm.StopLength, llm.StopPause, llm.StopRefusal, llm.StopContextWindow:
	case "":
		a.done.Stop = llm.StopEnd
		if a.calls > 0 {
			a.done.Stop = llm.StopTools
		}
	default:
		a.done.Detail = "stop reason " + string(a.done.Stop)
	}
	a.emit(a.done)
	a.over = true
}

// part is the finished block, nil when there is nothing in it.
func (b *block) part() llm.Part {
	s := b.text.String()
	switch b.kind {
	case "text":
		if strings.TrimSpace(s) == "" {
			return nil
		}
		return llm.Text{Text: s}
	case "thinking":
		if s == "" && b.signature == "" {
			return nil
		}
		return llm.Thinking{Text: s, Signature: b.signature}
	case "tool_use":
		if strings.TrimSpace(s) == "" {
			s = string(b.input)
		}
		return wire.Call(b.id, b.name, s)
	case "":
		return nil
	}
	return llm.Thinking{Raw: llm.Verbatim(b.filled(s))}
}

// filled is the block as it came, with the input that came after it.
func (b *block) filled(input string) json.RawMessage {
	if input == "" || !json.Valid([]byte(input)) {
		return b.raw
	}
	if empty := []byte(`"input":{}`); bytes.Count(b.raw, empty) == 1 {
		return bytes.Replace(b.raw, empty, []byte(`"input":`+input), 1)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b.raw, &members) != nil {
		return b.raw
	}
	members["input"] = json.RawMessage(input)
	out, err := json.Marshal(members)
	if err != nil {
		return b.raw
	}
	return out
}
