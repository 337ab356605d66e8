package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// marks is how many of the newest user messages get a cache mark. Together
// with the tools' and the system prompt's these are the four that a request
// may have.
const marks = 2

// turn is one message of the wire: neighbours with the same role are one.
type turn struct {
	role   string
	blocks [][]byte
}

// body is the request's JSON.
func (m *Model) body(req llm.Request) []byte {
	turns := m.turns(req.Messages)
	limit := m.maxTokens(req)
	var o wire.Object
	o = o.Str("model", m.o.Info.Name).Int("max_tokens", limit).Bool("stream", true)
	o = m.think(o, req, limit, turns)
	if req.System != "" {
		o = o.Raw("system", wire.Array(marked(textBlock(req.System))))
	}
	if len(req.Tools) > 0 {
		o = o.Raw("tools", tools(req.Tools))
	}
	return wire.Object(appendMessages(o.Raw("messages", nil), turns)).End()
}

func (m *Model) maxTokens(req llm.Request) int {
	limit := m.o.Info.MaxOutput
	if limit <= 0 {
		limit = llm.FallbackMaxOutput
	}
	if req.MaxOutput > 0 {
		limit = min(limit, req.MaxOutput)
	}
	return limit
}

// think asks for thinking in the form that the model knows: since 4.6 it
// decides itself and takes an effort, before it takes a budget of tokens.
// Models from 5 on think unasked, but show it only when asked to.
func (m *Model) think(o wire.Object, req llm.Request, limit int, turns []turn) wire.Object {
	if !m.o.Info.Thinking {
		return o
	}
	major, minor := modelVersion(m.o.Info.Name)
	if major > 4 || major == 4 && minor >= 6 {
		if req.Effort == "" && major < 5 {
			return o
		}
		how := wire.Object{}.Str("type", "adaptive")
		if major > 4 || minor > 6 {
			how = how.Str("display", "summarized")
		}
		o = o.Raw("thinking", how.End())
		if req.Effort != "" {
			o = o.Raw("output_config", wire.Object{}.Str("effort", req.Effort).End())
		}
		return o
	}
	budget := min(budgetOf(req.Effort), limit*3/4)
	if budget < 1024 || !mayThink(turns) {
		return o
	}
	return o.Raw("thinking", wire.Object{}.Str("type", "enabled").Int("budget_tokens", budget).End())
}

func budgetOf(effort string) int {
	switch effort {
	case "low":
		return 4_000
	case "medium":
		return 12_000
	case "high", "xhigh", "max":
		return 32_000
	}
	return 0
}

// mayThink says whether thinking with a budget can be asked for: in the
// middle of a round of tools, the answer being continued must begin with
// thinking, else the request is refused. It does not after a change of model.
func mayThink(turns []turn) bool {
	if len(turns) < 2 || !strings.HasPrefix(string(turns[len(turns)-1].blocks[0]), `{"type":"tool_result"`) {
		return true
	}
	first := string(turns[len(turns)-2].blocks[0])
	return strings.HasPrefix(first, `{"type":"thinking"`) || strings.HasPrefix(first, `{"type":"redacted_thinking"`)
}

// modelVersion finds 4, 5 in claude-sonnet-4-5-20250929 and 3, 7 in
// claude-3-7-sonnet-latest; 0, 0 in names that are not Claude's.
func modelVersion(name string) (major, minor int) {
	at := strings.Index(name, "claude-")
	if at < 0 {
		return 0, 0
	}
	for _, word := range strings.FieldsFunc(name[at:], func(r rune) bool { return r == '-' || r == '.' || r == '@' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && major > 0, err == nil && n > 99: // past the numbers, or a date
			return major, minor
		case err != nil:
		case major == 0:
			major = n
		default:
			return major, n
		}
	}
	return major, minor
}

func tools(specs []llm.ToolSpec) []byte {
	list := make([][]byte, len(specs))
	for i, s := range specs {
		schema := []byte(`{"type":"object"}`)
		if len(s.Schema) > 0 {
			schema = wire.AppendArgs(nil, s.Schema)
		}
		list[i] = wire.Object{}.Str("name", s.Name).Str("description", s.Description).Raw("input_schema", schema).End()
	}
	list[len(list)-1] = marked(list[len(list)-1])
	return wire.Array(list...)
}

