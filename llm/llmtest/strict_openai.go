package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// checkChat is what the Chat Completions API refuses in a body. A look-alike
// has fields of its own and longer ids.
func checkChat(body []byte, lookAlike bool) (top map[string]any, faults []fault) {
	v, err := decodeBody(body)
	if err != nil {
		return nil, []fault{{text: "We could not parse the JSON body of your request: " + err.Error()}}
	}
	c := &chatChecker{checker: checker{brackets: true}, lookAlike: lookAlike}
	fields := "model! messages! stream stream_options max_tokens max_completion_tokens temperature top_p n stop presence_penalty frequency_penalty " +
		"logit_bias logprobs top_logprobs user tools tool_choice parallel_tool_calls response_format reasoning_effort verbosity seed store " +
		"metadata modalities audio prediction service_tier web_search_options prompt_cache_key prompt_cache_retention safety_identifier"
	if lookAlike {
		fields += " *"
	}
	top, _ = c.object("", v, fields)
	if top == nil {
		return nil, c.faults
	}
	c.settings(top)
	c.tools(top)
	c.messages(top)
	return top, c.faults
}

type chatChecker struct {
	checker
	lookAlike bool
}

func (c *chatChecker) settings(top map[string]any) {
	model := c.text("", top, "model")
	if model == "" {
		c.bad("", "you must provide a model parameter")
	}
	c.whole("", top, "max_tokens", 1)
	c.whole("", top, "max_completion_tokens", 1)
	_, old := top["max_tokens"]
	_, current := top["max_completion_tokens"]
	if old && current {
		c.bad("max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	}
	if old && !c.lookAlike && isReasoner(model) {
		c.bad("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	}
	if t, there := top["temperature"]; there && !c.lookAlike && isReasoner(model) && fmt.Sprint(t) != "1" {
		c.bad("temperature", "Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", t)
	}
	if _, there := top["reasoning_effort"]; there && !c.lookAlike {
		c.word("", top, "reasoning_effort", "none minimal low medium high xhigh")
		if !isReasoner(model) {
			c.bad("reasoning_effort", "Unrecognized request argument supplied: reasoning_effort")
		}
	}
	c.number("", top, "temperature", 0, 2)
	c.number("", top, "top_p", 0, 1)
	stream := c.flag("", top, "stream")
	if v, there := top["stream_options"]; there {
		if !stream {
			c.bad("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
		}
		if o, ok := c.object("stream_options", v, "include_usage include_obfuscation"); ok {
			c.flag("stream_options", o, "include_usage")
		}
	}
}

// isReasoner says whether the model is one of OpenAI's that think.
func isReasoner(model string) bool {
	return strings.HasPrefix(model, "gpt-5") || len(model) > 1 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9'
}

func (c *chatChecker) tools(top map[string]any) {
	tools := c.list("", top, "tools")
	if _, there := top["tools"]; there && len(tools) == 0 {
		c.bad("tools", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	if len(tools) > 128 && !c.lookAlike {
		c.bad("tools", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length %d instead.", len(tools))
	}
	for _, k := range []string{"tool_choice", "parallel_tool_calls"} {
		if _, there := top[k]; there && len(tools) == 0 {
			c.bad(k, "Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", k, k)
		}
	}
	names := map[string]bool{}
	for i, v := range tools {
		path := c.index("tools", i)
		t, ok := c.object(path, v, "type! function!")
		if !ok {
			continue
		}
		c.word(path, t, "type", "function")
		path += ".function"
		f, ok := c.object(path, t["function"], "name! description parameters strict")
		if !ok {
			continue
		}
		name := c.text(path, f, "name")
		if !isName(name, 64) {
			c.bad(path+".name", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$' of at most 64 characters.", path)
		}
		if names[name] {
			c.bad(path+".name", "the name %q is used for two tools", name)
		}
		names[name] = true
		if d := c.text(path, f, "description"); len(d) > 100_000 {
			c.bad(path+".description", "string too long")
		}
		if p, there := f["parameters"]; there {
			c.schema(path+".parameters", p)
			if c.flag(path, f, "strict") {
				c.strictSchema(path+".parameters", p)
			}
		}
	}
}

// strictSchema holds an object schema to the rules of "strict": true.
func (c *chatChecker) strictSchema(path string, v any) {
	m, _ := v.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	if m["type"] == "object" {
		if m["additionalProperties"] != false {
			c.bad(path, "Invalid schema: 'additionalProperties' is required to be supplied and to be false.")
		}
		required := fmt.Sprint(m["required"])
		for _, k := range sortedKeys(properties) {
			if !strings.Contains(required, k) {
				c.bad(path, "Invalid schema: 'required' is required to include every key in properties. Missing %q.", k)
			}
		}
	}
	for _, k := range sortedKeys(properties) {
		c.strictSchema(path+".properties."+k, properties[k])
	}
	if items, there := m["items"]; there {
		c.strictSchema(path+".items", items)
	}
}

// messages looks at the conversation of a Chat Completions request.
func (c *chatChecker) messages(top map[string]any) {
	all := c.list("", top, "messages")
	if len(all) == 0 {
		c.bad("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
		return
	}
	open := map[string]int{} // how many answers each call of the last assistant message still wants
	last := ""
	for i, v := range all {
		path := c.index("messages", i)
		m, ok := v.(map[string]any)
		if !ok {
			c.bad(path, "Invalid type for '%s': expected an object.", path)
			return
		}
		role := c.word(path, m, "role", "developer system user assistant tool")
		if role == "tool" {
			c.answer(path, m, open)
		} else {
			c.unanswered(path, open)
			open = map[string]int{}
		}
		switch role {
		case "assistant":
			c.assistant(path, m, open)
		case "tool":
			c.fields(path, m, "role! content! tool_call_id!")
			c.content(path, m, "text", true)
		case "user":
			c.fields(path, m, "role! content! name")
			c.content(path, m, "text image_url input_audio file", false)
		default:
			c.fields(path, m, "role! content! name")
			c.content(path, m, "text", false)
		}
		last = role
	}
	c.unanswered(c.index("messages", len(all)), open)
	if last == "assistant" {
		c.bad("messages", "Expected last role User or Tool, but got assistant")
	}
}

// fields is the object rule, with whatever else a look-alike has.
func (c *chatChecker) fields(path string, m map[string]any, fields string) {
	if c.lookAlike {
		fields += " reasoning_content reasoning reasoning_details"
	}
	c.object(path, m, fields)
}

func (c *chatChecker) unanswered(path string, open map[string]int) {
	var ids []string
	for _, id := range sortedKeys(open) {
		if open[id] > 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		c.bad(path+".role", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "+
			"The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
	}
}

func (c *chatChecker) answer(path string, m map[string]any, open map[string]int) {
	id := c.text(path, m, "tool_call_id")
	n, known := open[id]
	switch {
	case len(open) == 0:
		c.bad(path+".role", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
	case !known:
		c.bad(path+".tool_call_id", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", id)
	case n == 0:
		c.bad(path+".tool_call_id", "the call '%s' is answered twice", id)
	default:
		open[id] = 0
	}
}

func (c *chatChecker) assistant(path string, m map[string]any, open map[string]int) {
	c.fields(path, m, "role! content name refusal tool_calls")
	calls, there := m["tool_calls"]
	if content, given := m["content"]; (!given || content == nil) && there {
		// only calls
	} else if content == "" && !there {
		c.bad(path, "the message at '%s' with role 'assistant' must not be empty", path)
	} else if content != "" {
		c.content(path, m, "text refusal", false)
	}
	if !there {
		return
	}
	list := c.list(path, m, "tool_calls")
	if calls != nil && len(list) == 0 {
		c.bad(path+".tool_calls", "Invalid '%s.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.", path)
	}
	longest := 40
	if c.lookAlike {
		longest = 256
	}
	for i, v := range list {
		at := c.index(path+".tool_calls", i)
		fields := "id! type! function!"
		if c.lookAlike {
			fields += " extra_content"
		}
		call, ok := c.object(at, v, fields)
		if !ok {
			continue
		}
		id := c.text(at, call, "id")
		if id == "" || len(id) > longest {
			c.bad(at+".id", "Invalid '%s.id': a string of 1 to %d characters is expected, but got one of %d.", at, longest, len(id))
		}
		if _, twice := open[id]; twice {
			c.bad(at+".id", "Duplicate value for '%s.id': '%s'", at, id)
		}
		open[id] = 1
		c.word(at, call, "type", "function")
		f, ok := c.object(at+".function", call["function"], "name! arguments!")
		if !ok {
			continue
		}
		if !isName(c.text(at+".function", f, "name"), 64) {
			c.bad(at+".function.name", "Invalid '%s.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		args, plain := f["arguments"].(string)
		var object map[string]json.RawMessage
		if !plain {
			c.bad(at+".function.arguments", "Invalid type for '%s.function.arguments': expected a string.", at)
		} else if json.Unmarshal([]byte(args), &object) != nil || object == nil {
			c.bad(at+".function.arguments", "the arguments are not a JSON object: %s", args)
		}
	}
}

// content takes a string or an array of parts of these kinds.
func (c *chatChecker) content(path string, m map[string]any, kinds string, mayBeEmpty bool) {
	path += ".content"
	v := m["content"]
	if text, plain := v.(string); plain {
		if text == "" && !mayBeEmpty {
			c.bad(path, "the content must not be empty")
		}
		return
	}
	list, ok := v.([]any)
	if !ok {
		c.bad(path, "Invalid value for 'content': expected a string, got %s.", typeName(v))
		return
	}
	if len(list) == 0 {
		c.bad(path, "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", path)
	}
	for i, v := range list {
		at := c.index(path, i)
		part, ok := v.(map[string]any)
		if !ok {
			c.bad(at, "Invalid type for '%s': expected an object.", at)
			continue
		}
		switch c.word(at, part, "type", kinds) {
		case "text":
			if _, ok := c.object(at, part, "type! text!"); ok && c.text(at, part, "text") == "" {
				c.bad(at+".text", "the text must not be empty")
			}
		case "refusal":
			c.object(at, part, "type! refusal!")
		case "image_url":
			c.imagePart(at, part)
		}
		if _, there := part["type"]; !there {
			c.bad(at+".type", "Missing required parameter: '%s.type'.", at)
		}
	}
}

func (c *chatChecker) imagePart(path string, part map[string]any) {
	if _, ok := c.object(path, part, "type! image_url!"); !ok {
		return
	}
	path += ".image_url"
	u, ok := c.object(path, part["image_url"], "url! detail")
	if !ok {
		return
	}
	c.word(path, u, "detail", "auto low high original")
	url := c.text(path, u, "url")
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return
	}
	head, data, ok := strings.Cut(url, ";base64,")
	media, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		c.bad(path, "Invalid image URL: it must be a data: or https: URL")
	} else if wrong := image(media, data); wrong != "" {
		c.bad(path, "%s", wrong)
	}
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	}
	return "an object"
}
