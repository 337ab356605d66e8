package permission

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/tool"
)

// maxMet is how many directory entries are looked at for one command.
const maxMet = 100_000

// Met is the files, of those that a command comes upon in a directory, that
// need a decision of their own: secrets, those that a rule denies or asks
// about, and links that lead to such or out of the workspace. It is false if
// there were too many files to look at them all.
func (p Policy) Met(s shell.Sweep) ([]string, bool) {
	w := sweeper{Sweep: s, j: newJudge(p, "run_command", nil, tool.Advice{}), left: maxMet}
	w.real = s.Dir
	if at := trace(s.Dir); at.known {
		w.real = at.real
	}
	about := func(c compiled) bool { return c.covers(event.Read, true) && !c.every() }
	w.rules = slices.DeleteFunc(slices.Concat(w.j.deny, w.j.ask), func(c compiled) bool { return !about(c) })
	w.walk("")
	return w.found, w.left > 0
}

type sweeper struct {
	shell.Sweep
	j     *judge
	rules []compiled
	real  string // Dir with its links followed
	found []string
	left  int
}

// walk looks at what is in the directory at the relative path.
func (w *sweeper) walk(rel string) {
	entries, err := os.ReadDir(filepath.Join(w.real, rel))
	if err != nil {
		return // the command cannot read it either
	}
	var below []string
	for _, e := range entries {
		if w.left--; w.left <= 0 {
			return
		}
		path := filepath.Join(rel, e.Name())
		if strings.HasPrefix(e.Name(), ".") && !w.Hidden || !w.wants(path, e.Type()) {
			continue
		}
		switch {
		case w.guards(path, e.Type()):
			w.found = append(w.found, filepath.Join(w.Dir, path))
		case e.IsDir() && e.Name() != ".git":
			below = append(below, path)
		}
	}
	for _, path := range below {
		w.walk(path)
	}
}

func (w *sweeper) wants(path string, kind fs.FileMode) bool {
	if w.Want == nil {
		return true
	}
	dir := kind.IsDir()
	if kind&fs.ModeSymlink != 0 {
		info, err := os.Stat(filepath.Join(w.real, path))
		dir = err == nil && info.IsDir()
	}
	return w.Want(filepath.ToSlash(path), dir)
}

// guards is whether the entry needs a decision of its own.
func (w *sweeper) guards(path string, kind fs.FileMode) bool {
	full := filepath.Join(w.Dir, path)
	if kind&fs.ModeSymlink != 0 {
		if !w.Links {
			return false
		}
		f := w.j.facts(event.Effect{Kind: event.Read, Target: full})
		return f.level != readLevel || w.named(f)
	}
	f := facts{Effect: event.Effect{Kind: event.Read, Target: full}}
	f.place = place{path: full, spellings: []string{full, filepath.Join(w.real, path)}, real: filepath.Join(w.real, path), known: true}
	f.secret = w.j.secretsIn(f.place)
	return w.named(f)
}

// named is whether a list or a rule is about it.
func (w *sweeper) named(f facts) bool {
	return len(f.secret) > 0 || first(w.rules, w.j.call, f) != nil
}
