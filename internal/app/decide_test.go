package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// pressed is a conversation of so many messages, of which the provider counted
// that share of the window, and in which no stage of compaction finds anything
// to do.
type pressed struct {
	*Conversation
	model *llmtest.Script
	calls int
}

func (p *pressed) add(t testing.TB, f event.Fact) {
	t.Helper()
	if _, err := p.log.Append(f); err != nil {
		t.Fatal(err)
	}
}

// read is an answer, counted at so many tokens, with a call, and its result.
func (p *pressed) read(t testing.TB, tokens int, text string, is llm.Meta) {
	p.calls++
	id := fmt.Sprint("toolu_", p.calls)
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: p.model.Info().ID(), Stop: llm.StopTools, Parts: llm.Parts{
		llm.Thinking{Text: "What next?", Signature: "signed"},
		llm.ToolCall{ID: id, Name: "read_file", Args: json.RawMessage(`{"path":"a.go"}`)},
	}}
	if tokens > 0 {
		m.Usage, m.Estimate = &llm.Usage{Input: tokens}, tokens
	}
	p.add(t, event.Message{Message: m})
	p.add(t, event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
		llm.ToolResult{Call: id, Name: "read_file", Parts: llm.Parts{llm.Text{Text: text}}, Meta: is},
	}}})
}

// situation is a way in which nothing is to be done.
type situation struct {
	name    string
	share   float64                        // of the window in use
	snipped bool                           // not long ago
	older   func(t testing.TB, p *pressed) // says two messages
}

func situations() []situation {
	const small, large = "ok, that is all there is to it", "a line of a file, which goes on for a while and is read\n"
	read := func(text string, is llm.Meta) func(t testing.TB, p *pressed) {
		return func(t testing.TB, p *pressed) { p.read(t, 0, text, is) }
	}
	return []situation{
		{"below-every-line", 0.3, false, read(large, llm.Meta{Again: true})},
		{"nothing-to-clear", 0.6, false, read(large, llm.Meta{})},
		{"too-little-to-clear", 0.6, false, read(small, llm.Meta{Again: true})},
		{"nothing-to-snip", 0.72, false, read(large, llm.Meta{Wrote: []llm.FileWrite{{Path: "/a.go"}}})},
		{"snip-rests-and-nothing-to-collapse", 0.8, true, func(t testing.TB, p *pressed) {
			p.add(t, event.Message{Message: llm.NewText(llm.User, llm.Prompt, "And what of this?")})
			p.add(t, event.Message{Message: llm.NewText(llm.User, llm.Summary, "[Context Summary from earlier conversation]\nIt was read.")})
		}},
	}
}

// make is a conversation of so many messages, which the pipeline has looked at.
func (s situation) make(t testing.TB, messages int) *pressed {
	t.Helper()
	model := llmtest.New(t)
	model.Model.Window, model.Model.MaxOutput = 1_000_000, 64_000
	home := t.TempDir()
	c, err := Open(context.Background(), Options{
		Cwd: t.TempDir(), Home: home, Environ: []string{"HOME=" + home}, Now: time.Now, Model: model, NotOnDisk: true,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	p := &pressed{Conversation: c, model: model}
	p.add(t, event.Message{Message: llm.NewText(llm.User, llm.Prompt, "Look at all of it.")})
	for len(p.log.Messages()) < messages-14 {
		s.older(t, p)
	}
	if s.snipped {
		at := p.log.Messages()[1].ID
		p.add(t, event.Edited{Stage: "snip", Why: event.Threshold, Edits: []event.Edit{{From: at, To: at, With: []llm.Message{llm.NewText(llm.User, llm.Snipped, "cut")}}}})
	}
	for range 7 {
		p.read(t, int(s.share*float64(model.Info().EffectiveInput())), strings.Repeat("text ", 20), llm.Meta{Again: true})
	}
	p.decide(t, p.view)
	if used := p.Used(); used.Source != "usage+est" || used.Share() < s.share || used.Share() > s.share+0.01 {
		t.Fatalf("%+v", used)
	}
	return p
}

// view is what would be sent, as the loop measures it.
func (p *pressed) view() event.View {
	req, model := p.request(), p.current()
	return event.View{Request: req, Model: model, Used: p.meter.Measure(req, model.Info())}
}

// decide lets the pipeline look at a view, as the loop does before a request.
func (p *pressed) decide(t testing.TB, view func() event.View) {
	for e, err := range p.table().Pipeline().Compact(context.Background(), view, event.Threshold) {
		t.Fatalf("something was done: %+v, %v", e, err)
	}
}

// TestDecisionsCostTheSame counts objects, in the place of time: that nothing
// is to be done is found with as many for a long history as for a short one.
func TestDecisionsCostTheSame(t *testing.T) {
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			short, long := s.make(t, 500), s.make(t, 5000)
			few := testing.AllocsPerRun(5, func() { short.decide(t, short.view) })
			many := testing.AllocsPerRun(5, func() { long.decide(t, long.view) })
			t.Logf("%.0f objects for 500 messages, %.0f for 5,000", few, many)
			if many > few+5 || many > 400 {
				t.Errorf("a decision makes %.0f objects for 500 messages and %.0f for 5,000", few, many)
			}
		})
	}
}

// TestDecisionsRememberEstimates: the texts of messages that a decision has seen
// are never looked at again. So others, much longer, in their places change
// nothing.
func TestDecisionsRememberEstimates(t *testing.T) {
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			p := s.make(t, 500)
			first := p.view()
			other := slices.Clone(first.Request.Messages)
			long := llm.Text{Text: strings.Repeat("a word ", 100_000)}
			for i, m := range other[:len(other)-2] { // the newest results are counted in characters
				if r, ok := m.Result(); ok {
					r.Parts = llm.Parts{long}
					other[i].Parts = llm.Parts{r}
				} else {
					other[i].Parts = append(slices.Clone(m.Parts), long)
				}
			}
			p.decide(t, func() event.View {
				v := first
				v.Request.Messages = other
				v.Used = p.meter.Measure(v.Request, p.model.Info())
				if v.Used != first.Used {
					t.Errorf("it counts %+v, at first %+v", v.Used, first.Used)
				}
				return v
			})
		})
	}
}

// BenchmarkDecide is what compaction takes before a request when there is
// nothing to be done, with 5,000 messages.
func BenchmarkDecide(b *testing.B) {
	for _, s := range situations() {
		b.Run(s.name, func(b *testing.B) {
			p := s.make(b, 5000)
			b.ReportAllocs()
			for b.Loop() {
				p.decide(b, p.view)
			}
		})
	}
}
