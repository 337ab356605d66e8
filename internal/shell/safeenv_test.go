package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository is one whose configuration runs a program wherever git lets it;
// the program leaves the file "pwned".
func repository(t *testing.T) (dir string, env []string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git here")
	}
	root := t.TempDir()
	dir = filepath.Join(root, "repo")
	pwned := filepath.Join(root, "pwned")
	evil := filepath.Join(root, "evil.sh")
	write(t, evil, "#!/bin/sh\necho \"$0 $*\" >> "+pwned+"\ncat\n", 0o755)
	env = append(os.Environ(), "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	run := func(args ...string) {
		cmd := exec.Command(git, args...)
		cmd.Env = env
		if args[0] != "init" {
			cmd.Dir = dir
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", dir)
	run("init", "-q", filepath.Join(dir, "sub"))
	write(t, filepath.Join(dir, "sub", "c.x"), "one\n", 0o644)
	run("-C", "sub", "add", ".")
	run("-C", "sub", "commit", "-q", "-m", "sub")
	write(t, filepath.Join(dir, ".gitmodules"), "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n", 0o644)
	write(t, filepath.Join(dir, "a.x"), "one\n", 0o644)
	write(t, filepath.Join(dir, ".gitattributes"), "*.x filter=f diff=d merge=m\n*.y diff=e\n", 0o644)
	write(t, filepath.Join(dir, "b.y"), "one\n", 0o644)
	run("add", ".")
	run("commit", "-q", "-m", "first")
	run("branch", "other")
	for _, side := range []string{"here", "there"} { // a merge with a conflict, of a commit that is signed
		if side == "there" {
			run("checkout", "-q", "other")
		}
		write(t, filepath.Join(dir, "a.x"), side+"\n", 0o644)
		run("commit", "-q", "-a", "-m", side)
	}
	run("merge", "-q", "-s", "ours", "-m", "merge", "@{-1}")
	run("-c", "gpg.program="+signer(t, root), "commit", "-q", "-S", "--amend", "-m", "signed")
	for _, key := range []string{
		"diff.external", "diff.d.command", "diff.e.textconv", "filter.f.clean", "filter.f.smudge", "core.fsmonitor", "core.pager", "pager.log",
		"merge.m.driver", "gpg.program", "core.editor", "core.sshCommand", "core.askPass", "credential.helper", "alias.status",
	} {
		run("config", key, evil)
	}
	run("config", "filter.f.required", "true")
	run("config", "log.showSignature", "true")
	run("config", "format.pretty", "format:%h %G? %s")
	run("config", "diff.submodule", "diff")
	run("config", "status.submoduleSummary", "true")
	write(t, filepath.Join(dir, "sub", ".git", "info", "attributes"), "* filter=s diff=s\n", 0o644)
	for _, key := range []string{"filter.s.clean", "diff.s.textconv", "core.fsmonitor"} {
		run("-C", "sub", "config", key, evil)
	}
	write(t, filepath.Join(dir, "sub", "c.x"), "two\n", 0o644)
	for _, hook := range []string{"post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"} {
		write(t, filepath.Join(dir, ".git", "hooks", hook), "#!/bin/sh\nexec "+evil+"\n", 0o755)
	}
	write(t, filepath.Join(dir, "a.x"), "two\n", 0o644)
	write(t, filepath.Join(dir, "b.y"), "two\n", 0o644)
	_ = os.Remove(pwned)
	return dir, env
}

// signer is a program that signs, though not so that anybody could tell.
func signer(t *testing.T, root string) string {
	t.Helper()
	path := filepath.Join(root, "signer")
	write(t, path, "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'\n", 0o755)
	return path
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestSafeEnvStartsNothing(t *testing.T) {
	dir, env := repository(t)
	pwned := filepath.Join(filepath.Dir(dir), "pwned")
	run := func(env []string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil && args[0] != "config" {
			t.Errorf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run(env, "status")
	if _, err := os.Stat(pwned); err != nil {
		t.Fatal("the trap does not work: nothing was run without the safe environment")
	}
	_ = os.Remove(pwned)

	keys := run(append(env, SafeEnv()...), GitDrivers()...)
	keys += run(append(env, SafeEnv()...), append([]string{"config", "-f", ".gitmodules"}, GitSubmodules()...)...)
	safe := append(env, SafeEnv(strings.Split(strings.TrimSuffix(keys, "\x00"), "\x00")...)...)
	for _, command := range []string{
		"status", "diff", "diff HEAD", "diff --stat", "log -p -1", "show", "show HEAD:a.x", "blame a.x", "grep two", "ls-files -m",
		"diff-index -p HEAD", "diff-files -p", "stash list", "branch -v", "tag", "describe --always --dirty", "log --oneline", "log", "log -p --all", "log --remerge-diff", "log -m -p", "rev-parse HEAD", "cat-file -p HEAD:a.x", "shortlog -sn HEAD",
	} {
		if a := Analyse("git "+command, Env{Cwd: dir, Root: dir}); a.Class != "read_only" {
			t.Errorf("git %s is %s: %s", command, a.Class, a.Why)
		}
		out := run(safe, strings.Fields(command)...)
		if log, err := os.ReadFile(pwned); err == nil {
			t.Errorf("git %s ran %s", command, log)
			_ = os.Remove(pwned)
		}
		if command == "log --remerge-diff" && !strings.Contains(out, "signed") {
			t.Errorf("git log shows no commit:\n%s", out)
		}
		if command == "diff" && (!strings.Contains(out, "diff --git a/b.y b/b.y") || !strings.Contains(out, "+two")) {
			t.Errorf("git diff shows no difference:\n%s", out)
		}
	}
}

func TestSafeEnvOfCleanRepository(t *testing.T) {
	for _, e := range SafeEnv() {
		if name, _, ok := strings.Cut(e, "="); !ok || !strings.HasPrefix(name, "GIT_") && name != "PAGER" {
			t.Errorf("%q", e)
		}
	}
	if got := SafeEnv("filter.lfs.clean", "nonsense", "diff.x.textconv"); len(got) != len(SafeEnv())+6 {
		t.Errorf("%q", got)
	}
}
