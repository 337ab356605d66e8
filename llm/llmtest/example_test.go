package llmtest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// A scripted model answers in process; in a test it is given the test's t.
func ExampleNew() {
	model := llmtest.New(nil,
		llmtest.Join(llmtest.ExpectNew("hello"), llmtest.Say("Let me look."), llmtest.Call("list_files", `{"path":"."}`)),
	)
	request := llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "hello")}}
	for chunk, err := range model.Stream(context.Background(), request) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if done, ok := chunk.(llm.Done); ok {
			fmt.Println(done.Parts.Text(), done.Parts.Calls()[0].Name, done.Stop)
		}
	}
	fmt.Println(model.Verify())
	// Output:
	// Let me look. list_files tool_use
	// <nil>
}

// A scripted server refuses what the provider would refuse.
func ExampleNewServer() {
	answers, err := llmtest.ParseScript("say hello\n*\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := llmtest.NewServer(llmtest.New(nil, answers...))
	defer server.Close()
	body := `{"model":"m","stream":true,"messages":[{"role":"tool","tool_call_id":"c","content":"x"}]}`
	resp, err := http.Post(server.BaseURL(llmtest.OpenAI)+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.Status)
	fmt.Println(server.Verify())
	// Output:
	// 400 Bad Request
	// llmtest: request 1, POST /v1/chat/completions, was refused: messages[0].role: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.
}
