package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

type askInput struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty" jsonschema:"answers to choose from; any other answer is possible too"`
}

// askUser asks the person, which ends the turn.
func askUser(*Workspace) tool.Tool {
	return tool.New(spec("ask_user"), func(_ context.Context, in askInput) (tool.Action, error) {
		question := strings.TrimSpace(in.Question)
		if question == "" {
			return tool.Action{}, errors.New("question: must not be empty")
		}
		return asking("Ask: "+oneLine(question, titleChars), withOptions(question, in.Options)), nil
	})
}

// asking is an action that does nothing but end the turn with a question.
func asking(title, question string) tool.Action {
	return tool.Action{
		Title:   title,
		Preview: event.Preview{Kind: event.PreviewText, Text: question},
		Run: func(context.Context, tool.Emit) (tool.Result, error) {
			res := tool.TextResult("Shown to the person. The answer is their next message.")
			res.Question = question
			return res, nil
		},
	}
}

// withOptions is the question with its options numbered.
func withOptions(question string, options []string) string {
	var b strings.Builder
	b.WriteString(question)
	n := 0
	for _, o := range options {
		if o = strings.TrimSpace(o); o == "" {
			continue
		}
		if n++; n == 1 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "\n%d. %s", n, o)
	}
	return b.String()
}