// turns is the mended history in the wire's messages. A round's results come
// first in their message, as they directly follow the calls.
func (m *Model) turns(history []llm.Message) []turn {
	ids := wire.IDs{Max: 64}
	var turns []turn
	for _, msg := range llm.Mend(history, m.o.Info) {
		role, blocks := "user", [][]byte(nil)
		switch msg.Role {
		case llm.Assistant:
			role, blocks = "assistant", m.said(msg, &ids)
		case llm.ToolRole:
			r, _ := msg.Result()
			blocks = append(blocks, resultBlock(r, ids.Result(r.Call)))
		default:
			blocks = content(wire.Said(msg))
		}
		if n := len(turns); n > 0 && turns[n-1].role == role {
			turns[n-1].blocks = append(turns[n-1].blocks, blocks...)
		} else if len(blocks) > 0 {
			turns = append(turns, turn{role, blocks})
		}
	}
	return turns
}

// said is an answer's blocks.
func (m *Model) said(msg llm.Message, ids *wire.IDs) [][]byte {
	var blocks [][]byte
	for _, p := range msg.Parts {
		switch p := p.(type) {
		case llm.Text:
			blocks = append(blocks, textBlock(p.Text))
		case llm.Thinking:
			if b := m.thinkingBlock(p); b != nil {
				blocks = append(blocks, b)
			}
		case llm.ToolCall:
			own := ""
			if strings.HasPrefix(msg.Model, m.o.Info.Provider+"/") {
				own = p.Wire
			}
			blocks = append(blocks, wire.Object{}.Str("type", "tool_use").Str("id", ids.Call(p.ID, own)).
				Str("name", wire.Name(p.Name)).Raw("input", wire.AppendArgs(nil, p.Args)).End())
		}
	}
	return blocks
}

// thinkingBlock is the block as it came. Anthropic refuses thinking without
// its signature; others that offer the API have none.
func (m *Model) thinkingBlock(t llm.Thinking) []byte {
	switch {
	case len(t.Raw) > 0 && json.Valid(t.Raw):
		return t.Raw
	case t.Signature == "" && (m.o.Info.Provider == "anthropic" || t.Text == ""):
		return nil
	}
	return wire.Object{}.Str("type", "thinking").Str("thinking", t.Text).Str("signature", t.Signature).End()
}

// resultBlock is a result. A failed one may hold only text, so one with
// images says in words that it failed.
func resultBlock(r llm.ToolResult, id string) []byte {
	failed := r.Error
	if failed && slices.ContainsFunc(r.Parts, isImage) {
		failed = false
		r.Parts = append(llm.Parts{llm.Text{Text: "Error:"}}, r.Parts...)
	}
	o := wire.Object{}.Str("type", "tool_result").Str("tool_use_id", id).Raw("content", wire.Array(content(r.Parts)...))
	if failed {
		o = o.Bool("is_error", true)
	}
	return o.End()
}

func isImage(p llm.Part) bool {
	_, ok := p.(llm.Image)
	return ok
}

// content is text and image blocks.
func content(parts llm.Parts) [][]byte {
	var blocks [][]byte
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			blocks = append(blocks, textBlock(p.Text))
		case llm.Image:
			source := wire.Object{}.Str("type", "base64").Str("media_type", p.Media).
				Str("data", base64.StdEncoding.EncodeToString(p.Data)).End()
			blocks = append(blocks, wire.Object{}.Str("type", "image").Raw("source", source).End())
		}
	}
	return blocks
}

func textBlock(s string) []byte { return wire.Object{}.Str("type", "text").Str("text", s).End() }

// marked is the object with a cache mark at its end.
func marked(object []byte) []byte {
	return wire.Object(object[:len(object)-1:len(object)-1]).Raw("cache_control", []byte(`{"type":"ephemeral"}`)).End()
}

// appendMessages writes the turns, with cache marks on the newest user
// messages. It copies once: the history may be megabytes.
func appendMessages(dst []byte, turns []turn) []byte {
	size, left := 2, marks
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].role == "user" && left > 0 {
			left--
			blocks := turns[i].blocks
			blocks[len(blocks)-1] = marked(blocks[len(blocks)-1])
		}
		for _, b := range turns[i].blocks {
			size += len(b) + 1
		}
		size += len(`{"role":"assistant","content":[]},`)
	}
	dst = append(slices.Grow(dst, size), '[')
	for i, t := range turns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"role":"`+t.role+`","content":`...)
		dst = append(wire.AppendArray(dst, t.blocks...), '}')
	}
	return append(dst, ']')
}
