package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// plan is one random case, made from its seed alone: what the model answers,
// how the conversation is set up, when its reader interrupts.
type plan struct {
	seed        uint64
	wire        llmtest.Wire
	answers     []llmtest.Answer
	turns       []turnPlan
	hooks       bool
	spans       int // of 100: how often a span of the view is edited
	resultLimit int
	batchLimit  int
	maxSteps    int
	budget      int
	effort      string
	steer       int // of 100: how often something waits to go in
}

type turnPlan struct {
	prompt []llm.Message
	stopAt int // the event at which the reader interrupts; 0 for none
	how    interrupt
	reopen bool // the session is closed and opened again before
}

// interrupt is a way to stop a turn.
type interrupt int

const (
	byPerson interrupt = iota
	byProgram
	leaving // the reader breaks off its range
)

func (i interrupt) cause() error {
	if i == byPerson {
		return agent.ErrByPerson
	}
	return errors.New("the program ends")
}

// hangWord is said by what then waits until it is interrupted.
const hangWord = "HANGS"

// planOf makes the case of a seed.
func planOf(seed uint64) plan {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	p := plan{
		seed: seed, wire: llmtest.Anthropic, hooks: g.chance(30), spans: g.pick(0, 0, 10, 30),
		resultLimit: g.pick(700, 3_000, 5_000), batchLimit: g.pick(500, 2_500, 20_000), maxSteps: g.pick(0, 0, 0, 5),
		steer: g.pick(0, 20, 50),
	}
	if g.chance(45) {
		p.wire = llmtest.OpenAI
	} else if g.chance(30) {
		p.effort = "low"
	}
	if g.chance(8) {
		p.budget = 6_000
	}
	for range 1 + g.IntN(3) {
		t := turnPlan{prompt: []llm.Message{llm.NewText(llm.User, llm.Prompt, g.text())}, how: interrupt(g.IntN(3)), reopen: g.chance(40)}
		if g.chance(30) {
			t.prompt = append([]llm.Message{llm.NewText(llm.User, llm.Note, g.text())}, t.prompt...)
		}
		if g.chance(45) {
			t.stopAt = 1 + g.IntN(g.pick(6, 30, 90))
		}
		p.turns = append(p.turns, t)
		for range 1 + g.IntN(6) {
			p.answers = append(p.answers, g.answer(p.wire))
		}
		p.answers = append(p.answers, llmtest.Say("<final>That is all, "+g.text()))
	}
	p.answers = append(p.answers, llmtest.Join(llmtest.Say("<final>Over."), llmtest.Repeat(llmtest.Forever)))
	return p
}

type generator struct {
	*rand.Rand
	keys  int
	calls []llmtest.Answer // made before, for doing one again
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) pick(of ...int) int { return of[g.IntN(len(of))] }

// text is a line that is not easy to carry.
func (g *generator) text() string {
	words := []string{"one", "\"two\"", "<three>&", "日本", "\\u0000", "line\nbreak", "tab\t", "é", "🙂", "\u2028", "[FINAL]", "</progress>", "trailing "}
	var out []string
	for range 1 + g.IntN(5) {
		out = append(out, words[g.IntN(len(words))])
	}
	return "t" + strings.Join(out, " ")
}

// answer is one answer of the model, of any row of the answer table.
func (g *generator) answer(wire llmtest.Wire) llmtest.Answer {
	stop := llmtest.StopWith
	join := llmtest.Join
	var a llmtest.Answer
	if g.chance(30) {
		a = join(a, g.thought(wire))
	}
	if g.chance(10) {
		a = join(a, llmtest.Pieces(1+g.IntN(40)))
	}
	switch n := g.IntN(100); {
	case n < 46:
		return join(a, g.said(40), g.someCalls(), g.said(4))
	case n < 52:
		return join(a, llmtest.Say("<progress>"+g.text()))
	case n < 55:
		return join(a, llmtest.Say("[PROGRESS]\n"+g.text()+"</progress>"))
	case n < 57:
		return join(a, stop(llm.StopEnd))
	case n < 60:
		return join(a, stop([]llm.Stop{llm.StopLength, llm.StopPause}[g.IntN(2)]))
	case n < 64:
		return join(a, llmtest.Say(g.text()), stop([]llm.Stop{llm.StopLength, llm.StopPause}[g.IntN(2)]))
	case n < 68:
		return join(a, g.said(50), g.someCalls(), stop([]llm.Stop{llm.StopLength, llm.StopRefusal, llm.StopFilter}[g.IntN(3)]))
	case n < 70:
		return join(a, llmtest.Say(g.text()), llmtest.Refuse("it may not"))
	case n < 72:
		return join(a, llmtest.Say(g.text()), stop("solar_flare"))
	case n < 80:
		return g.fault()
	case n < 82:
		return llmtest.TooLong()
	case n < 83:
		return join(a, stop(llm.StopContextWindow))
	case n < 87:
		return join(a, llmtest.Say("waits "+hangWord+" now"), llmtest.Hang())
	case n < 90:
		return join(a, llmtest.Say(g.text()))
	}
	return join(a, g.someCalls())
}

func (g *generator) thought(wire llmtest.Wire) llmtest.Answer {
	if wire == llmtest.Anthropic && g.chance(20) {
		return llmtest.Redacted(fmt.Sprintf("c2VjcmV0%d", g.IntN(1000)))
	}
	return llmtest.Think("thinking: "+g.text(), "")
}

