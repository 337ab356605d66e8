package account_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// The counts are those of OpenAI's o200k vocabulary; other vocabularies lie
// around them.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		name, text string
		tokens     int // of 20 times the text
	}{
		{"prose", "The quick brown fox jumps over the lazy dog, and nobody minds. ", 280},
		{"go", "func (t *turn) run(ctx context.Context) error {\n\tif err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n}\n", 700},
		{"json", `{"path":"internal/wire/request.go","offset":120,"limit":40}` + "\n", 380},
		{"chinese", "请帮我修改这个文件中的错误，然后运行测试并总结结果。", 320},
		{"russian", "Пожалуйста, исправьте ошибку в этом файле и запустите тесты ещё раз. ", 421},
	} {
		got := account.Estimate(llm.Request{System: strings.Repeat(c.text, 20)})
		if got < c.tokens*75/100 || got > c.tokens*150/100 {
			t.Errorf("%s: %d tokens, want about %d", c.name, got, c.tokens)
		}
	}
}

func TestEstimateCountsAllOfARequest(t *testing.T) {
	req := llm.Request{System: "a system prompt"}
	last := account.Estimate(req)
	grow := func(what string) {
		t.Helper()
		if n := account.Estimate(req); n <= last {
			t.Errorf("%s counts nothing", what)
		} else {
			last = n
		}
	}
	req.Tools = []llm.ToolSpec{{Name: "x", Description: "does it", Schema: json.RawMessage(`{"type":"object"}`)}}
	grow("a tool")
	for _, p := range []llm.Part{
		llm.Text{Text: "hello"},
		llm.Thinking{Text: "hm"},
		llm.Thinking{Raw: llm.Verbatim(`{"data":"abcd"}`)},
		llm.NewImage("image/png", []byte{1}),
		llm.ToolCall{Name: "x", Args: json.RawMessage(`{"a":1}`)},
		llm.ToolResult{Parts: llm.Parts{llm.Text{Text: "a result"}}},
	} {
		req.Messages = append(req.Messages, llm.Message{Parts: llm.Parts{p}})
		grow(fmt.Sprintf("%T", p))
	}
}

func TestMeasure(t *testing.T) {
	answer := llm.NewText(llm.Assistant, llm.Final, "yes")
	counted := answer
	counted.Usage = &llm.Usage{Input: 100, CacheRead: 1000, CacheWrite: 10, Output: 5}
	zero := answer
	zero.Usage = &llm.Usage{}
	req := llm.Request{System: "be brief"}
	all := account.Estimate(llm.Request{System: "be brief", Messages: []llm.Message{said("hi"), answer}})
	tail := account.Estimate(llm.Request{Messages: []llm.Message{said("more")}})
	for _, c := range []struct {
		name     string
		messages []llm.Message
		want     llm.Count
	}{
		{"no usage", []llm.Message{said("hi"), answer}, llm.Count{Tokens: all, Source: "est"}},
		{"a usage of nothing", []llm.Message{said("hi"), zero}, llm.Count{Tokens: all, Source: "est"}},
		{"usage", []llm.Message{said("hi"), counted}, llm.Count{Tokens: 1115, Source: "usage"}},
		{"usage and more", []llm.Message{said("hi"), counted, said("more")}, llm.Count{Tokens: 1115 + tail, Source: "usage+est"}},
	} {
		c.want.Window, c.want.Known = 136_000, true
		info := llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: 200_000, MaxOutput: 64_000, Known: true}
		if got := new(account.Meter).Measure(withMessages(req, c.messages), info); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := new(account.Meter).Measure(req, llm.Info{}); got.Window != 120_000 || got.Known || got.Source != "est" {
		t.Errorf("of an unknown model: %+v", got)
	}
}

func said(text string) llm.Message { return llm.NewText(llm.User, llm.Prompt, text) }

func withMessages(req llm.Request, messages []llm.Message) llm.Request {
	req.Messages = messages
	return req
}
