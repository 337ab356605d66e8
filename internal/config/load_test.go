package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// world is a home and a project with files in them.
type world struct {
	t  *testing.T
	in Input
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, in: Input{
		Home: filepath.Join(dir, "home"), ProjectRoot: filepath.Join(dir, "project"), GOOS: runtime.GOOS,
		Env: map[string]string{"MINICODE_HOME": filepath.Join(dir, "home", "mc")},
	}}
	w.in.Cwd = w.in.ProjectRoot
	for _, d := range []string{w.in.Home, w.in.ProjectRoot} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		w.write(name, content)
	}
	return w
}

func (w *world) path(name string) string {
	return filepath.Join(filepath.Dir(w.in.Home), filepath.FromSlash(name))
}

func (w *world) write(name, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) load() Loaded {
	w.t.Helper()
	l, err := Load(w.in)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

const user = "home/mc/settings.json"

func TestLayersAndOrigins(t *testing.T) {
	w := newWorld(t, map[string]string{
		user:                                    "\ufeff{\n  // mine\n  \"model\": \"a/one\",\n  \"effort\": \"low\",\n  \"limits\": {\"maxSteps\": 2e2, \"resultChars\": 9000,},\n  \"permissions\": {\"allow\": [\"Bash(ls)\"], \"deny\": [\"Read(x)\"]}\n}",
		"project/.minicode/settings.json":       `{"permissions": {"deny": ["Read(x)", "Bash(rm:*)"]}, "terminal": {"theme": "dark"}}`,
		"project/.minicode/settings.local.json": `{"terminal": {"theme": "light"}}`,
		"own.json":                              `{"permissions": {"allow": ["Bash(make)"]}, "mode": "plan"}`,
		"extra.json":                            `{"limits": {"maxSteps": 7}}`,
	})
	w.in.OwnProjectFile = w.path("own.json")
	w.in.Env["MINICODE_MODEL"] = "b/two"
	w.in.Env["OLLAMA_HOST"] = "0.0.0.0"
	w.in.SettingsFiles = []string{"../extra.json", `{"effort": "high"}`}
	w.in.Flags = []Flag{{"--model", "model", "c/three"}, {"--allowed-tools", "permissions.allow", []string{"Read", "Bash(ls)"}}}
	l := w.load()
	c := l.Config
	if c.Model != "c/three" || c.Effort != "high" || c.Limits.MaxSteps != 7 || c.Limits.ResultChars != 9000 || c.Terminal.Theme != "light" || c.Mode != "plan" {
		t.Errorf("settings %+v", c)
	}
	if got := c.Providers["ollama"]; got.BaseURL != "http://127.0.0.1:11434/v1" || got.IdleTimeoutMs != 120000 {
		t.Errorf("ollama %+v", got)
	}
	for key, want := range map[string]string{
		"model": "--model", "effort": "--settings:1", "limits.maxSteps": w.path("extra.json") + ":1", "limits.resultChars": w.path(user) + ":5",
		"limits.batchChars": "default", "terminal.theme": w.path("project/.minicode/settings.local.json") + ":1",
		"providers.ollama.baseUrl": "$OLLAMA_HOST", "permissions.deny[0]": w.path(user) + ":6", "permissions.deny[1]": w.path("project/.minicode/settings.json") + ":1",
		"permissions.allow[2]": "--allowed-tools",
	} {
		if got := l.Origins[key].String(); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
	var rules []string
	for _, r := range l.Rules {
		own := ""
		if r.Own {
			own = " own"
		}
		rules = append(rules, r.Decision+" "+r.Text+own)
	}
	want := []string{"deny Read(x) own", "allow Bash(ls) own", "allow Bash(make) own", "deny Read(x)", "deny Bash(rm:*)", "allow Read own", "allow Bash(ls) own"}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
	if len(l.Warnings) != 0 {
		t.Errorf("warnings %q", l.Warnings)
	}
}

func TestNothingSetIsTheDefaults(t *testing.T) {
	w := newWorld(t, nil)
	if diff := cmp.Diff(Default(), w.load().Config); diff != "" {
		t.Error(diff)
	}
	for _, blank := range []string{"", " \n", "\ufeff", "{}", "{\"model\": null, \"providers\": {\"x\": null}}\n// end"} {
		w.write(user, blank)
		if diff := cmp.Diff(Default(), w.load().Config, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", blank, diff)
		}
	}
}

func TestBrokenFilesNamePlaceAndFault(t *testing.T) {
	for _, c := range []struct{ content, where, what string }{
		{"{\n  \"model\": \"a\"\n  \"mode\": \"plan\"\n}", ":3:3", `a comma (or "}") is missing before "\""`},
		{"{\"model\": \"ä\" x}", ":1:15", "is missing before x"},
		{"{\"permissions\": {\"deny\": [\"a\" \"b\"]}}", ":1:31", `a comma (or "]")`},
		{"{model: 1}", ":1:2", `a key needs double quotes: "model"`},
		{"{'model': 1}", ":1:2", "use double quotes"},
		{"{5: 1}", ":1:2", "a key in double quotes"},
		{"{\"model\" \"a\"}", ":1:10", `a ":" is missing`},
		{"{\"model\": }", ":1:11", "a value is missing before }"},
		{"{\"model\": yes}", ":1:11", "yes is no value"},
		{"{\"model\": \"C:\\qwen\"}", ":1:11", "wrong escape"},
		{"{\"model\": \"a", ":2:1", "closing quote is missing"},
		{"{\"model\": \"a\"", ":2:1", "ends too early"},
		{"{\"model\": \"a\" /* ", ":", "comment is not closed"},
		{"{} {}", ":1:4", "nothing may follow"},
		{"[]", ":1:1", "settings are an object"},
		{"{\"model\": \"a\", \"model\": \"b\"}", ":1:16", "stands twice"},
		{"{\"model\": 5}", ":1:11", "model: text in double quotes should stand here, not 5"},
		{"{\"mode\": \"yolo\"}", ":1:10", "yolo is not one of plan, read-only"},
		{"{\"limits\": {\"maxSteps\": 1.5}}", ":1:25", "a whole number should stand here"},
		{"{\"limits\": {\"maxSteps\": -1}}", ":1:25", "at least 0"},
		{"{\"context\": {\"clearAt\": 50}}", ":1:25", "at most 1"},
		{"{\"limits\": {\"maxSteps\": 1e99}}", ":1:25", "too big"},
		{"{\"permissions\": {\"deny\": \"Bash\"}}", ":1:26", "permissions.deny: a list should stand here"},
		{"{\"permissions\": {\"deny\": [null]}}", ":1:27", "permissions.deny[0]"},
		{"{\"providers\": {\"x\": {\"apiKey\": {\"command\": []}}}}", ":1:32", "providers.x.apiKey: a key"},
		{"{\"models\": {\"a/b.c\": {\"context\": \"x\"}}}", ":1:34", `models."a/b.c".context`},
		{"\xff\xfe{\x00}\x00", ":1:1", "UTF-16"},
		{"{\"model\": \"\xff\"}", ":1:12", "not UTF-8"},
		{strings.Repeat("[", 5000), ":1:101", "levels deep"},
		{"{\"env\": {\"A\": [" + strings.Repeat(" ", 1<<20) + "]}}", ":", "larger than 1 MiB"},
	} {
		for _, name := range []string{user, "project/.minicode/settings.json", "project/.claude/settings.local.json", "home/.mini-code/settings.json", "home/.claude/settings.json", "project/x.json"} {
			part := strings.Contains(c.what, "should stand here, not") || strings.Contains(c.what, "yolo") || strings.Contains(c.what, "number") || strings.Contains(c.what, "at ") || strings.Contains(c.what, "too big") || strings.Contains(c.what, "rs.x") || strings.Contains(c.what, "context") || strings.Contains(c.what, "permissions.deny")
			if part && name != user && name != "project/x.json" {
				continue // a setting that these files do not have
			}
			w := newWorld(t, map[string]string{name: c.content})
			if name == "project/x.json" {
				w.in.SettingsFiles = []string{"x.json"}
			}
			_, err := Load(w.in)
			var fault *FileError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), w.path(name)+c.where) || !strings.Contains(err.Error(), c.what) {
				t.Errorf("%.40q in %s: %v\nwant %s %s", c.content, name, err, c.where, c.what)
			}
		}
	}
}

