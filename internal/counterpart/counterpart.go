// Package counterpart has the names that Claude Code gives to tools and their
// fields, for programs that were written for it: hooks, and readers of
// stream-json.
//
// The invariant: Args(name, Input(name, args)) means what args means.
//
//	name, input := counterpart.Name("edit_file"), counterpart.Input("edit_file", args)
//
// It knows nothing of permission rules, which take both kinds of names as they
// are written.
package counterpart

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/minicode-go/minicode/internal/shell"
)

// tool is one row of the table: our name, the other names, and those fields
// that have another name there.
type tool struct {
	own    string
	names  []string
	fields [][2]string // ours, theirs
	list   [2]string   // a field that holds a list of objects: its names, with fields inside as inside says
	inside [][2]string
}

func table() []tool {
	edit := [][2]string{{"search", "old_string"}, {"replace", "new_string"}, {"replaceAll", "replace_all"}}
	file := [2]string{"path", "file_path"}
	return []tool{
		{own: "run_command", names: []string{"Bash"}, fields: [][2]string{{"timeout_ms", "timeout"}, {"background", "run_in_background"}}},
		{own: "read_file", names: []string{"Read"}, fields: [][2]string{file}},
		{own: "write_file", names: []string{"Write"}, fields: [][2]string{file}},
		{own: "edit_file", names: []string{"Edit"}, fields: append([][2]string{file}, edit...)},
		{own: "patch_file", names: []string{"MultiEdit"}, fields: [][2]string{file}, list: [2]string{"replacements", "edits"}, inside: edit},
		{own: "grep_files", names: []string{"Grep"}, fields: [][2]string{{"mode", "output_mode"}, {"ignore_case", "-i"}, {"before", "-B"}, {"after", "-A"}}},
		{own: "glob_files", names: []string{"Glob"}},
		{own: "web_fetch", names: []string{"WebFetch"}},
		{own: "web_search", names: []string{"WebSearch"}},
		{own: "todo_write", names: []string{"TodoWrite"}, list: [2]string{"items", "todos"}, inside: [][2]string{{"text", "content"}}},
		{own: "ask_user", names: []string{"AskUserQuestion"}},
		{own: "load_skill", names: []string{"Skill"}},
		{own: "spawn_agent", names: []string{"Task", "Agent"}, fields: [][2]string{{"task", "prompt"}, {"agent", "subagent_type"}}},
		{own: "task_output", names: []string{"TaskOutput"}},
		{own: "task_stop", names: []string{"TaskStop"}},
		{own: "propose_plan", names: []string{"ExitPlanMode"}},
	}
}

func row(own string) (tool, bool) {
	for _, t := range table() {
		if t.own == own {
			return t, true
		}
	}
	return tool{}, false
}

// Name is what Claude Code calls our tool; a tool without a counterpart keeps
// its name.
func Name(own string) string { return Names(own)[0] }

// Names is all names of our tool there, the usual one first.
func Names(own string) []string {
	if t, ok := row(own); ok {
		return t.names
	}
	return []string{own}
}

// modes are the values of grep_files' mode, ours and theirs.
func modes() [][2]string { return [][2]string{{"files", "files_with_matches"}} }

// Input is the arguments of our tool with the names that its counterpart's
// fields have. Arguments that are no JSON object stay as they are.
func Input(own string, args json.RawMessage) json.RawMessage {
	t, _ := row(own)
	fields, ok := object(args)
	if !ok {
		return args
	}
	if own == "run_command" {
		joined(fields)
	}
	renamed(fields, t.fields, 0)
	inList(fields, t, 0)
	if own == "grep_files" {
		reworded(fields, "output_mode", modes(), 0)
	}
	return encode(fields)
}

// Args is Input's way back.
func Args(own string, input json.RawMessage) (json.RawMessage, error) {
	t, _ := row(own)
	fields, ok := object(input)
	if !ok {
		return nil, fmt.Errorf("the changed input of %s is no JSON object", Name(own))
	}
	if own == "grep_files" {
		reworded(fields, "output_mode", modes(), 1)
	}
	renamed(fields, t.fields, 1)
	inList(fields, t, 1)
	return encode(fields), nil
}

func object(data json.RawMessage) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		return nil, false
	}
	return fields, true
}

func encode(fields map[string]json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(fields) // it is made of JSON
	return bytes.TrimRight(b.Bytes(), "\n")
}

// renamed gives fields the name of column 1-from. A field that has that name
// already goes before.
func renamed(fields map[string]json.RawMessage, names [][2]string, from int) {
	for _, n := range names {
		value, ok := fields[n[from]]
		if !ok {
			continue
		}
		if _, there := fields[n[1-from]]; !there {
			fields[n[1-from]] = value
		}
		delete(fields, n[from])
	}
}

func inList(fields map[string]json.RawMessage, t tool, from int) {
	if t.list[from] == "" {
		return
	}
	renamed(fields, [][2]string{t.list}, from)
	var list []json.RawMessage
	if json.Unmarshal(fields[t.list[1-from]], &list) != nil || list == nil {
		return
	}
	for i := range list {
		if one, ok := object(list[i]); ok {
			renamed(one, t.inside, from)
			list[i] = encode(one)
		}
	}
	whole, err := json.Marshal(list)
	if err == nil {
		fields[t.list[1-from]] = whole
	}
}

func reworded(fields map[string]json.RawMessage, name string, words [][2]string, from int) {
	for _, w := range words {
		if string(fields[name]) == `"`+w[from]+`"` {
			fields[name] = json.RawMessage(`"` + w[1-from] + `"`)
		}
	}
}

// joined makes one command line of a program and its arguments, so that who
// looks at the command sees all that would run.
func joined(fields map[string]json.RawMessage) {
	var command string
	var args []string
	if json.Unmarshal(fields["command"], &command) != nil || json.Unmarshal(fields["args"], &args) != nil || len(args) == 0 {
		return
	}
	text, err := json.Marshal(shell.Quote(append([]string{command}, args...)...))
	if err != nil {
		return
	}
	fields["command"] = text
	delete(fields, "args")
}
