package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	mostGlobbed  = 200              // files of one result
	longestWalk  = 20 * time.Second // then a search gives what it has
	walkCutShort = "[stopped after 20 seconds: not everything was searched; give a narrower path]\n"
)

type globFilesIn struct {
	Pattern string `json:"pattern" jsonschema:"such as src/**/*.{ts,tsx}"`
	Path    string `json:"path,omitempty" jsonschema:"directory"`
	Ignored bool   `json:"ignored,omitempty" jsonschema:"also what .gitignore leaves out"`
}

func globFiles(w *Workspace) tool.Tool {
	return tool.New(spec("glob_files"), func(_ context.Context, in globFilesIn) (tool.Action, error) {
		if in.Pattern == "" || !doublestar.ValidatePattern(in.Pattern) {
			return tool.Action{}, fmt.Errorf("pattern %q is not valid: check its brackets and braces", in.Pattern)
		}
		dir, _, err := w.directory(in.Path)
		if err != nil {
			return tool.Action{}, err
		}
		base, pattern := splitGlob(in.Pattern)
		switch {
		case base == "~" || strings.HasPrefix(base, "~/"), filepath.IsAbs(filepath.FromSlash(base)):
			dir = w.path(base)
		case base != ".":
			dir = filepath.Join(dir, filepath.FromSlash(base))
		}
		real, err := resolve(dir)
		if err != nil {
			return tool.Action{}, plainError(err)
		}
		return tool.Action{
			Title:   fmt.Sprintf("Find %s in %s", in.Pattern, w.show(dir)),
			Effects: []event.Effect{{Kind: event.Read, Target: dir}},
			Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
				if now, err := resolve(dir); err != nil || now != real {
					return tool.Result{}, fmt.Errorf("%s no longer leads to %s: call again", dir, real)
				}
				return w.glob(ctx, dir, real, pattern, in)
			},
		}, nil
	})
}

// splitGlob parts a glob from the directory that it begins with.
func splitGlob(glob string) (base, pattern string) {
	if filepath.Separator == '\\' {
		glob = filepath.ToSlash(glob)
	}
	base, pattern = doublestar.SplitPattern(glob)
	return path.Clean(base), pattern
}

type globbed struct {
	path     string
	modified time.Time
}

func (w *Workspace) glob(ctx context.Context, dir, real, pattern string, in globFilesIn) (tool.Result, error) {
	if _, err := os.Stat(real); errors.Is(err, os.ErrNotExist) {
		return searchResult(fmt.Sprintf("No files match: %s does not exist.", w.show(dir))), nil
	}
	limited, stop := context.WithTimeout(ctx, longestWalk)
	defer stop()
	var found []globbed
	walk := walker{ctx: limited, all: in.Ignored, enter: canHold(pattern), visit: func(f walkedFile) bool {
		if ok, _ := doublestar.Match(pattern, f.rel); ok {
			g := globbed{path: filepath.Join(dir, filepath.FromSlash(f.rel))}
			if info, err := f.entry.Info(); err == nil {
				g.modified = info.ModTime()
			}
			found = append(found, g)
		}
		return true
	}}
	walk.walk(real)
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	slices.SortFunc(found, func(a, b globbed) int {
		return cmp.Or(b.modified.Compare(a.modified), comparePaths(a.path, b.path))
	})
	var b strings.Builder
	shown := 0
	for _, g := range found {
		line := visibleName(w.show(g.path)) + "\n"
		if shown == mostGlobbed || b.Len()+utf8.RuneCountInString(line) > w.pageChars()-500 {
			break
		}
		b.WriteString(line)
		shown++
	}
	switch {
	case len(found) == 0:
		b.WriteString("No files match.")
		if !strings.Contains(pattern, "/") && !strings.Contains(pattern, "**") {
			fmt.Fprintf(&b, " %s looks in one directory only: **/%s looks below it too.", pattern, pattern)
		}
		b.WriteString("\n")
	case shown < len(found):
		fmt.Fprintf(&b, "[the newest %d of %d files: give a narrower pattern for the others]\n", shown, len(found))
	}
	if limited.Err() != nil {
		b.WriteString(walkCutShort)
	}
	b.WriteString(troubleNote(walk.trouble))
	return searchResult(b.String()), nil
}

func searchResult(text string) tool.Result {
	r := tool.TextResult(strings.TrimSuffix(text, "\n"))
	r.Meta = llm.Meta{Again: true}
	return r
}

// canHold says of a directory whether something below it could match the
// glob; nil says that all could.
func canHold(glob string) func(rel string) bool {
	elements := strings.Split(glob, "/")
	for _, e := range elements {
		if strings.Count(e, "{") != strings.Count(e, "}") {
			return nil // an alternative with slashes in it
		}
	}
	return func(rel string) bool {
		for i, name := range strings.Split(rel, "/") {
			if i >= len(elements)-1 && elements[min(i, len(elements)-1)] != "**" {
				return false
			}
			if elements[i] == "**" {
				return true
			}
			if ok, err := doublestar.Match(elements[i], name); err == nil && !ok {
				return false
			}
		}
		return true
	}
}