func TestDenyOfAWrongShapeRefusesEverywhere(t *testing.T) {
	for _, name := range []string{user, "project/.minicode/settings.json", "project/.claude/settings.json", "home/.claude/settings.json"} {
		for _, content := range []string{`{"permissions": {"deny": "Bash"}}`, `{"permissions": ["deny"]}`, `{"permissions": {"deny": [1]}}`} {
			if _, err := Load(newWorld(t, map[string]string{name: content}).in); err == nil {
				t.Errorf("%s: %s was accepted", name, content)
			}
		}
	}
}

func TestUnknownKeysAreNamedWithTheNearest(t *testing.T) {
	w := newWorld(t, map[string]string{user: "{\n \"$schema\": \"x\",\n \"modle\": \"a\",\n \"permissions\": {\"alow\": [], \"\\u001b[2J\": 1},\n \"something\": {\"deep\": 1}\n}"})
	l := w.load()
	want := w.path(user) + `: unknown settings are kept but have no effect: modle (line 3; did you mean model?), permissions.alow (line 4; did you mean permissions.allow?), permissions."\x1b[2J" (line 4), something (line 5)`
	if len(l.Warnings) != 1 || l.Warnings[0] != want {
		t.Errorf("warnings %q\nwant %q", l.Warnings, want)
	}
}

