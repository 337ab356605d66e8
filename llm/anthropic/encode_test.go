package anthropic

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/llm"
)

var update = flag.Bool("update", false, "write the golden files anew")

func claude(name string) llm.Info {
	return llm.Info{Provider: "anthropic", Name: name, Window: 200_000, MaxOutput: 64_000, Known: true, Images: true, Thinking: true}
}

func text(role llm.Role, kind llm.Kind, s string) llm.Message { return llm.NewText(role, kind, s) }

func call(id, name, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

func result(id string, failed bool, parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: id, Name: "x", Parts: parts, Error: failed}}}
}

func work(parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: "anthropic/claude-sonnet-4-5", Parts: parts}
}

func specs() []llm.ToolSpec {
	return []llm.ToolSpec{
		{Name: "list_files", Description: "Lists files.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "read_file", Description: "Reads <a> file.", Schema: json.RawMessage(`{ "type":"object", "required":["path"] }`), Aliases: []string{"cat"}},
	}
}

// conversation has about everything that can be in one.
func conversation() []llm.Message {
	return []llm.Message{
		text(llm.User, llm.Summary, "[Context Summary from earlier conversation]\nAll went well."),
		text(llm.User, llm.Note, "Today is Monday."),
		text(llm.User, llm.Prompt, "Look at <this> & \"that\"."),
		work(
			llm.Thinking{Text: "Let me see.", Signature: "c2ln"},
			llm.Thinking{Raw: llm.Verbatim(`{"type":"redacted_thinking", "data":"b3BhcXVl<>"}`)},
			llm.Text{Text: "I will look."},
			call("toolu_1", "list_files", `{"path": "a<b"}`),
			call("functions.read_file:0", "read_file", `{}`),
		),
		result("toolu_1", false, llm.Text{Text: "a.go\nb.go"}),
		result("functions.read_file:0", true, llm.Text{Text: "no such file"}),
		text(llm.User, llm.Note, "The mode changed."),
		text(llm.User, llm.Prompt, "And b.go?"),
		work(call("toolu_2", "read_file", `{"path":"b.png"}`)),
		result("toolu_2", false, llm.Text{Text: "an image"}, llm.NewImage("image/png", []byte("png"))),
		text(llm.Assistant, llm.Progress, "Halfway."),
		text(llm.User, llm.Nudge, "Go on."),
	}
}

func TestBody(t *testing.T) {
	for _, c := range []struct {
		name string
		info llm.Info
		req  llm.Request
	}{
		{"plain", claude("claude-sonnet-4-5"), llm.Request{Messages: []llm.Message{text(llm.User, llm.Prompt, "hi")}}},
		{"conversation", claude("claude-sonnet-4-5"), llm.Request{System: "Be brief.", Tools: specs(), Messages: conversation(), Effort: "medium"}},
		{"another-model", claude("claude-opus-5"), llm.Request{System: "Be brief.", Tools: specs(), Messages: conversation(), Effort: "high", MaxOutput: 9000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := New(Options{Info: c.info}).body(c.req)
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

func TestThinkingGoesBackByteForByte(t *testing.T) {
	raw := `{"type":"redacted_thinking", "data":"b3BhcXVl<>"}`
	body := string(New(Options{Info: claude("claude-sonnet-4-5")}).body(llm.Request{Messages: conversation()}))
	if !strings.Contains(body, raw) {
		t.Errorf("%s is not in %s", raw, body)
	}
}

// No message may end in thinking, redacted or not; what a server's own tools
// left is no thinking.
func TestThinkingIsNeverLast(t *testing.T) {
	thought, redacted := llm.Thinking{Text: "t", Signature: "s"}, llm.Thinking{Raw: llm.Verbatim(`{"type": "redacted_thinking", "data": "d"}`)}
	search := llm.Thinking{Raw: llm.Verbatim(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`)}
	said := llm.Text{Text: "a"}
	for _, c := range []struct {
		name  string
		parts llm.Parts
		want  string
	}{
		{"after text", llm.Parts{thought, said, thought, redacted}, "thinking text"},
		{"after a call", llm.Parts{said, call("1", "x", `{}`), redacted}, "text tool_use"},
		{"a server's tool", llm.Parts{said, thought, search}, "text thinking server_tool_use"},
	} {
		messages := []llm.Message{text(llm.User, llm.Prompt, "hi"), work(c.parts...), text(llm.User, llm.Nudge, "go on")}
		var body struct {
			Messages []struct {
				Content []struct{ Type string }
			}
		}
		if err := json.Unmarshal(New(Options{Info: claude("claude-sonnet-4-5")}).body(llm.Request{Messages: messages}), &body); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range body.Messages[1].Content {
			got = append(got, b.Type)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestThinking(t *testing.T) {
	plain := []llm.Message{text(llm.User, llm.Prompt, "hi")}
	unthought := append(plain[:1:1], work(call("1", "x", `{}`)), result("1", false, llm.Text{Text: "y"}))
	thought := append(plain[:1:1], work(llm.Thinking{Text: "t", Signature: "s"}, call("1", "x", `{}`)), result("1", false, llm.Text{Text: "y"}))
	for _, c := range []struct {
		name     string
		model    string
		req      llm.Request
		thinking string
		effort   string
	}{
		{"not asked for", "claude-sonnet-4-5", llm.Request{Messages: plain}, "", ""},
		{"a budget", "claude-sonnet-4-5-20250929", llm.Request{Messages: plain, Effort: "low"}, `{"type":"enabled","budget_tokens":4000}`, ""},
		{"the version before the name", "claude-3-7-sonnet-latest", llm.Request{Messages: plain, Effort: "high"}, `{"type":"enabled","budget_tokens":32000}`, ""},
		{"a budget within the limit", "claude-sonnet-4-5", llm.Request{Messages: plain, Effort: "high", MaxOutput: 4000}, `{"type":"enabled","budget_tokens":3000}`, ""},
		{"no room", "claude-sonnet-4-5", llm.Request{Messages: plain, Effort: "high", MaxOutput: 1200}, "", ""},
		{"a round that began without", "claude-sonnet-4-5", llm.Request{Messages: unthought, Effort: "low"}, "", ""},
		{"a round that began with it", "claude-sonnet-4-5", llm.Request{Messages: thought, Effort: "low"}, `{"type":"enabled","budget_tokens":4000}`, ""},
		{"by itself", "claude-opus-4-6", llm.Request{Messages: plain, Effort: "low"}, `{"type":"adaptive"}`, `{"effort":"low"}`},
		{"by itself, not asked for", "claude-opus-4-7", llm.Request{Messages: plain}, "", ""},
		{"by itself, shown", "claude-opus-4-7", llm.Request{Messages: unthought, Effort: "medium"}, `{"type":"adaptive","display":"summarized"}`, `{"effort":"medium"}`},
		{"always on", "claude-opus-5-5", llm.Request{Messages: plain}, `{"type":"adaptive","display":"summarized"}`, ""},
		{"another maker's", "MiniMax-M2", llm.Request{Messages: plain, Effort: "low"}, `{"type":"enabled","budget_tokens":4000}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got struct {
				Thinking    json.RawMessage `json:"thinking"`
				Output      json.RawMessage `json:"output_config"`
				Temperature *float64        `json:"temperature"`
			}
			if err := json.Unmarshal(New(Options{Info: claude(c.model)}).body(c.req), &got); err != nil {
				t.Fatal(err)
			}
			if string(got.Thinking) != c.thinking || string(got.Output) != c.effort || got.Temperature != nil {
				t.Errorf("thinking %s, effort %s", got.Thinking, got.Output)
			}
		})
	}
}

// A request's messages begin with the bytes of the request before it, cache
// marks apart; and there are never more than four marks.
func TestPrefix(t *testing.T) {
	m := New(Options{Info: claude("claude-sonnet-4-5")})
	const mark = `,"cache_control":{"type":"ephemeral"}`
	messages := func(n int) string {
		body := m.body(llm.Request{System: "s", Tools: specs(), Messages: conversation()[:n]})
		if marks := bytes.Count(body, []byte(mark)); marks > 4 {
			t.Errorf("%d cache marks", marks)
		}
		_, list, ok := strings.Cut(string(body), `"messages":[`)
		if !ok {
			t.Fatal("no messages")
		}
		return strings.TrimSuffix(strings.ReplaceAll(list, mark, ""), "]}")
	}
	ends := []int{3, 8, 10, 12} // before each answer
	for i, n := range ends[1:] {
		if before, now := messages(ends[i]), messages(n); !strings.HasPrefix(now, before) {
			t.Errorf("the request of %d messages begins\n%s\nnot\n%s", n, now, before)
		}
	}
}

func TestURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                  "https://api.anthropic.com/v1/messages",
		"http://localhost:1":                "http://localhost:1/v1/messages",
		"http://localhost:1/":               "http://localhost:1/v1/messages",
		"https://x.example/anthropic":       "https://x.example/anthropic/v1/messages",
		"https://x.example/v1":              "https://x.example/v1/messages",
		"https://x.example/odd/v9/messages": "https://x.example/odd/v9/messages",
	} {
		if got := New(Options{BaseURL: base}).url(); got != want {
			t.Errorf("%q: %s, want %s", base, got, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Key: "k", KeyFrom: "V"}, "key=k bearer= version=2023-06-01 from=V"},
		{Options{Key: "k", AuthToken: "t"}, "key= bearer=Bearer t version=2023-06-01 from="},
		{Options{KeyFrom: "V", Headers: map[string]string{"anthropic-version": "x", "X-Api-Key": "h"}}, "key=h bearer= version=x from="},
	} {
		r := New(c.o).request(llm.Request{})
		got := fmt.Sprintf("key=%s bearer=%s version=%s from=%s", r.Header.Get("X-Api-Key"), r.Header.Get("Authorization"), r.Header.Get("Anthropic-Version"), r.Key)
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
