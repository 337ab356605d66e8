package subagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/tool"
)

// memory is the smallest log.
type memory struct{ facts []event.Record }

func (m *memory) Append(f event.Fact) (event.Record, error) {
	r := event.Record{Head: event.Head{ID: fmt.Sprint(len(m.facts) + 1)}, Event: f}
	if e, ok := f.(event.Message); ok {
		e.ID = r.ID
		r.Event = e
	}
	m.facts = append(m.facts, r)
	return r, nil
}

func (m *memory) Messages() (view []llm.Message) {
	for _, r := range m.facts {
		if msg, ok := r.MessageOf(); ok {
			view = append(view, msg)
		}
	}
	return view
}

func (m *memory) UsedCallIDs() func(string) bool { return func(string) bool { return false } }

// reads is a gate that lets everything read and nothing else.
type reads struct{}

func (reads) Check(_ context.Context, _ llm.ToolCall, a tool.Action, _ tool.Advice, _ tool.Emit) (event.Decided, error) {
	for _, e := range a.Effects {
		if e.Kind != event.Read {
			return event.Decided{By: "rule", Reason: "only reads are allowed"}, nil
		}
	}
	return event.Decided{Allow: true, By: "rule"}, nil
}

// does is a tool with one effect.
func does(name string, kind event.EffectKind) tool.Tool {
	return tool.New(llm.ToolSpec{Name: name, Description: name}, func(context.Context, struct{}) (tool.Action, error) {
		return tool.Action{Title: "Do " + name, Effects: []event.Effect{{Kind: kind, Target: name}}, Run: func(context.Context, tool.Emit) (tool.Result, error) {
			return tool.TextResult(name + " done"), nil
		}}, nil
	})
}

// options makes children that say what the script has.
func options(answers ...llmtest.Answer) Options {
	var mu sync.Mutex
	return Options{Kinds: BuiltIn, Make: func(_ context.Context, k Kind, only []string) (Child, error) {
		mu.Lock()
		defer mu.Unlock()
		var tools []tool.Tool
		for _, t := range []tool.Tool{does("read_file", event.Read), does("write_file", event.Write), does("ask_user", event.Read)} {
			if k.Has(t.Spec().Name, only) {
				tools = append(tools, t)
			}
		}
		return Child{
			Agent:   &agent.Agent{Model: llmtest.New(nil, answers...), Tools: func() []tool.Tool { return tools }, Log: &memory{}, Gate: reads{}},
			Session: "child-1", Close: func() error { return nil },
		}, nil
	}}
}

