package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// mostEntries is how many entries of a directory are listed.
const mostEntries = 500

type listFilesIn struct {
	Path string `json:"path,omitempty"`
}

func listFiles(w *Workspace) tool.Tool {
	return tool.New(spec("list_files"), func(_ context.Context, in listFilesIn) (tool.Action, error) {
		path, real, err := w.directory(in.Path)
		if err != nil {
			return tool.Action{}, err
		}
		return tool.Action{
			Title:   "List " + w.show(path),
			Effects: []event.Effect{{Kind: event.Read, Target: path}},
			Run: func(context.Context, tool.Emit) (tool.Result, error) {
				if now, err := resolve(path); err != nil || now != real {
					return tool.Result{}, fmt.Errorf("%s no longer leads to %s: call again", path, real)
				}
				return w.list(real)
			},
		}, nil
	})
}

// directory is the path of a directory that is there, as asked for and with
// links resolved.
func (w *Workspace) directory(spelled string) (path, real string, err error) {
	path = w.existing(spelled, plain)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", w.missing(path)
	}
	if err != nil {
		return "", "", plainError(err)
	}
	if !info.IsDir() {
		return "", "", fmt.Errorf("%s is not a directory", w.show(path))
	}
	real, err = resolve(path)
	if err != nil {
		return "", "", plainError(err)
	}
	return path, real, nil
}

func (w *Workspace) list(real string) (tool.Result, error) {
	entries, err := os.ReadDir(real) // sorted by name
	if err != nil && len(entries) == 0 {
		return tool.Result{}, plainError(err)
	}
	var b strings.Builder
	shown := 0
	for _, e := range entries {
		line := entryLine(real, e)
		if shown == mostEntries || utf8.RuneCountInString(line)+b.Len() > w.pageChars()-200 {
			break
		}
		b.WriteString(line)
		shown++
	}
	switch {
	case len(entries) == 0:
		b.WriteString("(empty directory)\n")
	case shown < len(entries):
		fmt.Fprintf(&b, "[%d of %d entries shown: use glob_files for the others]\n", shown, len(entries))
	}
	if err != nil {
		fmt.Fprintf(&b, "[not all could be read: %v]\n", err)
	}
	r := tool.TextResult(b.String())
	r.Meta = llm.Meta{Again: true}
	return r, nil
}

func entryLine(dir string, e fs.DirEntry) string {
	name := visibleName(e.Name())
	switch mode := e.Type(); {
	case mode.IsDir():
		return "dir " + name + "\n"
	case mode&fs.ModeSymlink != 0:
		to, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			return "link " + name + "\n"
		}
		return "link " + name + " -> " + visibleName(to) + "\n"
	case !mode.IsRegular():
		return "special " + name + "\n"
	}
	info, err := e.Info()
	if err != nil {
		return "file " + name + "\n"
	}
	return fmt.Sprintf("file %s (%d bytes)\n", name, info.Size())
}

// visibleName is a name that cannot pass for two lines or hide a part of
// itself.
func visibleName(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
		return name
	}
	return strconv.Quote(name)
}
