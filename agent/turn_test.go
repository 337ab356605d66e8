package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/tool"
)

// allowing is a gate that says yes, and what it was asked.
type allowing struct{ asked int }

func (g *allowing) Check(context.Context, llm.ToolCall, tool.Action, tool.Advice, tool.Emit) (event.Decided, error) {
	g.asked++
	return event.Decided{Allow: true, By: "test"}, nil
}

// gateFunc is a gate of one function.
type gateFunc func(context.Context, llm.ToolCall, tool.Action, tool.Advice, tool.Emit) (event.Decided, error)

func (g gateFunc) Check(ctx context.Context, c llm.ToolCall, a tool.Action, adv tool.Advice, emit tool.Emit) (event.Decided, error) {
	return g(ctx, c, a, adv, emit)
}

func newLog(t *testing.T) *session.Log {
	t.Helper()
	s := &session.Store{Root: t.TempDir(), Now: time.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() }}
	log, err := s.Create(session.Options{Cwd: t.TempDir(), Opened: event.Opened{Format: event.Format}, Memory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

type echoArgs struct {
	Text string `json:"text"`
}

// echo gives back its text; counter makes each result another one.
func echo(counter *atomic.Int64) tool.Tool {
	return tool.New(llm.ToolSpec{Name: "echo", Description: "Gives the text back."}, func(_ context.Context, in echoArgs) (tool.Action, error) {
		return tool.Action{
			Title: "echo " + in.Text, Effects: []event.Effect{{Kind: event.Read, Target: "/x"}},
			Run: func(context.Context, tool.Emit) (tool.Result, error) {
				if counter != nil {
					return tool.TextResult(fmt.Sprintf("%s %d", in.Text, counter.Add(1))), nil
				}
				return tool.TextResult(in.Text), nil
			},
		}, nil
	})
}

type outcome struct {
	records  []event.Record
	ended    event.Ended
	notices  []string
	messages []llm.Message
}

// run runs one turn to its end.
func run(t *testing.T, ctx context.Context, a *agent.Agent, prompt string) outcome {
	t.Helper()
	var o outcome
	for rec, err := range a.Turn(ctx, llm.NewText(llm.User, llm.Prompt, prompt)) {
		if err != nil {
			t.Fatalf("turn: %v", err)
		}
		o.records = append(o.records, rec)
		switch e := rec.Event.(type) {
		case event.Ended:
			o.ended = e
		case event.Notice:
			o.notices = append(o.notices, e.Text)
		case event.Message:
			o.messages = append(o.messages, e.Message)
		}
	}
	return o
}

func scripted(t *testing.T, answers ...llmtest.Answer) (*agent.Agent, *llmtest.Script) {
	t.Helper()
	model := llmtest.New(t, answers...)
	var n atomic.Int64
	return &agent.Agent{
		Model: model, Log: newLog(t), Gate: &allowing{}, Tools: func() []tool.Tool { return []tool.Tool{echo(&n)} },
		Retry: agent.Retry{Base: time.Nanosecond, Cap: time.Nanosecond, Jitter: func() float64 { return 0 }},
	}, model
}

// shape is the kinds and texts of messages, for comparing.
func shape(messages []llm.Message) []string {
	var out []string
	for _, m := range messages {
		text := m.Text()
		if r, ok := m.Result(); ok {
			text = r.Parts.Text()
		}
		for _, c := range m.Calls() {
			text += "[" + c.Name + "]"
		}
		out = append(out, string(m.Kind)+": "+text)
	}
	return out
}

const (
	progressNudge = "Continue immediately from your <progress> update"
	pauseNudge    = "Resume from the previous pause_turn"
	thinkingNudge = "Your previous response hit max_tokens during thinking"
	emptyNudge    = "Your last response was empty. Continue"
	afterNudge    = "Your last response was empty after recent tool results"
	goOnNudge     = "Your previous response was cut off at the output limit. Continue exactly"
)

func TestAnswerTable(t *testing.T) {
	call := llmtest.Call("echo", `{"text":"a"}`)
	stop := llmtest.StopWith
	join := llmtest.Join
	many := func(n int, a llmtest.Answer) (out []llmtest.Answer) {
		for range n {
			out = append(out, a)
		}
		return out
	}
	cut := join(llmtest.Say("half"), stop(llm.StopLength))
	paused := join(llmtest.Say("part"), stop(llm.StopPause))
	hollow := join(llmtest.Think("hm", "sig"), stop(llm.StopLength))
	cutCall := join(call, stop(llm.StopLength))
	for _, c := range []struct {
		name    string
		answers []llmtest.Answer
		reason  event.Reason
		nudges  []string // beginnings of the nudges, in order
		last    string   // kind and text of the last message
		notices int
	}{
		{"final", []llmtest.Answer{llmtest.Say("<final> Hello.")}, event.Done, nil, "final: Hello.", 0},
		{"unmarked", []llmtest.Answer{llmtest.Say("Hello.")}, event.Done, nil, "final: Hello.", 0},
		{"square", []llmtest.Answer{llmtest.Say("[FINAL] Hello.")}, event.Done, nil, "final: Hello.", 0},
		{"calls", []llmtest.Answer{call, llmtest.Say("ok")}, event.Done, nil, "final: ok", 0},
		{
			"progress",
			[]llmtest.Answer{llmtest.Say("<progress>looking"), llmtest.Say("[PROGRESS] more"), llmtest.Say("done")},
			event.Done,
			[]string{progressNudge, progressNudge},
			"final: done", 0,
		},
		{
			"progress six times", many(6, llmtest.Say("<progress>still")), event.Done,
			[]string{progressNudge, progressNudge, progressNudge, progressNudge, progressNudge},
			"final: still", 0,
		},
		{"thinking cut", []llmtest.Answer{hollow, llmtest.Say("ok")}, event.Done, []string{thinkingNudge}, "final: ok", 1},
		{"empty pause", []llmtest.Answer{stop(llm.StopPause), llmtest.Say("ok")}, event.Done, []string{pauseNudge}, "final: ok", 1},
		{"thinking cut four times", many(4, hollow), event.Empty, []string{thinkingNudge, thinkingNudge, thinkingNudge}, "final: The model gave no answer", 3},
		{"text paused", []llmtest.Answer{paused, llmtest.Say("ok")}, event.Done, []string{pauseNudge}, "final: ok", 0},
		{"text paused four times", many(4, paused), event.Truncated, []string{pauseNudge, pauseNudge, pauseNudge}, "final: part", 1},
		{"text cut", []llmtest.Answer{cut, llmtest.Say("rest")}, event.Done, []string{goOnNudge}, "final: rest", 0},
		{"text cut four times", many(4, cut), event.Truncated, []string{goOnNudge, goOnNudge, goOnNudge}, "final: half", 1},
		{"empty", []llmtest.Answer{stop(llm.StopEnd), llmtest.Say("ok")}, event.Done, []string{emptyNudge}, "final: ok", 0},
		{"only a marker", []llmtest.Answer{llmtest.Say("<progress> "), llmtest.Say("ok")}, event.Done, []string{emptyNudge}, "final: ok", 0},
		{"empty after tools", []llmtest.Answer{call, stop(llm.StopEnd), llmtest.Say("ok")}, event.Done, []string{afterNudge}, "final: ok", 0},
		{"empty three times", many(3, stop(llm.StopEnd)), event.Empty, []string{emptyNudge, emptyNudge}, "final: The model gave no answer", 0},
		{"cut calls", []llmtest.Answer{cutCall, llmtest.Say("ok")}, event.Done, nil, "final: ok", 0},
		{"cut calls twice", many(2, cutCall), event.Truncated, nil, "result: Not run: the response was cut off", 1},
		{"refused calls", []llmtest.Answer{join(call, llmtest.Refuse("no")), llmtest.Say("ok")}, event.Done, nil, "final: ok", 0},
		{"refusal", []llmtest.Answer{join(llmtest.Say("I will not."), llmtest.Refuse("policy"))}, event.Refusal, nil, "final: I will not.", 1},
		{"refused progress", []llmtest.Answer{join(llmtest.Say("<progress>I will not."), stop(llm.StopFilter))}, event.Refusal, nil, "final: I will not.", 1},
		{"unknown stop", []llmtest.Answer{join(llmtest.Say("hi"), stop("solar_flare"))}, event.Done, nil, "final: hi", 1},
		{"malformed", []llmtest.Answer{join(llmtest.Malformed("echo", `{"text":`), call), llmtest.Say("ok")}, event.Done, nil, "final: ok", 0},
		{"malformed three times", many(3, join(llmtest.Malformed("echo", `{"text":`), call)), event.Loop, nil, "result: a 3", 0},
		{
			"tool resets",
			[]llmtest.Answer{stop(llm.StopEnd), stop(llm.StopEnd), call, stop(llm.StopEnd), stop(llm.StopEnd), llmtest.Say("ok")},
			event.Done,
			[]string{emptyNudge, emptyNudge, afterNudge, afterNudge},
			"final: ok", 0,
		},
		{"eight idle", []llmtest.Answer{
			llmtest.Say("<progress>1"), paused, cut, llmtest.Say("<progress>2"), paused, cut, llmtest.Say("<progress>3"), paused,
		}, event.Truncated, []string{progressNudge, pauseNudge, goOnNudge, progressNudge, pauseNudge, goOnNudge, progressNudge}, "final: part", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, model := scripted(t, c.answers...)
			o := run(t, t.Context(), a, "go")
			if o.ended.Reason != c.reason {
				t.Errorf("ended %q (%s), want %q", o.ended.Reason, o.ended.Error, c.reason)
			}
			var nudges []string
			for _, m := range o.messages {
				if m.Kind == llm.Nudge {
					nudges = append(nudges, m.Text())
				}
			}
			if len(nudges) != len(c.nudges) {
				t.Fatalf("nudges %q, want %q", nudges, c.nudges)
			}
			for i := range nudges {
				if !strings.HasPrefix(nudges[i], c.nudges[i]) {
					t.Errorf("nudge %d: %q, want %q", i, nudges[i], c.nudges[i])
				}
			}
			if s := shape(o.messages); !strings.HasPrefix(s[len(s)-1], c.last) {
				t.Errorf("last message %q, want %q", s[len(s)-1], c.last)
			}
			if len(o.notices) != c.notices {
				t.Errorf("notices %q, want %d", o.notices, c.notices)
			}
			valid(t, model, a.Log.Messages())
		})
	}
}

// valid checks that every call of every request, and of the view now, has its
// one result directly after it.
func valid(t *testing.T, model *llmtest.Script, view []llm.Message) {
	t.Helper()
	histories := [][]llm.Message{view}
	for _, r := range model.Requests() {
		histories = append(histories, r.Messages)
	}
	for _, h := range histories {
		open := map[string]bool{}
		for _, m := range h {
			r, isResult := m.Result()
			if !isResult && len(open) > 0 {
				t.Errorf("%s message while calls %v are open", m.Kind, open)
			}
			if isResult && !open[r.Call] {
				t.Errorf("a result for %q, which is not open", r.Call)
			}
			delete(open, r.Call)
			for _, c := range m.Calls() {
				open[c.ID] = true
			}
		}
		if len(open) > 0 {
			t.Errorf("calls %v have no result", open)
		}
	}
}

func TestMalformedAloneFails(t *testing.T) {
	a, _ := scripted(t, llmtest.Join(llmtest.Malformed("echo", `[1]`), llmtest.Call("echo", `{"text":"b"}`), llmtest.Call("echo", ``)), llmtest.Say("ok"))
	o := run(t, t.Context(), a, "go")
	want := []string{
		"result: Not run: the arguments are not a JSON object: they are an array",
		"result: b 1", "result: Invalid arguments:\ntext: required, but missing",
	}
	if diff := cmp.Diff(want, shape(o.messages)[2:5]); diff != "" {
		t.Error(diff)
	}
}

// TestNestedTooDeep: arguments that could just be read alone, and not inside
// a record, fail alone too.
func TestNestedTooDeep(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for n, want := range map[int]string{
		9_900: "result: Invalid arguments:\ntext: required, but missing\na: unknown; the fields are text",
		9_999: "result: Not run: the arguments are not a JSON object: it is nested too deep",
	} {
		a, _ := scripted(t, llmtest.Call("echo", deep(n)), llmtest.Say("ok"))
		o := run(t, t.Context(), a, "go")
		if got := shape(o.messages)[2]; got != want || o.ended.Reason != event.Done {
			t.Errorf("%d levels: %s", n, got)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	a, _ := scripted(t, llmtest.Call("ecko", `{}`), llmtest.Say("ok"))
	o := run(t, t.Context(), a, "go")
	if got := shape(o.messages)[2]; got != "result: Unknown tool: ecko. The nearest are: echo" {
		t.Error(got)
	}
}

func TestSameCall(t *testing.T) {
	same := llmtest.Call("echo", `{"text":"a"}`)
	other := llmtest.Call("echo", `{"text":"b"}`)
	for _, c := range []struct {
		name    string
		answers []llmtest.Answer
		reason  event.Reason
		nudgeAt int // requests made before the nudge
	}{
		{"one", []llmtest.Answer{same, same, same, same, same}, event.Loop, 3},
		{"two", []llmtest.Answer{same, other, same, other, same, other, same, other, same, other}, event.Loop, 6},
		{"broken", []llmtest.Answer{same, same, other, same, same, llmtest.Say("ok")}, event.Done, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _ := scripted(t, c.answers...)
			a.Tools = func() []tool.Tool { return []tool.Tool{echo(nil)} }
			o := run(t, t.Context(), a, "go")
			if o.ended.Reason != c.reason {
				t.Errorf("ended %q, want %q", o.ended.Reason, c.reason)
			}
			answers, nudges := 0, 0
			for _, m := range o.messages {
				if m.Role == llm.Assistant {
					answers++
				}
				if m.Kind == llm.Nudge {
					nudges++
					if answers != c.nudgeAt {
						t.Errorf("nudged after %d answers, want %d: %s", answers, c.nudgeAt, m.Text())
					}
				}
			}
			if (c.nudgeAt > 0) != (nudges == 1) {
				t.Errorf("%d nudges", nudges)
			}
		})
	}
	t.Run("polling", func(t *testing.T) {
		a, _ := scripted(t, same, same, same, same, same, same, llmtest.Say("ok"))
		if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Done {
			t.Errorf("changing results ended %q", o.ended.Reason)
		}
	})
}

func TestRetry(t *testing.T) {
	overloaded := llmtest.Fail(&llm.Error{Kind: llm.ErrOverloaded, Status: 529})
	a, model := scripted(t, overloaded, overloaded, llmtest.Say("ok"))
	o := run(t, t.Context(), a, "go")
	if o.ended.Reason != event.Done || model.Asked() != 3 {
		t.Errorf("ended %q after %d requests", o.ended.Reason, model.Asked())
	}
	a, model = scripted(t, llmtest.Join(llmtest.Say("partial text"), llmtest.Cut(), llmtest.Repeat(10)))
	o = run(t, t.Context(), a, "go")
	last := o.messages[len(o.messages)-1]
	if o.ended.Reason != event.Failed || model.Asked() != 10 || last.Stop != llm.StopInterrupted || last.Text() != "partial text" {
		t.Errorf("ended %q after %d requests with %q", o.ended.Reason, model.Asked(), last.Text())
	}
	a, model = scripted(t, llmtest.Fail(&llm.Error{Kind: llm.ErrAuth, Status: 401}))
	if o = run(t, t.Context(), a, "go"); o.ended.Fault != "auth" || model.Asked() != 1 {
		t.Errorf("fault %q after %d requests", o.ended.Fault, model.Asked())
	}
}

func TestTooLong(t *testing.T) {
	long := llmtest.Fail(&llm.Error{Kind: llm.ErrContextTooLong, Status: 400})
	a, model := scripted(t, long, llmtest.Say("ok"))
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Done || model.Asked() != 2 {
		t.Errorf("ended %q after %d requests", o.ended.Reason, model.Asked())
	}
	a, model = scripted(t, long, llmtest.StopWith(llm.StopContextWindow))
	o := run(t, t.Context(), a, "go")
	if o.ended.Reason != event.Context || model.Asked() != 2 || o.ended.Error == "" {
		t.Errorf("ended %q (%s) after %d requests", o.ended.Reason, o.ended.Error, model.Asked())
	}
}

// dropping is a compactor that has something to drop when a request was refused.
type dropping struct{ with []llm.Message }

func (d dropping) Compact(_ context.Context, view func() event.View, why event.Why) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		if id := view().Request.Messages[0].ID; why == event.Limit && d.with != nil {
			yield(event.Edited{Stage: "test", Why: why, Edits: []event.Edit{{From: id, To: id, With: d.with}}}, nil)
		}
	}
}