func TestThresholdsOutOfOrder(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`: "",
		`{"clearAt": 0.5, "snipAt": 0.5, "collapseAt": 0.5, "summarizeAt": 0.5, "refuseAt": 0.5}`: "",
		`{"clearAt": 0, "snipAt": 0, "collapseAt": 0.1, "summarizeAt": 0, "refuseAt": 0.2}`:       "",
		`{"clearAt": 0, "snipAt": 0, "collapseAt": 0, "summarizeAt": 0, "refuseAt": 0}`:           "",
		`{"snipAt": 0.4}`:                                            "context.snipAt (0.4) is below context.clearAt (0.5): ",
		`{"snipAt": 0, "collapseAt": 0.4}`:                           "context.collapseAt (0.4) is below context.clearAt (0.5): ",
		`{"clearAt": 0.9, "refuseAt": 0.3}`:                          "context.snipAt (0.7) is below context.clearAt (0.9), and context.refuseAt (0.3) is below context.summarizeAt (0.85): ",
		`{"auto": false, "summarizeAt": 0.2, "collapseAt": 0.21234}`: "context.collapseAt (0.21234) is below context.snipAt (0.7), and context.summarizeAt (0.2) is below context.collapseAt (0.21234): ",
	} {
		l := newWorld(t, map[string]string{user: `{"context": ` + settings + `}`}).load()
		if want == "" && len(l.Warnings) == 0 {
			continue
		}
		if len(l.Warnings) != 1 || want == "" || !strings.HasPrefix(l.Warnings[0], want) {
			t.Errorf("%s: %q, want %q", settings, l.Warnings, want)
		}
	}
}

func TestAProjectOnlyNarrows(t *testing.T) {
	all := `{"model": "evil/x", "mode": "full-access", "env": {"PATH": "/evil", "ANTHROPIC_BASE_URL": "http://evil"},
		"providers": {"anthropic": {"baseUrl": "http://evil", "apiKey": {"command": ["evil"]}}}, "hooks": {"Stop": [{"hooks": [{"command": "evil"}]}]},
		"mcpServers": {"evil": {"command": "evil"}}, "sandbox": {"mode": "off"}, "limits": {"maxSteps": "no number"},
		"permissions": {"allow": ["Bash"], "additionalDirectories": ["/"], "defaultMode": "bypassPermissions", "deny": ["Bash(a)"], "ask": ["Bash(b)"]},
		"terminal": {"keys": {"yes": "enter"}, "notify": "off", "theme": "dark"}, "statusLine": {"command": "evil"}}`
	w := newWorld(t, map[string]string{
		"project/.minicode/settings.json": all, "project/.minicode/settings.local.json": all,
		"project/.claude/settings.json": all, "project/.claude/settings.local.json": all,
	})
	l := w.load()
	want := Default()
	want.Permissions.Deny, want.Permissions.Ask = []string{"Bash(a)"}, []string{"Bash(b)"}
	want.Terminal.Notify, want.Terminal.Theme = "off", "dark"
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Error(diff)
	}
	for _, r := range l.Rules {
		if r.Own || r.Decision == "allow" {
			t.Errorf("rule %+v", r)
		}
	}
	if len(l.Warnings) != 1 {
		t.Fatalf("%d notices: %q", len(l.Warnings), l.Warnings)
	}
	for _, name := range []string{"permissions.allow (.claude/settings.json:4, .claude/settings.local.json:4, .minicode/settings.json:4, .minicode/settings.local.json:4)", "mode (.minicode/settings.json:1", "providers (", "terminal.keys ("} {
		if !strings.Contains(l.Warnings[0], name) {
			t.Errorf("the notice does not name %s: %s", name, l.Warnings[0])
		}
	}
	if strings.Contains(l.Warnings[0], "statusLine (.claude") {
		t.Errorf("Claude Code's own settings are none of ours: %s", l.Warnings[0])
	}
	if got := l.Env(nil)["ANTHROPIC_BASE_URL"]; got != "" {
		t.Errorf("the base URL is %s", got)
	}
}

func TestThePersonsFileIsNotReadAgainAsTheProjects(t *testing.T) {
	w := newWorld(t, map[string]string{"project/.minicode/settings.json": `{"permissions": {"allow": ["Bash(ls)"]}}`})
	w.in.Env["MINICODE_HOME"] = w.path("project/.minicode")
	l := w.load()
	if len(l.Warnings) != 0 || len(l.Rules) != 1 || !l.Rules[0].Own {
		t.Errorf("rules %+v, warnings %q", l.Rules, l.Warnings)
	}
}

func TestOlderSettingsCount(t *testing.T) {
	w := newWorld(t, map[string]string{
		"home/.claude/settings.json": `{"model": "opus", "permissions": {"allow": ["Bash(ls)"], "defaultMode": "plan"}, "statusLine": {}, "env": {"ANTHROPIC_API_KEY": "from-claude", "N": 1},
			"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}], "Elsewhere": []}}`,
		"home/.mini-code/settings.json": `{"model": "claude-x", "maxOutputTokens": 5, "env": {"ANTHROPIC_BASE_URL": "http://old", "ANTHROPIC_AUTH_TOKEN": "old-token", "MORE": "1"}}`,
		"home/.mini-code/mcp.json":      `{"mcpServers": {"s": {"url": "http://s", "protocol": "streamable-http", "env": {"A": 1}}}}`,
		"home/.mini-code/permissions.json": `{"allowedDirectoryPrefixes": ["/data"], "deniedDirectoryPrefixes": ["/no[t]/"], "allowedCommandPatterns": ["make test", "rm *"],
			"deniedCommandPatterns": ["rm x"], "allowedEditPatterns": ["/a/b.go", "/a/*.go"], "deniedEditPatterns": ["/c!.go"]}`,
		user: `{"hooks": {"names": "own", "PreToolUse": [{"hooks": [{"command": "y"}]}, {"names": "claude", "hooks": []}]}}`,
	})
	w.in.Env["ANTHROPIC_API_KEY"] = ""
	l := w.load()
	c := l.Config
	if c.Model != "anthropic/claude-x" || c.Mode != "default" || c.Providers["anthropic"].BaseURL != "http://old" {
		t.Errorf("model %q, mode %q, providers %+v", c.Model, c.Mode, c.Providers)
	}
	if diff := cmp.Diff(map[string]string{"N": "1", "MORE": "1"}, c.Env); diff != "" {
		t.Error(diff)
	}
	env := l.Env(w.in.Env)
	if env["ANTHROPIC_API_KEY"] != "from-claude" || env["ANTHROPIC_AUTH_TOKEN"] != "old-token" || w.in.Env["ANTHROPIC_API_KEY"] != "" {
		t.Errorf("env %v", env)
	}
	if s := c.MCPServers["s"]; s.Type != "streamable-http" || !s.Enabled || s.TimeoutMs != 60000 || s.Env["A"] != "1" {
		t.Errorf("server %+v", s)
	}
	var names []string
	for _, g := range c.Hooks.For("PreToolUse") {
		names = append(names, g.Names)
	}
	if diff := cmp.Diff([]string{"claude", "own", "claude"}, names); diff != "" {
		t.Error(diff)
	}
	if h := c.Hooks.PreToolUse[0].Hooks[0]; h.Type != "command" || h.Timeout != 5 {
		t.Errorf("hook %+v", h)
	}
	want := Permissions{
		Allow: []string{"Bash(ls)", "Bash(make test)", "Edit(//a/b.go)"}, Ask: []string{},
		Deny:                  []string{"Read(//no?t?)", "Read(//no?t?/**)", "Edit(//no?t?)", "Edit(//no?t?/**)", "Bash(rm x)", "Edit(//c?.go)"},
		AdditionalDirectories: []string{"/data"}, Protected: []string{}, Secrets: []string{},
	}
	if diff := cmp.Diff(want, c.Permissions); diff != "" && runtime.GOOS != "windows" {
		t.Error(diff)
	}
	for _, r := range l.Rules {
		if r.Own {
			t.Errorf("%+v is not of our own settings", r)
		}
	}
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "maxOutputTokens") {
		t.Errorf("warnings %q", l.Warnings)
	}
	w.in.Env["ANTHROPIC_MODEL"] = "m"
	w.in.Env["MINI_CODE_HOME"] = w.path("nowhere")
	if l := w.load(); l.Config.Model != "anthropic/m" || l.Origins["model"].String() != "$ANTHROPIC_MODEL" {
		t.Errorf("model %q from %s", l.Config.Model, l.Origins["model"])
	}
}

