package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/catalog"
)

// TestReferenceModelContext is the tests of MiniCode (TypeScript) for what it
// knows of models, by their numbers there. The figures are those of the
// providers, so that some are others here.
func TestReferenceModelContext(t *testing.T) {
	window := func(name string, window, output int) func(t *testing.T) {
		return func(t *testing.T) {
			if e, ok := catalog.Find(name); !ok || e.Window != window || e.MaxOutput != output || !e.Info().Known {
				t.Errorf("%s: %v, window %d, output %d", name, ok, e.Window, e.MaxOutput)
			}
		}
	}
	for i, c := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"01_opus", window("claude-opus-4-6", 200_000, 128_000)},
		{"02_sonnet", window("claude-sonnet-4-6", 200_000, 64_000)},
		{"03_a_dated_one", window("claude-3-5-sonnet-20241022", 200_000, 8192)},
		{"04_gpt", window("gpt-5", 400_000, 128_000)},
		{"05_gemini", window("gemini-2.5-pro", 1_048_576, 65_536)},
		{"06_deepseek", window("deepseek-chat", 131_072, 8192)},
		{"07_unknown_ones", func(t *testing.T) {
			if _, ok := catalog.Find("some-model"); ok || llm.FallbackWindow != 128_000 || llm.FallbackMaxOutput != 8000 {
				t.Error("it is known, or is thought to be otherwise")
			}
		}},
		{"08_capitals", window("Claude-SONNET-4-6", 200_000, 64_000)},
		{"09_the_providers_name_before_it", func(t *testing.T) {
			window("anthropic/claude-sonnet-4-6", 200_000, 64_000)(t)
			for _, name := range []string{"somebody/claude-sonnet-4-6", "my-claude-sonnet-4-6-tuned"} {
				if e, ok := catalog.Find(name); ok {
					t.Errorf("%s is thought to be %s", name, e.Info().ID())
				}
			}
		}},
		{"10_what_is_left_for_the_input", func(t *testing.T) {
			for e := range catalog.All() {
				want := e.Window - e.MaxOutput
				if want < e.Window/2 {
					want = e.Window / 2
				}
				if got := e.Info().EffectiveInput(); got != want {
					t.Errorf("%s: %d of %d", e.Info().ID(), got, e.Window)
				}
			}
		}},
	} {
		if !strings.HasPrefix(c.name, fmt.Sprintf("%02d_", i+1)) {
			t.Errorf("case %d is %s", i+1, c.name)
		}
		t.Run(c.name, c.run)
	}
}
