package permission

import "testing"

func TestNarrower(t *testing.T) {
	for _, c := range []struct {
		parent Mode
		wanted string
		want   Mode
	}{
		{Default, "", Default},
		{Default, "read-only", ReadOnly},
		{Default, "bypassPermissions", Default},
		{FullAccess, "acceptEdits", AcceptEdits},
		{Plan, "default", Plan},
		{AcceptEdits, "nonsense", AcceptEdits},
	} {
		if got := Narrower(c.parent, c.wanted); got != c.want {
			t.Errorf("%s wants %q: %s, want %s", c.parent, c.wanted, got, c.want)
		}
	}
}

// Both kinds of names lead to the same tool.
func TestOwnName(t *testing.T) {
	for _, own := range []string{
		"run_command", "read_file", "edit_file", "write_file", "patch_file", "grep_files", "glob_files", "list_files", "web_fetch", "web_search",
		"spawn_agent", "load_skill", "todo_write", "ask_user", "propose_plan", "task_output", "task_stop",
	} {
		if got := OwnName(own); got != own {
			t.Errorf("%s is %s", own, got)
		}
		if theirs := TheirName(own); theirs == "" {
			continue
		}
		if got := OwnName(TheirName(own)); got != own {
			t.Errorf("%s, by the name %s, is %s", own, TheirName(own), got)
		}
	}
	if got := OwnName("mcp__db__query"); got != "mcp__db__query" {
		t.Errorf("%s", got)
	}
}
