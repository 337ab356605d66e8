package account_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

var update = flag.Bool("update", false, "write the golden files anew")

// worked is a conversation that has something of every kind.
func worked() (llm.Request, []account.Section) {
	instructions, skills := strings.Repeat("Run the tests before you commit. ", 60), strings.Repeat("- release: how to make a release\n", 20)
	req := llm.Request{
		System: strings.Repeat("You work on the code of a project. ", 80) + instructions + skills,
		Tools: []llm.ToolSpec{
			{Name: "read", Description: strings.Repeat("Reads a file. ", 40), Schema: json.RawMessage(`{"type":"object"}`)},
			{Name: "mcp__tracker__search", Description: strings.Repeat("Searches issues. ", 20), Schema: json.RawMessage(`{"type":"object"}`)},
		},
		Messages: []llm.Message{
			llm.NewText(llm.User, llm.Summary, strings.Repeat("It was decided to keep it. ", 100)),
			said("Now fix the last failing test, please."),
			llm.NewText(llm.User, llm.Note, "The mode is now plan."),
			{
				Role: llm.Assistant, Kind: llm.Work, Model: known().ID(), Estimate: 2300, Usage: &llm.Usage{Input: 9, CacheRead: 2500, Output: 90},
				Parts: llm.Parts{llm.Thinking{Text: strings.Repeat("Which one is it? ", 20)}, llm.ToolCall{ID: "1", Name: "read", Args: json.RawMessage(`{"path":"a_test.go"}`)}},
			},
			{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: "1", Name: "read", Parts: llm.Parts{llm.Text{Text: strings.Repeat("func TestIt(t *testing.T) {}\n", 3000)}, llm.Image{Media: "image/png"}}}}},
		},
	}
	return req, []account.Section{{"instruction files", instructions}, {"skills", skills}}
}

func TestOverviewText(t *testing.T) {
	req, sections := worked()
	empty := llm.Request{System: req.System, Tools: req.Tools}
	stale := req
	stale.Messages = append([]llm.Message(nil), req.Messages...)
	stale.Messages[3].Stale = "snipped"
	for _, c := range []struct {
		name string
		req  llm.Request
		info llm.Info
	}{
		{"worked", req, known()},
		{"empty", empty, known()},
		{"nothing", llm.Request{}, llm.Info{Provider: "local", Name: "a-model-with-a-name-that-is-much-too-long-for-one-line-of-80-columns"}},
		{"stale", stale, known()},
		{"full", req, llm.Info{Provider: "some", Name: "model", Window: 24_000, MaxOutput: 4_000, Known: true}},
	} {
		got := new(account.Meter).Overview(c.req, c.info, sections).String()
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s: a line of %d columns: %s", c.name, n, line)
			}
		}
		file := filepath.Join("testdata", "overview", c.name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestOverviewJSON(t *testing.T) {
	data, err := json.Marshal(new(account.Meter).Overview(llm.Request{}, known(), nil))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"some/model","tokens":0,"counted":0,"source":"est","window":136000,"known":true,"share":0,"level":"normal","reserve":64000,"free":136000,` +
		`"parts":[{"name":"system prompt","tokens":0},{"name":"tools","tokens":0},{"name":"MCP tools","tokens":0},{"name":"instruction files","tokens":0},{"name":"skills","tokens":0},{"name":"messages","tokens":0}],"messages":[]}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

// The parts add up to the count, wherever it comes from, and the kinds of
// messages to the part of the messages.
func TestOverviewAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req, sections := worked()
		req.Messages = conversation(t)
		if rapid.Bool().Draw(t, "bare") {
			req.System, req.Tools = "", nil
		}
		var meter account.Meter
		o := meter.Overview(req, known(), sections)
		if o.Count != meter.Measure(req, known()) {
			t.Fatalf("%+v is not what is measured", o.Count)
		}
		sum := 0
		for _, p := range o.Parts {
			sum += p.Tokens
		}
		kinds := 0
		for i, p := range o.Messages {
			kinds += p.Tokens
			if p.Tokens <= 0 || i > 0 && p.Tokens > o.Messages[i-1].Tokens {
				t.Fatalf("not the biggest first: %+v", o.Messages)
			}
		}
		if messages := o.Parts[len(o.Parts)-1].Tokens; sum != o.Tokens || kinds != messages {
			t.Fatalf("%d of %d tokens in parts, %d of %d in kinds", sum, o.Tokens, kinds, messages)
		}
	})
}
