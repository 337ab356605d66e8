package compact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// randomHistory is a conversation of so many acts at most: turns, damage,
// earlier edits. The acts of fewer are the first ones of more. It ends when
// the window is as full as the seed wants it.
func randomHistory(seed uint64, acts int, notify func(change), asking func(*history)) *history {
	random := rand.New(rand.NewPCG(seed, 1))
	h := emptyHistory([]int{8000, 8000, 10_000, 16_000, 16_000, 24_000, 32_000, 32_000, 64_000, 200_000}[random.IntN(10)], summaries(random)...)
	h.seed, h.random, h.notify, h.ratio = seed, random, notify, 0.7+0.8*random.Float64()
	h.asking = func() { asking(h) }
	h.system += h.text(random.IntN(2000))
	fill := 0.2 + 1.2*random.Float64()
	damaged := random.IntN(2) == 0
	h.calm = random.IntN(2) == 0
	for ; acts > 0 && h.view("").Used.Share() < fill; acts-- {
		switch n := random.IntN(20); {
		case n < 2:
			h.note()
		case n < 4 && damaged:
			h.damage()
		case n < 5:
			h.earlier()
		case n == 5:
			h.add(event.Changed{Model: h.model.Info().ID()})
		default:
			h.turn()
		}
	}
	// What follows must not depend on how many acts there were.
	h.random = rand.New(rand.NewPCG(seed, 2))
	return h
}

// summaries is some answers to those who ask for a summary.
func summaries(random *rand.Rand) (out []llmtest.Answer) {
	for range random.IntN(6) {
		out = append(out, []llmtest.Answer{
			llmtest.Say("<summary>" + strings.Repeat("What was done. ", 1+random.IntN(100)) + "</summary>"),
			llmtest.Say("<summary>" + strings.Repeat("Nobody wants to know. ", 9000) + "</summary>"),
			llmtest.Say("<analysis>Well.</analysis>"),
			llmtest.Call("read_file", "{}"),
			llmtest.Fail(&llm.Error{Kind: llm.ErrOverloaded}),
			llmtest.Fail(&llm.Error{Kind: llm.ErrContextTooLong}),
		}[random.IntN(6)])
	}
	return out
}

// chars is a random length: mostly short, at times a large part of the window.
func (h *history) chars() int {
	window := h.model.Info().Window
	switch n := h.random.IntN(20); {
	case n < 12:
		return 1 + h.random.IntN(400)
	case n < 19:
		return 400 + h.random.IntN(max(1000, window/20))
	default:
		return window/10 + h.random.IntN(window/3)
	}
}

// note says something that is no prompt.
func (h *history) note() {
	kind := []llm.Kind{llm.Note, llm.Nudge}[h.random.IntN(2)]
	h.say(llm.User, kind, "now: "+h.text(1+h.random.IntN(300)))
}

// ask says a prompt.
func (h *history) ask() {
	chars := 1 + h.random.IntN(300)
	if h.random.IntN(8) == 0 {
		chars = 6000 + h.random.IntN(12_000)
	}
	m := h.prompt(chars)
	for range h.random.IntN(8) / 6 {
		m.Parts = append(m.Parts, llm.NewImage("image/png", []byte{byte(h.serial)}))
	}
	h.add(event.Message{Message: m})
}

// turn is a prompt, steps, and one of the ways to end.
func (h *history) turn() {
	if h.random.IntN(4) == 0 {
		h.note()
	}
	h.ask()
	for range h.random.IntN(9) {
		h.step()
		switch h.random.IntN(12) {
		case 0:
			h.ask() // while it works
		case 1:
			h.note()
		case 2:
			h.reply(llm.Progress, llm.StopLength)
			h.note()
		}
	}
	switch h.random.IntN(8) {
	case 0:
		h.reply(llm.Questioned, llm.StopTools)
	case 1:
		h.reply(llm.Final, llm.StopRefusal)
	case 2: // interrupted
		h.calls(failed)
	default:
		h.reply(llm.Final, llm.StopEnd)
	}
	h.add(event.Ended{Reason: event.Done})
}