func (g *generator) said(percent int) llmtest.Answer {
	if g.chance(percent) {
		return llmtest.Say(g.text())
	}
	return nil
}

// fault is an answer that does not come, or only in part.
func (g *generator) fault() llmtest.Answer {
	kinds := []error{llm.ErrOverloaded, llm.ErrRateLimited, llm.ErrServer, llm.ErrUnreachable, llm.ErrStream}
	a := g.said(60)
	switch g.IntN(8) {
	case 0, 1:
		a = llmtest.Join(a, llmtest.Cut())
	case 2:
		a = llmtest.Join(a, g.someCalls(), llmtest.CutAt(200+g.IntN(800)))
	case 3:
		return llmtest.Fail(&llm.Error{Kind: []error{llm.ErrAuth, llm.ErrRequest}[g.IntN(2)]})
	default:
		a = llmtest.Join(a, llmtest.Fail(&llm.Error{Kind: kinds[g.IntN(len(kinds))]}))
	}
	if g.chance(15) {
		a = llmtest.Join(a, llmtest.Repeat(4)) // more than there are tries
	}
	return a
}

func (g *generator) someCalls() llmtest.Answer {
	var a llmtest.Answer
	for range g.pick(1, 1, 1, 2, 3, 4, 10) {
		if len(g.calls) > 0 && g.chance(12) {
			a = llmtest.Join(a, g.calls[g.IntN(len(g.calls))])
			continue
		}
		c := g.call()
		g.calls = append(g.calls, c)
		a = llmtest.Join(a, c)
	}
	return a
}

// call is one call, mostly of a tool that is there.
func (g *generator) call() llmtest.Answer {
	g.keys++
	in := toolArgs{Key: fmt.Sprintf("k%d", g.keys), Path: fmt.Sprintf("f%d", g.IntN(4)), Text: g.text(), Size: g.pick(0, 0, 1, 50, 2_000, 6_000)}
	in.Gate = []string{"", "", "", "", "", "", "deny", "stop", "change", "widen", "fail", "panic", "grant", "wait"}[g.IntN(14)]
	if in.Gate == "wait" && !g.chance(40) || in.Gate == "stop" && g.chance(60) {
		in.Gate = ""
	}
	names := []string{"look", "look", "look", "peek", "write", "write", "run", "sum", "spawn", "quiet", "picture", "fails", "panics", "refuses", "mine", "hangs", "asks"}
	name := names[g.IntN(len(names))]
	if name == "hangs" && g.chance(8) {
		name = "stuck" // takes the loop's whole patience
	}
	args, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	switch g.IntN(20) {
	case 0:
		return llmtest.Call("lok", string(args))
	case 1:
		return llmtest.Malformed(name, []string{`{"key":`, `[1]`, `null`, `"a"`, `{"key":"a"}}`}[g.IntN(5)])
	case 2:
		return llmtest.Call(name, []string{``, `{}`, `{"key":1,"nothing":[]}`}[g.IntN(3)])
	case 3:
		return llmtest.CallID([]string{"", "same", "same", "../odd id"}[g.IntN(4)], name, string(args))
	case 4:
		return llmtest.Call(name, " {  \"size\": "+fmt.Sprint(in.Size)+", \"key\" : \""+in.Key+"\",\"text\":\"\\u00e9<\\/a>\" } ")
	}
	return llmtest.Call(name, string(args))
}

// steer gives what goes in next.
func (w *world) steer(ending bool) []llm.Message {
	if w.random.IntN(100) >= w.plan.steer {
		return nil
	}
	var out []llm.Message
	if w.random.IntN(2) == 0 {
		out = append(out, llm.NewText(llm.User, llm.Note, "a task ended"))
	}
	if ending || w.random.IntN(3) == 0 {
		if ending && w.random.IntN(2) == 0 {
			return nil
		}
		out = append(out, llm.NewText(llm.User, llm.Prompt, "and this"))
	}
	return out
}

// spans is a stage that puts a word in the place of whole rounds.
type spans struct {
	seed    uint64
	percent int
}

func (spans) Name() string { return "snip" }

func (s spans) Edits(_ context.Context, v event.View, _ func(event.Signal)) (compact.Work, error) {
	messages := v.Request.Messages
	r := rand.New(rand.NewPCG(s.seed, uint64(len(messages))))
	if len(messages) < 6 || r.IntN(100) >= s.percent {
		return compact.Work{}, nil
	}
	if r.IntN(5) == 0 {
		return compact.Work{}, errors.New("this stage fails at times")
	}
	from, to := r.IntN(len(messages)-4), 0
	for to = from + r.IntN(4); to < len(messages)-3 && messages[to+1].Role == llm.ToolRole; to++ {
		continue
	}
	for from > 0 && messages[from].Role == llm.ToolRole {
		from--
	}
	if to >= len(messages)-3 || messages[from].Role == llm.ToolRole {
		return compact.Work{}, nil
	}
	return compact.Work{Edits: []event.Edit{{From: messages[from].ID, To: messages[to].ID, With: []llm.Message{llm.NewText(llm.User, llm.Snipped, "[left out]")}}}}, nil
}
