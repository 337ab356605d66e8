package llmtest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// edit is a body with one place replaced; the place must be there.
func edit(t *testing.T, body, old, new string) string {
	t.Helper()
	if !strings.Contains(body, old) {
		t.Fatalf("the good body does not hold %s", old)
	}
	return strings.Replace(body, old, new, 1)
}

func png() string {
	return base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n0000000000"))
}

func goodMessages() string {
	return `{"model":"claude-x","max_tokens":4096,"stream":true,"thinking":{"type":"enabled","budget_tokens":1024},` +
		`"system":[{"type":"text","text":"be good","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"read_file","description":"reads","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"cache_control":{"type":"ephemeral"}},` +
		`{"name":"write_file","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"},` +
		`"messages":[{"role":"user","content":"hello"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"look"},` +
		`{"type":"tool_use","id":"a1","name":"read_file","input":{"path":"x"}},{"type":"tool_use","id":"a2","name":"gone","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a2","content":"no such tool","is_error":true},` +
		`{"type":"tool_result","tool_use_id":"a1","content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png() + `"}}]},` +
		`{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}]}]}`
}

func TestMessagesRefusals(t *testing.T) {
	good := goodMessages()
	if _, faults := checkMessages([]byte(good), false); len(faults) > 0 {
		t.Fatalf("the good body is refused: %s", joinFaults(faults))
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"not JSON":                  {`"model"`, `model`, "not valid JSON"},
		"after the JSON":            {`"go on","cache_control":{"type":"ephemeral"}}]}]}`, `"go on"}]}]} x`, "not valid JSON"},
		"lone surrogate":            {`"hello"`, `"\ud83d!"`, "no low surrogate"},
		"lone low surrogate":        {`"hello"`, `"\ude00"`, "no high surrogate"},
		"not UTF-8":                 {`"hello"`, "\"\xff\"", "not UTF-8"},
		"no max_tokens":             {`"max_tokens":4096,`, ``, "max_tokens: Field required"},
		"max_tokens 0":              {`4096`, `0`, "max_tokens"},
		"no model":                  {`"model":"claude-x",`, ``, "model: Field required"},
		"foreign field":             {`"stream":true`, `"stream":true,"stream_options":{}`, "stream_options: Extra inputs"},
		"foreign field in message":  {`"role":"user","content":"hello"`, `"role":"user","content":"hello","id":"m"`, "messages.0.id: Extra"},
		"foreign field in text":     {`"text":"look"`, `"text":"look","x":1`, "messages.1.content.1.x: Extra"},
		"foreign field in result":   {`"is_error":true`, `"is_error":true,"name":"n"`, "messages.2.content.0.name: Extra"},
		"foreign field in call":     {`"input":{}`, `"input":{},"args":{}`, "args: Extra"},
		"foreign field in tool":     {`{"name":"write_file"`, `{"parameters":{},"name":"write_file"`, "parameters: Extra"},
		"foreign field in system":   {`"text":"be good"`, `"text":"be good","role":"x"`, "system.0.role: Extra"},
		"system role":               {`"role":"user","content":"hello"`, `"role":"system","content":"hello"`, "messages.0.role"},
		"assistant first":           {`{"role":"user","content":"hello"},`, ``, "first message"},
		"no messages":               {`"messages":[`, `"messages":[],"metadata":{},"stop_sequences":[`, "at least one message"},
		"empty content":             {`"content":"hello"`, `"content":""`, "non-empty"},
		"no blocks":                 {`"content":"hello"`, `"content":[]`, "non-empty content"},
		"blank text":                {`"text":"look"`, `"text":" \n"`, "non-whitespace"},
		"empty text in result":      {`"text":"one"`, `"text":""`, "non-empty"},
		"empty system":              {`"text":"be good"`, `"text":""`, "system: text content blocks must be non-empty"},
		"cache on empty text":       {`"text":"be good"`, `"text":""`, "cache_control cannot be set"},
		"unknown cache":             {`"ephemeral"`, `"forever"`, "cache_control.type"},
		"result missing":            {`{"type":"tool_result","tool_use_id":"a2","content":"no such tool","is_error":true},`, ``, "without `tool_result` blocks immediately after: a2"},
		"result twice":              {`"tool_use_id":"a2"`, `"tool_use_id":"a1"`, "single result"},
		"result of nothing":         {`"tool_use_id":"a2"`, `"tool_use_id":"zz"`, "unexpected `tool_use_id`"},
		"result late":               {`{"role":"user","content":[{"type":"tool_result"`, `{"role":"user","content":"wait"},{"role":"user","content":[{"type":"tool_result"`, "without `tool_result`"},
		"results not first":         {`[{"type":"tool_result"`, `[{"type":"text","text":"x"},{"type":"tool_result"`, "must come first"},
		"same id twice":             {`"id":"a2"`, `"id":"a1"`, "must be unique"},
		"bad id":                    {`"id":"a2"`, `"id":"a.2"`, "pattern"},
		"long id":                   {`"id":"a2"`, `"id":"` + strings.Repeat("a", 65) + `"`, "pattern"},
		"input no object":           {`"input":{}`, `"input":"{}"`, "valid dictionary"},
		"image in failed result":    {`"content":[{"type":"text","text":"one"}`, `"is_error":true,"content":[{"type":"text","text":"one"}`, "must be type `text`"},
		"wrong media":               {`"media_type":"image/png"`, `"media_type":"image/gif"`, "does not match the provided media type"},
		"unknown media":             {`"media_type":"image/png"`, `"media_type":"image/bmp"`, "image/bmp"},
		"no base64":                 {png(), "%%%", "base64"},
		"call by user":              {`"content":"hello"`, `"content":[{"type":"tool_use","id":"q","name":"n","input":{}}]`, "only be in `assistant`"},
		"image by assistant":        {`{"type":"text","text":"look"}`, `{"type":"image","source":{"type":"url","url":"https://x"}}`, "only be in `user`"},
		"unknown block":             {`{"type":"text","text":"look"}`, `{"type":"reasoning","text":"look"}`, "does not match any"},
		"no signature":              {`"thinking":"hm","signature":"s"`, `"thinking":"hm"`, "signature: Field required"},
		"cache on thinking":         {`"signature":"s"`, `"signature":"s","cache_control":{"type":"ephemeral"}`, "cache_control: Extra"},
		"thinking last":             {`{"type":"tool_use","id":"a1","name":"read_file","input":{"path":"x"}},{"type":"tool_use","id":"a2","name":"gone","input":{}}]}`, `{"type":"thinking","thinking":"hm","signature":"s"}]}`, "final block in an assistant message cannot be"},
		"same tool twice":           {`"name":"write_file"`, `"name":"read_file"`, "Tool names must be unique"},
		"bad tool name":             {`"name":"write_file"`, `"name":"write file"`, "pattern"},
		"schema no object":          {`"input_schema":{"type":"object"}`, `"input_schema":{"type":"string"}`, "input_schema"},
		"schema with anyOf":         {`"input_schema":{"type":"object"}`, `"input_schema":{"type":"object","anyOf":[]}`, "anyOf"},
		"no schema":                 {`,"input_schema":{"type":"object"}}`, `}`, "input_schema: Field required"},
		"budget above max":          {`"budget_tokens":1024`, `"budget_tokens":4096`, "must be greater than"},
		"budget too small":          {`"budget_tokens":1024`, `"budget_tokens":10`, "budget_tokens"},
		"temperature with thinking": {`"stream":true`, `"stream":true,"temperature":0.5`, "temperature"},
		"forced tool with thinking": {`"tool_choice":{"type":"auto"}`, `"tool_choice":{"type":"any"}`, "forces tool use"},
		"choice of unknown tool":    {`"tool_choice":{"type":"auto"}`, `"tool_choice":{"type":"tool","name":"q"}`, "not found"},
		"five caches":               {`{"type":"text","text":"look"}`, `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}`, "Found 5"},
		"assistant last":            {`"text":"go on","cache_control":{"type":"ephemeral"}}]}]}`, `"text":"go on"}]},{"role":"assistant","content":"I"}]}`, "must end with a user message"},
		"trailing whitespace":       {`"text":"go on","cache_control":{"type":"ephemeral"}}]}]}`, `"text":"go on"}]},{"role":"assistant","content":"I "}]}`, "trailing whitespace"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := checkMessages([]byte(edit(t, good, c.old, c.new)), false)
			if !strings.Contains(joinFaults(faults), c.want) {
				t.Errorf("want a refusal that says %q, got %q", c.want, joinFaults(faults))
			}
		})
	}
}

