//go:build linux

package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program of the directory that is worked in never takes the place of one
// that a command means.
func TestRunCommandPathHoldsNoRelativeDirectory(t *testing.T) {
	w := commandSpace(t)
	for _, name := range []string{"ls", "git", "marker"} {
		writes(t, filepath.Join(w.Root, "bin", name), "#!/bin/sh\ntouch pwned\n", 0o755)
		writes(t, filepath.Join(w.Root, name), "#!/bin/sh\ntouch pwned\n", 0o755)
	}
	path := os.Getenv("PATH")
	for _, value := range []string{".:" + path, ":" + path, "bin:" + path, path + ":.", path + ":"} {
		w.Env = func() []string { return append(os.Environ(), "PATH="+value) }
		for _, in := range []runInput{{Command: "ls"}, {Command: "git status"}, {Command: "git", Args: []string{"status"}}, {Command: "marker"}} {
			call(t, runCommand(w), in)
			if _, err := os.Stat(filepath.Join(w.Root, "pwned")); err == nil {
				t.Fatalf("PATH=%s: %s ran the program of the workspace", value, in.Command)
			}
		}
	}
}

// What the configuration of a repository makes git run, or show of other
// places, stays out of a command that only reads.
func TestRunCommandReadsGitAlone(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	w := commandSpace(t)
	outside := t.TempDir()
	writes(t, filepath.Join(outside, "f"), "what nobody may see\n", 0o600)
	evil := filepath.Join(outside, "evil")
	writes(t, evil, "#!/bin/sh\necho \"$@\" >> "+outside+"/pwned\n", 0o755)
	mustRun(t, w.Root, `git init -q . && git config user.email a@b && git config user.name a
git init -q sub && (cd sub && git config user.email a@b && git config user.name a && echo s > s && git add s && git commit -qm s)
echo 1 > f; printf '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n' > .gitmodules
git add f sub .gitmodules 2>/dev/null; git commit -qm one; echo 2 > f; echo 2 > sub/s
git -C sub config filter.x.clean `+evil+`; echo '* filter=x' > sub/.git/info/attributes
git config core.worktree `+outside)
	for _, gitmodules := range []bool{true, false} { // without the file git takes what is staged
		if !gitmodules {
			mustRun(t, w.Root, "rm .gitmodules")
		}
		for _, in := range []runInput{{Command: "git diff"}, {Command: "timeout 20 git diff"}, {Command: "git status --short"}, {Command: "git", Args: []string{"diff"}}} {
			text := call(t, runCommand(w), in).Parts.Text()
			if strings.Contains(text, "nobody may see") || !strings.HasPrefix(text, "EXIT: 0") {
				t.Errorf("%s shows %s", in.Command, text)
			} else if strings.HasSuffix(in.Command, "diff") && !strings.Contains(text, "+2") {
				t.Errorf("%s shows no difference: %s", in.Command, text)
			}
			if ran, err := os.ReadFile(filepath.Join(outside, "pwned")); err == nil {
				t.Fatalf("%s ran a program: %s", in.Command, ran)
			}
		}
	}
}

func writes(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
