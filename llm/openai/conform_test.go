package openai_test

import (
	"net/http"
	"testing"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/llm/openai"
)

// client leaves no connection behind.
func client(t testing.TB) *http.Client {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func info(provider, name string) llm.Info {
	return llm.Info{Provider: provider, Name: name, Window: 128_000, MaxOutput: 16_000, Known: true, Images: true, Thinking: true}
}

func TestConform(t *testing.T) {
	for _, c := range []struct {
		name string
		wire llmtest.Wire
		info llm.Info
	}{
		{"openai", llmtest.OpenAI, info("openai", "gpt-5")},
		{"look-alike", llmtest.LookAlike, info("local", "qwen3:8b")},
	} {
		t.Run(c.name, func(t *testing.T) {
			llmtest.Conform(t, c.wire, func(t testing.TB, target llmtest.Target) llm.Model {
				return openai.New(openai.Options{
					Info: c.info, BaseURL: target.BaseURL, Key: target.Key, HTTP: client(t), FirstByte: target.Idle, Idle: target.Idle,
				})
			})
		})
	}
}
