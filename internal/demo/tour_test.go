package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

func ofTour(t *testing.T, messages ...llm.Message) llm.Parts {
	t.Helper()
	for chunk, err := range (Tour{}).Stream(t.Context(), llm.Request{Messages: messages}) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := chunk.(llm.Done); ok {
			return d.Parts
		}
	}
	t.Fatal("no answer")
	return nil
}

func edit(text string, failed bool) llm.Message {
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Name: "edit_file", Parts: llm.Parts{llm.Text{Text: text}}, Error: failed}}}
}

func prompt(text string) llm.Message { return llm.NewText(llm.User, llm.Prompt, text) }

func TestTour(t *testing.T) {
	asked := []llm.Message{prompt(Prompt), said(), gave("exit 1", true), said(), gave("", false)}
	question := ofTour(t, asked...)
	if calls := question.Calls(); len(calls) != 1 || calls[0].Name != "ask_user" {
		t.Fatalf("no question: %v", question)
	}
	meanwhile := []llm.Message{prompt(Prompt), said(call("list_files", nil)), gave("", false), prompt("hello?")}
	if calls := ofTour(t, meanwhile...).Calls(); len(calls) != 3 {
		t.Errorf("what was said meanwhile changes the tour: %v", calls)
	}
	asked = append(asked, said(question...), llm.NewText(llm.Assistant, llm.Questioned, "How far?"))
	for answer, edits := range map[string]int{codeOnly: 1, withATest: 2, "do as you like": 1} {
		history := append(asked[:len(asked):len(asked)], prompt(answer))
		if n := len(ofTour(t, history...).Calls()); n != edits {
			t.Errorf("%s: %d edits", answer, n)
		}
		refused := append(history[:len(history):len(history)], said(), edit("Not allowed: the user said no: later", true))
		if text := ofTour(t, refused...).Text(); !strings.Contains(text, "Nothing is changed: Not allowed: the user said no: later") {
			t.Errorf("%s, refused: %s", answer, text)
		}
		done := append(history[:len(history):len(history)], said(), edit("edited", false))
		push := ofTour(t, done...).Calls()
		if len(push) != 1 || !strings.Contains(string(push[0].Args), "git push") {
			t.Fatalf("%s: %v", answer, push)
		}
		done = append(done, said(push[0]), gave("Not allowed", true), said())
		if text := ofTour(t, append(done, gave("ok", false))...).Text(); !strings.Contains(text, "passes now") {
			t.Errorf("%s, tests pass: %s", answer, text)
		}
		if text := ofTour(t, append(done, gave("still red", true))...).Text(); !strings.Contains(text, "still fail") || !strings.Contains(text, "still red") {
			t.Errorf("%s, tests fail: %s", answer, text)
		}
	}
	if text := ofTour(t, prompt("write a compiler")).Text(); !strings.Contains(text, "I am a script") {
		t.Error(text)
	}
}

func TestTheCaseFits(t *testing.T) {
	dir, err := Project(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "split_test.go"))
	if err != nil || strings.Count(string(code), caseBefore) != 1 {
		t.Errorf("the text to replace is there %d times (%v)", strings.Count(string(code), caseBefore), err)
	}
}
