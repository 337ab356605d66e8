package builtin

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/internal/shell"
)

// safeEnv is what is added to the environment of a command that only reads,
// so that git starts no program of the repository's choice: nobody was asked
// about those. Commands that somebody was asked about need them as they are.
func (r *run) safeEnv(ctx context.Context, env []string) []string {
	for _, e := range r.analysis.Effects() {
		if e.Kind == event.Exec && e.Class != event.ReadOnly && !e.Plain {
			return nil
		}
	}
	if r.analysis.Failed || !slices.Contains(r.programs(), "git") {
		return shell.SafeEnv()
	}
	git := process.Look("git", env, r.dir)
	if git == "" {
		return shell.SafeEnv()
	}
	// Of git in another directory the analysis does not say that it only reads.
	list := func(args ...string) []string {
		cmd := exec.CommandContext(ctx, git, args...)
		cmd.Dir, cmd.Env = r.dir, slices.Concat(env, shell.SafeEnv())
		cmd.SysProcAttr = process.Apart()
		out, _ := cmd.Output() // it fails where there are none
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	keys := list(shell.GitDrivers()...)
	top := gitTop(r.dir)
	for _, from := range [][]string{{"-f", filepath.Join(top, ".gitmodules")}, {"--blob", ":.gitmodules"}} {
		keys = append(keys, list(slices.Concat([]string{"config"}, from, shell.GitSubmodules())...)...)
	}
	safe := shell.SafeEnv(keys...)
	if top != "" && slices.Contains(keys, "core.worktree") {
		// The files that git shows are those around the repository.
		safe = append(safe, "GIT_WORK_TREE="+top)
	}
	return safe
}

// gitTop is the nearest directory from dir on upwards with a repository in
// it, "" if there is none.
func gitTop(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
