package ruleset_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/ruleset"
)

// place is a person's home with settings, and a project.
type place struct {
	home, project, user, own string
	flags                    []config.Flag
}

func newPlace(t *testing.T, user, own string) *place {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	p := &place{
		home: home, project: project,
		user: filepath.Join(home, ".config", "minicode", "settings.json"), own: filepath.Join(home, "state", "settings.json"),
	}
	p.write(t, p.user, user)
	p.write(t, p.own, own)
	return p
}

func (p *place) write(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *place) read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// open reads the settings as a new run of the program would.
func (p *place) open(t *testing.T) (*ruleset.Set, []string) {
	t.Helper()
	loaded, err := config.Load(config.Input{
		Home: p.home, Cwd: p.project, ProjectRoot: p.project, GOOS: "linux", Env: map[string]string{"HOME": p.home}, OwnProjectFile: p.own, Flags: p.flags,
	})
	if err != nil {
		t.Fatal(err)
	}
	set, problems, err := ruleset.New(ruleset.Input{Settings: loaded, Root: p.project, Cwd: p.project, Home: p.home, Project: p.own, AddDirs: []string{"beside"}})
	if err != nil {
		t.Fatal(err)
	}
	return set, problems
}

func spelled(rules []permission.Rule) (out []string) {
	for _, r := range rules {
		out = append(out, string(r.Decision)+" "+r.String())
	}
	return out
}

func find(t *testing.T, s *ruleset.Set, text string) permission.Rule {
	t.Helper()
	rules := s.Policy().Rules
	at := slices.Index(spelled(rules), text)
	if at < 0 {
		t.Fatalf("there is no %s in %q", text, spelled(rules))
	}
	return rules[at]
}

const commented = `{
  // What I allow.
  "permissions": {
    "allow": [
      "Bash(make test)", // it is quick
      "Bash( make  lint )", /* as well */
    ],
    "deny": ["Read(/secret/**)"],
  },
}
`

