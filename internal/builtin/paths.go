package builtin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// path is the absolute, cleaned path that a model's spelling names: relative
// to Cwd, or beginning with "~/". Links are not resolved.
func (w *Workspace) path(spelled string) string {
	if runtime.GOOS == "windows" {
		spelled = windowsPath(spelled)
	}
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

// windowsPath is the native spelling of a path on a Windows drive that is
// written as a Unix shell does: /d/p/f, /mnt/d/p/f and /cygdrive/d/p/f are
// all D:\p\f. Drive letters are made large. Device prefixes and network
// shares stay as they are.
func windowsPath(spelled string) string {
	p := strings.ReplaceAll(spelled, "/", `\`)
	if strings.HasPrefix(p, `\\`) {
		return p
	}
	for _, prefix := range []string{`\mnt\`, `\cygdrive\`, `\`} {
		rest, ok := strings.CutPrefix(p, prefix)
		if ok && rest != "" && isLetter(rest[0]) && (len(rest) == 1 || rest[1] == '\\') {
			p = rest[:1] + ":" + rest[1:]
			break
		}
	}
	if len(p) >= 2 && p[1] == ':' && isLetter(p[0]) {
		p = strings.ToUpper(p[:1]) + p[1:]
		if len(p) == 2 {
			p += `\`
		}
	}
	return p
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// existing is the path of a file that is there. Where the spelling names
// none, each missing element is looked for among the names that are the same
// in same: composed and decomposed characters, or look-alikes too. Only a
// single such name will do.
func (w *Workspace) existing(spelled string, same func(string) string) string {
	p := w.path(spelled)
	if _, err := os.Lstat(p); err == nil || isASCII(p) && w.isASCIIOnly(p) {
		return p
	}
	root := filepath.VolumeName(p) + string(filepath.Separator)
	found := root
	for _, element := range strings.Split(strings.TrimPrefix(p, root), string(filepath.Separator)) {
		next := filepath.Join(found, element)
		if _, err := os.Lstat(next); err != nil {
			name, ok := oneLike(found, element, same)
			if !ok {
				return p
			}
			next = filepath.Join(found, name)
		}
		found = next
	}
	return found
}

// isASCIIOnly says that no look-alike can be meant: the nearest directory
// that exists has no name outside ASCII.
func (w *Workspace) isASCIIOnly(p string) bool {
	for dir := filepath.Dir(p); ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err == nil {
			for _, e := range entries {
				if !isASCII(e.Name()) {
					return false
				}
			}
			return true
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

func oneLike(dir, name string, same func(string) string) (string, bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	want, found := same(name), ""
	for _, e := range entries {
		if same(e.Name()) == want {
			if found != "" {
				return "", false
			}
			found = e.Name()
		}
	}
	return found, found != ""
}

// composed is the form in which names count as the same when a file would
// be made: macOS itself takes them for one.
func composed(s string) string { return norm.NFC.String(s) }

// resolve is the path with all links followed. What does not exist yet is
// appended to the part that does; a link that leads nowhere is an error.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !os.IsNotExist(err) {
		return "", err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		to, _ := os.Readlink(path)
		return "", fmt.Errorf("%s is a link to %s, which does not exist", path, to)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return "", err
	}
	real, err = resolve(parent)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, filepath.Base(path)), nil
}

// show is the path as it is shown: relative to Cwd where it lies below.
func (w *Workspace) show(path string) string {
	if rel, ok := below(w.Cwd, path); ok {
		return rel
	}
	return path
}

// below is the path relative to dir, if it lies in it.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}
