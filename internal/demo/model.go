package demo

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Model is the scripted model. It keeps no state: what comes next follows
// from the messages it is sent.
type Model struct{}

// Info names the model.
func (Model) Info() llm.Info {
	return llm.Info{Provider: "demo", Name: "script", Window: 128_000, MaxOutput: 8_000, Known: true, Price: llm.Price{Known: true}}
}

const (
	search  = "\tfor i := range shares {\n\t\tshares[i] = cents / people\n\t}\n"
	replace = "\tfor i := range shares {\n\t\tshares[i] = cents / people\n\t\tif i < cents%people {\n\t\t\tshares[i]++\n\t\t}\n\t}\n"
	how     = "I am a script, not a language model: I know only this one repair. The loop, the tools, the permissions and the session are the real ones. " +
		"To work with a real model, set a key (for example ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY) and run `minicode` in your project."
)

// Stream says the script's next answer.
func (Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		tell(ctx, req, next(req.Messages), 0, yield)
	}
}

// tell streams an answer, with a pause before each word.
func tell(ctx context.Context, req llm.Request, parts llm.Parts, pause time.Duration, yield func(llm.Chunk, error) bool) {
	for _, p := range parts {
		var text string
		chunk := func(piece string) llm.Chunk { return llm.TextDelta{Text: piece} }
		switch p := p.(type) {
		case llm.Text:
			text = p.Text
		case llm.Thinking:
			text = p.Text
			chunk = func(piece string) llm.Chunk { return llm.ThinkingDelta{Text: piece} }
		default:
			continue
		}
		for _, piece := range strings.SplitAfter(text, " ") {
			if !wait(ctx, pause) {
				yield(nil, context.Cause(ctx))
				return
			}
			if !yield(chunk(piece), nil) {
				return
			}
		}
	}
	stop := llm.StopEnd
	if len(parts.Calls()) > 0 {
		stop = llm.StopTools
	}
	yield(llm.Done{Parts: parts, Stop: stop, Model: "script", Usage: llm.Usage{Input: account.Estimate(req), Output: account.Estimate(llm.Request{Messages: []llm.Message{{Parts: parts}}})}}, nil)
}

// wait lets time pass, and says whether ctx is still in force.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// next is the answer to the messages so far.
func next(messages []llm.Message) llm.Parts {
	step, last, failed := 0, "", false
	prompt := ""
	for _, m := range messages {
		switch {
		case m.Kind == llm.Prompt:
			step, prompt = 0, m.Text()
		case m.Role == llm.Assistant:
			step, failed = step+1, false
		}
		if r, ok := m.Result(); ok {
			last, failed = r.Parts.Text(), failed || r.Error
		}
	}
	if strings.TrimSpace(prompt) != Prompt {
		return say(how)
	}
	switch step {
	case 0:
		return say("<progress>Running the tests to see what fails.", call("run_command", map[string]any{"command": "go test ./..."}), call("list_files", map[string]any{}))
	case 1:
		return say("<progress>The shares do not add up to the bill. Looking for the code.", call("grep_files", map[string]any{"pattern": `func Split`}), call("read_file", map[string]any{"path": "split.go"}))
	case 2:
		return say("<progress>Integer division drops the remainder. The first shares must take one cent more each.",
			call("edit_file", map[string]any{"path": "split.go", "search": search, "replace": replace}))
	case 3:
		if failed {
			return say("<final>The repair could not be made: " + last + "\n\n" + how)
		}
		return say("<progress>Running the tests again.", call("run_command", map[string]any{"command": "go test ./..."}))
	case 4:
		if failed {
			return say("<final>The tests still fail:\n\n" + last + "\n\n" + how)
		}
		return say("<final>The test passes now. `Split` dropped the remainder of the division, so 1000 cents among 3 people came to 999; " +
			"now the first shares take one cent more each. Changed: split.go.\n\n" + how)
	}
	return say(how)
}

func say(text string, calls ...llm.ToolCall) llm.Parts {
	parts := llm.Parts{llm.Text{Text: text}}
	for _, c := range calls {
		parts = append(parts, c)
	}
	return parts
}

func call(name string, args map[string]any) llm.ToolCall {
	data, _ := json.Marshal(args)
	return llm.ToolCall{Name: name, Args: data}
}
