package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

func result(name, text string) llm.ToolResult {
	return llm.ToolResult{Call: "1", Name: name, Parts: llm.Parts{llm.Text{Text: text}}}
}

func TestSummary(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, c := range []struct {
		name, text string
		change     func(*llm.ToolResult)
		want       string
	}{
		{"read_file", "FILE: a\nLINES: 1-40 of 200\nTRUNCATED: yes - call read_file again with offset 41\n1\tx\n", nil, "lines 1-40 of 200, cut"},
		{"read_file", "FILE: a\nLINES: 3-3 of 3\nTRUNCATED: no\n3\tLINES: 9\n", nil, "lines 3-3 of 3"},
		{"read_file", "FILE: a.png\nIMAGE: image/png, 12 bytes", nil, "image, image/png, 12 bytes"},
		{"read_file", "a does not exist", func(r *llm.ToolResult) { r.Error = true }, "a does not exist"},
		{"grep_files", "a.go:1:package a\na.go:12:at 10:30:00\n", nil, "2 matches"},
		{"grep_files", "a.go-11-from 10:30:00\na.go:12:x\n--\nb.go:3:y-4-z\n[more match: call grep_files again with offset 2]\n", nil, "2 matches and more"},
		{"grep_files", "a.go:1:x\n", nil, "1 match"},
		{"grep_files", "a.go\nb.go\n", nil, "2 files"},
		{"grep_files", "a.go:1\nb.go:2\n[3 in 2 files]\n", nil, "3 matches in 2 files"},
		{"grep_files", "No matches.\n", nil, "no matches"},
		{"glob_files", "a.go\nb.go", nil, "2 entries"},
		{"glob_files", "No files match.", nil, "No files match."},
		{"list_files", "dir a\nfile b (3 bytes)\n", nil, "2 entries"},
		{"list_files", "(empty directory)\n", nil, "empty directory"},
		{"list_files", "dir a\n[1 of 900 entries shown: use glob_files for the others]\n", nil, "1 of 900 entries shown"},
		{"edit_file", "Edited a.", func(r *llm.ToolResult) {
			r.Meta.Wrote = []llm.FileWrite{{Path: "/a", SHA256: "x", Added: 12, Removed: 3}}
		}, "+12 −3"},
		{"run_command", "EXIT: 0\n\n(no output)", func(r *llm.ToolResult) { r.Meta.Exit = code(0) }, "exit 0"},
		{"run_command", "EXIT: 0\n\na\nb: c\n", func(r *llm.ToolResult) {
			r.Meta.Exit, r.Meta.Wrote = code(0), []llm.FileWrite{{Path: "/a"}}
		}, "exit 0, 2 lines"},
		{"run_command", "EXIT: -1\nTIMED OUT: after 20 ms; it was ended\n\na\n", func(r *llm.ToolResult) {
			r.Meta.Exit, r.Error = code(-1), true
		}, "timed out: after 20 ms; it was ended (exit -1, 1 line)"},
		{"run_command", "EXIT: 0\nCUT: 5 of 9 characters are not shown, in the middle.\n\na\n...\nb", func(r *llm.ToolResult) {
			r.Meta.Exit = code(0)
		}, "exit 0, 5 of 9 characters are not shown, in the middle"},
		{"run_command", "TASK: task_1\nFILE: /x\n\nStarted", nil, "in the background as task_1"},
		{"task_output", "TASK: task_1: npm start\nSTATUS: running\n\nlistening\n", nil, "running: listening"},
		{"task_output", "TASK: task_1: x\nSTATUS: exited\nEXIT: 2\n\n(no new output)", nil, "exited, exit 2"},
		{"no_such", "\n\n first \nsecond", nil, "first"},
	} {
		r := result(c.name, c.text)
		if c.change != nil {
			c.change(&r)
		}
		if got := Of(r); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	r := result("run_command", "EXIT: 1\n\n"+strings.Repeat("x\n\n", 20)+"last: line\n")
	if got := Failure(r); len(got) != failureLines || got[failureLines-1] != "last: line" {
		t.Errorf("%q", got)
	}
	if got := Failure(result("edit_file", "first\nsecond\nthird\nfourth\nfifth\n")); !slices.Equal(got, []string{"second", "third", "fourth"}) {
		t.Errorf("%q", got)
	}
	if got := Failure(result("edit_file", "")); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func FuzzSummary(f *testing.F) {
	for _, name := range []string{"read_file", "grep_files", "list_files", "run_command", "task_output", "x"} {
		f.Add(name, "FILE: a\nLINES: 1-2 of 3\n\n[1 in 2 files]\na:1:b\n", false)
	}
	f.Fuzz(func(t *testing.T, name, text string, failed bool) {
		r := result(name, text)
		r.Error = failed
		exit := len(text)
		r.Meta.Exit = &exit
		if got := Of(r); name == "run_command" && got == "" {
			t.Errorf("%q has no summary", text)
		}
		Failure(r)
	})
}