func TestAPriceIsUnknownUntilItIsSet(t *testing.T) {
	w := newWorld(t, map[string]string{user: `{"models": {"lab/a": {"context": 9000}, "lab/b": {"price": {"input": 1}}}}`})
	models := w.load().Config.Models
	if p := models["lab/a"].Price; p != nil {
		t.Errorf("a model without a price costs %+v", *p)
	}
	if p := models["lab/b"].Price; p == nil || *p != (Price{Input: 1}) {
		t.Errorf("the price that was set is %+v", p)
	}
}

func TestWhatIsNotBuiltIsSaid(t *testing.T) {
	w := newWorld(t, map[string]string{user: `{"fallbackModel": "b", "sandbox": {"mode": "on"}, "hooks": {"Stop": [{"hooks": []}], "PreCompact": [{"hooks": []}, {"hooks": []}]},
		"models": {"lab/a": {"toolFormat": "text"}}, "terminal": {"theme": "dark"}, "mcpServers": {"s": {"command": "x", "args": ["y"], "deferTools": true}}}`})
	l := w.load()
	if len(l.Warnings) != 1 || len(l.Rules) != 0 {
		t.Fatalf("warnings %q, rules %+v", l.Warnings, l.Rules)
	}
	for _, name := range []string{"fallbackModel", "sandbox.mode", `toolFormat"`, "hooks.PreCompact", "mcpServers.s.deferTools"} {
		if strings.Count(l.Warnings[0], name+" (") != 1 {
			t.Errorf("%s is not named once: %s", name, l.Warnings[0])
		}
	}
	if strings.Contains(l.Warnings[0], "theme") || strings.Contains(l.Warnings[0], "hooks.Stop") || strings.Contains(l.Warnings[0], "mcpServers.s (") {
		t.Error(l.Warnings[0])
	}
	w.write(user, `{"sandbox": {"mode": "required"}}`)
	l = w.load()
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "no sandbox yet") {
		t.Errorf("warnings %q", l.Warnings)
	}
	if len(l.Rules) != 1 || l.Rules[0].Text != "run_command" || l.Rules[0].Decision != "deny" {
		t.Errorf("a sandbox is required, there is none, and the rules are %+v", l.Rules)
	}
}

