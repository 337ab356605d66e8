package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/tool"
)

// The tests of MiniCode (TypeScript) that concern the loop, by area and number.

func TestReferenceProviderUsage(t *testing.T) {
	t.Run("01_the_usage_of_an_answer_is_stored_and_counted", func(t *testing.T) {
		a, model := scripted(t, llmtest.Join(llmtest.Say("Done."), llmtest.Usage(llm.Usage{Input: 40, Output: 10})))
		run(t, context.Background(), a, "go")
		messages := a.Log.Messages()
		last := messages[len(messages)-1]
		if last.Usage == nil || last.Usage.Total() != 50 || last.Estimate == 0 || last.Model != model.Info().ID() {
			t.Errorf("%+v", last)
		}
		if got := new(account.Meter).Measure(llm.Request{Messages: messages}, model.Info()); got.Tokens != 50 || got.Source != "usage" {
			t.Errorf("%+v", got)
		}
	})
}

func TestReferenceToolResultStorage(t *testing.T) {
	t.Run("03_empty_results_are_named", func(t *testing.T) {
		said := map[string]string{`""`: "(say completed with no output)", `" \n\t"`: "(say completed with no output)", `"0"`: "0", `"false"`: "false", `"[]"`: "[]"}
		say := tool.New(llm.ToolSpec{Name: "say", Description: "Gives the text back."}, func(_ context.Context, in echoArgs) (tool.Action, error) {
			return tool.Action{Title: "say", Effects: []event.Effect{{Kind: event.Read, Target: "/x"}}, Run: func(context.Context, tool.Emit) (tool.Result, error) {
				return tool.TextResult(in.Text), nil
			}}, nil
		})
		for text, want := range said {
			a, _ := scripted(t, llmtest.Call("say", `{"text":`+text+`}`), llmtest.Say("Done."))
			a.Tools = func() []tool.Tool { return []tool.Tool{say} }
			if got := shape(run(t, context.Background(), a, "go").messages); !slices.Contains(got, "result: "+want) {
				t.Errorf("%s became %q", text, got)
			}
		}
	})
}
