package anthropic

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/jsonscan"
	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// marks is how many of the newest user messages get a cache mark. Together
// with the tools' and the system prompt's these are the four that a request
// may have.
const marks = 2

// cacheMark is what a block with a mark says.
const cacheMark = `{"type":"ephemeral"}`

// body is the request's JSON.
func (m *Model) body(req llm.Request) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest, ok := m.written.seen.Rest(req.Messages)
	if !ok {
		m.written = encoder{m: m, mender: llm.Mender{To: m.o.Info}, ids: wire.IDs{Max: 64}}
		rest = req.Messages
	}
	m.written.add(rest)
	limit := m.maxTokens(req)
	o := make(wire.Object, 0, len(m.written.o)+room(req))
	o = o.Str("model", m.o.Info.Name).Int("max_tokens", limit).Bool("stream", true)
	o = m.think(o, req, limit)
	if req.System != "" {
		o = appendText(o.List("system").Item(), req.System).Raw("cache_control", cacheMark).Close().EndList()
	}
	if len(req.Tools) > 0 {
		o = tools(o, req.Tools)
	}
	return m.written.appendTo(o.List("messages")).EndList().Close()
}

// room is about how many bytes a request has besides its messages.
func room(req llm.Request) int {
	n := 1024 + len(req.System)*9/8
	for _, t := range req.Tools {
		n += 100 + len(t.Description)*9/8 + len(t.Schema)
	}
	return n
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
func (m *Model) think(o wire.Object, req llm.Request, limit int) wire.Object {
	if !m.o.Info.Thinking {
		return o
	}
	major, minor := modelVersion(m.o.Info.Name)
	if major > 4 || major == 4 && minor >= 6 {
		if req.Effort == "" && major < 5 {
			return o
		}
		o = o.Open("thinking").Str("type", "adaptive")
		if major > 4 || minor > 6 {
			o = o.Str("display", "summarized")
		}
		o = o.Close()
		if req.Effort != "" {
			o = o.Open("output_config").Str("effort", req.Effort).Close()
		}
		return o
	}
	budget := min(budgetOf(req.Effort), limit*3/4)
	if budget < 1024 || !m.written.mayThink() {
		return o
	}
	return o.Open("thinking").Str("type", "enabled").Int("budget_tokens", budget).Close()
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

func tools(o wire.Object, specs []llm.ToolSpec) wire.Object {
	o = o.List("tools")
	for i, s := range specs {
		o = o.Item().Str("name", s.Name).Str("description", s.Description)
		if jsonscan.Valid(s.Schema) {
			o = o.Args("input_schema", s.Schema)
		} else {
			o = o.Raw("input_schema", `{"type":"object"}`)
		}
		if i == len(specs)-1 {
			o = o.Raw("cache_control", cacheMark)
		}
		o = o.Close()
	}
	return o.EndList()
}

// encoder writes a history that grows as the wire's messages. Neighbours with
// the same role are one message; a round's results come first in theirs, as
// they directly follow the calls.
type encoder struct {
	m      *Model
	seen   wire.Seen
	mender llm.Mender
	ids    wire.IDs
	o      wire.Object       // the messages so far; the last one is still open
	role   string            // of the message that is open, "" before the first
	first  map[string]string // by role, the type of the newest message's first block
	ends   [marks]int        // where the newest messages of the user's end, the open one not
}

func (e *encoder) add(messages []llm.Message) {
	e.seen, e.o = append(e.seen, messages...), slices.Grow(e.o, wire.Room(messages))
	for _, msg := range e.mender.Add(messages) {
		e.message(msg)
	}
}

// in goes on in a message of that role with a block of that type.
func (e *encoder) in(role, block string) *encoder {
	if role == e.role {
		return e
	}
	if e.role != "" {
		e.ends = e.userEnds()
		e.o = e.o.EndList().Close()
	}
	if e.first == nil {
		e.first = map[string]string{}
	}
	e.role, e.first[role] = role, block
	e.o = e.o.Item().Str("role", role).List("content")
	return e
}

// userEnds is where the newest messages of the user's end, the open one
// included: after their last block.
func (e *encoder) userEnds() [marks]int {
	ends := e.ends
	if e.role == "user" {
		copy(ends[:], ends[1:])
		ends[marks-1] = len(e.o)
	}
	return ends
}

// appendTo appends the messages with their cache marks, which move with every
// request.
func (e *encoder) appendTo(o wire.Object) wire.Object {
	from := 0
	for _, end := range e.userEnds() {
		if end > 0 {
			o = append(append(o, e.o[from:end-1]...), `,"cache_control":`+cacheMark...)
			from = end - 1
		}
	}
	if o = append(o, e.o[from:]...); e.role != "" {
		o = o.EndList().Close()
	}
	return o
}

// mayThink says whether thinking with a budget can be asked for: in the
// middle of a round of tools, the answer being continued must begin with
// thinking, else the request is refused. It does not after a change of model.
func (e *encoder) mayThink() bool {
	return e.role != "user" || e.first["user"] != "tool_result" || e.first["assistant"] == "thinking"
}

func (e *encoder) message(msg llm.Message) {
	switch msg.Role {
	case llm.Assistant:
		e.answer(msg)
	case llm.ToolRole:
		r, _ := msg.Result()
		e.result(r)
	default:
		for _, p := range wire.Said(msg) {
			if isContent(p) {
				e.in("user", "").o = appendContent(e.o, p)
			}
		}
	}
}

// answer writes an answer's blocks. Thinking that nothing follows, as in an
// answer that was cut off in the middle of it, is left out: a message that
// ends in it is refused.
func (e *encoder) answer(msg llm.Message) {
	parts := msg.Parts
	for len(parts) > 0 && isThought(parts[len(parts)-1]) {
		parts = parts[:len(parts)-1]
	}
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			e.in("assistant", "text").o = appendText(e.o.Item(), p.Text).Close()
		case llm.Thinking:
			switch {
			case isBlock(p):
				e.in("assistant", kindOf(p.Raw)).o = e.o.RawItem(p.Raw)
			case e.m.sendsText(p):
				e.in("assistant", "thinking").o = e.o.Item().Str("type", "thinking").Str("thinking", p.Text).Str("signature", p.Signature).Close()
			}
		case llm.ToolCall:
			own := ""
			if strings.HasPrefix(msg.Model, e.m.o.Info.Provider+"/") {
				own = p.Wire
			}
			e.in("assistant", "tool_use").o = e.o.Item().Str("type", "tool_use").Str("id", e.ids.Call(p.ID, own)).
				Str("name", wire.Name(p.Name)).Args("input", p.Args).Close()
		}
	}
}

