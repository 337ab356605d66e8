package demo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// Tour is the scripted model of a demo with a person in it: it asks a
// question, waits for edits to be approved, and tries a command that a rule
// denies. It keeps no state, and says what came of the person's answers.
type Tour struct {
	Pause time.Duration // before each word, so that the answers can be watched
}

// Denied is the rule that the tour runs into.
const Denied = "run_command(git push:*)"

// Info names the model.
func (Tour) Info() llm.Info { return Model{}.Info() }

// Stream says the script's next answer.
func (t Tour) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { tell(ctx, req, nextOfTour(req.Messages), t.Pause, yield) }
}

// The options of the question.
const (
	codeOnly  = "Repair the code only"
	withATest = "Repair the code, and add a case to the test"
)

const (
	caseBefore = "\t\t{5, 4, []int{2, 1, 1, 1}},\n"
	caseAfter  = caseBefore + "\t\t{2, 3, []int{1, 1, 0}},\n"
)

// past is what the script has to know of the conversation.
type past struct {
	prompt  string
	asked   bool           // the prompt answers the question
	step    int            // answers since the prompt
	results []llm.Parts    // of the newest answer
	failed  []bool         // which of them are errors
	refused []string       // why the person refused edits in this turn
	ran     bool           // an edit was made in this turn
	calls   []llm.ToolCall // of the newest answer
}

func read(messages []llm.Message) past {
	var p past
	for _, m := range messages {
		switch {
		case m.Kind == llm.Prompt:
			asked := slices.ContainsFunc(p.calls, func(c llm.ToolCall) bool { return c.Name == "ask_user" })
			if len(p.calls) == 0 || asked { // else it was said meanwhile: the script goes on
				p = past{prompt: strings.TrimSpace(m.Text()), asked: asked}
			}
		case m.Role == llm.Assistant && m.Kind != llm.Questioned: // which only says again what was asked
			p.step++
			p.results, p.failed, p.calls = nil, nil, m.Calls()
		}
		if r, ok := m.Result(); ok {
			p.results, p.failed = append(p.results, r.Parts), append(p.failed, r.Error)
			if r.Name == "edit_file" {
				p.ran = p.ran || !r.Error
				if r.Error {
					p.refused = append(p.refused, r.Parts.Text())
				}
			}
		}
	}
	return p
}

// last is the text of the newest result.
func (p past) last() string {
	if len(p.results) == 0 {
		return ""
	}
	return p.results[len(p.results)-1].Text()
}

func (p past) broke() bool { return slices.Contains(p.failed, true) }

func nextOfTour(messages []llm.Message) llm.Parts {
	p := read(messages)
	switch {
	case p.prompt == Prompt:
		return p.look()
	case p.asked:
		return p.repair()
	}
	return say(how)
}

// look is the first turn: it finds out what is wrong, and asks.
func (p past) look() llm.Parts {
	test := call("run_command", map[string]any{"command": "go test ./..."})
	switch p.step {
	case 0:
		return think("A failing test. I run it first and see what it says, before I guess.",
			say("<progress>I am a script, and everything around me is real. I run the tests to see what fails.", test, call("list_files", map[string]any{})))
	case 1:
		return say("<progress>The shares do not add up to the bill. I look for the code.",
			call("grep_files", map[string]any{"pattern": `func Split`}), call("read_file", map[string]any{"path": "split.go"}), call("read_file", map[string]any{"path": "split_test.go"}))
	case 2:
		return say("Integer division drops the remainder: **1000 cents** among **3 people** come to 999.\n\nThe first shares must take one cent more each:\n\n"+
			"```go\nif i < cents%people {\n\tshares[i]++\n}\n```",
			call("ask_user", map[string]any{"question": "How far should I go?", "options": []string{codeOnly, withATest}}))
	}
	return say(how)
}

// repair is the second turn: it edits, is denied something, and tests.
func (p past) repair() llm.Parts {
	tests := strings.EqualFold(p.prompt, withATest)
	switch p.step {
	case 0:
		calls := []llm.ToolCall{call("edit_file", map[string]any{"path": "split.go", "search": search, "replace": replace})}
		if tests {
			calls = append(calls, call("edit_file", map[string]any{"path": "split_test.go", "search": caseBefore, "replace": caseAfter}))
		}
		return say("<progress>Here is the repair. Look at it, and decide.", calls...)
	case 1:
		if !p.ran {
			return say("<final>Nothing is changed: " + p.last() + "\n\n" + how)
		}
		return say("<progress>Now I try something that nobody wanted: to push it.", call("run_command", map[string]any{"command": "git push --force origin main"}))
	case 2:
		return say("<progress>That is denied by a rule, and rightly so. I run the tests again.", call("run_command", map[string]any{"command": "go test ./..."}))
	case 3:
		return say("<final>" + p.report() + "\n\n" + how)
	}
	return say(how)
}

// report is what came of it.
func (p past) report() string {
	var b strings.Builder
	if p.broke() {
		b.WriteString("# The tests still fail\n\n```\n" + strings.TrimSpace(p.last()) + "\n```\n\n")
	} else {
		b.WriteString("# The test passes now\n\n`Split` dropped the remainder of the division; now the first shares take one cent more each:\n\n" +
			"| cents | people | before | now |\n|---|---|---|---|\n| 1000 | 3 | 333, 333, 333 | 334, 333, 333 |\n| 5 | 4 | 1, 1, 1, 1 | 2, 1, 1, 1 |\n\n")
	}
	for _, why := range p.refused {
		fmt.Fprintf(&b, "- One edit was not made: %s\n", why)
	}
	b.WriteString("- `git push` was denied by the rule `" + Denied + "`.\n- `/context` shows what fills the model's window, `/export` writes all of this to a file, `/help` lists the rest.")
	return b.String()
}

// think puts a thought before an answer.
func think(text string, parts llm.Parts) llm.Parts {
	return append(llm.Parts{llm.Thinking{Text: text}}, parts...)
}
