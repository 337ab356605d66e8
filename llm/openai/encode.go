package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// body is the request's JSON.
func (m *Model) body(req llm.Request) []byte {
	q := m.o.Quirks
	var o wire.Object
	o = o.Str("model", m.o.Info.Name).Bool("stream", true)
	if !q.NoUsage {
		o = o.Raw("stream_options", []byte(`{"include_usage":true}`))
	}
	if limit := m.maxTokens(req); limit > 0 && q.MaxTokens != "none" {
		o = o.Int(q.MaxTokens, limit)
	}
	if req.Effort != "" && m.o.Info.Thinking {
		switch q.Effort {
		case "reasoning_effort":
			o = o.Str("reasoning_effort", req.Effort)
		case "reasoning":
			o = o.Raw("reasoning", wire.Object{}.Str("effort", req.Effort).End())
		}
	}
	if len(req.Tools) > 0 {
		o = o.Raw("tools", tools(req.Tools))
	}
	return o.Raw("messages", m.messages(req)).End()
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

func tools(specs []llm.ToolSpec) []byte {
	list := make([][]byte, len(specs))
	for i, s := range specs {
		schema := []byte(`{"type":"object","properties":{}}`)
		if len(s.Schema) > 0 {
			schema = wire.AppendArgs(nil, s.Schema)
		}
		f := wire.Object{}.Str("name", s.Name).Str("description", s.Description).Raw("parameters", schema).End()
		list[i] = wire.Object{}.Str("type", "function").Raw("function", f).End()
	}
	return wire.Array(list...)
}

// messages is the system prompt and the mended history in the wire's form.
func (m *Model) messages(req llm.Request) []byte {
	history := withImages(llm.Mend(req.Messages, m.o.Info))
	if m.o.Quirks.Turns {
		history = turns(history)
	}
	ids := m.ids()
	var list [][]byte
	if req.System != "" {
		list = append(list, wire.Object{}.Str("role", m.o.Quirks.System).Str("content", req.System).End())
	}
	for _, msg := range history {
		switch msg.Role {
		case llm.Assistant:
			list = append(list, m.said(msg, ids))
		case llm.ToolRole:
			r, _ := msg.Result()
			list = append(list, resultMessage(r, ids.Result(r.Call)))
		default:
			list = append(list, userMessage(wire.Said(msg)))
		}
	}
	return wire.Array(list...)
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

// said is an answer. Thinking goes back in the member that the server reads.
func (m *Model) said(msg llm.Message, ids *wire.IDs) []byte {
	var content, thinking strings.Builder
	var details, calls [][]byte
	for _, p := range msg.Parts {
		switch p := p.(type) {
		case llm.Text:
			content.WriteString(p.Text)
		case llm.Thinking:
			thinking.WriteString(p.Text)
			var list []json.RawMessage
			if json.Unmarshal(p.Raw, &list) == nil {
				for _, d := range list {
					details = append(details, d)
				}
			}
		case llm.ToolCall:
			own := ""
			if strings.HasPrefix(msg.Model, m.o.Info.Provider+"/") {
				own = p.Wire
			}
			f := wire.Object{}.Str("name", wire.Name(p.Name)).Str("arguments", string(wire.AppendArgs(nil, p.Args))).End()
			call := wire.Object{}.Str("id", ids.Call(p.ID, own)).Str("type", "function").Raw("function", f)
			if p.Signature != "" { // Gemini refuses its own calls without
				google := wire.Object{}.Str("thought_signature", p.Signature).End()
				call = call.Raw("extra_content", wire.Object{}.Raw("google", google).End())
			}
			calls = append(calls, call.End())
		}
	}
	o := wire.Object{}.Str("role", "assistant")
	if content.Len() > 0 {
		o = o.Str("content", content.String())
	} else {
		o = o.Raw("content", []byte("null"))
	}
	if back := m.o.Quirks.Reasoning; back != "none" {
		switch {
		case len(details) > 0:
			o = o.Raw("reasoning_details", wire.Array(details...))
		case thinking.Len() > 0:
			o = o.Str(back, thinking.String())
		}
	}
	if len(calls) > 0 {
		o = o.Raw("tool_calls", wire.Array(calls...))
	}
	return o.End()
}

func resultMessage(r llm.ToolResult, id string) []byte {
	text := r.Parts.Text()
	if text == "" {
		text = "(see the image below)"
	}
	if r.Error && !strings.HasPrefix(strings.ToLower(text), "error") {
		text = "Error: " + text // the API has no other place for it
	}
	return wire.Object{}.Str("role", "tool").Str("tool_call_id", id).Str("content", text).End()
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

// userMessage is a plain string unless there are images in it.
func userMessage(parts llm.Parts) []byte {
	var list [][]byte
	images := false
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			list = append(list, wire.Object{}.Str("type", "text").Str("text", p.Text).End())
		case llm.Image:
			images = true
			address := "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			list = append(list, wire.Object{}.Str("type", "image_url").Raw("image_url", wire.Object{}.Str("url", address).End()).End())
		}
	}
	o := wire.Object{}.Str("role", "user")
	if !images {
		return o.Str("content", parts.Text()).End()
	}
	return o.Raw("content", wire.Array(list...)).End()
}
