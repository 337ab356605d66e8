package account_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Estimates before any calibration, against what real providers counted.
func TestEstimateOfRecordedRequests(t *testing.T) {
	dir := os.Getenv("MINICODE_RECORDED")
	if dir == "" {
		t.Skip("MINICODE_RECORDED names no directory of recorded interactions")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no recordings (%v)", dir, err)
	}
	var errs errorsOf
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var sent bytes.Buffer // without the indentation of the file
		var r interaction
		if err := errors.Join(json.Compact(&sent, data), json.Unmarshal(sent.Bytes(), &r)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		model, req := r.request()
		real := r.input()
		if why := excluded(name); why != "" || len(req.Messages) == 0 || real == 0 {
			if why != "" {
				t.Logf("%-40s left out: %s", name, why)
			}
			continue
		}
		got := new(account.Meter).Measure(req, llm.Info{Provider: r.Provider, Name: model}).Tokens
		slack := 0
		if real < 100 {
			slack = 8 // one short sentence: providers differ by how they frame a message
		}
		e := errs.add(t, name, got, real, slack)
		t.Logf("%-40s %-38s %6d tokens, estimated %6d, %+5.1f %%", name, model, real, got, 100*e)
	}
	if len(errs) < 20 {
		t.Errorf("%s: only %d requests could be compared", dir, len(errs))
	}
	errs.check(t, "recorded")
}

// excluded is why a recording says nothing about estimates.
func excluded(name string) string {
	switch {
	case strings.Contains(name, "web-search"):
		return "the count holds results of a search that the provider made while it answered"
	case name == "garbage-after-done-marker-1":
		return "the server puts some 70 tokens of its own before this request of 150"
	case strings.HasPrefix(name, "gemini-"):
		return "another wire format, which is not read here"
	}
	return ""
}

// interaction is one recorded request and its answer.
type interaction struct {
	Provider string
	Request  struct {
		URL  string
		Body json.RawMessage
	}
	Response struct {
		Body       string
		BodyBase64 []byte `json:"body_base64"`
	}
}

// input is how many tokens of input the provider reported. Streams report it
// more than once; the highest is the final one.
func (r interaction) input() (sum int) {
	body := r.Response.Body + string(r.Response.BodyBase64)
	for _, m := range regexp.MustCompile(`"bytes":"([^"]+)"`).FindAllStringSubmatch(body, -1) {
		event, _ := base64.StdEncoding.DecodeString(m[1]) // of Bedrock's binary stream
		body += string(event)
	}
	for _, names := range []string{"input_tokens|prompt_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
		most := 0
		for _, m := range regexp.MustCompile(`"(?:`+names+`)":\s*(\d+)`).FindAllStringSubmatch(body, -1) {
			n, _ := strconv.Atoi(m[1])
			most = max(most, n)
		}
		sum += most
	}
	return sum
}

// item is a message, a block of one, or an item of the Responses API.
type item struct {
	Type, Role, Text, Name    string
	Content, Input, Arguments json.RawMessage
	Output                    string
	ToolCalls                 []struct{ Function item } `json:"tool_calls"`
}

type declared struct {
	Name, Description string
	InputSchema       json.RawMessage `json:"input_schema"`
	Parameters        json.RawMessage
	Function          *declared
}

// request reads the three shapes of requests, as far as they count.
func (r interaction) request() (model string, req llm.Request) {
	var body struct {
		Model           string
		System          json.RawMessage
		Messages, Input []item
		Tools           []declared
	}
	if json.Unmarshal(r.Request.Body, &body) != nil {
		return "", req
	}
	if model = body.Model; model == "" {
		model = r.Request.URL // Bedrock and Vertex name it there
	}
	req.System = blocks(body.System).Text()
	for _, tool := range body.Tools {
		if tool.Function != nil {
			tool = *tool.Function
		}
		schema := tool.InputSchema
		if schema == nil {
			schema = tool.Parameters
		}
		req.Tools = append(req.Tools, llm.ToolSpec{Name: tool.Name, Description: filled(tool.Description), Schema: schema})
	}
	for _, m := range append(body.Messages, body.Input...) {
		parts := blocks(m.Content)
		switch {
		case m.Role == "system":
			req.System += parts.Text()
			continue
		case m.Role == "tool":
			parts = llm.Parts{llm.ToolResult{Parts: parts}}
		case m.Type == "function_call":
			parts = llm.Parts{m.call()}
		case m.Type == "function_call_output":
			parts = llm.Parts{llm.ToolResult{Parts: llm.Parts{llm.Text{Text: m.Output}}}}
		}
		for _, c := range m.ToolCalls {
			parts = append(parts, c.Function.call())
		}
		req.Messages = append(req.Messages, llm.Message{Parts: parts})
	}
	return model, req
}

func (i item) call() llm.ToolCall {
	args := i.Input
	if args == nil { // a string that holds JSON
		var s string
		_ = json.Unmarshal(i.Arguments, &s)
		args = json.RawMessage(s)
	}
	return llm.ToolCall{Name: i.Name, Args: args}
}

// blocks reads what is a string or a list of blocks.
func blocks(content json.RawMessage) (parts llm.Parts) {
	var s string
	if json.Unmarshal(content, &s) == nil && s != "" {
		return llm.Parts{llm.Text{Text: filled(s)}}
	}
	var list []item
	_ = json.Unmarshal(content, &list)
	for _, b := range list {
		switch b.Type {
		case "tool_use":
			parts = append(parts, b.call())
		case "tool_result":
			parts = append(parts, llm.ToolResult{Parts: blocks(b.Content)})
		default:
			parts = append(parts, llm.Text{Text: filled(b.Text)})
		}
	}
	return parts
}

// filled puts a system prompt in place of what was cut from a recording for its
// length, which says "[409 characters removed]".
func filled(text string) string {
	m := regexp.MustCompile(`^\[(\d+) characters removed\]$`).FindStringSubmatch(text)
	if m == nil {
		return text
	}
	n, _ := strconv.Atoi(m[1])
	prose, err := os.ReadFile("../prompt/system.md")
	if err != nil {
		panic(err)
	}
	return strings.Repeat(string(prose), n/len(prose)+1)[:n]
}
