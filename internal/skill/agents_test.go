package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFindAgents(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(project, ".claude/agents/reviewer.md"):      "---\nname: reviewer\ndescription: Reviews: code\ntools: Read, Grep, Bash(git diff:*)\nmodel: inherit\npermissionMode: plan\nmaxTurns: 5\n---\n\nYou review.\n",
		filepath.Join(project, ".claude/agents/bad name.md"):      "---\nname: ../x\n---\ntext",
		filepath.Join(project, ".claude/agents/empty.md"):         "---\nname: empty\n---\n",
		filepath.Join(home, ".claude/agents/reviewer.md"):         "Mine.",
		filepath.Join(home, ".minicode/agents/Tester.md"):         "\ufeff---\r\ndescription: Tests\r\ndisallowedTools:\r\n  - Write\r\n  - Edit\r\nmodel: haiku\r\n---\r\nYou test.\r\n",
		filepath.Join(home, ".minicode/agents/notes/ignored.md"):  "not looked at",
		filepath.Join(home, ".minicode/agents/.hidden.md"):        "not looked at",
		filepath.Join(home, ".minicode/agents/README"):            "not looked at",
		filepath.Join(home, ".minicode/agents/everything.md"):     "---\ntools: \"*\"\n---\nDo it.",
		filepath.Join(home, ".minicode/agents/broken: yaml 1.md"): "---\n{\n---\nText",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	places := Places{Project: project, Cwd: project, Home: home, Trusted: true}
	got := FindAgents(places.Agents())
	want := []Agent{
		{Name: "reviewer", Description: "Reviews: code", Tools: []string{"Read", "Grep", "Bash(git diff:*)"}, Mode: "plan", MaxSteps: 5, Text: "You review."},
		{Name: "Tester", Description: "Tests", Not: []string{"Write", "Edit"}, Model: "haiku", Text: "You test."},
		{Name: "everything", Description: "Do it.", Text: "Do it."},
	}
	if diff := cmp.Diff(want, got.All, cmpopts.IgnoreFields(Agent{}, "File", "Root", "Faults")); diff != "" {
		t.Error(diff)
	}
	all := strings.Join(got.Trouble, "\n")
	for _, part := range []string{"no name for it", "nothing in it", "is hidden by"} {
		if !strings.Contains(all, part) {
			t.Errorf("nothing of %q in\n%s", part, all)
		}
	}
	places.Trusted = false
	if got := FindAgents(places.Agents()); len(got.All) != 3 || got.All[1].Text != "Mine." && got.All[2].Text != "Mine." {
		t.Errorf("not trusted: %+v", got.All)
	}
}
