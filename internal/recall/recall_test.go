package recall

import (
	"encoding/json"
	"testing"

	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/llm"
)

func called(name, args string) llm.Message {
	return llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{llm.ToolCall{ID: "c", Name: name, Args: json.RawMessage(args)}}}
}

func TestTodos(t *testing.T) {
	for args, want := range map[string]string{
		"":             "",
		`{"items":[]}`: "",
		`{"items":[{"text":"a","status":"completed"}]}`:                                     "",
		`{"items":[{"text":"a","status":"completed"},{"text":"b","status":"in_progress"}]}`: "The todo list:\n- a (completed)\n- b (in progress)",
	} {
		if got := Todos(json.RawMessage(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestPlan(t *testing.T) {
	old, newer := called("propose_plan", `{"plan":"old"}`), called("propose_plan", `{"plan":"new"}`)
	note := Notes(planStart + "old")[0]
	for want, messages := range map[string][]llm.Message{
		"":                {called("read_file", `{"plan":"no"}`), llm.NewText(llm.User, llm.Prompt, planStart+"said")},
		planStart + "new": {old, note, newer},
		planStart + "old": {note, called("propose_plan", `{}`)},
	} {
		if got := Plan(messages); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMode(t *testing.T) {
	if got := Mode(nil); got != permission.Default {
		t.Error(got)
	}
	if got := Mode([]string{permission.Plan.Note(), permission.AcceptEdits.Note(), "About something else."}); got != permission.AcceptEdits {
		t.Error(got)
	}
}

func TestLost(t *testing.T) {
	todos := json.RawMessage(`{"items":[{"text":"b","status":"pending"}]}`)
	list, plan := called("todo_write", string(todos)), called("propose_plan", `{"plan":"do it"}`)
	const note = "The todo list:\n- b (pending)"
	for _, c := range []struct {
		name  string
		got   string
		wants string
	}{
		{"the list is gone", LostTodos([]llm.Message{called("todo_write", `{"items":[]}`)}, nil, todos), note},
		{"the list is there", LostTodos([]llm.Message{list}, nil, todos), ""},
		{"a note on it is there", LostTodos(nil, []string{note}, todos), ""},
		{"nothing is open", LostTodos(nil, nil, json.RawMessage(`{"items":[]}`)), ""},
		{"the plan is gone", LostPlan(nil, []llm.Message{plan}), planStart + "do it"},
		{"a plan is there", LostPlan(Notes(planStart+"another"), []llm.Message{plan}), ""},
	} {
		if c.got != c.wants {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.wants)
		}
	}
}
