package prompt

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (go test -args -update=true writes it anew): %s", name, diff)
	}
}

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files")
	os.Exit(m.Run())
}

func TestSystemPrompt(t *testing.T) {
	bare := Build(System{})
	if bare != systemText {
		t.Error("without anything else, the prompt is not its own text")
	}
	if len(bare) > 3<<10 {
		t.Errorf("%d bytes; the first request has room for 3 kB", len(bare))
	}
	full := System{
		Skills:       []Entry{{"pdf", "Read and\nfill PDF files."}, {"brand", strings.Repeat("long ", 100)}},
		Agents:       []Entry{{"explore", "Searches; changes nothing."}},
		Sections:     []Section{{"MCP server docs", " Ask it first. \n"}, {"Empty", " "}},
		Instructions: "# Instructions\n\n## AGENTS.md (scope: /w)\n\nUse tabs.",
		Append:       "Answer in French.\n",
	}
	golden(t, "system.golden", Build(full))
	full.Skills[0], full.Skills[1] = full.Skills[1], full.Skills[0]
	golden(t, "system.golden", Build(full))
	if got, want := Build(System{Replace: " Only this. ", Append: "And that."}), "Only this.\n\nAnd that.\n"; got != want {
		t.Errorf("replaced: %q", got)
	}
}

// scripted answers git's two calls.
func scripted(config, status string, err error) Git {
	return func(_ context.Context, args ...string) ([]byte, error) {
		if args[0] == "config" {
			return []byte(config), nil
		}
		return []byte(status), err
	}
}

func TestGitState(t *testing.T) {
	head := "# branch.oid 0123456789abcdef\n# branch.head main\n"
	for _, c := range []struct{ config, status, want string }{
		{"", head, "branch main; clean"},
		{"", head + "# branch.upstream origin/main\n# branch.ab +2 -1\n1 .M N... a\n2 R. N... b\nu UU c\n? d\n? e\n", "branch main, 2 ahead and 1 behind origin/main; files: 1 in conflict, 2 changed, 2 untracked"},
		{"", head + "# branch.upstream origin/main\n# branch.ab +0 -0\n", "branch main; clean"},
		{"", "# branch.oid (initial)\n# branch.head trunk\n? a\r\n", "branch trunk, without commits; files: 1 untracked"},
		{"", "# branch.oid 0123456789abcdef\n# branch.head (detached)\n", "no branch, at commit 0123456789ab; clean"},
		{"", "# branch.head </note><x>\n", `branch "\u003c/note\u003e\u003cx\u003e"; clean`},
		{"filter.a=b.clean\n", head, `not asked, since the repository has the filter filter.a=b.clean`},
		{"", head + strings.Repeat("? x\n", maxGitOutput/4), "branch main; files: 16384 untracked, and more"},
		{"", "", "branch ; clean"},
	} {
		if got := gitState(t.Context(), scripted(c.config, c.status, nil)); got != c.want {
			t.Errorf("%.60q: %s, want %s", c.status, got, c.want)
		}
	}
	if got := gitState(t.Context(), scripted("", "", errors.New("fatal: not\na <repository>"))); got != `cannot be asked ("fatal: not a \u003crepository\u003e")` {
		t.Error(got)
	}
}

func TestEnvironment(t *testing.T) {
	dir := tree(t, map[string]string{"p/.git/x": "", "p/a/x": ""})
	w := Where{
		Now: time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC), Cwd: filepath.Join(dir, "p", "a"), Root: filepath.Join(dir, "p"), System: "linux/amd64", Shell: "bash",
		Git: scripted("", "# branch.head main\n", nil),
	}
	old := Observe(t.Context(), w)
	want := "Date: Monday, 30 November 2026\nWorking directory: " + w.Cwd + "\nProject root: " + w.Root + "\nGit: branch main; clean\nSystem: linux/amd64\nShell: bash"
	if diff := cmp.Diff(want, Environment(old)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, News([]string{"About something else: no"}, old)); diff != "" {
		t.Error(diff)
	}
	notes := []string{want}
	if got := News(notes, Observe(t.Context(), w)); got != "" {
		t.Errorf("nothing changed: %q", got)
	}
	w.Now = w.Now.Add(time.Minute)
	w.Cwd, w.Git = dir, nil
	now := Observe(t.Context(), w)
	want = "Date is now: Tuesday, 1 December 2026\nWorking directory is now: " + dir + "\nGit is now: none"
	if diff := cmp.Diff(want, News(notes, now)); diff != "" {
		t.Error(diff)
	}
	if got := News(append(notes, want), now); got != "" {
		t.Errorf("told twice: %q", got)
	}
	if got := News(append(notes, want), old); got != "Date is now: Monday, 30 November 2026\nWorking directory is now: "+old.Cwd+"\nGit is now: branch main; clean" {
		t.Errorf("going back: %q", got)
	}
	asked := false
	w.Git = func(context.Context, ...string) ([]byte, error) { asked = true; return nil, nil }
	if s := Observe(t.Context(), w); asked || s.Git != "" {
		t.Errorf("git was asked where there is no repository: %+v", s)
	}
}

func TestGitIsNotWaitedFor(t *testing.T) {
	dir := tree(t, map[string]string{".git/x": ""})
	hanging := func(ctx context.Context, _ ...string) ([]byte, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	start := time.Now()
	s := Observe(t.Context(), Where{Cwd: dir, Git: hanging})
	if s.Git != "did not answer within 1s" || time.Since(start) > 10*time.Second {
		t.Errorf("%q after %s", s.Git, time.Since(start))
	}
}

// A repository's own configuration must not have its programs run.
func TestRealGitRunsNoneOfTheRepositorysPrograms(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := tree(t, map[string]string{"a.txt": "one\n", ".gitattributes": "*.txt filter=evil\n"})
	environ := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	git := GitIn(dir, environ)
	run := func(args ...string) {
		t.Helper()
		if _, err := git(t.Context(), args...); err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
	}
	run("init", "-q", "-b", "main")
	if got := Observe(t.Context(), Where{Cwd: dir, Git: git}).Git; got != "branch main, without commits; files: 2 untracked" {
		t.Error(got)
	}
	run("add", ".")
	run("commit", "-q", "-m", "x")
	ran := filepath.Join(dir, ".git", "ran")
	for _, key := range []string{"filter.evil.clean", "filter.evil.process", "core.fsmonitor"} {
		run("config", key, "touch "+filepath.ToSlash(ran)+"; cat")
	}
	run("config", "filter.evil.required", "true")
	put(t, dir, "a.txt", "two\n") // the same size, so that git must look inside
	got := Observe(t.Context(), Where{Cwd: dir, Git: git}).Git
	if got != "branch main; files: 1 changed" {
		t.Error(got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository was run")
	}
	if _, err := git(t.Context(), "no-such-command"); err == nil || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("error %v", err)
	}
}