func run(t *testing.T, o Options, args string) (tool.Result, []string) {
	t.Helper()
	a, err := Tool(o).Prepare(t.Context(), json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	r, err := a.Run(t.Context(), func(s event.Signal) {
		if n, ok := s.(event.Nested); ok {
			var e struct{ Type string }
			if json.Unmarshal(n.Event, &e) != nil {
				t.Errorf("%s", n.Event)
			}
			seen = append(seen, e.Type)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, seen
}

func TestSpawn(t *testing.T) {
	o := options(llmtest.Join(llmtest.Say("I look."), llmtest.Call("read_file", `{}`)), llmtest.Say("It is in a.go:3."))
	r, seen := run(t, o, `{"task":"Where is it?","agent":"Explore"}`)
	if r.Error || r.Parts.Text() != "It is in a.go:3." || r.Meta.Child != "child-1" {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(seen, " "); got != "message message started decided message finished message ended" {
		t.Errorf("%s", got)
	}
}

// What was denied is the first thing that the parent reads.
func TestDenied(t *testing.T) {
	r, _ := run(t, options(llmtest.Call("write_file", `{}`), llmtest.Say("I could not.")), `{"task":"Write it."}`)
	want := "DENIED: 1 calls of the sub-agent, which can ask nobody:\n- Do write_file: only reads are allowed\n\nI could not."
	if r.Error || r.Parts.Text() != want {
		t.Errorf("%v %q", r.Error, r.Parts.Text())
	}
}

// What it has found out when something breaks is not lost.
func TestPartialWork(t *testing.T) {
	broken := llmtest.Fail(&llm.Error{Kind: llm.ErrAuth, Message: "the key is wrong"})
	r, _ := run(t, options(llmtest.Join(llmtest.Say("First half found."), llmtest.Call("read_file", `{}`)), broken), `{"task":"Look."}`)
	if text := r.Parts.Text(); !r.Error || !strings.HasPrefix(text, "NOT FINISHED: ") || !strings.HasSuffix(text, "First half found.") {
		t.Errorf("%v %q", r.Error, text)
	}
}

func TestTools(t *testing.T) {
	explore, general := BuiltIn()[0], BuiltIn()[1]
	for _, c := range []struct {
		kind Kind
		name string
		only []string
		want bool
	}{
		{explore, "read_file", nil, true},
		{explore, "write_file", nil, false},
		{general, "write_file", nil, true},
		{general, "write_file", []string{"read_file"}, false},
		{general, "ask_user", nil, false},
		{general, "spawn_agent", nil, false},
		{general, "mcp__db__query", []string{"mcp__db__*"}, true},
		{Kind{Not: []string{"mcp__*"}}, "mcp__db__query", nil, false},
		{Kind{Tools: []string{"ask_user"}}, "ask_user", nil, false},
	} {
		if got := c.kind.Has(c.name, c.only); got != c.want {
			t.Errorf("%s, %s, %v: %v", c.kind.Name, c.name, c.only, got)
		}
	}
}

func TestPrepare(t *testing.T) {
	for args, want := range map[string]string{
		`{`:                               "cannot be read",
		`{"task":" "}`:                    "task is empty",
		`{"task":"x","agent":"genral"}`:   "did you mean general?",
		`{"task":"x","background":true}`:  "no background tasks",
		`{"task":"x","agent":"whatever"}`: "there are explore, general",
	} {
		if _, err := Tool(options()).Prepare(t.Context(), json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	o := options()
	o.Make = func(context.Context, Kind, []string) (Child, error) { return Child{}, errors.New("no tool is left") }
	a, err := Tool(o).Prepare(t.Context(), json.RawMessage(`{"task":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), nil); err == nil {
		t.Error("no error")
	}
	if len(a.Effects) != 1 || a.Effects[0] != (event.Effect{Kind: event.Spawn, Target: "general"}) {
		t.Errorf("%+v", a.Effects)
	}
}

// In the background it gives back a task at once, whose output is what it does
// and its answer.
func TestBackground(t *testing.T) {
	o := options(llmtest.Call("read_file", `{}`), llmtest.Say("Found."))
	var out strings.Builder
	code := -1
	o.Background = func(ctx context.Context, shown string, do func(context.Context, io.Writer) int) string {
		if shown != "Agent general: Look." {
			t.Errorf("%q", shown)
		}
		code = do(ctx, &out)
		return "task_7"
	}
	r, _ := run(t, o, `{"task":"Look.\nThere.","background":true}`)
	if !strings.HasPrefix(r.Parts.Text(), "TASK: task_7") || out.String() != "- Do read_file\n\nFound.\n" || code != 0 {
		t.Errorf("%q %q %d", r.Parts.Text(), out.String(), code)
	}
}

// Three in one answer run at the same time, are shown under their own calls,
// and an interrupt ends them all.
func TestSideBySide(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		var begun sync.WaitGroup
		begun.Add(3)
		o := options()
		o.Make = func(context.Context, Kind, []string) (Child, error) {
			wait := tool.New(llm.ToolSpec{Name: "read_file"}, func(context.Context, struct{}) (tool.Action, error) {
				return tool.Action{Title: "Wait", Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
					begun.Done()
					begun.Wait() // all three are here
					if interrupted {
						<-ctx.Done()
						return tool.Result{}, ctx.Err()
					}
					return tool.TextResult("ok"), nil
				}}, nil
			})
			return Child{
				Agent:   &agent.Agent{Model: llmtest.New(nil, llmtest.Call("read_file", `{}`), llmtest.Say("Done.")), Tools: func() []tool.Tool { return []tool.Tool{wait} }, Log: &memory{}, Gate: reads{}},
				Session: "s", Close: func() error { return nil },
			}, nil
		}
		three := llmtest.Join(llmtest.CallID("a", ToolName, `{"task":"x"}`), llmtest.CallID("b", ToolName, `{"task":"y"}`), llmtest.CallID("c", ToolName, `{"task":"z"}`))
		parent := &agent.Agent{
			Model: llmtest.New(nil, three, llmtest.Say("All done.")), Tools: func() []tool.Tool { return []tool.Tool{Tool(o)} }, Log: &memory{}, Gate: spawns{},
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			begun.Wait()
			if interrupted {
				cancel(agent.ErrByPerson)
			}
		}()
		nested := map[string]int{}
		results, reason := 0, event.Reason("")
		for record, err := range parent.Turn(ctx, llm.NewText(llm.User, llm.Prompt, "go")) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := record.Event.(type) {
			case event.Nested:
				nested[e.Call]++
			case event.Message:
				if r, ok := e.Result(); ok {
					results++
					if text := r.Parts.Text(); (text == "Done.") == interrupted {
						t.Errorf("interrupted %v: %q", interrupted, text)
					}
				}
			case event.Ended:
				reason = e.Reason
			}
		}
		cancel(nil)
		if len(nested) != 3 || results != 3 || (reason == event.Interrupted) != interrupted {
			t.Errorf("interrupted %v: %v, %d results, %s", interrupted, nested, results, reason)
		}
	}
}

type spawns struct{}

func (spawns) Check(context.Context, llm.ToolCall, tool.Action, tool.Advice, tool.Emit) (event.Decided, error) {
	return event.Decided{Allow: true, By: "mode"}, nil
}
