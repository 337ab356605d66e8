package permission

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

func TestParseMode(t *testing.T) {
	for name, want := range map[string]Mode{
		"plan": Plan, "read-only": ReadOnly, "default": Default, "manual": Default, "prompt": Default,
		"accept-edits": AcceptEdits, "acceptEdits": AcceptEdits, "workspace-write": AcceptEdits, "auto": Auto,
		"dont-ask": DontAsk, "dontAsk": DontAsk,
		"full-access": FullAccess, "bypassPermissions": FullAccess, "danger-full-access": FullAccess, "allow": FullAccess,
	} {
		if got, err := ParseMode(name); got != want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "Plan", "full", "yolo"} {
		if m, err := ParseMode(name); err == nil || !strings.Contains(err.Error(), "accept-edits") {
			t.Errorf("%q: %s, %v", name, m, err)
		}
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"Read":                          {Tool: "Read"},
		" run_command ":                 {Tool: "run_command"},
		"Bash(npm run test:*)":          {Tool: "Bash", Spec: "npm run test:*"},
		"Bash( git log )":               {Tool: "Bash", Spec: "git log"},
		"run_command(echo (a) \")\")":   {Tool: "run_command", Spec: "echo (a) \")\""},
		"Edit(/src/**)":                 {Tool: "Edit", Spec: "/src/**"},
		"Read(a b.txt)":                 {Tool: "Read", Spec: "a b.txt"},
		"WebFetch(domain:Example.com.)": {Tool: "WebFetch", Spec: "domain:Example.com."},
		"mcp__git__*":                   {Tool: "mcp__git__*"},
		"mcp__git(*)":                   {Tool: "mcp__git", Spec: "*"},
		"Agent(explore)":                {Tool: "Agent", Spec: "explore"},
		"*":                             {Tool: "*"},
	} {
		got, err := ParseRule(text)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := ParseRule(got.String()); err != nil || again != got {
			t.Errorf("%q: written as %q, read as %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"":                               "empty",
		"  ":                             "empty",
		"(x)":                            "no tool's name",
		"rm -rf":                         "no tool's name",
		"Bash(npm test":                  "closing parenthesis",
		"Bash(npm test) x":               "closing parenthesis",
		"Bash()":                         "write Bash for every use",
		"Read( )":                        "write Read for every use",
		"Read([a)":                       "no pattern",
		"Read(!x)":                       "negated",
		"Read(a/*/../b)":                 "cannot follow",
		"WebFetch(https://example.com/)": "names no host",
		"WebFetch(domain:)":              "names no host",
		"WebFetch(domain:user@host)":     "names no host",
		"mcp__git__log(x)":               "nothing in parentheses",
		"Skill(x)":                       "nothing in parentheses",
		"todo_write(x)":                  "nothing in parentheses",
	} {
		if r, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want an error with %q", text, r, err, want)
		}
	}
}

func TestProblem(t *testing.T) {
	for _, c := range []struct {
		rule string
		d    Decision
		want string
	}{
		{"*", Allow, "cannot"},
		{"web_*", Allow, "not allow"},
		{"*", Deny, ""},
		{"mcp__*", Allow, "name the server"},
		{"mcp__*", Ask, ""},
		{"mcp__git__*", Allow, ""},
		{"mcp__git", Allow, ""},
		{"Bsah", Deny, "names no tool"},
		{"Bash", Deny, ""},
		{"Skill", Allow, ""},
	} {
		r, err := ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		r.Decision = c.d
		got := r.Problem()
		if c.want == "cannot" {
			c.want = "not allow"
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q", c.d, c.rule, got)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 nil,
		"Read":                             {"Read"},
		"Read, Edit Bash":                  {"Read", "Edit", "Bash"},
		"Bash(git log:*),Bash(npm run *) ": {"Bash(git log:*)", "Bash(npm run *)"},
		"Bash(echo (a, b)) Read":           {"Bash(echo (a, b))", "Read"},
		"Bash(echo":                        {"Bash(echo"},
		")Read":                            {")Read"},
	} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestBroader(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...": "go test:*", "go run main.go": "go run main.go", "git commit -m x": "git commit:*", "git -C x log": "git -C x log",
		"git config user.name x": "git config user.name x", "npm test": "npm test:*", "npm run build": "npm run build:*", "npm run": "npm run",
		"npx foo": "npx foo", "npm exec foo": "npm exec foo", "uv run pytest -q": "uv run pytest:*", "uv run python x.py": "uv run python x.py",
		"bundle exec rspec x": "bundle exec rspec:*", "make": "make", "pytest": "pytest:*", "cargo build --release": "cargo build:*",
		"bash -c x": "bash -c x", "rm x": "rm x", "rm *.o": `rm \*.o`, "git 'log'": "git 'log'", "git $X": "git $X", "": "",
	} {
		if got := broader(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	f := newFixture(t)
	p := f.policy(Default)
	f.rules(t, &p, "allow Bash(npm test:*)")
	x := Explain(p, "ls && npm test > out && sudo ls > .git/x", f.effects(t, "exec read_only: ls & exec needs_ask: npm test & write out & exec dangerous: sudo ls & write .git/x"), []string{"> out", "> .git/x"}, nil)
	want := Explanation{
		Command: "ls && npm test > out && sudo ls > .git/x", Mode: Default, Parse: "ok", Verdict: event.Dangerous, Decision: Ask, Writes: []string{"> out", "> .git/x"},
		Parts: []Part{
			{"ls", event.ReadOnly, Allow, "mode", "default mode allows it"},
			{"npm test", event.NeedsAsk, Allow, "rule", "allowed by the rule Bash(npm test:*)"},
			{"sudo ls", event.Dangerous, Ask, "protected", "dangerous: sudo ls; changes " + f.root + "/.git/x, a protected file"},
		},
	}
	if diff := cmp.Diff(want, x); diff != "" {
		t.Error(diff)
	}
	for effects, want := range map[string][3]string{
		"exec needs_ask: ?":                    {"failed", "needs_ask", "ask"},
		"exec critical: git reset --hard":      {"ok", "dangerous", "ask"},
		"exec needs_ask: tee x & write /etc/x": {"ok", "dangerous", "ask"},
		"exec plain: mkdir x & write x":        {"ok", "needs_ask", "ask"},
		"exec read_only: ls":                   {"ok", "read_only", "allow"},
	} {
		x := Explain(f.policy(""), "x", f.effects(t, effects), nil, nil)
		if got := [3]string{x.Parse, string(x.Verdict), string(x.Decision)}; got != want || x.Mode != Default || x.Writes == nil {
			t.Errorf("%s: %+v", effects, x)
		}
	}
}

func TestReader(t *testing.T) {
	f := newFixture(t)
	p := f.policy(Default)
	f.rules(t, &p, "deny Read(private/**)")
	may := p.Reader("grep_files", nil)
	for path, want := range map[string]bool{"src/a.go": true, "private/x": false, "private": false, ".env": false, "link-env": false, "dir-out/x": false, "$F/x": true} {
		if got := may(f.path(path)); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if v := Decide(p, "grep_files", f.effects(t, "read private"), nil, tool.Advice{}); v.Decision != Deny {
		t.Errorf("searching a denied directory: %s", v.Decision)
	}
}

// A search follows what changed, also where as many grants are in force.
func TestWithheld(t *testing.T) {
	f := newFixture(t)
	p := f.policy(Default)
	var grants []event.Grant
	withheld := Withheld(func() Policy { return p }, func() []event.Grant { return grants })
	look := func(want string) {
		t.Helper()
		got := ""
		for _, path := range []string{"src/a.go", "$O/x", "$O/dir/x"} {
			got += map[bool]string{true: "-", false: "+"}[withheld(f.path(path))]
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	look("+--")
	grants = []event.Grant{{Rules: []string{"Read(/" + f.outside + "/x)"}}}
	look("++-")
	grants = []event.Grant{{Rules: []string{"Read(/" + f.outside + "/dir/x)"}}}
	look("+-+")
	p.Rules = parsed([]string{"Read(src/**)"}, Deny, false)
	look("--+")
	p.Rules = parsed([]string{"Read(other/**)"}, Deny, false)
	look("+-+")
}