func TestMessagesOpenCalls(t *testing.T) {
	head, _, _ := strings.Cut(goodMessages(), `,{"role":"user","content":[{"type":"tool_result"`)
	_, faults := checkMessages([]byte(head+"]}"), false)
	if got := joinFaults(faults); !strings.Contains(got, "immediately after: a1, a2") || !strings.Contains(got, "must end with a user message") {
		t.Errorf("got %q", got)
	}
}

func goodChat() string {
	return `{"model":"gpt-5","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":100,"reasoning_effort":"low",` +
		`"tools":[{"type":"function","function":{"name":"read_file","description":"reads","parameters":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"array","items":{"type":"string"}}}}}},` +
		`{"type":"function","function":{"name":"write_file","parameters":{"type":"object"}}}],"tool_choice":"auto","parallel_tool_calls":true,` +
		`"messages":[{"role":"system","content":"be good"},` +
		`{"role":"user","content":[{"type":"text","text":"hello"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png() + `"}}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}},` +
		`{"id":"c2","type":"function","function":{"name":"gone","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c2","content":"no such tool"},{"role":"tool","tool_call_id":"c1","content":""},` +
		`{"role":"assistant","content":"done"},{"role":"user","content":"more"}]}`
}

func TestChatRefusals(t *testing.T) {
	good := goodChat()
	if _, faults := checkChat([]byte(good), false); len(faults) > 0 {
		t.Fatalf("the good body is refused: %s", joinFaults(faults))
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"not JSON":                 {`"model"`, `model`, "could not parse"},
		"foreign field":            {`"stream":true`, `"stream":true,"system":"x"`, "Unrecognized request argument supplied: system"},
		"cache_control":            {`"type":"text","text":"hello"`, `"type":"text","text":"hello","cache_control":{}`, "Unknown parameter: 'messages[1].content[0].cache_control'"},
		"foreign field in message": {`"content":"done"`, `"content":"done","reasoning_content":"x"`, "messages[5].reasoning_content"},
		"foreign field in call":    {`"id":"c2","type"`, `"id":"c2","index":0,"type"`, "tool_calls[1].index"},
		"foreign field in result":  {`"tool_call_id":"c2"`, `"tool_call_id":"c2","name":"x"`, "messages[3].name"},
		"bad role":                 {`"role":"system"`, `"role":"instructions"`, "messages[0].role"},
		"no messages":              {`"messages":[`, `"messages":[],"stop":[`, "Invalid 'messages': empty array"},
		"assistant last":           {`,{"role":"user","content":"more"}`, ``, "got assistant"},
		"empty text":               {`"text":"hello"`, `"text":""`, "must not be empty"},
		"empty user":               {`"content":"more"`, `"content":""`, "must not be empty"},
		"no parts":                 {`"content":"more"`, `"content":[]`, "empty array"},
		"null for user":            {`"content":"more"`, `"content":null`, "got null"},
		"null without calls":       {`"content":"done"`, `"content":null`, "got null"},
		"empty assistant":          {`"content":"done"`, `"content":""`, "must not be empty"},
		"empty tool_calls":         {`"content":"done"`, `"content":"done","tool_calls":[]`, "tool_calls': empty array"},
		"answer missing":           {`{"role":"tool","tool_call_id":"c1","content":""},`, ``, "did not have response messages: c1"},
		"answer twice":             {`"tool_call_id":"c1"`, `"tool_call_id":"c2"`, "answered twice"},
		"answer of nothing":        {`"tool_call_id":"c1"`, `"tool_call_id":"zz"`, "not found in 'tool_calls'"},
		"answer late":              {`{"role":"tool","tool_call_id":"c1"`, `{"role":"user","content":"wait"},{"role":"tool","tool_call_id":"c1"`, "must be a response to a preceeding message"},
		"same id twice":            {`"id":"c2"`, `"id":"c1"`, "Duplicate value"},
		"long id":                  {`"id":"c2"`, `"id":"` + strings.Repeat("c", 41) + `"`, "1 to 40"},
		"empty id":                 {`"id":"c2"`, `"id":""`, "1 to 40"},
		"arguments as object":      {`"arguments":"{}"`, `"arguments":{}`, "expected a string"},
		"arguments no JSON":        {`"arguments":"{}"`, `"arguments":"{"`, "not a JSON object"},
		"arguments a list":         {`"arguments":"{}"`, `"arguments":"[]"`, "not a JSON object"},
		"image from assistant":     {`"content":"done"`, `"content":[{"type":"image_url","image_url":{"url":"https://x"}}]`, "messages[5].content[0].type"},
		"image from tool":          {`"content":"no such tool"`, `"content":[{"type":"image_url","image_url":{"url":"https://x"}}]`, "messages[3].content[0].type"},
		"image no URL":             {`data:image/png;base64,`, `image/png,`, "Invalid image URL"},
		"wrong media":              {`data:image/png`, `data:image/gif`, "does not match"},
		"no tools":                 {`"tools":[`, `"tools":[],"stop":[`, "Invalid 'tools': empty array"},
		"same tool twice":          {`"name":"write_file"`, `"name":"read_file"`, "used for two tools"},
		"bad tool name":            {`"name":"write_file"`, `"name":"a.b"`, "does not match pattern"},
		"long tool name":           {`"name":"write_file"`, `"name":"` + strings.Repeat("x", 65) + `"`, "does not match pattern"},
		"schema no object":         {`"parameters":{"type":"object"}`, `"parameters":{}`, "must be an object"},
		"array without items":      {`"type":"array","items":{"type":"string"}`, `"type":"array"`, "missing items"},
		"loose strict":             {`"parameters":{"type":"object"}`, `"strict":true,"parameters":{"type":"object"}`, "additionalProperties"},
		"max_tokens of reasoner":   {`"max_completion_tokens"`, `"max_tokens"`, "Use 'max_completion_tokens'"},
		"both limits":              {`"stream":true`, `"stream":true,"max_tokens":1`, "at the same time"},
		"temperature of reasoner":  {`"stream":true`, `"stream":true,"temperature":0`, "Only the default"},
		"effort of others":         {`"model":"gpt-5"`, `"model":"gpt-4o"`, "reasoning_effort"},
		"options without stream":   {`"stream":true,`, ``, "only allowed when 'stream'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := checkChat([]byte(edit(t, good, c.old, c.new)), false)
			if !strings.Contains(joinFaults(faults), c.want) {
				t.Errorf("want a refusal that says %q, got %q", c.want, joinFaults(faults))
			}
		})
	}
	foreign := edit(t, edit(t, good, `"content":"done"`, `"content":"done","reasoning_content":"x"`), `"stream":true`, `"stream":true,"top_k":4`)
	if _, faults := checkChat([]byte(foreign), true); len(faults) > 0 {
		t.Errorf("a look-alike's fields are refused: %s", joinFaults(faults))
	}
}

// FuzzStrict looks for bodies that make the validators panic.
func FuzzStrict(f *testing.F) {
	f.Add(goodMessages())
	f.Add(goodChat())
	f.Add(`{"model":1,"messages":[{"role":"assistant","content":[null,{"type":7},{"type":"tool_use"}],"tool_calls":[{"function":3}]}],"tools":[1,{"function":{}}]}`)
	f.Add(`[]`)
	f.Add(`{"messages":[3],"thinking":4,"system":5,"tools":6,"tool_choice":7,"stream_options":[]}`)
	f.Fuzz(func(t *testing.T, body string) {
		m := &memory{blocks: map[string]bool{}, before: map[string][][]string{"a1": {{"x"}}}}
		_, a := checkMessages([]byte(body), true)
		_, b := checkChat([]byte(body), false)
		if s := fmt.Sprint(joinFaults(a), joinFaults(b), m.check([]byte(body))); s == "" {
			t.Error("a body is never right on both wires")
		}
		look([]byte(body))
		toolIDs([]byte(body))
	})
}
