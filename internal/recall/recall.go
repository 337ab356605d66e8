package recall

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/prompt"
	"github.com/minicode-go/minicode/llm"
)

// Notes makes notes of the texts, leaving out those that are empty.
func Notes(texts ...string) []llm.Message {
	var out []llm.Message
	for _, text := range texts {
		if text != "" {
			out = append(out, llm.NewText(llm.User, llm.Note, text))
		}
	}
	return out
}

// Told is the texts of the notes among the messages, oldest first.
func Told(messages []llm.Message) []string {
	var notes []string
	for i := range messages {
		if messages[i].Kind == llm.Note {
			notes = append(notes, messages[i].Text())
		}
	}
	return notes
}

// Mode is the permission mode that a model with these notes goes by.
func Mode(notes []string) permission.Mode {
	for _, note := range slices.Backward(notes) {
		if mode, ok := permission.ModeOfNote(note); ok {
			return mode
		}
	}
	return permission.Default
}

// Instructions says whether there are notes on instruction files among the
// messages.
func Instructions(messages []llm.Message) bool {
	return slices.ContainsFunc(Told(messages), prompt.IsInstructions)
}

const planStart = "The plan that was proposed:\n"

// Plan is the newest plan that the messages hold, in a call or in a note of
// this function; "" if there is none.
func Plan(messages []llm.Message) string {
	for _, m := range slices.Backward(messages) {
		if text := m.Text(); m.Kind == llm.Note && strings.HasPrefix(text, planStart) {
			return text
		}
		for _, call := range m.Calls() {
			var args struct{ Plan string }
			if call.Name == "propose_plan" && json.Unmarshal(call.Args, &args) == nil && args.Plan != "" {
				return planStart + args.Plan
			}
		}
	}
	return ""
}

// LostPlan is the note on the plan that was among messages that are gone, if
// those that are left tell of none.
func LostPlan(messages, gone []llm.Message) string {
	if Plan(messages) != "" {
		return ""
	}
	return Plan(gone)
}

// LostTodos is the note on the todo list, by the arguments of its newest call,
// if neither that call is among the messages nor the note among the notes.
func LostTodos(messages []llm.Message, notes []string, todos json.RawMessage) string {
	list := Todos(todos)
	called := func(m llm.Message) bool {
		return slices.ContainsFunc(m.Calls(), func(c llm.ToolCall) bool { return c.Name == "todo_write" && bytes.Equal(c.Args, todos) })
	}
	if list == "" || slices.Contains(notes, list) || slices.ContainsFunc(messages, called) {
		return ""
	}
	return list
}

// Todos is the todo list of a call to todo_write, by its arguments; "" when
// nothing on it is open.
func Todos(args json.RawMessage) string {
	var list struct {
		Items []struct{ Text, Status string }
	}
	if json.Unmarshal(args, &list) != nil {
		return ""
	}
	var b strings.Builder
	open := false
	for _, item := range list.Items {
		open = open || item.Status != "completed"
		b.WriteString("\n- " + item.Text + " (" + strings.ReplaceAll(item.Status, "_", " ") + ")")
	}
	if !open {
		return ""
	}
	return "The todo list:" + b.String()
}