func (dropping) TooLong(event.View) error { return llm.ErrContextTooLong }

// TestRefusedRequest checks that a request that the provider does not take is
// sent once more when something could be left out, and not otherwise.
func TestRefusedRequest(t *testing.T) {
	bad := llmtest.Fail(&llm.Error{Kind: llm.ErrRequest, Status: 400})
	a, model := scripted(t, bad, llmtest.Say("ok"))
	a.Compact = dropping{[]llm.Message{llm.NewText(llm.User, llm.Prompt, "without it")}}
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Done || model.Asked() != 2 {
		t.Errorf("ended %q after %d requests", o.ended.Reason, model.Asked())
	}
	a, model = scripted(t, bad, bad)
	a.Compact = dropping{[]llm.Message{llm.NewText(llm.User, llm.Prompt, "without it")}}
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Failed || model.Asked() != 2 {
		t.Errorf("ended %q after %d requests", o.ended.Reason, model.Asked())
	}
	a, model = scripted(t, bad)
	a.Compact = dropping{}
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Failed || model.Asked() != 1 {
		t.Errorf("ended %q after %d requests", o.ended.Reason, model.Asked())
	}
}

func TestQueue(t *testing.T) {
	a, model := scripted(t, llmtest.Say("<progress>one"), llmtest.Say("two"), llmtest.Say("three"))
	waiting := []llm.Message{llm.NewText(llm.User, llm.Note, "a task ended"), llm.NewText(llm.User, llm.Prompt, "also this")}
	later := []llm.Message{llm.NewText(llm.User, llm.Prompt, "and that")}
	a.Steer = func(ending bool) (out []llm.Message) {
		if ending {
			out, later = later, nil
		} else {
			out, waiting = waiting, nil
		}
		return out
	}
	o := run(t, t.Context(), a, "go")
	want := []string{"prompt: go", "progress: one", "note: a task ended", "prompt: also this", "final: two", "prompt: and that", "final: three"}
	if diff := cmp.Diff(want, shape(o.messages)); diff != "" {
		t.Error(diff)
	}
	if model.Asked() != 3 || o.ended.Reason != event.Done {
		t.Errorf("%d requests, ended %q", model.Asked(), o.ended.Reason)
	}
}

