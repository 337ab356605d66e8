package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// client leaves no connection behind.
func client(t testing.TB) *http.Client {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func info(name string) llm.Info {
	return llm.Info{Provider: "anthropic", Name: name, Window: 200_000, MaxOutput: 64_000, Known: true, Images: true, Thinking: true}
}

func TestConform(t *testing.T) {
	llmtest.Conform(t, llmtest.Anthropic, func(t testing.TB, target llmtest.Target) llm.Model {
		return anthropic.New(anthropic.Options{
			Info: info("claude-sonnet-4-5"), BaseURL: target.BaseURL, Key: target.Key, HTTP: client(t), FirstByte: target.Idle, Idle: target.Idle,
		})
	})
}
