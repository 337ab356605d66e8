package compact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// history is a conversation in a real log that is kept in memory. Ids and
// clock count, so that the same calls make the same history.
type history struct {
	log    *session.Log
	store  *session.Store
	model  *llmtest.Script
	meter  *account.Meter
	system string
	edits  int // edited facts that changed the view

	seed   uint64 // of a random history
	random *rand.Rand
	ratio  float64 // tokens that the provider counts for one estimated
	serial int     // of calls and prompts
	calm   bool    // it reads, mostly
	notify func(change)
	asking func() // before each answer of a random history
}

// emptyHistory has a model of that window. When it has given the answers, it
// summarizes in a fixed way.
func emptyHistory(window int, answers ...llmtest.Answer) *history {
	fixed := llmtest.Join(llmtest.Say("<summary>\n## Primary Request\nWhat was asked.\n</summary>"), llmtest.Repeat(llmtest.Forever))
	model := llmtest.New(nil, append(answers, fixed)...)
	model.Model.Window, model.Model.MaxOutput = window, min(8192, window/4)
	h := &history{model: model, meter: new(account.Meter), store: countingStore(), system: "You are a coding assistant.", ratio: 1}
	h.log = h.fresh()
	return h
}

func countingStore() *session.Store {
	n, clock := 0, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &session.Store{
		Root:  "/nowhere",
		Now:   func() time.Time { clock = clock.Add(time.Second); return clock },
		NewID: func() string { n++; return fmt.Sprintf("019b7000-%04x-7000-8000-%012x", n%7919, n) },
	}
}

// fresh is a log without messages.
func (h *history) fresh() *session.Log {
	log, err := h.store.Create(session.Options{Cwd: "/work", Memory: true, Opened: event.Opened{Format: event.Format}})
	if err != nil {
		panic(err)
	}
	return log
}

func (h *history) add(f event.Fact) event.Record {
	r, err := h.log.Append(f)
	if err != nil {
		panic(err)
	}
	return r
}

func (h *history) say(role llm.Role, kind llm.Kind, text string) string {
	return h.add(event.Message{Message: llm.NewText(role, kind, text)}).ID
}

// prompt is the whole text of a prompt of so many characters, unlike any
// other.
func (h *history) prompt(chars int) llm.Message {
	h.serial++
	return llm.NewText(llm.User, llm.Prompt, fmt.Sprintf("<p%d>%s</p%d>", h.serial, h.text(chars), h.serial))
}

// call makes a call of that tool.
func (h *history) call(name string) llm.ToolCall {
	h.serial++
	return llm.ToolCall{ID: fmt.Sprintf("toolu_%d", h.serial), Name: name, Args: json.RawMessage(fmt.Sprintf(`{"path":"internal/file%d.go"}`, h.serial))}
}

// answer says an answer with thinking and calls.
func (h *history) answer(calls ...llm.ToolCall) string {
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: h.model.Info().ID(), Stop: llm.StopTools}
	m.Parts = llm.Parts{llm.Thinking{Text: "I look at it.", Signature: fmt.Sprintf("sig%d", h.serial)}}
	for _, c := range calls {
		m.Parts = append(m.Parts, c)
	}
	return h.add(event.Message{Message: m}).ID
}

// result says the result of a call.
func (h *history) result(c llm.ToolCall, text string, is func(*llm.ToolResult)) string {
	r := llm.ToolResult{Call: c.ID, Name: c.Name, Parts: llm.Parts{llm.Text{Text: text}}}
	if is != nil {
		is(&r)
	}
	return h.add(event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{r}}}).ID
}

// What results can be.
func again(r *llm.ToolResult)  { r.Meta.Again = true }
func failed(r *llm.ToolResult) { r.Error = true }
func wrote(r *llm.ToolResult)  { r.Meta.Wrote = []llm.FileWrite{{Path: "/work/a.go", Added: 1}} }

// view is what would be sent, as the agent measures it.
func (h *history) view(why event.Why) event.View {
	req := llm.Request{System: h.system, Messages: h.log.Messages(), Tools: []llm.ToolSpec{{Name: "read_file", Description: "reads a file", Schema: json.RawMessage(`{"type":"object"}`)}}}
	return event.View{Request: req, Model: h.model, Used: h.meter.Measure(req, h.model.Info()), Why: why}
}

