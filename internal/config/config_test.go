package config

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

func TestEveryKeyHasADefaultAndHelp(t *testing.T) {
	var walk func(f *field, path string)
	walk = func(f *field, path string) {
		for _, m := range f.members {
			at := dotted(path, m.name)
			if m.help == "" {
				t.Errorf("%s has no help", at)
			}
			if m.kind != object && !json.Valid([]byte(m.def)) {
				t.Errorf("%s has no default", at)
			}
			if m.def != "null" && m.kind != object {
				if !m.kind.fits(defaultNode(m.def)) {
					t.Errorf("%s: the default %s is not %s", at, m.def, m.kind)
				}
			}
			walk(m, at)
		}
		if f.elem != nil {
			walk(f.elem, path+"[]")
		}
	}
	walk(describe(), "")
	if c := Default(); c.Limits.MaxSteps != 200 || !c.Context.Auto || c.Mode != "default" || c.Web.Search.Provider != "duckduckgo" {
		t.Errorf("defaults %+v", c)
	}
}

func TestTheContractsKeysAreThere(t *testing.T) {
	keys := `$schema model fallbackModel effort mode providers[].wire providers[].baseUrl providers[].apiKey providers[].headers providers[].quirks
		providers[].firstByteTimeoutMs providers[].idleTimeoutMs models[].context models[].maxOutput models[].price.input models[].price.output models[].price.cacheRead
		models[].price.cacheWrite models[].thinking models[].images models[].tools models[].toolFormat models[].aliases permissions.allow permissions.ask permissions.deny
		permissions.additionalDirectories permissions.protected permissions.secrets sandbox.mode sandbox.write sandbox.denyRead sandbox.network.allow context.auto context.clearAt
		context.snipAt context.collapseAt context.summarizeAt context.refuseAt context.tailTokens context.summaryModel context.summaryInstructions limits.maxSteps
		limits.maxBudgetUsd limits.commandTimeoutMs limits.commandMaxTimeoutMs limits.resultChars limits.batchChars mcpServers[].command mcpServers[].args mcpServers[].env
		mcpServers[].cwd mcpServers[].url mcpServers[].headers mcpServers[].timeoutMs mcpServers[].startTimeoutMs mcpServers[].enabled mcpServers[].readOnlyTools
		mcpServers[].resultChars mcpServers[].deferTools hooks.names hooks.PreToolUse hooks.PostToolUse hooks.PostToolUseFailure hooks.UserPromptSubmit hooks.Stop
		hooks.SubagentStop hooks.SessionStart hooks.SessionEnd hooks.PreCompact hooks.PostCompact hooks.Notification hooks.PermissionRequest web.search.provider
		web.search.apiKey web.search.url web.fetch.allow web.fetch.deny sessions.keepDays terminal.theme terminal.keys terminal.notify terminal.screenReader
		terminal.fullScreen network.proxy network.caFile env`
	for key := range strings.FieldsSeq(keys) {
		f := describe()
		for name := range strings.SplitSeq(key, ".") {
			name, inside := strings.CutSuffix(name, "[]")
			if f = f.member(name); f == nil {
				t.Fatalf("there is no %s", key)
			}
			if inside {
				f = f.elem
			}
		}
	}
	var h Hooks
	for _, m := range describe().member("hooks").members {
		if m.name != "names" && h.For(m.name) != nil {
			t.Errorf("event %s", m.name)
		}
	}
	if (Hooks{Stop: []HookGroup{{}}}).For("Stop") == nil || h.For("Nothing") != nil {
		t.Error("For does not find the event")
	}
}

