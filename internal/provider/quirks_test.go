package provider

import (
	"strings"
	"testing"

	"github.com/minicode-go/minicode/llm/openai"
)

func TestQuirksOf(t *testing.T) {
	got, err := quirksOf(map[string]any{"maxTokens": "none", "noUsage": true})
	if want := (openai.Quirks{MaxTokens: "none", NoUsage: true}); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	for _, bad := range []map[string]any{{"maxToken": "none"}, {"noUsage": "yes"}} {
		if _, err := quirksOf(bad); err == nil || !strings.Contains(err.Error(), "maxTokens") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
