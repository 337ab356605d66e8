package llmtest

import (
	"fmt"
	"strings"
)

// checkMessages is what the Messages API refuses in a body.
func checkMessages(body []byte, beta bool) (top map[string]any, faults []fault) {
	v, err := decodeBody(body)
	if err != nil {
		return nil, []fault{{text: "The request body is not valid JSON: " + err.Error()}}
	}
	m := &messagesChecker{ids: map[string]bool{}}
	fields := "model! max_tokens! messages! system metadata stop_sequences stream temperature top_k top_p tool_choice tools thinking " +
		"service_tier output_config cache_control inference_geo"
	if beta {
		fields += " container mcp_servers context_management betas speed output_format"
	}
	top, _ = m.object("", v, fields)
	if top == nil {
		return nil, m.faults
	}
	m.settings(top)
	m.tools(top)
	m.system(top)
	m.messages(top)
	if m.cached > 4 {
		m.bad("", "A maximum of 4 blocks with cache_control may be provided. Found %d.", m.cached)
	}
	if m.images > 100 {
		m.bad("messages", "at most 100 images may be provided, found %d", m.images)
	}
	return top, m.faults
}

type messagesChecker struct {
	checker
	cached int  // blocks with cache_control
	short  bool // a cache_control of five minutes was seen
	images int
	ids    map[string]bool // of the calls so far
}

func (m *messagesChecker) settings(top map[string]any) {
	if _, there := top["model"]; there && m.text("", top, "model") == "" {
		m.bad("model", "String should have at least 1 character")
	}
	limit := m.whole("", top, "max_tokens", 1)
	m.flag("", top, "stream")
	m.number("", top, "temperature", 0, 1)
	m.number("", top, "top_p", 0, 1)
	m.whole("", top, "top_k", 0)
	m.cacheControl("", top, true)
	if v, there := top["metadata"]; there {
		if meta, ok := m.object("metadata", v, "user_id"); ok {
			m.text("metadata", meta, "user_id")
		}
	}
	for i, s := range m.list("", top, "stop_sequences") {
		if s, ok := s.(string); !ok || strings.TrimSpace(s) == "" {
			m.bad(m.index("stop_sequences", i), "each stop sequence must contain non-whitespace")
		}
	}
	if v, there := top["thinking"]; there {
		m.thinking(top, v, limit)
	}
	if v, there := top["output_config"]; there {
		if o, ok := m.object("output_config", v, "effort format task_budget"); ok {
			m.word("output_config", o, "effort", "low medium high xhigh max")
		}
	}
}

func (m *messagesChecker) thinking(top map[string]any, v any, limit int) {
	t, ok := m.object("thinking", v, "type! budget_tokens display")
	if !ok {
		return
	}
	kind := m.word("thinking", t, "type", "enabled disabled adaptive")
	m.word("thinking", t, "display", "summarized omitted")
	budget, there := t["budget_tokens"]
	switch {
	case kind == "enabled" && !there:
		m.bad("thinking.enabled.budget_tokens", "Field required")
	case kind == "enabled":
		if n := m.whole("thinking", t, "budget_tokens", 1024); n >= limit {
			m.bad("", "`max_tokens` must be greater than `thinking.budget_tokens`.")
		}
	case there:
		m.bad("thinking."+kind+".budget_tokens", "Extra inputs are not permitted, not %v", budget)
	}
	if kind == "disabled" {
		return
	}
	if n, there := top["temperature"]; there && fmt.Sprint(n) != "1" {
		m.bad("", "`temperature` may only be set to 1 when thinking is enabled.")
	}
	if _, there := top["top_k"]; there {
		m.bad("", "`top_k` must be unset when thinking is enabled.")
	}
	if c, ok := top["tool_choice"].(map[string]any); ok && (c["type"] == "any" || c["type"] == "tool") {
		m.bad("", "Thinking may not be enabled when tool_choice forces tool use.")
	}
}

// cacheControl looks at the object's cache_control; some says whether there
// is anything in the block that could be cached.
func (m *messagesChecker) cacheControl(path string, block map[string]any, some bool) {
	v, there := block["cache_control"]
	if !there || v == nil {
		return
	}
	m.cached++
	path = dot(path, "cache_control")
	if !some {
		m.bad(path, "cache_control cannot be set for empty text blocks")
	}
	c, ok := m.object(path, v, "type! ttl")
	if !ok {
		return
	}
	m.word(path, c, "type", "ephemeral")
	if m.word(path, c, "ttl", "5m 1h") == "1h" && m.short {
		m.bad(path, "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
	} else if c["ttl"] != "1h" {
		m.short = true
	}
}

func (m *messagesChecker) tools(top map[string]any) {
	names := map[string]bool{}
	for i, v := range m.list("", top, "tools") {
		path := m.index("tools", i)
		t, ok := v.(map[string]any)
		if !ok {
			m.bad(path, "Input should be a valid dictionary")
			continue
		}
		if kind, there := t["type"]; there && kind != "custom" && kind != nil {
			m.cacheControl(path, t, true) // a tool that the server runs: its other fields are its own
			continue
		}
		path += ".custom"
		m.object(path, v, "type name! description input_schema! cache_control strict defer_loading allowed_callers input_examples eager_input_streaming")
		name := m.text(path, t, "name")
		if !isName(name, 128) {
			m.bad(path+".name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
		}
		if names[name] {
			m.bad("tools", "Tool names must be unique.")
		}
		names[name] = true
		m.text(path, t, "description")
		if s, there := t["input_schema"]; there {
			m.schema(path+".input_schema", s)
		}
		m.cacheControl(path, t, true)
	}
	v, there := top["tool_choice"]
	if !there {
		return
	}
	if c, ok := m.object("tool_choice", v, "type! name disable_parallel_tool_use"); ok {
		kind := m.word("tool_choice", c, "type", "auto any tool none")
		if name := m.text("tool_choice", c, "name"); kind == "tool" && !names[name] {
			m.bad("tool_choice", "Tool '%s' not found in provided tools", name)
		}
		m.flag("tool_choice", c, "disable_parallel_tool_use")
		if len(names) == 0 && top["tools"] == nil {
			m.bad("tool_choice", "tool_choice may only be specified while providing tools")
		}
	}
}

func (m *messagesChecker) system(top map[string]any) {
	v, there := top["system"]
	if _, plain := v.(string); !there || plain {
		return
	}
	for i, b := range m.list("", top, "system") {
		path := m.index("system", i)
		if b, ok := m.object(path, b, "type! text! cache_control citations"); ok {
			m.word(path, b, "type", "text")
			m.textBlock("system", path, b)
		}
	}
}

// textBlock looks at a block that has a text.
func (m *messagesChecker) textBlock(where, path string, b map[string]any) {
	text := m.text(path, b, "text")
	if text == "" {
		m.bad(where, "text content blocks must be non-empty (%s)", path)
	} else if strings.TrimSpace(text) == "" {
		m.bad(where, "text content blocks must contain non-whitespace text (%s)", path)
	}
	m.cacheControl(path, b, text != "")
}
