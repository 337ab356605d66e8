package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/tool"
)

func TestAskUser(t *testing.T) {
	w := &Workspace{}
	a := prepare(t, askUser(w), askInput{Question: " Which one?\n", Options: []string{"this", " ", "that"}})
	if len(a.Effects) != 0 || a.Title != "Ask: Which one?" {
		t.Errorf("%+v", a)
	}
	res, err := a.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Which one?\n\n1. this\n2. that"; res.Question != want || a.Preview.Text != want {
		t.Errorf("question %q", res.Question)
	}
	if res := call(t, askUser(w), askInput{Question: "Why?"}); res.Question != "Why?" {
		t.Errorf("question %q", res.Question)
	}
	if _, err := askUser(w).Prepare(t.Context(), json.RawMessage(`{"question":" "}`)); err == nil {
		t.Error("an empty question was asked")
	}
}

func TestProposePlan(t *testing.T) {
	on := true
	w := &Workspace{Plan: func() bool { return on }}
	res := call(t, proposePlan(w), planInput{"# Plan\n1. do it"})
	if !strings.HasPrefix(res.Question, "# Plan\n1. do it\n\n1. Go on, accepting edits\n") {
		t.Errorf("question %q", res.Question)
	}
	on = false
	if _, err := proposePlan(w).Prepare(t.Context(), json.RawMessage(`{"plan":"x"}`)); err == nil || !strings.Contains(err.Error(), "plan mode only") {
		t.Error(err)
	}
}

func TestTodoWrite(t *testing.T) {
	w := &Workspace{}
	a := prepare(t, todoWrite(w), todoInput{[]todoItem{{"read", "completed"}, {"write\nit", "in_progress"}, {"test", "pending"}}})
	if len(a.Effects) != 0 || a.Title != "Todo list: 1 of 3 completed" || a.Preview.Text != "[x] read\n[>] write it\n[ ] test\n" {
		t.Errorf("%+v", a)
	}
	res, err := a.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, res, "Todo list: 1 completed, 1 in progress, 1 pending.")
	wantText(t, call(t, todoWrite(w), todoInput{[]todoItem{}}), "The todo list is empty.")
	for _, args := range []string{`{"items":[{"text":"x","status":"done"}]}`, `{"items":[{"text":" ","status":"pending"}]}`, `{}`, `{"items":[{"text":"x"}]}`} {
		if _, err := todoWrite(w).Prepare(t.Context(), json.RawMessage(args)); err == nil {
			t.Errorf("accepted %s", args)
		}
	}
}

// The embedded schemas are those of the Go types: no list may be null, and a
// status has its words.
func TestCommandSchemas(t *testing.T) {
	for name, made := range map[string]json.RawMessage{
		"run_command":  tool.SchemaOf[runInput](),
		"task_output":  tool.SchemaOf[taskInput](),
		"task_stop":    tool.SchemaOf[taskInput](),
		"ask_user":     tool.SchemaOf[askInput](),
		"propose_plan": tool.SchemaOf[planInput](),
		"todo_write":   tool.SchemaOf[todoInput](),
	} {
		want := strings.NewReplacer(
			`"type":["null","array"]`, `"type":"array"`,
			`"status":{"type":"string"}`, `"status":{"type":"string","enum":["pending","in_progress","completed"]}`,
		).Replace(string(made))
		if got := string(spec(name).Schema); got != want {
			t.Errorf("%s: %s\nthe type gives: %s", name, got, want)
		}
	}
}
