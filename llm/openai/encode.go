package openai

import (
	"bytes"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/internal/jsonscan"
	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// body is the request's JSON.
func (m *Model) body(req llm.Request) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.o.Quirks
	rest, ok := m.written.seen.Rest(req.Messages)
	if !ok || q.Turns { // which joins messages of different rounds
		m.written = encoder{m: m, mender: llm.Mender{To: m.o.Info}, ids: m.ids()}
		rest = req.Messages
	}
	m.written.add(rest)
	o := make(wire.Object, 0, len(m.written.o)+room(req)).Str("model", m.o.Info.Name).Bool("stream", true)
	if !q.NoUsage {
		o = o.Open("stream_options").Bool("include_usage", true).Close()
	}
	if limit := m.maxTokens(req); limit > 0 && q.MaxTokens != "none" {
		o = o.Int(q.MaxTokens, limit)
	}
	if req.Effort != "" && m.o.Info.Thinking {
		switch q.Effort {
		case "reasoning_effort":
			o = o.Str("reasoning_effort", req.Effort)
		case "reasoning":
			o = o.Open("reasoning").Str("effort", req.Effort).Close()
		}
	}
	if len(req.Tools) > 0 {
		o = tools(o, req.Tools)
	}
	o = o.List("messages")
	if req.System != "" {
		o = o.Item().Str("role", q.System).Str("content", req.System).Close()
	}
	if len(m.written.o) > 0 {
		o = o.RawItem(m.written.o)
	}
	return o.EndList().Close()
}

// room is about how many bytes a request has besides its messages.
func room(req llm.Request) int {
	n := 1024 + len(req.System)*9/8
	for _, t := range req.Tools {
		n += 100 + len(t.Description)*9/8 + len(t.Schema)
	}
	return n
}

// encoder writes a history that grows as the wire's messages.
type encoder struct {
	m      *Model
	seen   wire.Seen
	mender llm.Mender
	ids    *wire.IDs
	o      wire.Object // the messages so far
}

func (e *encoder) add(messages []llm.Message) {
	e.seen, e.o = append(e.seen, messages...), slices.Grow(e.o, wire.Room(messages))
	history := withImages(e.mender.Add(messages))
	if e.m.o.Quirks.Turns {
		history = turns(history)
	}
	for _, msg := range history {
		switch msg.Role {
		case llm.Assistant:
			e.o = e.m.said(e.o, msg, e.ids)
		case llm.ToolRole:
			r, _ := msg.Result()
			e.o = resultMessage(e.o, r, e.ids.Result(r.Call))
		default:
			e.o = userMessage(e.o, wire.Said(msg))
		}
	}
}

// maxTokens is the limit to send. A model of which nothing is known keeps its
// own: the fallback would cut answers that it could give.
func (m *Model) maxTokens(req llm.Request) int {
	limit := m.o.Info.MaxOutput
	if !m.o.Info.Known {
		limit = 0
	}
	if req.MaxOutput > 0 && (limit <= 0 || req.MaxOutput < limit) {
		limit = req.MaxOutput
	}
	return limit
}

func tools(o wire.Object, specs []llm.ToolSpec) wire.Object {
	o = o.List("tools")
	for _, s := range specs {
		o = o.Item().Str("type", "function").Open("function").Str("name", s.Name).Str("description", s.Description)
		if jsonscan.Valid(s.Schema) {
			o = o.Args("parameters", s.Schema)
		} else {
			o = o.Raw("parameters", `{"type":"object","properties":{}}`)
		}
		o = o.Close().Close()
	}
	return o.EndList()
}

// withImages puts the images of a round's results into a message of the
// user's after the last of them.
func withImages(history []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(history))
	var images llm.Parts
	for i, msg := range history {
		out = append(out, msg)
		if r, ok := msg.Result(); ok {
			images = append(images, shown(r)...)
		}
		if len(images) > 0 && (i+1 == len(history) || history[i+1].Role != llm.ToolRole) {
			out, images = append(out, llm.Message{Role: llm.User, Kind: llm.Prompt, Parts: images}), nil
		}
	}
	return out
}

