package llmtest

import (
	"fmt"
	"strings"
	"unicode"
)

// messages looks at the conversation of a Messages request.
func (m *messagesChecker) messages(top map[string]any) {
	all := m.list("", top, "messages")
	if len(all) == 0 {
		m.bad("messages", "at least one message is required")
		return
	}
	var open []string // calls of the message before
	for i, v := range all {
		path := m.index("messages", i)
		msg, ok := m.object(path, v, "role! content!")
		if !ok {
			return
		}
		role := m.word(path, msg, "role", "user assistant")
		if i == 0 && role != "user" {
			m.bad("messages", `first message must use the "user" role`)
		}
		if i == len(all)-1 && role == "assistant" {
			m.lastAssistant(msg)
		}
		blocks := m.content(path, msg, role)
		m.pairs(i, open, blocks)
		open = callsIn(blocks)
		if i == len(all)-1 && len(open) > 0 {
			m.pairs(i+1, open, nil)
		}
	}
}

// lastAssistant refuses a prefill, which current models do not take.
func (m *messagesChecker) lastAssistant(msg map[string]any) {
	text, _ := msg["content"].(string)
	if blocks, ok := msg["content"].([]any); ok && len(blocks) > 0 {
		last, _ := blocks[len(blocks)-1].(map[string]any)
		text, _ = last["text"].(string)
	}
	if text != strings.TrimRightFunc(text, unicode.IsSpace) {
		m.bad("messages", "final assistant content cannot end with trailing whitespace")
	}
	m.bad("", "This model does not support assistant message prefill. The conversation must end with a user message.")
}

// content takes the blocks of a message.
func (m *messagesChecker) content(path string, msg map[string]any, role string) []map[string]any {
	if text, plain := msg["content"].(string); plain {
		m.textBlock("messages", path+".content", map[string]any{"text": text})
		return nil
	}
	list := m.list(path, msg, "content")
	if len(list) == 0 {
		m.bad(path, "all messages must have non-empty content except for the optional final assistant message")
	}
	var blocks []map[string]any
	other := false
	for i, v := range list {
		at := m.index(path+".content", i)
		b, ok := v.(map[string]any)
		if !ok {
			m.bad(at, "Input should be a valid dictionary")
			continue
		}
		m.block(at, b, role)
		if b["type"] == "tool_result" && other {
			m.bad(at, "tool_result blocks must come first in the content of their message")
		}
		other = other || b["type"] != "tool_result"
		blocks = append(blocks, b)
	}
	if n := len(blocks); role == "assistant" && n > 0 && (blocks[n-1]["type"] == "thinking" || blocks[n-1]["type"] == "redacted_thinking") {
		m.bad(path, "The final block in an assistant message cannot be `%s`.", blocks[n-1]["type"])
	}
	return blocks
}

// block looks at one block of a message.
func (m *messagesChecker) block(path string, b map[string]any, role string) {
	kind := m.text(path, b, "type")
	if user := contains("tool_result image document search_result container_upload", kind); user && role != "user" {
		m.bad(path, "`%s` blocks can only be in `user` messages", kind)
	}
	if contains("tool_use thinking redacted_thinking", kind) && role != "assistant" {
		m.bad(path, "`%s` blocks can only be in `assistant` messages", kind)
	}
	switch kind {
	case "text":
		if _, ok := m.object(path, b, "type! text! cache_control citations"); ok {
			m.textBlock("messages", path, b)
		}
	case "image":
		m.imageBlock(path, b)
	case "thinking":
		if _, ok := m.object(path, b, "type! thinking! signature!"); ok {
			m.text(path, b, "thinking")
			m.text(path, b, "signature")
		}
	case "redacted_thinking":
		if _, ok := m.object(path, b, "type! data!"); ok && m.text(path, b, "data") == "" {
			m.bad(path, "Invalid `data` in `redacted_thinking` block")
		}
	case "tool_use":
		m.toolUse(path, b)
	case "tool_result":
		m.toolResult(path, b)
	case "document", "search_result", "container_upload", "server_tool_use", "mcp_tool_use", "mcp_tool_result":
		m.cacheControl(path, b, true)
	default:
		if !strings.HasSuffix(kind, "_tool_result") {
			m.bad(path, "Input tag %q found using 'type' does not match any of the expected tags", kind)
		}
	}
}