func TestLimits(t *testing.T) {
	call := llmtest.Call("echo", `{"text":"a"}`)
	a, _ := scripted(t, call, call, call)
	a.MaxSteps = 3
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.StepLimit || len(o.notices) != 1 {
		t.Errorf("ended %q, notices %q", o.ended.Reason, o.notices)
	}
	a, _ = scripted(t, call)
	a.Budget = func(u llm.Usage) string {
		if u.Total() > 0 {
			return "tokens"
		}
		return ""
	}
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Budget || o.ended.Error != "tokens" {
		t.Errorf("ended %q (%s)", o.ended.Reason, o.ended.Error)
	}
	a, _ = scripted(t, llmtest.Join(llmtest.Say("so far"), llmtest.Hang()))
	a.Deadline = time.Now().Add(20 * time.Millisecond)
	if o := run(t, t.Context(), a, "go"); o.ended.Reason != event.Budget {
		t.Errorf("ended %q (%s)", o.ended.Reason, o.ended.Error)
	}
}

func TestDenied(t *testing.T) {
	call := llmtest.Call("echo", `{"text":"a"}`)
	a, _ := scripted(t, llmtest.Join(call, call), llmtest.Say("ok"))
	a.Gate = gateFunc(func(context.Context, llm.ToolCall, tool.Action, tool.Advice, tool.Emit) (event.Decided, error) {
		return event.Decided{By: "rule", Reason: "echo is not allowed here"}, nil
	})
	o := run(t, t.Context(), a, "go")
	if got := shape(o.messages)[2]; got != "result: Not allowed: echo is not allowed here" {
		t.Error(got)
	}
	a, _ = scripted(t, llmtest.Join(call, call))
	a.Gate = gateFunc(func(context.Context, llm.ToolCall, tool.Action, tool.Advice, tool.Emit) (event.Decided, error) {
		return event.Decided{By: "user", Reason: "stop it", Stop: true}, nil
	})
	o = run(t, t.Context(), a, "go")
	if got := shape(o.messages)[3]; got != "result: Interrupted by the user before it ran: nothing was done." || o.ended.Reason != event.Stopped {
		t.Error(got, o.ended.Reason)
	}
}

