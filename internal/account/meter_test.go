package account_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

func TestEstimateCountsAllOfARequest(t *testing.T) {
	req := llm.Request{System: "a system prompt"}
	last := account.Estimate(req)
	grow := func(what string) {
		t.Helper()
		if n := account.Estimate(req); n <= last {
			t.Errorf("%s counts nothing", what)
		} else {
			last = n
		}
	}
	req.Tools = []llm.ToolSpec{{Name: "x", Description: "does it", Schema: json.RawMessage(`{"type":"object"}`)}}
	grow("a tool")
	for _, p := range []llm.Part{
		llm.Text{Text: "hello"},
		llm.Thinking{Text: "hm"},
		llm.Thinking{Raw: llm.Verbatim(`{"data":"abcd"}`)},
		llm.NewImage("image/png", []byte{1}),
		llm.ToolCall{Name: "x", Args: json.RawMessage(`{"a":1}`)},
		llm.ToolCall{Name: "x", Malformed: `{"a":`},
		llm.ToolResult{Parts: llm.Parts{llm.Text{Text: "a result"}}},
	} {
		req.Messages = append(req.Messages, llm.Message{Parts: llm.Parts{p}})
		grow(fmt.Sprintf("%T", p))
	}
}

// known is a model whose window is known, and which counts like no other.
func known() llm.Info {
	return llm.Info{Provider: "some", Name: "model", Window: 200_000, MaxOutput: 64_000, Known: true}
}

func said(text string) llm.Message { return llm.NewText(llm.User, llm.Prompt, text) }

// answer is one that known gave, with what it counted.
func answer(u llm.Usage) llm.Message {
	m := llm.NewText(llm.Assistant, llm.Final, "yes")
	m.Model, m.Usage = known().ID(), &u
	return m
}

func with(m llm.Message, change func(*llm.Message)) llm.Message {
	change(&m)
	return m
}

