package question

import (
	"encoding/json"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

func asked(calls ...llm.ToolCall) []llm.Message {
	work := llm.Message{Role: llm.Assistant, Kind: llm.Work}
	for _, c := range calls {
		work.Parts = append(work.Parts, c)
	}
	return []llm.Message{llm.NewText(llm.User, llm.Prompt, "hi"), work, llm.NewText(llm.Assistant, llm.Questioned, "?")}
}

func call(name, args string) llm.ToolCall {
	return llm.ToolCall{ID: "c", Name: name, Args: json.RawMessage(args)}
}

func TestAnswers(t *testing.T) {
	options := call("ask_user", `{"question":"?","options":["left"," ","right"]}`)
	for _, c := range []struct {
		name              string
		messages          []llm.Message
		typed, text, mode string
		fails, nothing    bool
	}{
		{name: "nothing was asked", messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "hi")}, typed: "1", text: "1", nothing: true},
		{name: "an option by its number", messages: asked(options), typed: " 2 ", text: "right"},
		{name: "words", messages: asked(options), typed: "neither", text: "neither"},
		{name: "a number that is none", messages: asked(options), typed: "3", text: "3"},
		{name: "two questions", messages: asked(options, options), typed: "1", text: "1"},
		{name: "a plan", messages: asked(call("propose_plan", `{}`)), typed: "1", text: "The plan is approved (go on, accepting edits). Carry it out.", mode: "accept-edits"},
		{name: "a plan, carefully", messages: asked(call("propose_plan", `{}`)), typed: "2", text: "The plan is approved (go on, asking before each edit). Carry it out.", mode: "default"},
		{name: "a plan to be kept on", messages: asked(call("propose_plan", `{}`)), typed: "3", fails: true},
	} {
		p, ok := Of(c.messages)
		text, mode, err := p.Answer(c.typed)
		if ok == c.nothing || text != c.text || mode != c.mode || (err != nil) != c.fails {
			t.Errorf("%s: %q %q %v (asked: %v)", c.name, text, mode, err, ok)
		}
	}
}