// isBlock is whether thinking has the block that it came as.
func isBlock(t llm.Thinking) bool { return len(t.Raw) > 0 && jsonscan.Valid(t.Raw) }

// kindOf is "thinking" for a block of thinking, redacted or not, and else "".
func kindOf(raw []byte) string {
	var block struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &block) == nil && (block.Type == "thinking" || block.Type == "redacted_thinking") {
		return "thinking"
	}
	return ""
}

// isThought is whether a part is thinking, and no other block kept as it came.
func isThought(p llm.Part) bool {
	t, ok := p.(llm.Thinking)
	return ok && (!isBlock(t) || kindOf(t.Raw) != "")
}

// sendsText says whether thinking that has no block goes back. Anthropic
// refuses it without its signature; others that offer the API have none.
func (m *Model) sendsText(t llm.Thinking) bool {
	return t.Signature != "" || m.o.Info.Provider != "anthropic" && t.Text != ""
}

// result writes a result. A failed one may hold only text, so one with images
// says in words that it failed.
func (e *encoder) result(r llm.ToolResult) {
	failed := r.Error
	e.in("user", "tool_result").o = e.o.Item().Str("type", "tool_result").Str("tool_use_id", e.ids.Result(r.Call)).List("content")
	if failed && slices.ContainsFunc(r.Parts, isImage) {
		failed = false
		e.o = appendText(e.o.Item(), "Error:").Close()
	}
	for _, p := range r.Parts {
		e.o = appendContent(e.o, p)
	}
	if e.o = e.o.EndList(); failed {
		e.o = e.o.Bool("is_error", true)
	}
	e.o = e.o.Close()
}

func isImage(p llm.Part) bool {
	_, ok := p.(llm.Image)
	return ok
}

func isContent(p llm.Part) bool {
	_, ok := p.(llm.Text)
	return ok || isImage(p)
}

// appendContent writes a text or an image, and nothing else.
func appendContent(o wire.Object, p llm.Part) wire.Object {
	switch p := p.(type) {
	case llm.Text:
		return appendText(o.Item(), p.Text).Close()
	case llm.Image:
		return o.Item().Str("type", "image").Open("source").Str("type", "base64").Str("media_type", p.Media).
			Base64("data", "", p.Data).Close().Close()
	}
	return o
}

func appendText(o wire.Object, s string) wire.Object { return o.Str("type", "text").Str("text", s) }
