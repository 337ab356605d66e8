package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

// answer gives the script's answer to the messages.
func answer(t *testing.T, messages ...llm.Message) llm.Done {
	t.Helper()
	var done llm.Done
	for chunk, err := range (Model{}).Stream(t.Context(), llm.Request{Messages: messages}) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := chunk.(llm.Done); ok {
			done = d
		}
	}
	return done
}

func said(parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: parts}
}

func gave(text string, failed bool) llm.Message {
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Parts: llm.Parts{llm.Text{Text: text}}, Error: failed}}}
}

func TestTheScriptDoesNotClaimWhatFailed(t *testing.T) {
	history := []llm.Message{llm.NewText(llm.User, llm.Prompt, Prompt), said(), gave("exit 1", true), said(), gave("", false), said(), gave("edited", false), said()}
	if d := answer(t, append(history, gave("still red", true))...); !strings.Contains(d.Parts.Text(), "still fail") || !strings.Contains(d.Parts.Text(), "still red") {
		t.Errorf("after a failing test: %s", d.Parts.Text())
	}
	if d := answer(t, append(history, gave("ok", false))...); !strings.Contains(d.Parts.Text(), "passes now") {
		t.Errorf("after a passing test: %s", d.Parts.Text())
	}
}

func TestTheScriptSaysWhatItIs(t *testing.T) {
	if d := answer(t, llm.NewText(llm.User, llm.Prompt, "write a compiler")); !strings.Contains(d.Parts.Text(), "I am a script") || len(d.Parts.Calls()) > 0 {
		t.Errorf("asked for something else: %s", d.Parts.Text())
	}
}

// TestTheRepairFits checks the script's edit against the bundled project.
func TestTheRepairFits(t *testing.T) {
	dir, err := Project(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "split.go"))
	if err != nil || strings.Count(string(code), search) != 1 {
		t.Errorf("the text to replace is there %d times (%v)", strings.Count(string(code), search), err)
	}
	for _, name := range []string{"go.mod", "split_test.go", "README.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
