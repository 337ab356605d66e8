package agent_test

import (
	"context"
	"fmt"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/tool"
)

// memory is the smallest log: facts in a slice.
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
		if e, ok := r.Event.(event.Edited); ok {
			view = event.Apply(view, e.Edits)
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
			return event.Decided{By: "rule", Reason: "this agent only reads"}, nil
		}
	}
	return event.Decided{Allow: true, By: "rule"}, nil
}

// Embed the loop: a model, tools, a log and a gate, and a range over what
// happens. The model here is a script; any llm.Model does.
func Example() {
	model := llmtest.New(nil, llmtest.Call("greet", `{"name":"Ada"}`), llmtest.Say("I greeted Ada."))
	greet := tool.New(llm.ToolSpec{Name: "greet", Description: "Greets somebody."},
		func(_ context.Context, in struct {
			Name string `json:"name"`
		},
		) (tool.Action, error) {
			return tool.Action{Title: "Greet " + in.Name, Run: func(context.Context, tool.Emit) (tool.Result, error) {
				return tool.TextResult("Hello, " + in.Name + "!"), nil
			}}, nil
		})

	a := &agent.Agent{Model: model, Tools: func() []tool.Tool { return []tool.Tool{greet} }, Log: &memory{}, Gate: reads{}}
	for record, err := range a.Turn(context.Background(), llm.NewText(llm.User, llm.Prompt, "Greet Ada.")) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := record.Event.(type) {
		case event.Message:
			if r, ok := e.Result(); ok {
				fmt.Println("result:", r.Parts.Text())
			} else if e.Kind == llm.Final {
				fmt.Println("answer:", e.Text())
			}
		case event.Ended:
			fmt.Println("ended:", e.Reason)
		}
	}
	// Output:
	// result: Hello, Ada!
	// answer: I greeted Ada.
	// ended: done
}
