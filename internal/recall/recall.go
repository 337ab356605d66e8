// Package recall words what a model is told again when a summary, or another
// stage of compaction, took its history: what is not said in any prompt and must
// not be left to a summary.
//
//	notes := recall.Notes(recall.Plan(messages), recall.Todos(log.Todos()))
//
// The texts follow from the messages and are the same each time. The package
// does not decide when they are told.
package recall

import (
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

// Lost is what is to be told again, since the notes on it are gone.
type Lost struct {
	Mode, Surroundings bool
	Instructions       []string // the notes on directories that were reached, as they were
}

// Among says which standing notes are among messages that the model no longer
// has.
func Among(gone []llm.Message) Lost {
	var lost Lost
	for _, m := range gone {
		if m.Kind != llm.Note {
			continue
		}
		text := m.Text()
		_, mode := permission.ModeOfNote(text)
		switch {
		case mode:
			lost.Mode = true
		case prompt.IsInstructions(text):
			lost.Instructions = append(lost.Instructions, text)
		case prompt.IsSurroundings(text):
			lost.Surroundings = true
		}
	}
	return lost
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