// turns makes one message of the user's neighbouring ones, and puts a word of
// the model's between a tool's message and the user's.
func turns(history []llm.Message) []llm.Message {
	var out []llm.Message
	for _, msg := range history {
		if msg.Role == llm.User {
			msg.Parts, msg.Kind = wire.Said(msg), llm.Prompt
		}
		if n := len(out); n > 0 && msg.Role == llm.User {
			switch out[n-1].Role {
			case llm.User:
				joined := append(append(llm.Parts{}, out[n-1].Parts...), msg.Parts...)
				if t, ok := msg.Parts[0].(llm.Text); ok {
					joined[len(out[n-1].Parts)] = llm.Text{Text: "\n\n" + t.Text}
				}
				out[n-1].Parts = joined
				continue
			case llm.ToolRole:
				out = append(out, llm.NewText(llm.Assistant, llm.Progress, "Understood."))
			}
		}
		out = append(out, msg)
	}
	return out
}

func (m *Model) ids() *wire.IDs {
	switch m.o.Quirks.IDs {
	case "mistral":
		return &wire.IDs{Max: 9, Exact: true}
	case "40":
		return &wire.IDs{Max: 40}
	}
	return &wire.IDs{Max: 256, Any: true}
}

// said writes an answer. Thinking goes back in the member that the server
// reads.
func (m *Model) said(o wire.Object, msg llm.Message, ids *wire.IDs) wire.Object {
	o = o.Item().Str("role", "assistant")
	if text := msg.Text(); text != "" {
		o = o.Str("content", text)
	} else {
		o = o.Raw("content", "null")
	}
	o = m.thought(o, msg)
	calls := msg.Calls()
	if len(calls) == 0 {
		return o.Close()
	}
	o = o.List("tool_calls")
	for _, c := range calls {
		own := ""
		if strings.HasPrefix(msg.Model, m.o.Info.Provider+"/") {
			own = c.Wire
		}
		o = o.Item().Str("id", ids.Call(c.ID, own)).Str("type", "function").
			Open("function").Str("name", wire.Name(c.Name)).Str("arguments", string(wire.AppendArgs(nil, c.Args))).Close()
		if c.Signature != "" { // Gemini refuses its own calls without
			o = o.Open("extra_content").Open("google").Str("thought_signature", c.Signature).Close().Close()
		}
		o = o.Close()
	}
	return o.EndList().Close()
}

func (m *Model) thought(o wire.Object, msg llm.Message) wire.Object {
	back := m.o.Quirks.Reasoning
	if back == "none" {
		return o
	}
	var thinking strings.Builder
	var details [][]byte // elements of a list, some in each
	for _, p := range msg.Parts {
		if t, ok := p.(llm.Thinking); ok {
			thinking.WriteString(t.Text)
			if some := elements(t.Raw); len(some) > 0 {
				details = append(details, some)
			}
		}
	}
	switch {
	case len(details) > 0:
		o = o.List("reasoning_details")
		for _, some := range details {
			o = o.RawItem(some)
		}
		o = o.EndList()
	case thinking.Len() > 0:
		o = o.Str(back, thinking.String())
	}
	return o
}

// elements is what stands between the brackets of a JSON list, nothing where
// there is no list.
func elements(list []byte) []byte {
	if list = bytes.TrimSpace(list); len(list) == 0 || list[0] != '[' || !jsonscan.Valid(list) {
		return nil
	}
	return bytes.TrimSpace(list[1 : len(list)-1])
}

func resultMessage(o wire.Object, r llm.ToolResult, id string) wire.Object {
	text := r.Parts.Text()
	if text == "" {
		text = "(see the image below)"
	}
	if r.Error && !isError(text) {
		text = "Error: " + text // the API has no other place for it
	}
	return o.Item().Str("role", "tool").Str("tool_call_id", id).Str("content", text).Close()
}

func isError(text string) bool {
	const word = "error"
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
}

// shown is a result's images with a word on where they come from.
func shown(r llm.ToolResult) llm.Parts {
	var out llm.Parts
	for _, p := range r.Parts {
		if _, ok := p.(llm.Image); ok {
			if out == nil {
				out = llm.Parts{llm.Text{Text: "Image from " + r.Name + ":"}}
			}
			out = append(out, p)
		}
	}
	return out
}

// userMessage writes a message of the user's: a plain string unless there are images
// in it.
func userMessage(o wire.Object, parts llm.Parts) wire.Object {
	o = o.Item().Str("role", "user")
	if !slices.ContainsFunc(parts, isImage) {
		return o.Str("content", parts.Text()).Close()
	}
	o = o.List("content")
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			o = o.Item().Str("type", "text").Str("text", p.Text).Close()
		case llm.Image:
			o = o.Item().Str("type", "image_url").Open("image_url").Base64("url", "data:"+p.Media+";base64,", p.Data).Close().Close()
		}
	}
	return o.EndList().Close()
}

func isImage(p llm.Part) bool {
	_, ok := p.(llm.Image)
	return ok
}