func TestFlagsAreCheckedToo(t *testing.T) {
	w := newWorld(t, nil)
	w.in.Flags = []Flag{{"--permission-mode", "mode", "yolo"}}
	if _, err := Load(w.in); err == nil || !strings.HasPrefix(err.Error(), "--permission-mode: mode: yolo is not one of") {
		t.Errorf("error %v", err)
	}
}

func TestEffectiveHidesSecrets(t *testing.T) {
	w := newWorld(t, map[string]string{user: `{"providers": {"p": {"apiKey": "sk-secret", "headers": {"X": "header-secret"}}, "q": {"apiKey": "$Q_KEY"}, "r": {"apiKey": {"command": ["pass", "r"]}}},
		"mcpServers": {"m": {"env": {"A": "mcp-secret"}, "headers": {"B": "mcp-header-secret"}}}, "env": {"GITHUB_TOKEN": "env-secret", "LEVEL": "3"},
		"network": {"proxy": "http://me:proxy-secret@host:1/"}, "web": {"search": {"apiKey": "web-secret"}},
		"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "http://h", "headers": {"C": "hook-secret"}}]}]}}`})
	got := map[string]string{}
	for _, s := range w.load().Effective() {
		if strings.Contains(s.Value, "secret") {
			t.Errorf("%s shows %s", s.Key, s.Value)
		}
		if s.Help == "" {
			t.Errorf("%s has no help", s.Key)
		}
		got[s.Key] = s.Value
	}
	for key, want := range map[string]string{
		"providers.p.apiKey": `"***"`, "providers.q.apiKey": `"$Q_KEY"`, "providers.r.apiKey": `{"command":["pass","r"]}`,
		"env.LEVEL": `"3"`, "network.proxy": `"http://me:***@host:1/"`, "mcpServers.m.env.A": `"***"`, "model": `""`, "permissions.allow": "[]",
	} {
		if got[key] != want {
			t.Errorf("%s shows %s, want %s", key, got[key], want)
		}
	}
	env := map[string]string{"OPENAI_API_KEY": "openai-key", "Q_KEY": "q-key-value", "OTHER": "other-value"}
	c := w.load().Config
	if diff := cmp.Diff([]string{"OPENAI_API_KEY", "Q_KEY"}, c.KeyVariables(env)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"openai-key", "q-key-value", "sk-secret", "web-secret"}, c.SecretValues(env)); diff != "" {
		t.Error(diff)
	}
}