func TestSchemaTakesWhatLoadTakes(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	for content, good := range map[string]bool{
		`{}`: true,
		`{"model": "a/b", "providers": {"x": {"wire": "openai-chat", "apiKey": {"command": ["a"]}}, "y": {"apiKey": "$Y", "quirks": {"z": [1]}}}}`: true,
		`{"models": {"a/b": {"price": {"input": 1.5}, "images": true}}, "hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}`:                       true,
		`{"modle": "x"}`:                             false,
		`{"mode": "yolo"}`:                           false,
		`{"limits": {"maxSteps": 1.5}}`:              false,
		`{"context": {"clearAt": 2}}`:                false,
		`{"permissions": {"deny": "Bash"}}`:          false,
		`{"providers": {"x": {"apiKey": {"c": 1}}}}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(content), &v); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); (err == nil) != good {
			t.Errorf("%s: the schema says %v", content, err)
		}
		n, err := parse([]byte(content), Origin{})
		if err != nil {
			t.Fatal(err)
		}
		var c checker
		c.check(n, describe(), "")
		if (c.err == nil && len(c.unknown) == 0) != good {
			t.Errorf("%s: Load says %v, unknown %v", content, c.err, c.unknown)
		}
	}
}

func TestResolveKey(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	env := map[string]string{"K": " secret-1 ", "PATH": "/usr/bin:/bin"}
	source := func(j string) KeySource {
		var k KeySource
		if err := json.Unmarshal([]byte(j), &k); err != nil {
			t.Fatal(err)
		}
		if back, err := json.Marshal(k); err != nil || string(back) != strings.ReplaceAll(j, "{K}", "K") {
			t.Errorf("%s came back as %s, %v", j, back, err)
		}
		return k
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to run a key command with")
	}
	command := func(script string) string {
		b, err := json.Marshal(map[string][]string{"command": {sh, "-c", script}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct{ json, key, fault string }{
		{`"$K"`, "secret-1", ""},
		{`"${K}"`, "secret-1", ""},
		{`"$NONE"`, "", "the variable NONE is not set"},
		{`"plain"`, "plain", ""},
		{`"$5 off"`, "$5 off", ""},
		{`""`, "", ""},
		{command("echo; echo \"  $K \"; echo more"), "secret-1", ""},
		{command("echo why >&2; exit 3"), "", "exit status 3: why"},
		{command("true"), "", "printed nothing"},
		{command("yes | head -c 1000000; echo"), "y", ""},
	} {
		key, err := ResolveKey(ctx, source(c.json), env)
		if key != c.key || (err != nil) != (c.fault != "") {
			t.Errorf("%s: %q, %v", c.json, key, err)
		}
		if err != nil && (!errors.Is(err, ErrNoKey) || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v", c.json, err)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := ResolveKey(stopped, source(command("sleep 60")), env); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if s := (KeySource{Value: "secret"}).String(); strings.Contains(s, "secret") {
		t.Errorf("String shows %s", s)
	}
}

func TestProviders(t *testing.T) {
	for _, name := range BuiltinProviders() {
		p, ok := BuiltinProvider(name)
		if !ok || p.Wire == "" || !strings.HasPrefix(p.BaseURL, "http") || p.IdleTimeoutMs != 120000 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	c := Default()
	c.Providers = map[string]Provider{
		"anthropic": {BaseURL: "http://proxy", IdleTimeoutMs: 5},
		"openai":    {APIKey: KeySource{Value: "k"}, Headers: map[string]string{"A": "b"}},
		"mine":      {BaseURL: "http://mine/v1"},
	}
	p, _ := c.Provider("anthropic")
	if p.Wire != "anthropic" || p.BaseURL != "http://proxy" || p.APIKey.Variable != "ANTHROPIC_API_KEY" || p.AuthToken.IsZero() || p.IdleTimeoutMs != 5 {
		t.Errorf("anthropic %+v", p)
	}
	if p, _ := c.Provider("openai"); p.APIKey.Value != "k" || p.APIKey.Variable != "" || p.Headers["A"] != "b" {
		t.Errorf("openai %+v", p)
	}
	if p, ok := c.Provider("mine"); !ok || p.Wire != "openai-chat" || !p.APIKey.IsZero() {
		t.Errorf("mine %+v", p)
	}
	if _, ok := c.Provider("nobody"); ok {
		t.Error("nobody is known")
	}
	if _, ok := c.Provider("groq"); !ok {
		t.Error("groq is not known")
	}
}

func TestOllamaURL(t *testing.T) {
	for in, want := range map[string]string{
		"localhost": "http://localhost:11434/v1", "host:1": "http://host:1/v1", ":99": "http://127.0.0.1:99/v1", "0.0.0.0:80": "http://127.0.0.1:80/v1",
		"http://h": "http://h/v1", "https://h:2/": "https://h:2/v1", "http://h/ollama/v1": "http://h/ollama/v1", "[::1]:5": "http://[::1]:5/v1", "[::1]": "http://[::1]:11434/v1",
	} {
		if got := ollamaURL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestDirectories(t *testing.T) {
	for _, c := range []struct {
		goos, home          string
		env                 map[string]string
		config, state, cach string
	}{
		{"linux", "/home/u", nil, "/home/u/.config/minicode", "/home/u/.local/state/minicode", "/home/u/.cache/minicode"},
		{"linux", "/home/u", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "rel", "XDG_CACHE_HOME": "/k/"}, "/c/minicode", "/home/u/.local/state/minicode", "/k/minicode"},
		{"linux", "", map[string]string{"MINICODE_HOME": "/m/"}, "/m/", "/m/", "/m/cache"},
		{"linux", "/home/u", map[string]string{"MINICODE_HOME": "m"}, "/w/m", "/w/m", "/w/m/cache"},
		{"darwin", "/Users/u", nil, "/Users/u/Library/Application Support/minicode", "/Users/u/Library/Application Support/minicode", "/Users/u/Library/Caches/minicode"},
		{"windows", `C:\Users\u`, nil, `C:\Users\u\AppData\Roaming\minicode`, `C:\Users\u\AppData\Local\minicode`, `C:\Users\u\AppData\Local\minicode\cache`},
		{"windows", `C:\Users\u`, map[string]string{"APPDATA": `D:\r`, "LOCALAPPDATA": `D:/l/`}, `D:\r\minicode`, `D:\l\minicode`, `D:\l\minicode\cache`},
		{"windows", `C:\Users\u`, map[string]string{"MINICODE_HOME": `E:\m`}, `E:\m`, `E:\m`, `E:\m\cache`},
	} {
		d, err := Directories(c.env, c.home, "/w", c.goos)
		if err != nil || d.Config != c.config || d.State != c.state || d.Cache != c.cach {
			t.Errorf("%s %v: %+v, %v", c.goos, c.env, d, err)
		}
	}
	d, _ := Directories(nil, "/h", "/w", "linux")
	got := []string{d.Settings(), d.In("skills"), d.Projects()}
	want := []string{"/h/.config/minicode/settings.json", "/h/.config/minicode/skills", "/h/.local/state/minicode/projects"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Directories(nil, "", "/w", "linux"); err == nil || !strings.Contains(err.Error(), "MINICODE_HOME") {
		t.Errorf("no home: %v", err)
	}
}

func TestNearest(t *testing.T) {
	for in, want := range map[string]string{"modle": "model", "Model": "model", "permission": "permissions", "mcpservers": "mcpServers", "zzz": "", "": ""} {
		if got := nearestMember(in, describe()); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestEnviron(t *testing.T) {
	got := Environ([]string{"A=1", "B=2=3", "=C:=C:\\x", "D", "A=4"})
	if diff := cmp.Diff(map[string]string{"A": "4", "B": "2=3"}, got); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(BuiltinProviders(), "ollama") {
		t.Error("no ollama")
	}
}
