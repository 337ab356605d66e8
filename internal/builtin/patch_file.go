package builtin

import (
	"context"

	"github.com/minicode-go/minicode/tool"
)

type patchFileIn struct {
	Path         string        `json:"path"`
	Replacements []replacement `json:"replacements"`
}

func patchFile(w *Workspace) tool.Tool {
	return tool.New(spec("patch_file"), func(_ context.Context, in patchFileIn) (tool.Action, error) {
		return w.edit("Patch", in.Path, in.Replacements, in.insteadOf)
	})
}
