package builtin

import (
	"context"
	"os/exec"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
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
	git := lookPath("git", env, r.dir)
	if git == "" {
		return shell.SafeEnv()
	}
	// Of git in another directory the analysis does not say that it only reads.
	list := exec.CommandContext(ctx, git, shell.GitDrivers()...)
	list.Dir, list.Env = r.dir, slices.Concat(env, shell.SafeEnv())
	list.SysProcAttr = attributes()
	out, _ := list.Output() // it fails where there are none
	keys := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	return shell.SafeEnv(keys...)
}