func (m *messagesChecker) imageBlock(path string, b map[string]any) {
	m.images++
	if _, ok := m.object(path, b, "type! source! cache_control"); !ok {
		return
	}
	m.cacheControl(path, b, true)
	path += ".source"
	source, ok := b["source"].(map[string]any)
	if !ok {
		m.bad(path, "Input should be a valid dictionary")
		return
	}
	switch m.word(path, source, "type", "base64 url file") {
	case "base64":
		if _, ok := m.object(path, source, "type! media_type! data!"); ok {
			if wrong := image(m.text(path, source, "media_type"), m.text(path, source, "data")); wrong != "" {
				m.bad(path+".base64", "%s", wrong)
			}
		}
	case "url":
		m.object(path, source, "type! url!")
	case "file":
		m.object(path, source, "type! file_id!")
	}
}

func (m *messagesChecker) toolUse(path string, b map[string]any) {
	if _, ok := m.object(path, b, "type! id! name! input! cache_control caller"); !ok {
		return
	}
	id := m.text(path, b, "id")
	if !isName(id, 64) {
		m.bad(path+".id", "String should match pattern '^[a-zA-Z0-9_-]+$'")
	}
	if m.ids[id] {
		m.bad("messages", "`tool_use` ids must be unique: %s", id)
	}
	m.ids[id] = true
	if !isName(m.text(path, b, "name"), 200) {
		m.bad(path+".name", "String should match pattern '^[a-zA-Z0-9_-]{1,200}$'")
	}
	if _, ok := b["input"].(map[string]any); !ok {
		m.bad(path+".input", "Input should be a valid dictionary")
	}
	m.cacheControl(path, b, true)
}

func (m *messagesChecker) toolResult(path string, b map[string]any) {
	if _, ok := m.object(path, b, "type! tool_use_id! content is_error cache_control"); !ok {
		return
	}
	m.text(path, b, "tool_use_id")
	failed := m.flag(path, b, "is_error")
	m.cacheControl(path, b, true)
	if _, plain := b["content"].(string); plain {
		return
	}
	for i, v := range m.list(path, b, "content") {
		at := m.index(path+".content", i)
		inner, ok := v.(map[string]any)
		if !ok {
			m.bad(at, "Input should be a valid dictionary")
			continue
		}
		switch kind := inner["type"]; kind {
		case "text", "image", "document", "search_result":
			m.block(at, inner, "user")
			if failed && kind != "text" {
				m.bad(path, "all content must be type `text` if `is_error` is true")
			}
		default:
			m.bad(at, "Input tag '%v' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text'", kind)
		}
	}
}

func callsIn(blocks []map[string]any) []string {
	var ids []string
	for _, b := range blocks {
		if id, ok := b["id"].(string); ok && b["type"] == "tool_use" {
			ids = append(ids, id)
		}
	}
	return ids
}

// pairs holds the results in message i against the calls of the one before.
func (m *messagesChecker) pairs(i int, open []string, blocks []map[string]any) {
	waiting := map[string]int{}
	for _, id := range open {
		waiting[id] = 1
	}
	for j, b := range blocks {
		if b["type"] != "tool_result" {
			continue
		}
		id := fmt.Sprint(b["tool_use_id"])
		switch n, known := waiting[id]; {
		case !known:
			m.bad(fmt.Sprintf("messages.%d.content.%d", i, j), "unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
				"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", id)
		case n == 0:
			m.bad(fmt.Sprintf("messages.%d.content.%d", i, j), "each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", id)
		default:
			waiting[id] = 0
		}
	}
	var missing []string
	for _, id := range open {
		if waiting[id] > 0 {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		m.bad(fmt.Sprintf("messages.%d", i-1), "`tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
			"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", strings.Join(missing, ", "))
	}
}
