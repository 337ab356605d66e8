package builtin

import (
	"path/filepath"
	"strings"
)

// path is the absolute, cleaned path that a model's spelling names: relative
// to Cwd, or beginning with "~/". Links are not resolved.
func (w *Workspace) path(spelled string) string {
	p := filepath.FromSlash(spelled)
	switch {
	case p == "" || p == ".":
		return filepath.Clean(w.Cwd)
	case p == "~":
		return filepath.Clean(w.Home)
	case strings.HasPrefix(p, "~"+string(filepath.Separator)):
		return filepath.Join(w.Home, p[2:])
	case filepath.IsAbs(p):
		return filepath.Clean(p)
	}
	return filepath.Join(w.Cwd, p)
}
