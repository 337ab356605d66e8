package openai

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/llm"
)

var update = flag.Bool("update", false, "write the golden files anew")

func model(provider, name string) *Model {
	return New(Options{Info: llm.Info{Provider: provider, Name: name, Window: 128_000, MaxOutput: 16_000, Known: true, Images: true, Thinking: true}})
}

func text(role llm.Role, kind llm.Kind, s string) llm.Message { return llm.NewText(role, kind, s) }

func invoke(id, name, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

func result(id string, failed bool, parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: id, Parts: parts, Error: failed}}}
}

func conversation(model string) []llm.Message {
	work := func(parts ...llm.Part) llm.Message {
		return llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: model, Parts: parts}
	}
	return []llm.Message{
		text(llm.User, llm.Note, "Today is Monday."),
		text(llm.User, llm.Prompt, "Look at <this> & \"that\"."),
		work(
			llm.Thinking{Text: "Let me see.", Raw: llm.Verbatim(`[{"type":"reasoning.text","text":"Let me see.","signature":"s"}]`)},
			llm.Text{Text: "I will look."},
			invoke("call_1", "list_files", `{"path": "a<b"}`),
			invoke("functions.screen shot:0", "screen shot", `{}`),
		),
		result("call_1", true, llm.Text{Text: "no such directory"}),
		result("functions.screen shot:0", false, llm.NewImage("image/png", []byte("png"))),
		text(llm.User, llm.Prompt, "And now?"),
		work(llm.Thinking{Text: "Hm."}, invoke(strings.Repeat("long", 20), "list_files", `{}`)),
		result(strings.Repeat("long", 20), false, llm.Text{Text: "a.go"}),
		text(llm.Assistant, llm.Progress, "Halfway."),
		text(llm.User, llm.Nudge, "Go on."),
	}
}

func specs() []llm.ToolSpec {
	return []llm.ToolSpec{{Name: "list_files", Description: "Lists files.", Schema: json.RawMessage(`{ "type":"object" }`)}, {Name: "todo", Description: "Does it."}}
}

func TestBody(t *testing.T) {
	for _, c := range []struct {
		name, provider, model string
		effort                string
	}{
		{"openai", "openai", "gpt-5", "low"},
		{"openrouter", "openrouter", "moonshotai/kimi-k2", "high"},
		{"deepseek", "deepseek", "deepseek-chat", ""},
		{"mistral", "mistral", "devstral", "high"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := llm.Request{System: "Be brief.", Tools: specs(), Messages: conversation(c.provider + "/" + c.model), Effort: c.effort}
			body := model(c.provider, c.model).body(req)
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, body, "", " "); err != nil {
				t.Fatalf("%v in %s", err, body)
			}
			pretty.WriteByte('\n')
			path := filepath.Join("testdata", c.name+".json")
			if *update {
				if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	for _, provider := range []string{"openai", "openrouter", "mistral", "other"} {
		messages := func(n int) string {
			body := model(provider, "m").body(llm.Request{System: "s", Tools: specs(), Messages: conversation(provider + "/m")[:n]})
			_, list, ok := strings.Cut(string(body), `"messages":[`)
			if !ok {
				t.Fatal("no messages")
			}
			return strings.TrimSuffix(list, "]}")
		}
		ends := []int{2, 6, 8, 10} // before each answer
		for i, n := range ends[1:] {
			if before, now := messages(ends[i]), messages(n); !strings.HasPrefix(now, before) {
				t.Errorf("%s: the request of %d messages begins\n%s\nnot\n%s", provider, n, now, before)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		info llm.Info
		req  llm.Request
		q    Quirks
		want string
	}{
		{"the model's", llm.Info{Provider: "x", MaxOutput: 100, Known: true}, llm.Request{}, Quirks{}, `"max_tokens":100`},
		{"the request's", llm.Info{Provider: "x", MaxOutput: 100, Known: true}, llm.Request{MaxOutput: 50}, Quirks{}, `"max_tokens":50`},
		{"no more than the model's", llm.Info{Provider: "x", MaxOutput: 100, Known: true}, llm.Request{MaxOutput: 500}, Quirks{}, `"max_tokens":100`},
		{"of an unknown model", llm.Info{Provider: "x", MaxOutput: 100}, llm.Request{}, Quirks{}, ""},
		{"of a reasoning model", llm.Info{Provider: "openai", Name: "o3-mini", MaxOutput: 100, Known: true}, llm.Request{}, Quirks{}, `"max_completion_tokens":100`},
		{"as the settings say", llm.Info{Provider: "openai", Name: "o3-mini", MaxOutput: 100, Known: true}, llm.Request{}, Quirks{MaxTokens: "max_tokens"}, `"max_tokens":100`},
		{"not taken", llm.Info{Provider: "x", MaxOutput: 100, Known: true}, llm.Request{}, Quirks{MaxTokens: "none"}, ""},
	} {
		body := string(New(Options{Info: c.info, Quirks: c.q}).body(c.req))
		if c.want == "" && strings.Contains(body, "_tokens") || !strings.Contains(body, c.want) {
			t.Errorf("%s: %s is not in %s", c.name, c.want, body)
		}
	}
}

func TestURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                             "https://api.openai.com/v1/chat/completions",
		"http://localhost:11434":       "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/":      "http://localhost:11434/v1/chat/completions",
		"https://x.example/api/v4":     "https://x.example/api/v4/chat/completions",
		"https://x.example/v1/":        "https://x.example/v1/chat/completions",
		"https://x/y/chat/completions": "https://x/y/chat/completions",
	} {
		if got := New(Options{BaseURL: base}).url(); got != want {
			t.Errorf("%q: %s, want %s", base, got, want)
		}
	}
}
