package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

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
		got := llm.Estimate(llm.Request{System: strings.Repeat(c.text, 20)})
		if got < c.tokens*75/100 || got > c.tokens*150/100 {
			t.Errorf("%s: %d tokens, want about %d", c.name, got, c.tokens)
		}
	}
}

func TestEstimateCountsAllOfARequest(t *testing.T) {
	req := llm.Request{System: "a system prompt"}
	last := llm.Estimate(req)
	grow := func(what string) {
		t.Helper()
		if n := llm.Estimate(req); n <= last {
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
		grow(show(req.Messages[len(req.Messages)-1:]))
	}
}

func TestMeasure(t *testing.T) {
	answer := llm.NewText(llm.Assistant, llm.Final, "yes")
	counted := answer
	counted.Usage = &llm.Usage{Input: 100, CacheRead: 1000, CacheWrite: 10, Output: 5}
	zero := answer
	zero.Usage = &llm.Usage{}
	req := llm.Request{System: "be brief"}
	all := llm.Estimate(llm.Request{System: "be brief", Messages: []llm.Message{ask("hi"), answer}})
	tail := llm.Estimate(llm.Request{Messages: []llm.Message{ask("more")}})
	for _, c := range []struct {
		name     string
		messages []llm.Message
		want     llm.Count
	}{
		{"no usage", []llm.Message{ask("hi"), answer}, llm.Count{Tokens: all, Source: "est"}},
		{"a usage of nothing", []llm.Message{ask("hi"), zero}, llm.Count{Tokens: all, Source: "est"}},
		{"usage", []llm.Message{ask("hi"), counted}, llm.Count{Tokens: 1115, Source: "usage"}},
		{"usage and more", []llm.Message{ask("hi"), counted, ask("more")}, llm.Count{Tokens: 1115 + tail, Source: "usage+est"}},
	} {
		c.want.Window, c.want.Known = 136_000, true
		info := sonnet()
		info.Known = true
		if got := llm.Measure(c.messages, req, info); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := llm.Measure(nil, req, llm.Info{}); got.Window != 120_000 || got.Known || got.Source != "est" {
		t.Errorf("of an unknown model: %+v", got)
	}
}