// past is what the log tells of a stage.
func (h *history) past(stage string) compact.Past { return compact.Past(h.log.Past(stage)) }

// change is what one run of a stage did to the view.
type change struct {
	*history
	stage         compact.Stage
	why           event.Why
	view          event.View
	work          compact.Work
	err           error
	before, after []llm.Message
	was, now      []string // digests of before and after
	mutated       bool     // the stage wrote into what it was given
}

// run lets the stage look at the view, and records what it proposes.
func (h *history) run(s compact.Stage, why event.Why) change {
	c := change{history: h, stage: s, why: why, view: h.view(why)}
	c.before = append(c.before, c.view.Request.Messages...)
	c.was = digests(c.before)
	c.work, c.err = s.Edits(context.Background(), c.view, func(event.Signal) {})
	c.mutated = !slices.Equal(digests(c.view.Request.Messages), c.was)
	var strike compact.Strike
	switch {
	case errors.As(c.err, &strike):
		h.add(event.Edited{Stage: s.Name(), Why: why, Error: string(strike)})
	case c.err == nil && len(c.work.Edits) > 0:
		h.edits++
		h.add(event.Edited{Stage: s.Name(), Why: why, Edits: c.work.Edits, Before: c.view.Used.Tokens})
	}
	c.after = h.log.Messages()
	c.now = digests(c.after)
	if h.notify != nil {
		h.notify(c)
	}
	return c
}

// digests is all that is stored of each message.
func digests(messages []llm.Message) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = digest(m)
	}
	return out
}

func digest(m llm.Message) string {
	var b strings.Builder
	usage := llm.Usage{}
	if m.Usage != nil {
		usage = *m.Usage
	}
	fmt.Fprintln(&b, m.ID, m.Time.UnixNano(), m.Role, m.Kind, m.Model, m.Stop, m.Estimate, usage)
	digestParts(&b, m.Parts)
	return b.String()
}

// digestParts does without JSON, which takes ten times as long for texts.
func digestParts(b *strings.Builder, parts llm.Parts) {
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			b.WriteString("\ntext ")
			b.WriteString(p.Text)
		case llm.ToolResult:
			inner := p.Parts
			p.Parts = nil
			meta, err := json.Marshal(p)
			if err != nil {
				panic(err)
			}
			b.WriteString("\nresult ")
			b.Write(meta)
			digestParts(b, inner)
			b.WriteString("\nend")
		default:
			fmt.Fprintf(b, "\n%T %q", p, p)
		}
	}
}

// stages is every stage that works on old messages, cheapest first.
func (h *history) stages() []compact.Stage {
	return []compact.Stage{
		compact.Clear{Meter: h.meter},
		compact.Snip{Meter: h.meter, History: h.past},
		compact.Collapse{Meter: h.meter, History: h.past},
		compact.Summarize{Meter: h.meter, History: h.past},
	}
}

// corpus is what the texts are taken from: prose, code, and a script whose
// characters cost more.
func corpus() (ascii, wide string) { return words()[0], words()[1] }

// words is made once, as it is large.
var words = sync.OnceValue(func() [2]string {
	random := rand.New(rand.NewPCG(1, 1))
	list := strings.Fields("the quick brown fox func return err != nil { } package main of configuration 42 0x7fff interface to with and message window tokens, a.")
	var ascii strings.Builder
	for ascii.Len() < 1<<20 {
		ascii.WriteString(list[random.IntN(len(list))])
		ascii.WriteString([]string{" ", " ", " ", "\n\t"}[random.IntN(4)])
	}
	return [2]string{ascii.String(), strings.Repeat("请帮我修改这个文件中的错误然后运行测试并总结结果", 2000)}
})

// text is a piece of about so many characters.
func (h *history) text(chars int) string {
	ascii, wide := corpus()
	if h.random == nil {
		return ascii[:chars]
	}
	if h.random.IntN(12) == 0 && chars*2 < len(wide) {
		return wide[:chars/4*3] // about as many tokens
	}
	from := h.random.IntN(len(ascii) - chars)
	return ascii[from : from+chars]
}