func TestPanicsBecomeResults(t *testing.T) {
	a, _ := scripted(t, llmtest.Call("bomb", `{}`), llmtest.Call("mine", `{}`), llmtest.Say("ok"))
	bomb := tool.New(llm.ToolSpec{Name: "bomb"}, func(context.Context, struct{}) (tool.Action, error) {
		return tool.Action{Run: func(context.Context, tool.Emit) (tool.Result, error) { panic("boom") }}, nil
	})
	mine := tool.New(llm.ToolSpec{Name: "mine"}, func(context.Context, struct{}) (tool.Action, error) { panic("bang") })
	a.Tools = func() []tool.Tool { return []tool.Tool{bomb, mine} }
	o := run(t, t.Context(), a, "go")
	got := shape(o.messages)
	if !strings.Contains(got[2], "boom") || !strings.Contains(got[4], "bang") || o.ended.Reason != event.Done {
		t.Error(got)
	}
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  llmtest.Answer
		signal  func(event.Event) bool // when to interrupt
		last    string
		stubbed bool
	}{
		{"streaming", llmtest.Join(llmtest.Say("so far"), llmtest.Hang()), func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok }, "progress: so", false},
		{"tool", llmtest.Join(llmtest.Call("wait", `{}`), llmtest.Call("wait", `{}`)), func(e event.Event) bool { _, ok := e.(event.Output); return ok }, "result: Interrupted by the user before it ran: nothing was done.", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, model := scripted(t, c.answer)
			wait := tool.New(llm.ToolSpec{Name: "wait"}, func(context.Context, struct{}) (tool.Action, error) {
				return tool.Action{Effects: []event.Effect{{Kind: event.Write, Target: "/x"}}, Run: func(ctx context.Context, emit tool.Emit) (tool.Result, error) {
					emit(event.Output{Text: "begun"})
					<-ctx.Done()
					return tool.Result{}, ctx.Err()
				}}, nil
			})
			a.Tools = func() []tool.Tool { return []tool.Tool{wait} }
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var messages []llm.Message
			var ended event.Ended
			for rec, err := range a.Turn(ctx, llm.NewText(llm.User, llm.Prompt, "go")) {
				if err != nil {
					t.Fatal(err)
				}
				if c.signal(rec.Event) {
					cancel(agent.ErrByPerson)
				}
				if m, ok := rec.MessageOf(); ok {
					messages = append(messages, m)
				}
				if e, ok := rec.Event.(event.Ended); ok {
					ended = e
				}
			}
			got := shape(messages)
			if ended.Reason != event.Interrupted || !strings.HasPrefix(got[len(got)-1], c.last) {
				t.Errorf("ended %q with %q", ended.Reason, got)
			}
			if c.stubbed && got[2] != "result: Interrupted by the user while it ran: it may be done in part. Look before you repeat it." {
				t.Error(got[2])
			}
			valid(t, model, a.Log.Messages())
		})
	}
}

