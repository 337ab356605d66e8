package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/llm"
)

func sonnet() llm.Info {
	return llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: 200_000, MaxOutput: 64_000, Images: true}
}

func call(id, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "read_file", Args: json.RawMessage(args)}
}

func result(id, text string) llm.Message {
	r := llm.ToolResult{Call: id, Name: "read_file"}
	if text != "" {
		r.Parts = llm.Parts{llm.Text{Text: text}}
	}
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{r}}
}

func work(parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: "anthropic/claude-sonnet-4-5-20250929", Parts: parts}
}

func ask(text string) llm.Message { return llm.NewText(llm.User, llm.Prompt, text) }

// show is a history as lines that say all that matters.
func show(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s:", m.Role)
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				fmt.Fprintf(&b, " %q", p.Text)
			case llm.Thinking:
				fmt.Fprintf(&b, " thinking(%s %s %s)", p.Text, p.Signature, p.Raw)
			case llm.Image:
				b.WriteString(" image")
			case llm.ToolCall:
				fmt.Fprintf(&b, " %s[%s%s]", p.Name, p.ID, p.Args)
			case llm.ToolResult:
				fmt.Fprintf(&b, " %s=%q error=%v", p.Call, p.Parts.Text(), p.Error)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestMend(t *testing.T) {
	think := llm.Thinking{Text: "hm", Signature: "sig"}
	raw := llm.Thinking{Raw: llm.Verbatim(`{"type":"redacted_thinking","data":"x"}`)}
	other := work(think, llm.Text{Text: "a"}, llm.ToolCall{ID: "1", Name: "x", Signature: "g"})
	other.Model = "anthropic/claude-opus-4-1"
	refused := work(llm.Text{Text: "no"}, call("r", `{}`))
	refused.Stop = llm.StopRefusal
	for _, c := range []struct {
		name string
		in   []llm.Message
		want string
	}{
		{"nothing", nil, ""},
		{"whole rounds stay", []llm.Message{ask("hi"), work(think, raw, llm.Text{Text: "a"}, call("1", `{"a":1}`)), result("1", "ok"), work(llm.Text{Text: "done"})}, `
user: "hi"
assistant: thinking(hm sig ) thinking(  {"type":"redacted_thinking","data":"x"}) "a" read_file[1{"a":1}]
tool: 1="ok" error=false
assistant: "done"
`},
		{"a call without a result", []llm.Message{ask("hi"), work(call("1", `{}`), call("2", `{}`)), result("2", "two"), ask("go on")}, `
user: "hi"
assistant: read_file[1{}] read_file[2{}]
tool: 1="Interrupted before it ran: nothing was done." error=true
tool: 2="two" error=false
user: "go on"
`},
		{"results go directly after their message, in the calls' order", []llm.Message{ask("hi"), work(call("1", `{}`), call("2", `{}`)), llm.NewText(llm.User, llm.Note, "n"), result("2", "two"), result("1", "one")}, `
user: "hi"
assistant: read_file[1{}] read_file[2{}]
tool: 1="one" error=false
tool: 2="two" error=false
user: "n"
`},
		{"results without a call, and second ones", []llm.Message{ask("hi"), result("0", "x"), work(call("1", `{}`)), result("1", "one"), result("1", "again"), result("9", "x"), work(llm.Text{Text: "b"}), result("1", "late")}, `
user: "hi"
assistant: read_file[1{}]
tool: 1="one" error=false
assistant: "b"
`},
		{"ids used twice, or none", []llm.Message{ask("hi"), work(call("1", `{}`), call("1", `{}`), call("", `{}`)), result("1", "one"), result("1", "two"), result("", "three"), work(call("1", `{}`)), result("1", "four")}, `
user: "hi"
assistant: read_file[1{}] read_file[1_1{}] read_file[call_1{}]
tool: 1="one" error=false
tool: 1_1="two" error=false
tool: call_1="three" error=false
assistant: read_file[1_2{}]
tool: 1_2="four" error=false
`},
		{"arguments that are no object", []llm.Message{ask("hi"), work(call("1", `{"a`), call("2", `[1]`), llm.ToolCall{ID: "3", Malformed: "{"}), result("1", "bad")}, `
user: "hi"
assistant: read_file[1{}] read_file[2{}] unknown[3{}]
tool: 1="bad" error=false
tool: 2="Interrupted before it ran: nothing was done." error=true
tool: 3="Interrupted before it ran: nothing was done." error=true
`},
		{"nothing empty", []llm.Message{ask(""), ask(" \n"), ask("hi"), work(llm.Text{Text: " "}), work(think), work(), work(call("1", ``)), result("1", ""), {Role: llm.User}}, `
user: "hi"
assistant: read_file[1{}]
tool: 1="(read_file completed with no output)" error=false
`},
		{"another model's thinking", []llm.Message{ask("hi"), other, result("1", "one")}, `
user: "hi"
assistant: "a" x[1{}]
tool: 1="one" error=false
`},
		{"what was refused", []llm.Message{ask("hi"), refused, result("r", "not run"), ask("then this")}, `
user: "hi"
user: "then this"
`},
		{"a beginning without the person", []llm.Message{work(llm.Text{Text: "a"}), ask("hi")}, `
user: "The conversation before this is not shown."
assistant: "a"
user: "hi"
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), show(llm.Mend(c.in, sonnet()))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMendImages(t *testing.T) {
	in := []llm.Message{{Role: llm.User, Parts: llm.Parts{llm.Text{Text: "look"}, llm.NewImage("image/png", []byte{1}), llm.Image{Media: "image/png", SHA256: "gone"}}}}
	if got := show(llm.Mend(in, sonnet())); got != "user: \"look\" image \"(an image that is no longer there was left out)\"\n" {
		t.Error(got)
	}
	if got := show(llm.Mend(in, llm.Info{})); strings.Count(got, "cannot take") != 2 {
		t.Error(got)
	}
}

func TestMendKnowsAModelByItsNames(t *testing.T) {
	for _, c := range []struct {
		made, asked string
		same        bool
	}{
		{"anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5", true},
		{"anthropic/claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", true},
		{"anthropic/claude-sonnet-4@20250514", "claude-sonnet-4-20250514", true},
		{"anthropic/claude-sonnet-4-5", "claude-opus-4-5", false},
		{"anthropic/claude-sonnet-4", "claude-sonnet-4-5", false},
		{"bedrock/claude-sonnet-4-5", "claude-sonnet-4-5", false},
		{"", "claude-sonnet-4-5", false},
	} {
		m := work(llm.Thinking{Text: "t", Signature: "s"}, llm.Text{Text: "a"})
		m.Model = c.made
		got := llm.Mend([]llm.Message{ask("hi"), m}, llm.Info{Provider: "anthropic", Name: c.asked})
		if kept := len(got[1].Parts) == 2; kept != c.same {
			t.Errorf("%s asked as %s: kept %v", c.made, c.asked, kept)
		}
	}
}

// fault says what is wrong with a mended history, or "".
func fault(messages []llm.Message) string {
	var open []string
	used := map[string]bool{}
	for i, m := range messages {
		if i == 0 && m.Role != llm.User {
			return "does not begin with the user"
		}
		if len(m.Parts) == 0 {
			return "an empty message"
		}
		if m.Role != llm.ToolRole && len(open) > 0 {
			return "a call without a result"
		}
		said := m.Role != llm.Assistant
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				if strings.TrimSpace(p.Text) == "" {
					return "empty text"
				}
				said = true
			case llm.Thinking:
				if m.Role != llm.Assistant || !strings.HasPrefix(m.Model, "anthropic/claude-sonnet-4-5") {
					return "foreign thinking"
				}
			case llm.ToolCall:
				var args map[string]any
				if m.Role != llm.Assistant || p.ID == "" || p.Name == "" || used[p.ID] || json.Unmarshal(p.Args, &args) != nil || p.Malformed != "" {
					return fmt.Sprintf("a bad call %+v", p)
				}
				used[p.ID], said = true, true
				open = append(open, p.ID)
			case llm.ToolResult:
				if m.Role != llm.ToolRole || len(m.Parts) != 1 || len(p.Parts) == 0 || len(open) == 0 || open[0] != p.Call {
					return fmt.Sprintf("a bad result %+v", p)
				}
				open = open[1:]
			}
		}
		if !said {
			return "thinking alone"
		}
	}
	if len(open) > 0 {
		return "a call without a result at the end"
	}
	return ""
}

// histories draws histories with everything wrong in them that can be.
func histories(t *rapid.T, label string) []llm.Message {
	var part *rapid.Generator[llm.Part]
	id := rapid.SampledFrom([]string{"", "a", "b", "a_1", "call", "call_1"})
	text := rapid.SampledFrom([]string{"", " ", "x", "y"})
	part = rapid.Custom(func(t *rapid.T) llm.Part {
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0:
			return llm.Text{Text: text.Draw(t, "text")}
		case 1:
			return llm.Thinking{Text: text.Draw(t, "thinking"), Signature: text.Draw(t, "signature")}
		case 2:
			return llm.NewImage("image/png", []byte(text.Draw(t, "image")))
		case 3:
			return llm.ToolResult{Call: id.Draw(t, "call"), Parts: llm.Parts{llm.Text{Text: text.Draw(t, "result")}}}
		}
		return llm.ToolCall{ID: id.Draw(t, "id"), Name: text.Draw(t, "name"), Args: json.RawMessage(rapid.SampledFrom([]string{"", "{}", `{"a":1}`, "{", "1"}).Draw(t, "args"))}
	})
	message := rapid.Custom(func(t *rapid.T) llm.Message {
		return llm.Message{
			Role:  rapid.SampledFrom([]llm.Role{llm.User, llm.Assistant, llm.ToolRole}).Draw(t, "role"),
			Model: rapid.SampledFrom([]string{"", "anthropic/claude-sonnet-4-5", "openai/gpt-5"}).Draw(t, "model"),
			Stop:  rapid.SampledFrom([]llm.Stop{llm.StopEnd, llm.StopRefusal}).Draw(t, "stop"),
			Parts: rapid.SliceOfN(part, 0, 4).Draw(t, "parts"),
		}
	})
	return rapid.SliceOfN(message, 0, 8).Draw(t, label)
}

func mendHolds(t *rapid.T) {
	history := histories(t, "history")
	before := show(history)
	mended := llm.Mend(history, sonnet())
	if show(history) != before {
		t.Fatal("the history was changed")
	}
	if f := fault(mended); f != "" {
		t.Fatalf("%s in\n%sof\n%s", f, show(mended), before)
	}
	if again := show(llm.Mend(mended, sonnet())); again != show(mended) {
		t.Fatalf("mended again it is\n%snot\n%s", again, show(mended))
	}
	// A whole round begins with an answer or with the person's words, and
	// holds no result of what was before.
	more := histories(t, "more")
	for len(more) > 0 && more[0].Role == llm.ToolRole {
		more = more[1:]
	}
	for i := 0; i < len(more) && more[i].Role != llm.Assistant; i++ {
		if more[i].Role == llm.ToolRole {
			more = append(more[:i:i], more[i+1:]...)
			i--
		}
	}
	longer := show(llm.Mend(append(history[:len(history):len(history)], more...), sonnet()))
	if !strings.HasPrefix(longer, show(mended)) {
		t.Fatalf("with more rounds it begins\n%snot\n%s", longer, show(mended))
	}
}

func TestMendAlways(t *testing.T) { rapid.Check(t, mendHolds) }

func FuzzMend(f *testing.F) { f.Fuzz(rapid.MakeFuzz(mendHolds)) }
