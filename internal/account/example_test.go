package account_test

import (
	"fmt"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

func ExampleMeter_Measure() {
	info := llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: 200_000, MaxOutput: 64_000, Known: true}
	answer := llm.NewText(llm.Assistant, llm.Final, "It is done.")
	answer.Usage = &llm.Usage{Input: 300, CacheRead: 84_000, Output: 20}
	req := llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "Is it done?"), answer}}

	var meter account.Meter
	fmt.Println(account.Badge(meter.Measure(req, info)))
	req.Messages = append(req.Messages, llm.NewText(llm.User, llm.Prompt, "And the tests?"))
	used := meter.Measure(req, info)
	fmt.Println(account.Badge(used), account.LevelOf(used.Share()))
	// Output:
	// [ctx] 62% ▓▓▓▓▓▓░░░░ usage
	// [ctx] 62% ▓▓▓▓▓▓░░░░ usage+est warning
}

func ExampleMeter_Overview() {
	instructions := "Run the tests before you commit."
	req := llm.Request{System: "You work on the code of a project. " + instructions}
	o := new(account.Meter).Overview(req, llm.Info{Provider: "some", Name: "model", Window: 100, MaxOutput: 20, Known: true}, []account.Section{
		{Name: "instruction files", Text: instructions},
	})
	fmt.Println(o.Tokens, "tokens,", o.Free, "free")
	for _, p := range o.Parts {
		fmt.Println(p.Name, p.Tokens)
	}
	// Output:
	// 16 tokens, 64 free
	// system prompt 9
	// tools 0
	// MCP tools 0
	// instruction files 7
	// skills 0
	// messages 0
}