func TestMeasure(t *testing.T) {
	system := "be brief"
	good := llm.Usage{Input: 100, CacheRead: 1000, CacheWrite: 10, Output: 5} // 1115
	all := func(messages ...llm.Message) int {
		return account.Estimate(llm.Request{System: system, Messages: messages})
	}
	rest := func(messages ...llm.Message) int { return account.Estimate(llm.Request{Messages: messages}) }
	est := func(stale string, n int) llm.Count { return llm.Count{Tokens: n, Source: "est", Stale: stale} }
	long := said(strings.Repeat("a word ", 20_000))
	mark := func(why string) llm.Message {
		return with(answer(good), func(m *llm.Message) { m.Stale = why })
	}
	other := with(answer(good), func(m *llm.Message) { m.Model = "some/other" })
	cases := []struct {
		name     string
		messages []llm.Message
		want     llm.Count
	}{
		{"nothing", nil, est("", all())},
		{"no usage", []llm.Message{said("hi"), llm.NewText(llm.Assistant, llm.Final, "yes")}, est("", all(said("hi"), answer(good)))},
		{"a usage of nothing", []llm.Message{said("hi"), answer(llm.Usage{})}, est("", all(said("hi"), answer(good)))},
		{"usage", []llm.Message{said("hi"), answer(good)}, llm.Count{Tokens: 1115, Counted: 1115, Source: "usage"}},
		{"usage and more", []llm.Message{said("hi"), answer(good), said("more")}, llm.Count{Tokens: 1115 + rest(said("more")), Counted: 1115, Source: "usage+est"}},
		{"another model", []llm.Message{said("hi"), other}, est("another model", all(said("hi"), answer(good)))},
		{"negative", []llm.Message{answer(llm.Usage{Input: -5, CacheRead: 900, Output: 7})}, est("implausible", all(answer(good)))},
		{"only what was not cached", []llm.Message{long, answer(llm.Usage{Input: 40, Output: 5})}, est("implausible", all(long, answer(good)))},
		{"little, but of little", []llm.Message{said("hi"), answer(llm.Usage{Input: 1, Output: 1})}, llm.Count{Tokens: 2, Counted: 2, Source: "usage"}},
		{"more than the window holds", []llm.Message{said("hi"), answer(llm.Usage{Input: 300_000})}, est("implausible", all(said("hi"), answer(good)))},
		{
			"an older one that holds",
			[]llm.Message{answer(good), said("more"), mark("cleared")},
			llm.Count{Tokens: 1115 + rest(said("more"), answer(good)), Counted: 1115, Source: "usage+est", Stale: "cleared"},
		},
		{
			"an older one behind another model's",
			[]llm.Message{answer(good), other, mark("snipped")},
			llm.Count{Tokens: 1115 + rest(answer(good), answer(good)), Counted: 1115, Source: "usage+est", Stale: "snipped"},
		},
	}
	for _, why := range []string{"snipped", "cleared", "collapsed", "compacted", "a stage of its own"} {
		cases = append(cases, cases[0])
		c := &cases[len(cases)-1]
		c.name, c.messages, c.want = why, []llm.Message{said("hi"), mark(why)}, est(why, all(said("hi"), answer(good)))
	}
	for _, c := range cases {
		c.want.Window, c.want.Known = 136_000, true
		if got := new(account.Meter).Measure(llm.Request{System: system, Messages: c.messages}, known()); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestMeasureOfUnknownModels(t *testing.T) {
	req := llm.Request{Messages: []llm.Message{said("hi"), answer(llm.Usage{Input: 300_000})}}
	info := llm.Info{Provider: "some", Name: "model"}
	if got, want := new(account.Meter).Measure(req, info), (llm.Count{Tokens: 300_000, Counted: 300_000, Source: "usage", Window: 120_000}); got != want {
		t.Errorf("a count beyond the assumed window: %+v, want %+v", got, want)
	}
	req.Messages[1].Usage.Input = 1 << 40
	if got := new(account.Meter).Measure(req, info); got.Source != "est" || got.Stale != "implausible" {
		t.Errorf("an absurd count: %+v", got)
	}
}

func TestRatio(t *testing.T) {
	counted := func(model string, estimate, input int) llm.Message {
		return llm.Message{Role: llm.Assistant, Model: model, Estimate: estimate, Usage: &llm.Usage{CacheRead: input - 1, Input: 1, Output: 9999}}
	}
	for _, c := range []struct {
		name     string
		messages []llm.Message
		want     float64
	}{
		{"nothing", nil, 1},
		{"one answer", []llm.Message{counted("a/b", 1000, 1500)}, 1.5},
		{"newer ones count more", []llm.Message{counted("a/b", 1000, 1200), counted("a/b", 1000, 800)}, 1},
		{"another model", []llm.Message{counted("a/c", 1000, 1500)}, 1},
		{"not estimated", []llm.Message{counted("a/b", 0, 1500)}, 1},
		{"far off", []llm.Message{counted("a/b", 1000, 1500), counted("a/b", 1000, 90), counted("a/b", 1000, 9000)}, 1.5},
		{"negative", []llm.Message{with(counted("a/b", 1000, 1500), func(m *llm.Message) { m.Usage.Input = -1 })}, 1},
		{"stale ones teach as well", []llm.Message{with(counted("a/b", 1000, 1500), func(m *llm.Message) { m.Stale = "snipped" })}, 1.5},
	} {
		if got := account.Ratio(c.messages, "a/b"); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := account.Ratio(nil, "anthropic/claude-sonnet-4-5"); got <= 1 {
		t.Errorf("of a model that is known to count more: %v", got)
	}
}

func TestLevelOf(t *testing.T) {
	for share, want := range map[float64]account.Level{
		0: account.Normal, 0.499: account.Normal, 0.5: account.Warning, 0.849: account.Warning,
		0.85: account.Critical, 0.949: account.Critical, 0.95: account.Blocked, 7: account.Blocked,
	} {
		if got := account.LevelOf(share); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
}

func TestBadge(t *testing.T) {
	for _, c := range []struct {
		count llm.Count
		want  string
	}{
		{llm.Count{Tokens: 62, Window: 100, Source: "usage+est"}, "[ctx] 62% ▓▓▓▓▓▓░░░░ usage+est"},
		{llm.Count{Tokens: 0, Window: 100, Source: "est"}, "[ctx] 0% ░░░░░░░░░░ est"},
		{llm.Count{Tokens: 300, Window: 100, Source: "usage"}, "[ctx] 100% ▓▓▓▓▓▓▓▓▓▓ usage"},
		{llm.Count{Source: "est"}, "[ctx] 0% ░░░░░░░░░░ est"},
	} {
		if got := account.Badge(c.count); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// conversation draws messages of all kinds, with and without counts.
func conversation(t *rapid.T) []llm.Message {
	text := rapid.StringN(0, 200, -1)
	messages := make([]llm.Message, rapid.IntRange(0, 20).Draw(t, "messages"))
	for i := range messages {
		m := &messages[i]
		m.ID = fmt.Sprint("m", i)
		m.Kind = rapid.SampledFrom([]llm.Kind{llm.Prompt, llm.Nudge, llm.Note, llm.Progress, llm.Work, llm.Final, llm.Questioned, llm.Resulted, llm.Summary, llm.Snipped}).Draw(t, "kind")
		m.Parts = llm.Parts{llm.Text{Text: text.Draw(t, "text")}}
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0:
			m.Parts = append(m.Parts, llm.Thinking{Text: text.Draw(t, "thinking")})
		case 1:
			m.Parts = append(m.Parts, llm.ToolResult{Parts: llm.Parts{llm.Text{Text: text.Draw(t, "result")}, llm.Image{}}})
		}
		if rapid.IntRange(0, 2).Draw(t, "counted") == 0 {
			tokens := rapid.IntRange(-1, 100_000)
			m.Model, m.Estimate = rapid.SampledFrom([]string{known().ID(), "some/other"}).Draw(t, "model"), tokens.Draw(t, "estimate")
			m.Usage = &llm.Usage{Input: tokens.Draw(t, "input"), CacheRead: tokens.Draw(t, "read"), Output: tokens.Draw(t, "output")}
			m.Stale = rapid.SampledFrom([]string{"", "", "snipped"}).Draw(t, "stale")
		}
	}
	return messages
}

// What a meter has measured before changes nothing: a session that is resumed
// counts as the one that never ended.
func TestMeasureDependsOnTheMessagesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := llm.Request{System: "be brief", Messages: conversation(t)}
		var old account.Meter
		var got llm.Count
		for n := range len(req.Messages) + 1 {
			part := req
			part.Messages = req.Messages[:n]
			old.Estimate(part)
			got = old.Measure(part, known())
		}
		if want := new(account.Meter).Measure(req, known()); got != want {
			t.Fatalf("%+v, a fresh meter says %+v", got, want)
		}
	})
}

func FuzzEstimate(f *testing.F) {
	f.Add("func main() {\n\t\n", "}\n")
	f.Add("請幫我 ", "👋🏽 e\u0301 HTTPServer2Go")
	f.Add("\xff\xe4\xb8", "\xad")
	f.Fuzz(func(t *testing.T, a, b string) {
		of := func(texts ...string) int {
			var req llm.Request
			for _, s := range texts {
				req.Messages = append(req.Messages, said(s))
			}
			return account.Estimate(req)
		}
		whole := of(a + b)
		// A rune that is completed, or a word, may be worth less than its pieces.
		if whole < of(a)-1 && strings.ToValidUTF8(a, "") == a {
			t.Errorf("%q is %d tokens, with %q after it %d", a, of(a), b, whole)
		}
		if sum, both := of(a)+of(b), of(a, b); both > sum || both < sum-1 {
			t.Errorf("%q and %q are %d tokens, as two messages %d", a, b, sum, both)
		}
	})
}

// long is a conversation of n messages, the newest an answer with its count.
func long(n int) llm.Request {
	req := llm.Request{System: strings.Repeat("Say what is so. ", 500), Tools: []llm.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}}}
	for i := range n {
		m := said("the text of a message")
		if i%2 == 1 {
			m = answer(llm.Usage{Input: 8000 + 10*i})
			m.Estimate = 7000 + 10*i
		}
		m.ID = fmt.Sprint(i)
		req.Messages = append(req.Messages, m)
	}
	return req
}

func TestMeasureAllocatesNothing(t *testing.T) {
	req := long(500)
	stale := long(500)
	for i := range stale.Messages {
		stale.Messages[i].Stale = "cleared"
	}
	var meter account.Meter
	for name, req := range map[string]llm.Request{"usage": req, "est": stale} {
		if got := meter.Measure(req, known()).Source; got != name {
			t.Errorf("source %s, want %s", got, name)
		}
		if n := testing.AllocsPerRun(10, func() { meter.Measure(req, known()) }); n > 4 {
			t.Errorf("%s: %v allocations for 500 messages that were measured before", name, n)
		}
	}
}

func BenchmarkMeasure(b *testing.B) {
	req := long(5000)
	var meter account.Meter
	meter.Measure(req, known())
	for b.Loop() {
		meter.Measure(req, known())
	}
}
