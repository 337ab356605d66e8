package catalog_test

import (
	"fmt"
	"testing"

	"github.com/minicode-go/minicode/llm/catalog"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"},
		{"claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"},
		{"Claude-Sonnet-4.5", "anthropic/claude-sonnet-4-5"},
		{"claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5-20250929"},
		{"anthropic/claude-haiku-4-5@20251001", "anthropic/claude-haiku-4-5@20251001"},
		{"claude-3-7-sonnet-latest", "anthropic/claude-3-7-sonnet-20250219"},
		{"claude-sonnet-4", "anthropic/claude-sonnet-4-20250514"},
		{"claude-opus-4-1", "anthropic/claude-opus-4-1"},
		{"opus", "anthropic/claude-opus-5-5"},
		{"anthropic/haiku", "anthropic/claude-haiku-5-5"},
		{"sonnet", "anthropic/claude-sonnet-5-5"},
		{"gpt-5", "openai/gpt-5"},
		{"gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"},
		{"o3", "openai/o3"},
		{"gemini-2.5-pro", "gemini/gemini-2.5-pro"},
		{"openrouter/anthropic/claude-sonnet-4.5", "openrouter/anthropic/claude-sonnet-4.5"},
		{"moonshotai/kimi-k2-0905", "openrouter/moonshotai/kimi-k2-0905"},
		{"deepseek-chat", "deepseek/deepseek-chat"},
		{"claude", ""},
		{"", ""},
		{"ollama/qwen3", ""},
		{"bedrock/claude-sonnet-4-5", ""},
		{"anthropic/", ""},
		{"-20250929", ""},
		{"#", ""},
	} {
		e, ok := catalog.Find(c.name)
		got := ""
		if ok {
			got = e.Info().ID()
		}
		if got != c.want {
			t.Errorf("%q is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheTableMakesSense(t *testing.T) {
	seen := map[string]bool{}
	for e := range catalog.All() {
		id := e.Info().ID()
		for _, name := range append([]string{id}, e.Aliases...) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if found, ok := catalog.Find(id); !ok || found.Info() != e.Info() {
			t.Errorf("%s is not found", id)
		}
		if e.MaxOutput < 1000 || e.Window <= e.MaxOutput {
			t.Errorf("%s: window %d, output %d", id, e.Window, e.MaxOutput)
		}
		p := e.Price
		if p.Known && (p.Input <= 0 || p.Output < p.Input || p.CacheRead <= 0 || p.CacheRead > p.Input || p.CacheWrite < p.Input) {
			t.Errorf("%s: %+v", id, p)
		}
	}
	if len(seen) < 80 {
		t.Errorf("only %d names", len(seen))
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		catalog.Find("cerebras/gpt-oss-120b")
	}
}

func ExampleFind() {
	e, ok := catalog.Find("anthropic/claude-sonnet-4-5")
	fmt.Println(ok, e.Name, e.Window, e.MaxOutput, e.Price.Input, e.Price.Output)
	// Output: true claude-sonnet-4-5 200000 64000 3 15
}
