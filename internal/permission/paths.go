package permission

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// names compares file names: composed and decomposed Unicode are one name,
// and so are letters of either case where the file system says so.
type names struct{ fold bool }

// foldsCase is whether this system's file names usually differ by more than
// case.
func foldsCase() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "windows" }

func (n names) key(name string) string {
	if ascii(name) {
		if n.fold {
			return strings.ToLower(name)
		}
		return name
	}
	name = norm.NFC.String(name)
	if n.fold {
		// Upper case first: letters such as the long s have a capital that they share.
		name = norm.NFC.String(strings.ToLower(strings.ToUpper(name)))
	}
	return name
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// split gives the names of a path, each as it is compared.
func (n names) split(path string) []string {
	var out []string
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if name != "" && name != "." {
			out = append(out, n.key(name))
		}
	}
	return out
}

// place is where a path leads.
type place struct {
	path      string   // as it came
	spellings []string // every path met on the way, the first as it came, the last real
	real      string   // what is read or written in the end
	entry     string   // the directory entry: links in the directories followed, the last one not
	known     bool     // false when it cannot be told where the path leads
}

// through is the part of a message that tells where a path leads, if that is
// not where it seems to.
func (p place) through() string {
	if !p.known || p.real == filepath.Clean(p.path) {
		return p.path
	}
	return p.path + " (which is " + p.real + ")"
}

// maxLinks is how many symbolic links are followed in one path.
const maxLinks = 40

// disk is what has been seen of the file system. It is kept no longer than it
// takes to compile the rules for one call: a link may be changed at any time.
type disk struct{ seen map[string]entry }

// entry is what stands at a path.
type entry struct {
	info fs.FileMode
	link string // what it leads to, of a link
	err  error
}

func (d disk) look(path string) entry {
	if e, ok := d.seen[path]; ok {
		return e
	}
	var e entry
	info, err := os.Lstat(path)
	if e.err = err; err == nil {
		e.info = info.Mode()
		if e.info&fs.ModeSymlink != 0 {
			e.link, e.err = os.Readlink(path)
		}
	}
	if d.seen != nil {
		d.seen[path] = e
	}
	return e
}

// trace follows every symbolic link of a path, as things are now. What does
// not exist is taken as it is written.
func trace(path string) place { return disk{}.trace(path) }

func (d disk) trace(path string) place {
	p := place{path: path, spellings: []string{path}}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return p
	}
	clean := filepath.Clean(path)
	volume := filepath.VolumeName(clean)
	at := volume + string(filepath.Separator)
	rest := steps(clean[len(volume):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		if len(rest) == 0 && p.entry == "" {
			p.entry = next
		}
		e := d.look(next)
		switch {
		case errors.Is(e.err, fs.ErrNotExist), errors.Is(e.err, syscall.ENOTDIR):
			at = filepath.Join(append([]string{next}, rest...)...)
			rest = nil
		case e.err != nil:
			return p
		case e.info&fs.ModeSymlink == 0:
			at = next
		default:
			links++
			// What a link in /proc leads to depends on the process that follows it.
			if links > maxLinks || strings.HasPrefix(next, "/proc/") {
				return p
			}
			target := e.link
			if filepath.IsAbs(target) {
				v := filepath.VolumeName(target)
				at, target = v+string(filepath.Separator), target[len(v):]
			}
			rest = append(steps(target), rest...)
			p.spellings = append(p.spellings, filepath.Join(append([]string{at}, rest...)...))
		}
	}
	if p.entry == "" {
		p.entry = at
	}
	p.real, p.known = at, true
	p.spellings = append(p.spellings, p.entry, at)
	return p
}

// steps are the names of a path, ".." included.
func steps(path string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(path), "/"), func(s string) bool { return s == "" || s == "." })
}

// within is whether the path is the directory or is in it.
func within(path, dir []string) bool {
	return len(path) >= len(dir) && slices.Equal(path[:len(dir)], dir)
}
