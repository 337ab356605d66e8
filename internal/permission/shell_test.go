package permission

import (
	"testing"

	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/tool"
)

// Command lines as they come, judged from what the analysis declares.
func TestCommandLines(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		mode, rules, line, want string
	}{
		{"default", "-", "ls -la src", "yes mode"},
		{"default", "-", "cat src/a.go | head -3", "yes mode"},
		{"default", "-", "cat ../out/x", "ask mode"},
		{"default", "-", "cat link-out", "ask mode"},
		{"full-access", "-", "cat .env", "ask protected"},
		{"full-access", "-", "cat link-env", "ask protected"},
		{"full-access", "own Read(.env)", "cat .env", "yes rule"},
		{"full-access", "deny Read(src/**)", "cat src/a.go", "no rule"},
		{"full-access", "deny Read(src/**)", "cd src && head -1 < a.go", "no rule"},
		{"full-access", "deny Edit(src/**)", "echo x > link-in", "no rule"},
		{"full-access", "-", "echo x > .git/hooks/pre-commit", "ask protected"},
		{"full-access", "own Bash & own Edit", "cp src/a.go .git/hooks/pre-commit", "ask protected"},
		{"default", "allow Bash(git *)", "git log -3", "yes rule"},
		{"default", "allow Bash(git *)", "git add . && make", "ask mode"},
		{"default", "allow Bash(git *)", "git status $(touch pwned)", "ask mode"},
		{"default", "allow Bash(git *) & deny Bash(rm *)", "git status && rm -rf build", "no rule"},
		{"full-access", "deny Bash(rm *)", "sh -c 'rm -rf build'", "no rule"},
		{"full-access", "deny Bash(rm *)", "A=1 timeout 3 /bin/rm -rf build", "no rule"},
		{"accept-edits", "allow Bash(git *)", "git reset --hard HEAD~1", "ask critical"},
		{"full-access", "own Bash & own Bash(git push --force)", "git push --force", "ask critical"},
		{"plan", "own Bash", "touch x", "no mode"},
		{"plan", "own Bash", "ls", "yes rule"},
		{"accept-edits", "-", "mkdir -p new/dir && touch new/dir/x", "yes mode"},
		{"accept-edits", "-", "touch link-hooks/x", "ask protected"},
		{"accept-edits", "-", "mkdir dir-out/new", "ask mode"},
		{"accept-edits", "-", "rm src/a.go", "ask mode"},
		{"default", "allow Bash(ls:*)", "LD_PRELOAD=./x.so ls", "ask mode"},
		{"default", "allow Bash(go test:*)", "go test ./... > out.log", "yes rule"},
		{"default", "allow Bash(go test:*)", "go test ./... > ../out/log", "ask mode"},
		{"default", "allow Bash(go test:*)", "go test ./... > .envrc", "ask protected"},
		{"default", "allow Bash", "if true; then", "ask mode"},
		{"dont-ask", "allow Bash(npm test:*)", "npm test -- --fast", "yes rule"},
		{"dont-ask", "allow Bash(npm test:*)", "npm publish", "no mode"},
	} {
		p := f.policy(Mode(c.mode))
		f.rules(t, &p, c.rules)
		protected, secret := p.Guards()
		a := shell.Analyse(c.line, shell.Env{Cwd: f.root, Root: f.root, Home: f.home, Additional: p.Additional, Protected: protected, Secrets: secret})
		if got := answerOf(Decide(p, "run_command", a.Effects(), nil, tool.Advice{})); got != c.want {
			t.Errorf("%s, %s: %s: %s, want %s\n%+v", c.mode, c.rules, c.line, got, c.want, a.Effects())
		}
	}
}
