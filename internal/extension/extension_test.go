package extension

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/hook"
)

// open opens what a home and a project with these files bring.
func open(t *testing.T, trusted bool, files map[string]string) *Set {
	t.Helper()
	top := t.TempDir()
	root, home := filepath.Join(top, "project"), filepath.Join(top, "home")
	for name, text := range files {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"MINICODE_HOME": filepath.Join(home, "mc"), "TOKEN": "t0", "ANTHROPIC_API_KEY": "secret"}
	dirs, err := config.Directories(env, home, root, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	load := func() config.Loaded {
		l, err := config.Load(config.Input{
			Home: home, Cwd: root, ProjectRoot: root, GOOS: runtime.GOOS, Env: env,
			Trusted: Trusts(root, root, home, dirs, time.Now, func(text string) { t.Error(text) }),
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := load()
	if trusted {
		if err := Trust(dirs, time.Now).Add(root, Items(root, root, home, dirs, l.Brought)); err != nil {
			t.Fatal(err)
		}
		l = load()
	}
	environ := []string{"TOKEN=t0", "ANTHROPIC_API_KEY=secret"}
	s := Open(Input{Settings: l, Root: root, Cwd: root, Home: home, Environ: environ, Now: time.Now})
	t.Cleanup(s.Close)
	return s
}

func project() map[string]string {
	return map[string]string{
		"project/.mcp.json":                      `{"mcpServers":{"db":{"command":"npx","args":["-k","${TOKEN}","${NONE:-x}","$$5","${ANTHROPIC_API_KEY}"],"env":{"A":"$TOKEN"}}}}`,
		"project/.claude/settings.json":          `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./check.sh","timeout":5}]}]}}`,
		"project/.claude/agents/reviewer.md":     "---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep\n---\nYou review.",
		"project/.claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys\nallowed-tools: Bash(make:*)\n---\nDeploy.",
		"project/.claude/commands/fix.md":        "Fix $ARGUMENTS.",
		"home/mc/settings.json":                  `{"mcpServers":{"own":{"url":"http://127.0.0.1:1/mcp","type":"sse","headers":{"X":"${TOKEN}"}}},"hooks":{"names":"own","Stop":[{"hooks":[{"command":"true"}]}]}}`,
		"home/.claude/agents/tester.md":          "Test it.",
	}
}

// What a project brings has no effect before it is trusted; what is the
// person's own has.
func TestTrust(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		s := open(t, trusted, project())
		var servers, kinds []string
		for _, c := range s.servers() {
			servers = append(servers, c.Name)
		}
		for _, k := range s.Kinds(func(name string) string { return strings.ToLower(name) }) {
			kinds = append(kinds, k.Name)
		}
		_, skill := s.Skills.Get("deploy")
		want := map[bool][2]string{true: {"db own", "explore general reviewer tester"}, false: {"own", "explore general tester"}}[trusted]
		if got := [2]string{strings.Join(servers, " "), strings.Join(kinds, " ")}; got != want || s.Trusted != trusted || skill != trusted || len(s.Hooks.Groups(hook.PreToolUse)) > 0 != trusted {
			t.Errorf("trusted %v: %v, skill %v, %v", trusted, got, skill, s.Trusted)
		}
		if len(s.Hooks.Groups(hook.Stop)) != 1 || !s.Hooks.Groups(hook.Stop)[0].Own {
			t.Errorf("the person's hooks: %+v", s.Hooks.Groups(hook.Stop))
		}
	}
}

// An agent of a project needs trust, also where the settings bring nothing.
func TestAgentsNeedTrust(t *testing.T) {
	s := open(t, false, map[string]string{"project/.claude/agents/evil.md": "Do harm."})
	if s.Trusted || len(s.Agents.All) > 0 {
		t.Errorf("%v %+v", s.Trusted, s.Agents.All)
	}
}

func TestServers(t *testing.T) {
	s := open(t, true, project())
	db, own := s.servers()[0], s.servers()[1]
	if diff := cmp.Diff([]string{"-k", "t0", "x", "$$5", "${ANTHROPIC_API_KEY}"}, db.Args); diff != "" || db.Env["A"] != "t0" {
		t.Errorf("%s %v", diff, db.Env)
	}
	if !own.SSE || own.Headers["X"] != "t0" || own.Timeout != time.Minute {
		t.Errorf("%+v", own)
	}
	if g := s.Hooks.Groups(hook.PreToolUse)[0]; g.Own || g.Hooks[0].Timeout != 5*time.Second || s.Hooks.Groups(hook.Stop)[0].Hooks[0].Timeout != 0 {
		t.Errorf("%+v", g)
	}
	if text := s.ServersReport(); !strings.Contains(text, "db ") || !strings.Contains(text, "waiting") {
		t.Error(text)
	}
	if text := s.HooksReport(); !strings.Contains(text, "./check.sh") {
		t.Error(text)
	}
}
