package permission

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Decision is what a rule says, and what comes of judging.
type Decision string

// The decisions, from the mildest.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Rule is one line of the settings' permissions, or of a flag. Its text is
// "tool" or "tool(spec)".
type Rule struct {
	Tool     string   // as written: our name for it or Claude Code's
	Spec     string   // what it is limited to; "" for every use
	Decision Decision // set by whoever knows the list it stood in; a rule without one says nothing
	Origin   string   // where it stood, for messages: "user settings"
	Own      bool     // from the person's own settings or flags, not from the project
}

// String is the rule in the syntax of the settings.
func (r Rule) String() string {
	if r.Spec == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Spec + ")"
}

// family is what a rule's tool name covers.
type family int

const (
	otherTool family = iota // one tool, by its name
	anyTool                 // a pattern of tool names
	command                 // commands, as exec effects
	reading                 // reads of files, by any tool
	writing                 // changes of files, by any tool
	viewing                 // one tool that lists or searches files
	fetching                // web_fetch
	searching               // web_search
	spawning                // sub-agents
	mcp                     // tools of MCP servers
)

// familyOf is what a tool's name stands for, and our own name of the tool.
func familyOf(name string) (family, string) {
	switch lower := strings.ToLower(name); lower {
	case "run_command", "bash":
		return command, "run_command"
	case "read_file", "read":
		return reading, "read_file"
	case "edit_file", "patch_file", "write_file", "modify_file", "edit", "write", "multiedit", "notebookedit":
		return writing, "edit_file"
	case "grep_files", "grep":
		return viewing, "grep_files"
	case "glob_files", "glob":
		return viewing, "glob_files"
	case "list_files", "ls":
		return viewing, "list_files"
	case "web_fetch", "webfetch":
		return fetching, "web_fetch"
	case "web_search", "websearch":
		return searching, "web_search"
	case "spawn_agent", "agent", "task":
		return spawning, "spawn_agent"
	case "load_skill", "skill":
		return otherTool, "load_skill"
	case "todo_write", "todowrite":
		return otherTool, "todo_write"
	case "ask_user", "askuserquestion":
		return otherTool, "ask_user"
	case "propose_plan", "exitplanmode":
		return otherTool, "propose_plan"
	case "task_output", "taskoutput", "bashoutput":
		return otherTool, "task_output"
	case "task_stop", "taskstop", "killshell":
		return otherTool, "task_stop"
	}
	switch {
	case strings.HasPrefix(name, "mcp__"):
		return mcp, name
	case strings.Contains(name, "*"):
		return anyTool, name
	}
	return otherTool, name
}

// TheirName is Claude Code's name of one of our tools, or "".
func TheirName(own string) string {
	switch own {
	case "run_command":
		return "Bash"
	case "read_file":
		return "Read"
	case "edit_file":
		return "Edit"
	case "write_file":
		return "Write"
	case "patch_file":
		return "MultiEdit"
	case "grep_files":
		return "Grep"
	case "glob_files":
		return "Glob"
	case "list_files":
		return "LS"
	case "web_fetch":
		return "WebFetch"
	case "web_search":
		return "WebSearch"
	case "spawn_agent":
		return "Agent"
	case "load_skill":
		return "Skill"
	case "todo_write":
		return "TodoWrite"
	case "task_output":
		return "TaskOutput"
	case "task_stop":
		return "TaskStop"
	}
	return ""
}

// ParseRule reads "tool" or "tool(spec)". Decision, Origin and Own are the
// caller's to set. Its error says what is wrong and what would be right.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Rule{}, errors.New("empty permission rule: write tool or tool(what), such as run_command(npm test:*)")
	}
	name, spec, limited := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	if !toolName(name) {
		return Rule{}, fmt.Errorf("permission rule %q: it begins with no tool's name; write tool or tool(what), such as run_command(npm test:*)", text)
	}
	if !limited {
		return Rule{Tool: name}, nil
	}
	if !strings.HasSuffix(spec, ")") {
		return Rule{}, fmt.Errorf("permission rule %q: the closing parenthesis is missing", text)
	}
	spec = spec[:len(spec)-1]
	fam, _ := familyOf(name)
	if fam != reading && fam != writing && fam != viewing {
		spec = strings.TrimSpace(spec)
	}
	if strings.TrimSpace(spec) == "" {
		return Rule{}, fmt.Errorf("permission rule %q: nothing between the parentheses; write %s for every use", text, name)
	}
	if err := checkSpec(fam, name, spec); err != nil {
		return Rule{}, fmt.Errorf("permission rule %q: %w", text, err)
	}
	return Rule{Tool: name, Spec: spec}, nil
}

func toolName(s string) bool {
	for _, r := range s {
		if r != '_' && r != '-' && r != '*' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}

func checkSpec(fam family, name, spec string) error {
	if spec == "*" {
		return nil
	}
	switch fam {
	case command:
		return nil
	case reading, writing, viewing:
		_, err := parseSpec(spec)
		return err
	case fetching, searching:
		_, err := domainOf(spec)
		return err
	case spawning:
		if _, err := path.Match(spec, ""); err != nil {
			return fmt.Errorf("%q is no pattern of names", spec)
		}
		return nil
	}
	return fmt.Errorf("%s takes nothing in parentheses; write %s for every use", name, name)
}

// domainOf is the host pattern of "domain:host" or of a bare host.
func domainOf(spec string) (string, error) {
	host := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(strings.TrimPrefix(spec, "domain:"))), ".")
	_, err := path.Match(host, "")
	if host == "" || err != nil || strings.ContainsAny(host, "/:@?# \t\n\\[]") {
		return "", fmt.Errorf("%q names no host; write domain:example.com or domain:*.example.com", spec)
	}
	return host, nil
}

// Problem says why the rule can never have an effect, or is "".
func (r Rule) Problem() string {
	fam, name := familyOf(r.Tool)
	switch {
	case fam == anyTool && r.Decision == Allow:
		return fmt.Sprintf("the allow rule %q has no effect: a pattern of tool names can deny and ask, not allow", r)
	case fam == mcp && r.Decision == Allow && !literalServer(r.Tool):
		return fmt.Sprintf("the allow rule %q has no effect: it must name the server, as in mcp__server__*", r)
	case fam == otherTool && TheirName(name) == "" && name != "ask_user" && name != "propose_plan":
		return fmt.Sprintf("the rule %q names no tool that comes with MiniCode", r)
	}
	return ""
}

// literalServer is whether a rule for MCP tools has no wildcard before its
// tool's part.
func literalServer(name string) bool {
	star := strings.IndexByte(name, '*')
	if star < 0 {
		return true
	}
	server := strings.TrimPrefix(name[:star], "mcp__")
	return strings.Contains(server, "__")
}

// Split takes apart lists of rules, or of names, as flags hold them: separated
// by commas or blanks outside parentheses.
func Split(lists ...string) (out []string) {
	for _, list := range lists {
		out = append(out, split(list)...)
	}
	return out
}

func split(list string) (out []string) {
	depth, start := 0, 0
	cut := func(end int) {
		if s := strings.TrimSpace(list[start:end]); s != "" {
			out = append(out, s)
		}
		start = end + 1
	}
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		case ',', ' ', '\t', '\n':
			if depth == 0 {
				cut(i)
			}
		}
	}
	if start <= len(list) {
		cut(len(list))
	}
	return out
}

// every is whether the rule covers every use of its tool.
func (r Rule) every() bool { return r.Spec == "" || r.Spec == "*" }