// reply is an answer without calls.
func (h *history) reply(kind llm.Kind, stop llm.Stop) {
	m := llm.NewText(llm.Assistant, kind, h.text(1+h.random.IntN(500)))
	if h.random.IntN(3) == 0 {
		m.Parts = append(llm.Parts{llm.Thinking{Text: "so", Signature: fmt.Sprintf("sig of %d", h.random.Uint32())}}, m.Parts...)
	}
	m.Stop = stop
	h.counted(m)
}

// counted records an answer, mostly with what the provider counted.
func (h *history) counted(m llm.Message) {
	h.asking()
	req := h.view("").Request
	m.Model, m.Estimate = h.model.Info().ID(), h.meter.Estimate(req)
	switch n := h.random.IntN(20); {
	case n == 0:
		m.Usage = &llm.Usage{Input: h.random.IntN(9), Output: 1}
	case n == 1:
		m.Model = "other/model"
		fallthrough
	case n < 15:
		in := int(float64(m.Estimate) * h.ratio * (0.95 + 0.1*h.random.Float64()))
		m.Usage = &llm.Usage{Input: in / 2, CacheRead: in - in/2, Output: 50}
	}
	h.add(event.Message{Message: m})
}

// calls is an answer with calls and the results of them, which are as the
// functions say.
func (h *history) calls(is ...func(*llm.ToolResult)) {
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Stop: llm.StopTools}
	if h.random.IntN(3) > 0 {
		m.Parts = append(m.Parts, llm.Thinking{Text: h.text(50), Signature: fmt.Sprintf("sig of %d", h.random.Uint32())})
	}
	if h.random.IntN(2) == 0 {
		m.Parts = append(m.Parts, llm.Text{Text: h.text(80)})
	}
	var calls []llm.ToolCall
	for range is {
		c := h.call("read_file")
		calls, m.Parts = append(calls, c), append(m.Parts, c)
	}
	h.counted(m)
	for i, c := range calls {
		h.result(c, h.text(h.chars()), is[i])
	}
}

// step is 1 to 5 calls with results of all sorts.
func (h *history) step() {
	count := max(1, h.random.IntN(9)-3)
	acts := h.random.IntN(3) == 0 // and does not only read
	if h.calm {
		acts = h.random.IntN(20) == 0
	}
	var is []func(*llm.ToolResult)
	for range count {
		f := again
		if acts {
			f = []func(*llm.ToolResult){again, failed, wrote, func(*llm.ToolResult) {}, func(r *llm.ToolResult) { wrote(r); failed(r) }, func(r *llm.ToolResult) { again(r); failed(r) }}[h.random.IntN(6)]
		} else if h.random.IntN(6) == 0 {
			f = []func(*llm.ToolResult){
				func(r *llm.ToolResult) {
					again(r)
					r.Parts = append(r.Parts, llm.NewImage("image/png", []byte{1}))
				},
				func(r *llm.ToolResult) {
					again(r)
					r.Parts, r.Meta.Saved = llm.Parts{llm.Text{Text: "<persisted-output>\n" + h.text(2000) + "\n</persisted-output>"}}, "/s/"+r.Call+".txt"
				},
				func(r *llm.ToolResult) { again(r); r.Parts = llm.Parts{llm.Text{Text: "ok"}} },
				func(*llm.ToolResult) {},
			}[h.random.IntN(4)]
		}
		is = append(is, f)
	}
	h.calls(is...)
}

// damage is what crashes and lost lines leave behind.
func (h *history) damage() {
	switch h.random.IntN(5) {
	case 0: // a call without its result
		a, b := h.call("read_file"), h.call("read_file")
		h.answer(a, b)
		h.result(b, h.text(900), again)
	case 1: // a result without its call
		h.result(h.call("read_file"), h.text(900), again)
	case 2: // nothing of the call is left but the call
		h.answer(h.call("read_file"))
	case 3: // a result that comes late
		c := h.call("read_file")
		h.answer(c)
		h.note()
		h.result(c, h.text(900), again)
	case 4: // two results
		c := h.call("read_file")
		h.answer(c)
		h.result(c, h.text(900), again)
		h.result(c, h.text(900), again)
	}
}

