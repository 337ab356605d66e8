package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/tool"
)

type taskInput struct {
	Task string `json:"task" jsonschema:"such as task_1"`
}

// taskOutput reads on in what a background task prints.
func taskOutput(w *Workspace) tool.Tool {
	return tool.New(spec("task_output"), func(_ context.Context, in taskInput) (tool.Action, error) {
		if _, err := w.Tasks.find(in.Task); err != nil {
			return tool.Action{}, err
		}
		return tool.Action{Title: "Read the output of " + in.Task, Run: func(context.Context, tool.Emit) (tool.Result, error) {
			k, text, missing, err := w.Tasks.output(in.Task, w.pageChars()-taskHeader)
			if err != nil {
				return tool.Result{}, err
			}
			return taskResult(k, text, missing), nil
		}}, nil
	})
}

// taskHeader is room for the lines before the output, in characters; a
// command is cut to fit.
const taskHeader = 1000

func taskResult(k Task, text string, missing int64) tool.Result {
	lines := []string{"TASK: " + k.ID + ": " + oneLine(k.Command, titleChars), "STATUS: " + string(k.Status)}
	if k.Exit != nil {
		lines = append(lines, fmt.Sprintf("EXIT: %d", *k.Exit))
	}
	if missing > 0 {
		line := fmt.Sprintf("CUT: %d bytes before this are not shown", missing)
		if k.File != "" {
			line += "; read_file has them: " + k.File
		}
		lines = append(lines, line)
	}
	if text == "" {
		text = "(no new output)"
	}
	res := tool.TextResult(strings.Join(lines, "\n") + "\n\n" + text)
	res.Meta.Exit = k.Exit
	return res
}

// taskStop ends a background task.
func taskStop(w *Workspace) tool.Tool {
	return tool.New(spec("task_stop"), func(_ context.Context, in taskInput) (tool.Action, error) {
		if _, err := w.Tasks.find(in.Task); err != nil {
			return tool.Action{}, err
		}
		return tool.Action{Title: "End " + in.Task, Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
			_, err := w.Tasks.stop(in.Task, true, ctx.Done())
			if err != nil {
				return tool.Result{}, err
			}
			k, text, missing, err := w.Tasks.output(in.Task, w.pageChars()-taskHeader)
			if err != nil {
				return tool.Result{}, err
			}
			return taskResult(k, text, missing), nil
		}}, nil
	})
}
