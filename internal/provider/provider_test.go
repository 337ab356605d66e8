package provider_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/provider"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/catalog"
)

// directory is the models of someone with that environment and settings.
func directory(t *testing.T, env map[string]string, settings string) *provider.Directory {
	t.Helper()
	dir := t.TempDir()
	in := config.Input{Home: dir, Cwd: dir, GOOS: runtime.GOOS, Env: env}
	if settings != "" {
		in.SettingsFiles = []string{settings}
	}
	loaded, err := config.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	return &provider.Directory{Settings: loaded, Env: env}
}

func TestNames(t *testing.T) {
	key := map[string]string{"OPENAI_API_KEY": "k"}
	lab := `{"providers": {"lab": {"baseUrl": "http://127.0.0.1:1/v1"}},
		"models": {"lab/big": {"context": 1000000, "maxOutput": 50000, "aliases": ["mine"], "price": {"input": 1, "output": 2}}}}`
	for _, c := range []struct{ name, settings, want string }{
		{"anthropic/claude-sonnet-4-5", "", "anthropic/claude-sonnet-4-5"},
		{"claude-sonnet-4-5", "", "anthropic/claude-sonnet-4-5"},
		{"ollama/qwen3", "", "ollama/qwen3"},
		{"openrouter/some/model", "", "openrouter/some/model"},
		{"", "", "openai/gpt-5"},
		{"demo", "", "demo/script"},
		{"lab/big", lab, "lab/big"},
		{"mine", lab, "lab/big"},
	} {
		m, err := directory(t, key, c.settings).Model(c.name)
		if err != nil {
			t.Errorf("%q: %v", c.name, err)
		} else if got := m.Info().ID(); got != c.want {
			t.Errorf("%q is %q, want %q", c.name, got, c.want)
		}
	}
	m, err := directory(t, key, lab).Model("mine")
	if err != nil {
		t.Fatal(err)
	}
	if i := m.Info(); i.Window != 1_000_000 || i.MaxOutput != 50_000 || !i.Known || i.Price.Output != 2 {
		t.Errorf("the settings did not go before the catalogue: %+v", i)
	}
	if i := mustModel(t, "ollama/qwen3").Info(); i.Known || i.Window != llm.FallbackWindow {
		t.Errorf("a model that nobody knows: %+v", i)
	}
}

func mustModel(t *testing.T, name string) llm.Model {
	t.Helper()
	m, err := directory(t, nil, "").Model(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatCannotBe(t *testing.T) {
	if _, err := directory(t, nil, "").Model(""); !errors.Is(err, provider.ErrNoModel) {
		t.Errorf("without any key: %v", err)
	}
	for name, words := range map[string]string{
		"nobody/x":           "not known",
		"anthropic/":         "no model",
		"no-such-model":      "not known",
		"gemini/gemini-x":    "not built yet",
		"openai/gpt-5-codex": "not built yet",
	} {
		if _, err := directory(t, nil, "").Model(name); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want %q", name, err, words)
		}
	}
}

// TestMissingKey checks that a missing key is told at the first request, as
// what it is.
func TestMissingKey(t *testing.T) {
	for _, err := range mustModel(t, "anthropic/claude-sonnet-4-5").Stream(t.Context(), llm.Request{}) {
		if !errors.Is(err, llm.ErrAuth) || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
			t.Errorf("got %v", err)
		}
	}
}

func TestEveryProviderOfTheCatalogueCanBeReached(t *testing.T) {
	for e := range catalog.All() {
		if p, ok := config.BuiltinProvider(e.Provider); !ok || p.APIKey.Variable == "" || !strings.HasPrefix(p.BaseURL, "https://") {
			t.Errorf("%s: %+v", e.Provider, p)
		}
	}
}