// FuzzProject puts anything into a project's files: the settings in force stay
// the defaults, but for deny and ask rules and the look of the terminal.
func FuzzProject(f *testing.F) {
	for _, seed := range []string{
		`{"mode": "full-access"}`, `{"permissions": {"allow": ["Bash"], "deny": ["x"]}}`, `{"Permissions": {"Allow": ["Bash"]}, "permissionſ": 1}`,
		`{"terminal": {"keys": {"a": "b"}, "theme": "t"}}`, `{"permissions": null, "hooks": {"Stop": []}}`, `{"env": {"PATH": "x"}, "$schema": 1}`, "{\"a\" /*",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	in := Input{Home: dir, Cwd: filepath.Join(dir, "p"), GOOS: "linux"}
	for _, sub := range []string{".minicode", ".claude"} {
		if err := os.MkdirAll(filepath.Join(in.Cwd, sub), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{".minicode/settings.json", ".claude/settings.json"} {
			if err := os.WriteFile(filepath.Join(in.Cwd, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, err := Load(in)
		if err != nil {
			return
		}
		want := Default()
		want.Permissions.Deny, want.Permissions.Ask, want.Terminal = l.Config.Permissions.Deny, l.Config.Permissions.Ask, l.Config.Terminal
		want.Terminal.Keys = map[string]string{}
		if diff := cmp.Diff(want, l.Config); diff != "" {
			t.Fatalf("%s: %s", content, diff)
		}
		if len(l.Warnings) > 1 {
			t.Fatalf("more than one notice: %q", l.Warnings)
		}
		for _, w := range l.Warnings {
			if strings.ContainsAny(w, "\x1b\x00\n") {
				t.Fatalf("a notice with control characters: %q", w)
			}
		}
	})
}

func TestRuleEntriesAreJSONText(t *testing.T) {
	w := newWorld(t, map[string]string{user: `{"permissions": {"deny": ["Bash(echo \"a\u0020b\" && c)"]}}`})
	if got := w.load().Rules[0].Text; got != `Bash(echo "a b" && c)` {
		t.Errorf("rule %q", got)
	}
	b, err := json.Marshal(w.load().Config)
	if err != nil {
		t.Fatal(err)
	}
	var again Config
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.load().Config, again); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkLoad(b *testing.B) {
	in := Input{Home: b.TempDir(), GOOS: "linux"}
	in.Cwd = in.Home
	for b.Loop() {
		if _, err := Load(in); err != nil {
			b.Fatal(err)
		}
	}
}
