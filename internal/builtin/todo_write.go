package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

type todoInput struct {
	Items []todoItem `json:"items"`
}

type todoItem struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress or completed, by the schema
}

// todoWrite replaces the todo list. The list is nowhere but in the call: its
// state is the arguments of the newest one.
func todoWrite(*Workspace) tool.Tool {
	return tool.New(spec("todo_write"), func(_ context.Context, in todoInput) (tool.Action, error) {
		var list strings.Builder
		var pending, working, completed int
		for i, item := range in.Items {
			text := oneLine(item.Text, titleChars*4)
			if text == "" {
				return tool.Action{}, fmt.Errorf("items[%d].text: must not be empty", i)
			}
			box := "[ ]"
			switch item.Status {
			case "pending":
				pending++
			case "in_progress":
				box = "[>]"
				working++
			case "completed":
				box = "[x]"
				completed++
			default:
				return tool.Action{}, fmt.Errorf("items[%d].status: want pending, in_progress or completed, got %q", i, item.Status)
			}
			fmt.Fprintf(&list, "%s %s\n", box, text)
		}
		text := "The todo list is empty."
		if len(in.Items) > 0 {
			text = fmt.Sprintf("Todo list: %d completed, %d in progress, %d pending.", completed, working, pending)
		}
		return tool.Action{
			Title:   fmt.Sprintf("Todo list: %d of %d completed", completed, len(in.Items)),
			Preview: event.Preview{Kind: event.PreviewText, Text: list.String()},
			Run: func(context.Context, tool.Emit) (tool.Result, error) {
				return tool.TextResult(text), nil
			},
		}, nil
	})
}

// Todo is an item of the todo list.
type Todo struct {
	Text   string
	Status string // pending, in_progress or completed
}

// Todos is the todo list that these arguments of todo_write make.
func Todos(args json.RawMessage) (list []Todo) {
	var in todoInput
	_ = json.Unmarshal(args, &in) // checked when the call was prepared; no arguments are no list
	for _, item := range in.Items {
		list = append(list, Todo{oneLine(item.Text, titleChars*4), item.Status})
	}
	return list
}
