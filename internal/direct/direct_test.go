package direct_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/direct"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// made is a tool that does what the test wants.
func made(effects []event.Effect, run func(context.Context, tool.Emit) (tool.Result, error)) tool.Tool {
	return tool.New(llm.ToolSpec{Name: "made", Description: "For a test."}, func(context.Context, struct{}) (tool.Action, error) {
		return tool.Action{Title: "Make it", Effects: effects, Run: run}, nil
	})
}

// caller keeps what is recorded.
func caller(recorded *[]event.Decided, tools ...tool.Tool) direct.Caller {
	return direct.Caller{
		Tools: tools, Policy: permission.Policy{Mode: permission.Plan, Root: "/w", Home: "/h"},
		Record: func(d event.Decided) error { *recorded = append(*recorded, d); return nil },
	}
}

func call() llm.ToolCall {
	return llm.ToolCall{ID: "c1", Name: "made", Args: json.RawMessage(`{}`)}
}

// TestCall: signals carry the call, come in order, and none comes when the call
// is over; the result is cleaned.
func TestCall(t *testing.T) {
	var late tool.Emit
	var recorded []event.Decided
	c := caller(&recorded, made([]event.Effect{{Kind: event.Write, Target: "/w/a"}}, func(_ context.Context, emit tool.Emit) (tool.Result, error) {
		if len(recorded) != 1 {
			t.Error("it ran before the decision was recorded")
		}
		late = emit
		emit(event.Output{Text: "so far"})
		return tool.TextResult("all of it"), nil
	}))
	c.Clean = func(_ context.Context, o tool.Outcome) tool.Outcome {
		o.Result.Parts = llm.Parts{llm.Text{Text: o.Call.ID + " cleaned"}}
		return o
	}
	var shown []string
	r, err := c.Call(t.Context(), call(), func(s event.Signal) {
		switch s := s.(type) {
		case event.Started:
			shown = append(shown, "started "+s.Call)
		case event.Output:
			shown = append(shown, "output "+s.Call+" "+s.Text)
		case event.Finished:
			shown = append(shown, "finished "+s.Call)
		}
	})
	late(event.Output{Text: "too late"})
	if err != nil || r.Call != "c1" || r.Name != "made" || r.Parts.Text() != "c1 cleaned" {
		t.Errorf("%+v, %v", r, err)
	}
	if want := []string{"started c1", "output c1 so far", "finished c1"}; !slices.Equal(shown, want) {
		t.Errorf("%q", shown)
	}
	if d := recorded[0]; !d.Allow || d.By != "user" || d.Grant != nil {
		t.Errorf("%+v", d)
	}
}

// TestWhatGoesWrong: nothing that a tool does breaks the program, and what is
// not recorded is not done.
func TestWhatGoesWrong(t *testing.T) {
	var recorded []event.Decided
	ran := false
	broken := made(nil, func(context.Context, tool.Emit) (tool.Result, error) { ran = true; panic("ouch") })
	r, err := caller(&recorded, broken).Call(t.Context(), call(), nil)
	if err != nil || !r.Error || !strings.Contains(r.Parts.Text(), "ouch") {
		t.Errorf("a panic: %+v, %v", r, err)
	}
	ran = false
	c := caller(&recorded, broken)
	full := errors.New("the disk is full")
	c.Record = func(event.Decided) error { return full }
	if _, err := c.Call(t.Context(), call(), nil); !errors.Is(err, full) || ran {
		t.Errorf("not recorded: %v, ran %v", err, ran)
	}
	if _, err := caller(&recorded).Call(t.Context(), call(), nil); err == nil || errors.Is(err, direct.ErrRefused) {
		t.Errorf("no such tool: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(full)
	if _, err := caller(&recorded, broken).Call(ctx, call(), nil); !errors.Is(err, full) || ran {
		t.Errorf("interrupted before: %v, ran %v", err, ran)
	}
}