// TestChangesAreKept: a rule that was added or dropped is so now and for the
// next run, and the rest of the file stays as it was.
func TestChangesAreKept(t *testing.T) {
	p := newPlace(t, commented, "")
	s, problems := p.open(t)
	if len(problems) > 0 {
		t.Error(problems)
	}
	if err := s.Add(event.AlwaysUser, "ask", " Bash(git push:*) "); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(event.AlwaysUser, "ask", "Bash(git push:*)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(event.AlwaysProject, "allow", "Bash(go test ./...)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(find(t, s, "allow Bash(make  lint)")); err != nil {
		t.Fatal(err)
	}
	want := []string{"deny Read(/secret/**)", "allow Bash(make test)", "ask Bash(git push:*)", "allow Bash(go test ./...)"}
	if diff := cmp.Diff(want, spelled(s.Policy().Rules)); diff != "" {
		t.Error(diff)
	}
	if got := find(t, s, "allow Bash(make test)"); got.Origin != p.user || !got.Own {
		t.Errorf("%+v", got)
	}
	again, _ := p.open(t)
	for _, r := range want {
		find(t, again, r)
	}
	if got := len(again.Policy().Rules); got != len(want) {
		t.Errorf("the next run has %q", spelled(again.Policy().Rules))
	}
	const after = `{
  // What I allow.
  "permissions": {
    "allow": [
      "Bash(make test)", // it is quick
    ],
    "deny": ["Read(/secret/**)"],
    "ask": [
      "Bash(git push:*)"
    ],
  },
}
`
	if diff := cmp.Diff(after, p.read(t, p.user)); diff != "" {
		t.Error(diff)
	}
}

// TestTwice: a rule that stands in a file twice is gone when it was dropped
// once; the same rule of another file is not.
func TestTwice(t *testing.T) {
	p := newPlace(t, `{"permissions":{"allow":["Bash(make)","Bash(ls)","Bash(make)"]}}`, `{"permissions":{"allow":["Bash(make)"]}}`)
	s, _ := p.open(t)
	if err := s.Drop(find(t, s, "allow Bash(make)")); err != nil {
		t.Fatal(err)
	}
	want := []string{"allow Bash(ls)", "allow Bash(make)"}
	if diff := cmp.Diff(want, spelled(s.Policy().Rules)); diff != "" {
		t.Error(diff)
	}
	again, _ := p.open(t)
	if diff := cmp.Diff(want, spelled(again.Policy().Rules)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsNotOurs: only the person's own two files are written.
func TestWhatIsNotOurs(t *testing.T) {
	p := newPlace(t, `{"sandbox":{"mode":"required"}}`, "")
	p.write(t, filepath.Join(p.project, ".minicode", "settings.json"), `{"permissions":{"deny":["Bash(rm:*)"]}}`)
	p.flags = []config.Flag{{Name: "--allowed-tools", Key: "permissions.allow", Value: []string{"Bash(ls)"}}}
	s, _ := p.open(t)
	before := spelled(s.Policy().Rules)
	for rule, where := range map[string]string{"deny Bash(rm:*)": ".minicode/settings.json:1", "allow Bash(ls)": "--allowed-tools", "deny run_command": "(sandbox.mode)"} {
		err := s.Drop(find(t, s, rule))
		if !errors.Is(err, ruleset.ErrNotOurs) || !strings.Contains(err.Error(), where) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if err := s.Drop(permission.Rule{Tool: "Bash", Decision: "allow"}); err == nil {
		t.Error("dropped what is not there")
	}
	if diff := cmp.Diff(before, spelled(s.Policy().Rules)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeAdded(t *testing.T) {
	p := newPlace(t, "", "")
	s, _ := p.open(t)
	for _, c := range []struct {
		scope          event.Choice
		decision, rule string
	}{
		{event.AlwaysUser, "permit", "Bash(ls)"},
		{event.Once, "allow", "Bash(ls)"},
		{event.AlwaysUser, "allow", "Bash(ls"},
		{event.AlwaysUser, "allow", ""},
		{event.AlwaysProject, "allow", "mcp__*"},
		{event.AlwaysProject, "deny", "Bahs(ls)"},
	} {
		if err := s.Add(c.scope, c.decision, c.rule); err == nil {
			t.Errorf("%+v was added", c)
		}
	}
	if rules := s.Policy().Rules; len(rules) > 0 {
		t.Error(rules)
	}
	if _, err := os.Stat(p.user); err == nil {
		t.Error("a file was made for nothing")
	}
}

func TestPolicy(t *testing.T) {
	p := newPlace(t, `{"permissions":{"allow":["mcp__*","nonesuch"],"additionalDirectories":["/else"],"protected":["x"]},"mcpServers":{"s":{"command":"c","readOnlyTools":["t"]}}}`, "")
	s, problems := p.open(t)
	if len(problems) != 2 {
		t.Errorf("problems: %q", problems)
	}
	got := s.Policy()
	if diff := cmp.Diff([]string{filepath.Join(p.project, "beside"), "/else"}, got.Additional); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"s/t"}, got.ReadOnlyTools); diff != "" {
		t.Error(diff)
	}
	// What is allowed for ever cannot be written by a tool unasked.
	for _, path := range []string{p.user, p.own} {
		protected, _ := got.Guards()
		if !protected(path) {
			t.Errorf("%s is not protected", path)
		}
	}
}

// TestSideBySide: a policy that was given out does not change.
func TestSideBySide(t *testing.T) {
	p := newPlace(t, `{"permissions":{"allow":["Bash(ls)"]}}`, "")
	s, _ := p.open(t)
	before := s.Policy()
	var wg sync.WaitGroup
	for _, rule := range []string{"Bash(a)", "Bash(b)", "Bash(c)"} {
		wg.Go(func() {
			if err := s.Save(event.AlwaysProject, "allow", []string{rule}); err != nil {
				t.Error(err)
			}
			if err := s.Drop(find(t, s, "allow "+rule)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff([]string{"allow Bash(ls)"}, spelled(before.Rules)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(spelled(before.Rules), spelled(s.Policy().Rules)); diff != "" {
		t.Error(diff)
	}
}