// earlier is an edit that was made before: by a stage, or as one that asked a
// model made it.
func (h *history) earlier() {
	stages := h.stages()
	n := h.random.IntN(len(stages) + 1)
	if n < len(stages) {
		h.run(stages[n], []event.Why{event.Threshold, event.Forced, event.Manual}[h.random.IntN(3)])
		return
	}
	messages := h.log.Messages()
	all := segments(messages)
	if len(all) < 3 {
		return
	}
	first := h.random.IntN(len(all) - 2)
	from, to := all[first].from, all[first+h.random.IntN(min(6, len(all)-1-first))].to
	e := event.Edit{From: messages[from].ID, To: messages[to-1].ID}
	for _, m := range messages[from:to] {
		if m.Kind == llm.Prompt {
			m.ID = ""
			e.With = append(e.With, m)
		}
	}
	e.With = append(e.With, llm.NewText(llm.User, llm.Summary, "[Context Summary from earlier conversation]\n"+h.text(300)))
	h.edits++
	h.add(event.Edited{Stage: "collapse", Why: event.Manual, Edits: []event.Edit{e}})
}

// anyOrder runs all stages in a random order, some twice, at times with steps
// between them. A batch of results comes before the one that is about batches.
// What these two draw is drawn apart, so that the rest is the same without
// them.
func (h *history) anyOrder() (ran []change) {
	stages := h.stages()
	h.random.Shuffle(len(stages), func(i, j int) { stages[i], stages[j] = stages[j], stages[i] })
	stages = append(stages, stages[0])
	random, apart := h.random, rand.New(rand.NewPCG(h.seed, 4))
	for _, s := range []compact.Stage{h.offload(), compact.Images{}} {
		stages = slices.Insert(stages, apart.IntN(len(stages)+1), s)
	}
	for _, s := range stages {
		switch s.Name() {
		case "offload":
			h.random = apart
			h.batch()
			h.random = random
			ran = append(ran, h.run(s, event.Threshold))
		case "images":
			ran = append(ran, h.run(s, event.Limit))
		default:
			ran = append(ran, h.run(s, []event.Why{event.Threshold, event.Forced, event.Manual}[h.random.IntN(3)]))
		}
		for range h.random.IntN(4) / 2 {
			h.step()
		}
	}
	return ran
}

// offload keeps results in files of the working directory, or in none.
func (h *history) offload() compact.Offload {
	dir := []string{"results", ""}[h.seed%2]
	return offload(dir, 50_000, min(12_000, h.model.Info().Window/2))
}

// batch is an answer with results some of which are large, or as large as
// others.
func (h *history) batch() {
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Stop: llm.StopTools}
	var calls []llm.ToolCall
	for range 2 + h.random.IntN(4) {
		c := h.call("read_file")
		calls, m.Parts = append(calls, c), append(m.Parts, c)
	}
	h.counted(m)
	for _, c := range calls {
		h.result(c, h.text([]int{600, 3000, 3000, 6000, 9000}[h.random.IntN(5)]), func(r *llm.ToolResult) {
			r.Error = h.random.IntN(4) == 0
			if h.random.IntN(4) == 0 {
				r.Parts = append(r.Parts, llm.NewImage("image/png", []byte{1}))
			}
		})
	}
}

// segment is an answer with the results directly after it, or one message
// that is neither. It is found here without what is tested.
type segment struct{ from, to int }

func segments(messages []llm.Message) (out []segment) {
	for i, m := range messages {
		last := len(out) - 1
		if m.Role == llm.ToolRole && last >= 0 && messages[out[last].from].Role == llm.Assistant && out[last].to == i {
			out[last].to++
			continue
		}
		out = append(out, segment{i, i + 1})
	}
	return out
}