// TestStuckTool checks that a tool that ignores its context does not keep the
// turn.
func TestStuckTool(t *testing.T) {
	a, _ := scripted(t, llmtest.Call("stuck", `{}`))
	release := make(chan struct{})
	defer close(release)
	stuck := tool.New(llm.ToolSpec{Name: "stuck"}, func(context.Context, struct{}) (tool.Action, error) {
		return tool.Action{Run: func(_ context.Context, emit tool.Emit) (tool.Result, error) {
			emit(event.Output{Text: "begun"})
			<-release
			return tool.TextResult("late"), nil
		}}, nil
	})
	a.Tools = func() []tool.Tool { return []tool.Tool{stuck} }
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	start := time.Now()
	for rec, err := range a.Turn(ctx, llm.NewText(llm.User, llm.Prompt, "go")) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := rec.Event.(event.Output); ok {
			cancel(errors.New("stopped"))
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("control came back after %s", d)
	}
}

// TestBreakOff checks that a reader who leaves ends the turn, and that the
// log is closed properly all the same.
func TestBreakOff(t *testing.T) {
	a, _ := scripted(t, llmtest.Join(llmtest.Say("hi"), llmtest.Hang()))
	for rec := range a.Turn(t.Context(), llm.NewText(llm.User, llm.Prompt, "go")) {
		if _, ok := rec.Event.(event.TextDelta); ok {
			break
		}
	}
	var last event.Event
	for rec := range a.Log.(*session.Log).Records() {
		last = rec.Event
	}
	if e, ok := last.(event.Ended); !ok || e.Reason != event.Interrupted {
		t.Errorf("the log ends with %#v", last)
	}
}

