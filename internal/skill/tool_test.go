package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// call prepares and runs load_skill.
func call(t *testing.T, c Catalog, limit int, name string, chosen ...string) (tool.Action, string, error) {
	t.Helper()
	load, ok := c.Tool(limit, chosen...)
	if !ok {
		t.Fatal("there is no tool")
	}
	args, err := json.Marshal(loadInput{name})
	if err != nil {
		t.Fatal(err)
	}
	action, err := load.Prepare(context.Background(), args)
	if err != nil {
		return action, "", err
	}
	result, err := action.Run(context.Background(), func(event.Signal) {})
	return action, result.Parts.Text(), err
}

func TestLoad(t *testing.T) {
	p, _ := world(t)
	root := filepath.Join(p.Project, ".claude/skills")
	put(t, root, map[string]string{
		"pdf/SKILL.md":         "\ufeff---\r\nname: pdf\r\ndescription: Reads PDFs.\r\ncompatibility: Needs\r\n  poppler.\r\n---\r\n\r\n# PDF\r\n\r\nRun ${CLAUDE_SKILL_DIR}/scripts/a.py.\r\n",
		"pdf/scripts/a.py":     "print()",
		"pdf/REFERENCE.md":     "More.",
		"pdf/.env":             "KEY=secret",
		"pdf/.git/config":      "",
		"pdf/link.md":          "-> ../../../x",
		"pdf/a\nb.md":          "",
		"pdf/node_modules/x/y": "",
		"plain/SKILL.md":       "Just says it.\n",
	})
	c := Find(p.Skills())
	action, text, err := call(t, c, 0, " PDF ")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "pdf")
	want := "SKILL: pdf\nSOURCE: project\nPATH: D/SKILL.md\nCOMPATIBILITY: Needs poppler.\nDIRECTORY: D (paths in the skill are relative to it)\n" +
		"FILES: (read one when the skill says so)\nD/REFERENCE.md\nD/scripts/a.py\n\n# PDF\n\nRun D/scripts/a.py."
	if diff := cmp.Diff(want, strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(dir), "D")); diff != "" {
		t.Error(diff)
	}
	if action.Title != "Load the skill pdf" || len(action.Effects) != 1 || action.Effects[0] != (event.Effect{Kind: event.Read, Target: filepath.Join(dir, "SKILL.md")}) {
		t.Errorf("%+v", action)
	}
	if _, text, err = call(t, c, 0, "plain"); err != nil || !strings.HasSuffix(text, "\n\nJust says it.") || strings.Contains(text, "FILES") {
		t.Errorf("%q, %v", text, err)
	}
	for name, want := range map[string]string{
		"pfd":         "Unknown skill: pfd. The nearest are: pdf, plain",
		"../pdf":      "Unknown skill: ../pdf. ",
		"":            "Unknown skill: . ",
		"a\x1b\u202e": "Unknown skill: a. ",
	} {
		if _, _, err := call(t, c, 0, name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, ok := (Catalog{}).Tool(0); ok {
		t.Error("a tool with nothing to load")
	}
}

// TestLoadManual: a skill that the person is to choose is not listed, and the
// model cannot choose it.
func TestLoadManual(t *testing.T) {
	p, _ := world(t)
	put(t, p.Project, map[string]string{".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys.\ndisable-model-invocation: true\n---\nDo it."})
	c := Find(p.Skills())
	if got := c.Text(0); got != "" {
		t.Errorf("listed: %q", got)
	}
	if _, text, err := call(t, c, 0, "deploy"); err == nil || !strings.Contains(err.Error(), "only the user") {
		t.Errorf("%q, %v", text, err)
	}
	if _, text, err := call(t, c, 0, "deploy", "Deploy"); err != nil || !strings.HasSuffix(text, "Do it.") {
		t.Errorf("%q, %v", text, err)
	}
	if _, _, err := call(t, c, 0, "deplo"); err == nil || err.Error() != "Unknown skill: deplo" {
		t.Error(err)
	}
}

// TestLoadAgain: the file is read when it is called, and what has become of it
// is told.
func TestLoadAgain(t *testing.T) {
	p, top := world(t)
	root := filepath.Join(p.Project, ".claude/skills")
	put(t, root, map[string]string{"a/SKILL.md": skillText("a", "Does it.")})
	c := Find(p.Skills())
	put(t, root, map[string]string{"a/SKILL.md": skillText("b", "Other.") + "Now this."})
	if _, text, err := call(t, c, 0, "a"); err != nil || !strings.HasSuffix(text, "Do it.\nNow this.") {
		t.Errorf("%q, %v", text, err)
	}
	put(t, root, map[string]string{"a/SKILL.md": "\x00"})
	if _, _, err := call(t, c, 0, "a"); err == nil || !strings.Contains(err.Error(), "not UTF-8 text") {
		t.Errorf("%v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := call(t, c, 0, "a"); err == nil || !strings.Contains(err.Error(), "not there any more") {
		t.Errorf("%v", err)
	}
	put(t, top, map[string]string{"secret/SKILL.md": "Secret.", "project/.claude/skills/a": "-> ../../../secret"})
	if _, text, err := call(t, c, 0, "a"); err == nil || !strings.Contains(err.Error(), "out of ") {
		t.Errorf("%q, %v", text, err)
	}
}

// TestLoadLong: a result keeps to its limit, and what it says leads to exactly
// the rest.
func TestLoadLong(t *testing.T) {
	p, _ := world(t)
	var lines []string
	for i := range 3_000 {
		lines = append(lines, fmt.Sprintf("Line %d, é, says something.", i))
	}
	text := skillText("long", "Does it.") + strings.Join(lines, "\n") + "\n"
	put(t, p.Project, map[string]string{".claude/skills/long/SKILL.md": text, ".claude/skills/one/SKILL.md": skillText("one", "Does it.") + strings.Repeat("é", 100_000)})
	for i := range 60 {
		put(t, p.Project, map[string]string{fmt.Sprintf(".claude/skills/long/references/%02d.md", i): ""})
	}
	c := Find(p.Skills())
	all := strings.Split(text, "\n")
	for _, limit := range []int{0, 8_000, 20_000, 500} {
		_, got, err := call(t, c, limit, "long")
		if err != nil {
			t.Fatal(err)
		}
		if limit == 0 {
			limit = resultChars
		}
		if n := utf8.RuneCountInString(got); limit > 500 && n > limit*9/10 {
			t.Errorf("limit %d: %d characters", limit, n)
		}
		if !strings.Contains(got, "references/39.md\nand 20 more\n") {
			t.Errorf("limit %d: not 40 files of 60", limit)
		}
		head, body, _ := strings.Cut(got, "for the rest\n\n")
		offset := 0
		if _, err := fmt.Sscanf(head[strings.LastIndex(head, "offset "):], "offset %d", &offset); err != nil {
			t.Fatalf("%v in %s", err, head)
		}
		if rest := strings.Join(all[offset-1:], "\n"); strings.TrimLeft(strings.SplitN(text, "---\n", 3)[2], "\n") != body+rest {
			t.Errorf("limit %d: the rest from line %d on does not follow %q", limit, offset, body[max(0, len(body)-40):])
		}
	}
	if _, got, err := call(t, c, 0, "one"); err != nil || !strings.Contains(got, "offset 7 for the rest") {
		t.Errorf("%v, %.400s", err, got)
	}
}

// TestSchema holds the schema against the arguments' type.
func TestSchema(t *testing.T) {
	load, _ := Catalog{Skills: []Skill{{}}}.Tool(0)
	var got, want map[string]any
	if err := json.Unmarshal(load.Spec().Schema, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(tool.SchemaOf[loadInput](), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	spec := load.Spec()
	if n := len(spec.Name) + len(spec.Description) + len(spec.Schema); n > 400 {
		t.Errorf("it costs %d bytes of every request", n)
	}
}

// TestLoaded folds messages.
func TestLoaded(t *testing.T) {
	calls := func(id, name, args string) llm.Message {
		return llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{llm.Text{Text: "x"}, llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}}
	}
	result := func(id string, failed bool) llm.Message {
		return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: id, Error: failed}}}
	}
	got := Loaded([]llm.Message{
		llm.NewText(llm.User, llm.Prompt, "load_skill"),
		calls("1", "load_skill", `{"name":" b "}`), result("1", false),
		calls("2", "load_skill", `{"name":"a"}`), calls("3", "load_skill", `{"name":"denied"}`), result("3", true), result("2", false),
		calls("4", "load_skill", `{"name":"b"}`), result("4", false),
		calls("5", "read_file", `{"name":"c"}`), result("5", false),
		calls("6", "load_skill", `{"name":"open"}`), calls("7", "load_skill", `{`), result("7", false), result("8", false),
	})
	if diff := cmp.Diff([]string{"b", "a"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPermissions: loading and the files of what is loaded need no question,
// and no allowance outranks a rule.
func TestPermissions(t *testing.T) {
	p, _ := world(t)
	put(t, p.Home, map[string]string{
		".claude/skills/mine/SKILL.md":      "---\nname: mine\ndescription: Does it.\nallowed-tools: Bash(git:*), Read(//**)\n---\n",
		".claude/skills/mine/references/a":  "",
		".claude/skills/mine/.env":          "",
		".claude/skills/other/SKILL.md":     skillText("other", "Does it."),
		".claude/skills/other/references/a": "",
	})
	c := Find(p.Skills())
	at := func(path string) event.Effect {
		return event.Effect{Kind: event.Read, Target: filepath.Join(p.Home, ".claude/skills", path)}
	}
	policy := permission.Policy{Mode: permission.Default, Root: p.Project, Home: p.Home, Free: c.Free(nil)}
	decide := func(name string, e event.Effect) permission.Decision {
		return permission.Decide(policy, name, []event.Effect{e}, nil, tool.Advice{}).Decision
	}
	action, _, err := call(t, c, 0, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := decide(ToolName, action.Effects[0]); got != permission.Allow {
		t.Errorf("loading: %s", got)
	}
	if got := decide("read_file", at("mine/references/a")); got != permission.Ask {
		t.Errorf("a file of what is not loaded: %s", got)
	}
	policy.Free = c.Free([]string{"mine"})
	for path, want := range map[string]permission.Decision{"mine/references/a": permission.Allow, "mine/.env": permission.Ask, "other/references/a": permission.Ask, "mine/../other/references/a": permission.Ask} {
		if got := decide("read_file", at(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	git := event.Effect{Kind: event.Exec, Target: "git push", Class: event.NeedsAsk}
	if got := decide("run_command", git); got != permission.Ask {
		t.Errorf("git: %s", got)
	}
	for _, a := range c.Allowances([]string{"mine"}) {
		rule, err := permission.ParseRule(a.Rule)
		if err != nil {
			t.Fatal(err)
		}
		rule.Decision, rule.Origin = permission.Allow, a.Origin
		policy.Rules = append(policy.Rules, rule)
	}
	if got := decide("run_command", git); got != permission.Allow {
		t.Errorf("git, allowed: %s", got)
	}
	if got := decide("read_file", at("mine/.env")); got != permission.Ask {
		t.Errorf("a secret, allowed: %s", got)
	}
	for _, deny := range []string{"Bash(git push:*)", "Read(~/.claude/**)", "load_skill"} {
		rule, err := permission.ParseRule(deny)
		if err != nil {
			t.Fatal(err)
		}
		rule.Decision, rule.Own = permission.Deny, true
		policy.Rules = append(policy.Rules, rule)
	}
	if got := decide("run_command", git); got != permission.Deny {
		t.Errorf("git, denied: %s", got)
	}
	if got := decide(ToolName, action.Effects[0]); got != permission.Deny {
		t.Errorf("loading, denied: %s", got)
	}
}
