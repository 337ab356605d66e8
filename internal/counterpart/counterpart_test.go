package counterpart

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBothWays(t *testing.T) {
	for name, c := range map[string]struct{ own, args, theirs, input, back string }{
		"command":    {"run_command", `{"command":"go test","timeout_ms":5,"background":true}`, "Bash", `{"command":"go test","run_in_background":true,"timeout":5}`, ""},
		"arguments":  {"run_command", `{"command":"git","args":["log","a b","it's"]}`, "Bash", `{"command":"git log 'a b' \"it's\""}`, `{"command":"git log 'a b' \"it's\""}`},
		"read":       {"read_file", `{"path":"a.go","offset":3}`, "Read", `{"file_path":"a.go","offset":3}`, ""},
		"edit":       {"edit_file", `{"path":"a","search":"<x>","replace":"y","replaceAll":true}`, "Edit", `{"file_path":"a","new_string":"y","old_string":"<x>","replace_all":true}`, ""},
		"edits":      {"patch_file", `{"path":"a","replacements":[{"search":"x","replace":"y"}]}`, "MultiEdit", `{"edits":[{"new_string":"y","old_string":"x"}],"file_path":"a"}`, ""},
		"grep":       {"grep_files", `{"pattern":"x","mode":"files","ignore_case":true,"before":1,"after":2}`, "Grep", `{"-A":2,"-B":1,"-i":true,"output_mode":"files_with_matches","pattern":"x"}`, ""},
		"todos":      {"todo_write", `{"items":[{"text":"a","status":"pending"}]}`, "TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`, ""},
		"agent":      {"spawn_agent", `{"task":"look","agent":"explore"}`, "Task", `{"prompt":"look","subagent_type":"explore"}`, ""},
		"elsewhere":  {"mcp__a__b", `{"path":"x"}`, "mcp__a__b", `{"path":"x"}`, ""},
		"no list":    {"todo_write", `{"items":"x"}`, "TodoWrite", `{"todos":"x"}`, ""},
		"odd things": {"patch_file", `{"replacements":[1,null,{"search":"x"}]}`, "MultiEdit", `{"edits":[1,null,{"old_string":"x"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			input := Input(c.own, json.RawMessage(c.args))
			if got := Name(c.own); got != c.theirs || !same(t, input, c.input) {
				t.Errorf("%s %s, want %s %s", got, input, c.theirs, c.input)
			}
			back, err := Args(c.own, input)
			if c.back == "" {
				c.back = c.args
			}
			if err != nil || !same(t, back, c.back) {
				t.Errorf("back: %s, %v, want %s", back, err, c.back)
			}
		})
	}
	if got := Input("read_file", json.RawMessage(`[1]`)); string(got) != `[1]` {
		t.Errorf("what is no object became %s", got)
	}
	if _, err := Args("read_file", json.RawMessage(`"x"`)); err == nil {
		t.Error("what is no object is taken")
	}
}

func same(t *testing.T, a json.RawMessage, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// A tool of ours is in one row, and a name of theirs means one of ours.
func TestTable(t *testing.T) {
	own, theirs := map[string]bool{}, map[string]bool{}
	for _, r := range table() {
		if own[r.own] {
			t.Errorf("%s is there twice", r.own)
		}
		own[r.own] = true
		for _, n := range r.names {
			if theirs[n] {
				t.Errorf("%s is there twice", n)
			}
			theirs[n] = true
		}
	}
}

func FuzzBothWays(f *testing.F) {
	f.Add("edit_file", `{"path":"a","search":"x"}`)
	f.Add("patch_file", `{"replacements":[{"search":"x"}]}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		if !json.Valid([]byte(args)) {
			return
		}
		input := Input(name, json.RawMessage(args))
		if !json.Valid(input) {
			t.Fatalf("%s is no JSON", input)
		}
		if back, err := Args(name, input); err == nil && !json.Valid(back) {
			t.Fatalf("%s is no JSON", back)
		}
	})
}