func TestChangedArguments(t *testing.T) {
	a, _ := scripted(t, llmtest.Call("echo", `{"text":"a"}`), llmtest.Say("ok"))
	judged := 0
	a.Gate = gateFunc(func(_ context.Context, _ llm.ToolCall, _ tool.Action, _ tool.Advice, _ tool.Emit) (event.Decided, error) {
		judged++
		return event.Decided{Allow: true, By: "user", Args: json.RawMessage(`{"text":"mine"}`)}, nil
	})
	o := run(t, t.Context(), a, "go")
	if got := shape(o.messages)[2]; !strings.HasPrefix(got, "result: Applied with changes by the user:\n") || !strings.HasSuffix(got, "mine 1") {
		t.Error(got)
	}
	if judged != 1 {
		t.Errorf("judged %d times although the effects are the approved ones", judged)
	}
	if got := o.messages[1].Calls()[0].Args; string(got) != `{"text":"a"}` {
		t.Errorf("the model's own call became %s", got)
	}
}

// TestChangedAgain: arguments that the person changed stand also where a hook
// had changed them before, and they are judged anew.
func TestChangedAgain(t *testing.T) {
	a, _ := scripted(t, llmtest.Call("at", `{"text":"a"}`), llmtest.Say("ok"))
	a.Tools = func() []tool.Tool {
		return []tool.Tool{tool.New(llm.ToolSpec{Name: "at"}, func(_ context.Context, in echoArgs) (tool.Action, error) {
			return tool.Action{Effects: []event.Effect{{Kind: event.Write, Target: in.Text}}, Run: func(context.Context, tool.Emit) (tool.Result, error) {
				return tool.TextResult("wrote " + in.Text), nil
			}}, nil
		})}
	}
	a.Hooks = rewriting(`{"text":"hook"}`)
	var judged []string
	a.Gate = gateFunc(func(_ context.Context, _ llm.ToolCall, action tool.Action, advice tool.Advice, _ tool.Emit) (event.Decided, error) {
		judged = append(judged, action.Effects[0].Target)
		d := event.Decided{Allow: true, By: "user", Args: advice.Args}
		if len(judged) == 1 {
			d.Args = json.RawMessage(`{"text":"mine"}`)
		}
		return d, nil
	})
	o := run(t, t.Context(), a, "go")
	if got := shape(o.messages)[2]; !strings.HasSuffix(got, "wrote mine") {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{"hook", "mine"}, judged); diff != "" {
		t.Error(diff)
	}
}

