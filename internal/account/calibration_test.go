package account_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// counter is a provider that counts with a real tokenizer, but by a factor of
// its own, and adds something for each message.
type counter struct {
	codec      tokenizer.Codec
	factor     float64
	perMessage int
	seen       map[string]int
}

func (c *counter) text(s string) int {
	n, ok := c.seen[s]
	if !ok {
		n = count(c.codec, s)
		c.seen[s] = n
	}
	return n
}

func (c *counter) input(req llm.Request) int {
	sum := c.text(req.System)
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				sum += c.text(p.Text)
			case llm.ToolCall:
				sum += c.text(p.Name) + c.text(string(p.Args))
			case llm.ToolResult:
				sum += c.text(p.Parts.Text())
			}
		}
	}
	return int(c.factor*float64(sum)) + c.perMessage*len(req.Messages)
}

// After three answers the estimate of the whole view is within 5 percent, when
// no count holds any longer because all of the view was changed.
func TestCalibration(t *testing.T) {
	samples := texts(t, "testdata/texts/*.txt", "*.go", "../../docs/*.md")
	codec, seen := codec(t, tokenizer.O200kBase), map[string]int{}
	info := known()
	var errs errorsOf
	for seed := range uint64(80) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		piece := func(least, most int) string {
			s := samples[rnd.IntN(len(samples))].text
			n := min(len(s), least+rnd.IntN(most-least))
			from := rnd.IntN(len(s) - n + 1)
			return strings.ToValidUTF8(s[from:from+n], "")
		}
		provider := counter{codec, 0.8 + 0.5*rnd.Float64(), rnd.IntN(12), seen}
		req := llm.Request{System: piece(3000, 9000)}
		add := func(m llm.Message) {
			m.ID = fmt.Sprint(len(req.Messages))
			req.Messages = append(req.Messages, m)
		}
		var meter account.Meter
		add(said(piece(40, 800)))
		for step := range 3 {
			input := provider.input(req)
			m := llm.Message{
				Role: llm.Assistant, Kind: llm.Work, Model: info.ID(), Estimate: meter.Estimate(req),
				Usage: &llm.Usage{Input: 3, CacheRead: input - 3, Output: 50}, Stale: "cleared",
				Parts: llm.Parts{llm.Text{Text: piece(20, 200)}, llm.ToolCall{ID: "c", Name: "read", Args: []byte(fmt.Sprintf(`{"path":"internal/step%d.go"}`, step))}},
			}
			add(m)
			add(llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: "c", Name: "read", Parts: llm.Parts{llm.Text{Text: piece(200, 6000)}}}}})
		}
		got := meter.Measure(req, info)
		if got.Source != "est" || got.Stale != "cleared" {
			t.Fatalf("%+v", got)
		}
		errs.add(t, fmt.Sprint("session ", seed), got.Tokens, provider.input(req), 0)
	}
	errs.check(t, "calibrated")
	if errs.median() > 0.05 {
		t.Errorf("the median error is %.1f %%, want 5 %% at most", 100*errs.median())
	}
}
