package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// walker goes through a tree in the order of its paths, without following
// links and without what version control keeps for itself.
type walker struct {
	ctx     context.Context
	all     bool                    // go through what is ignored too
	enter   func(rel string) bool   // whether a directory is worth going into; nil: all are
	visit   func(f walkedFile) bool // false ends the walk
	trouble []string                // what could not be read
}

type walkedFile struct {
	path  string // absolute
	rel   string // below the root, with slashes
	entry fs.DirEntry
}

// walk visits everything in root but directories. It is false when it was
// ended early.
func (w *walker) walk(root string) bool {
	var rules *ignoring
	if !w.all {
		rules = ignoringAt(root)
	}
	return w.dir(root, "", rules, true)
}

func (w *walker) dir(dir, rel string, rules *ignoring, isRoot bool) bool {
	if w.ctx.Err() != nil {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.trouble = append(w.trouble, plainError(err).Error())
	}
	if !w.all && !isRoot {
		rules = rules.enter(dir, func(name string) bool { return hasEntry(entries, name) })
	}
	for _, e := range entries {
		if isControl(e.Name()) {
			continue
		}
		p := filepath.Join(dir, e.Name())
		below := e.Name()
		if rel != "" {
			below = rel + "/" + below
		}
		if !w.all && rules.ignores(filepath.ToSlash(p), e.IsDir()) {
			continue
		}
		switch {
		case !e.IsDir():
			if !w.visit(walkedFile{p, below, e}) {
				return false
			}
		case w.enter == nil || w.enter(below):
			if !w.dir(p, below, rules, false) {
				return false
			}
		}
	}
	return true
}

// Walk visits the files and directories below root, an absolute path, that
// are not ignored: those nearer to it first, by their paths below it, with
// slashes. Links are not followed, and what cannot be read is left out. It
// ends when visit gives false or ctx is done.
func Walk(ctx context.Context, root string, visit func(rel string, isDir bool) bool) {
	type directory struct {
		dir, rel string
		rules    *ignoring // of the directory above; nil for root
	}
	for queue := []directory{{root, "", nil}}; len(queue) > 0; queue = queue[1:] {
		d := queue[0]
		if ctx.Err() != nil {
			return
		}
		entries, _ := os.ReadDir(d.dir)
		if d.rules == nil {
			d.rules = ignoringAt(root)
		} else {
			d.rules = d.rules.enter(d.dir, func(name string) bool { return hasEntry(entries, name) })
		}
		for _, e := range entries {
			path := filepath.Join(d.dir, e.Name())
			if isControl(e.Name()) || d.rules.ignores(filepath.ToSlash(path), e.IsDir()) {
				continue
			}
			rel := d.rel + e.Name()
			if !visit(rel, e.IsDir()) {
				return
			}
			if e.IsDir() {
				queue = append(queue, directory{path, rel + "/", d.rules})
			}
		}
	}
}

// isControl says whether a name is version control's own.
func isControl(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj":
		return true
	}
	return false
}

// hasEntry looks a name up in entries, which are sorted.
func hasEntry(entries []fs.DirEntry, name string) bool {
	low, high := 0, len(entries)
	for low < high {
		mid := (low + high) / 2
		if entries[mid].Name() < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < len(entries) && entries[low].Name() == name
}

// comparePaths orders paths as a walk meets them: element by element.
func comparePaths(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, string(filepath.Separator), "\x00"), strings.ReplaceAll(b, string(filepath.Separator), "\x00"))
}

// troubleNote says what could not be read; "" when there was no trouble.
func troubleNote(trouble []string) string {
	switch len(trouble) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("[not everything could be read: %s]\n", trouble[0])
	}
	return fmt.Sprintf("[not everything could be read: %s, and %d more]\n", trouble[0], len(trouble)-1)
}