// rewriting is hooks that change all arguments.
type rewriting string

func (r rewriting) Before(context.Context, llm.ToolCall) (tool.Advice, error) {
	return tool.Advice{Args: json.RawMessage(r)}, nil
}

func (rewriting) After(_ context.Context, _ llm.ToolCall, r tool.Result) (tool.Result, error) {
	return r, nil
}

func (rewriting) Stop(context.Context, llm.Message) (string, error) { return "", nil }

func TestCallIDs(t *testing.T) {
	a, _ := scripted(t, llmtest.Join(llmtest.CallID("x", "echo", `{"text":"a"}`), llmtest.CallID("x", "echo", `{"text":"b"}`)),
		llmtest.CallID("x", "echo", `{"text":"c"}`), llmtest.Say("ok"))
	o := run(t, t.Context(), a, "go")
	var ids []string
	for _, m := range o.messages {
		for _, c := range m.Calls() {
			ids = append(ids, c.ID)
		}
	}
	if diff := cmp.Diff([]string{"x", "call_1", "call_2"}, ids); diff != "" {
		t.Error(diff)
	}
}

func TestMarkersAreHeldBack(t *testing.T) {
	for _, text := range []string{
		"<progress>Looking around.</progress>", "[PROGRESS]\n\nLooking around.", "  <Progress> Looking around. </progress>\n", "<final>Looking around.",
	} {
		answers := []llmtest.Answer{llmtest.Join(llmtest.Say(text), llmtest.Pieces(1))}
		if !strings.Contains(text, "final") {
			answers = append(answers, llmtest.Say("end"))
		}
		a, _ := scripted(t, answers...)
		var live strings.Builder
		first := ""
		for rec, err := range a.Turn(t.Context(), llm.NewText(llm.User, llm.Prompt, "go")) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := rec.Event.(event.TextDelta); ok && first == "" {
				live.WriteString(d.Text)
			}
			if m, ok := rec.MessageOf(); ok && m.Role == llm.Assistant && first == "" {
				first = m.Text()
			}
		}
		if live.String() != "Looking around." || strings.TrimSpace(first) != "Looking around." {
			t.Errorf("%q: shown %q, stored %q", text, live.String(), first)
		}
	}
}

// persistent is hooks that never let a turn end.
type persistent struct{ asked int }

func (*persistent) Before(context.Context, llm.ToolCall) (tool.Advice, error) {
	return tool.Advice{}, nil
}

func (*persistent) After(_ context.Context, _ llm.ToolCall, r tool.Result) (tool.Result, error) {
	return r, nil
}

func (p *persistent) Stop(context.Context, llm.Message) (string, error) {
	p.asked++
	return "the tests have not run", nil
}

// What a hook has against the end goes in as a note, eight times in a row.
func TestStopHook(t *testing.T) {
	answers := make([]llmtest.Answer, 9)
	for i := range answers {
		answers[i] = llmtest.Say("done")
	}
	a, _ := scripted(t, answers...)
	p := &persistent{}
	a.Hooks = p
	o := run(t, t.Context(), a, "go")
	notes := 0
	for _, m := range o.messages {
		if m.Kind == llm.Note && m.Text() == "the tests have not run" {
			notes++
		}
	}
	if notes != 8 || p.asked != 8 || o.ended.Reason != event.Done {
		t.Errorf("%d notes, asked %d times, ended %q", notes, p.asked, o.ended.Reason)
	}
}
