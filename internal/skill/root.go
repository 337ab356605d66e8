package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says whose a root is.
type Scope string

// The scopes.
const (
	Project Scope = "project" // it came with the repository
	User    Scope = "user"    // it is the person's own
)

// Root is a directory of skills, or of commands.
type Root struct {
	Dir   string // absolute
	Scope Scope
	// Within is the directory that no link may lead out of, absolute. It is ""
	// for the person's own roots: where their links lead is their affair.
	Within string
	// Trusted is whether what grants permissions here may do so.
	Trusted bool
}

// Places is what the usual roots are made of. All directories are absolute; an
// empty one is not looked at.
type Places struct {
	Project string // the project's root; "": Cwd
	Cwd     string // in Project
	Home    string
	Config  string // MiniCode's own config directory
	Trusted bool   // whether the person trusted the project
}

// Skills is the roots of skills, those that win first: the project's, from the
// working directory up to the project's root, then the person's own. In each
// place MiniCode's directory comes first, then the one that all agents share,
// then those of other programs.
func (p Places) Skills() []Root {
	return p.roots("skills", ".minicode", ".agents", ".claude", ".mini-code")
}

// Commands is the roots of custom commands, in the same order.
func (p Places) Commands() []Root {
	return p.roots("commands", ".minicode", ".claude")
}

// Target is the root that skills are added to: MiniCode's own, of the project
// or of the person.
func (p Places) Target(scope Scope) Root {
	if scope == User {
		if p.Config == "" {
			return Root{Dir: filepath.Join(p.Home, ".minicode", "skills"), Scope: User, Trusted: true}
		}
		return Root{Dir: filepath.Join(p.Config, "skills"), Scope: User, Trusted: true}
	}
	return Root{Dir: filepath.Join(p.top(), ".minicode", "skills"), Scope: Project, Within: p.top(), Trusted: p.Trusted}
}

func (p Places) top() string {
	if p.Project == "" {
		return p.Cwd
	}
	return p.Project
}

func (p Places) roots(kind string, owners ...string) []Root {
	var own, roots []Root
	add := func(to *[]Root, r Root) {
		same := func(other Root) bool { return other.Dir == r.Dir }
		if !slices.ContainsFunc(own, same) && !slices.ContainsFunc(roots, same) {
			*to = append(*to, r)
		}
	}
	if p.Config != "" {
		add(&own, Root{Dir: filepath.Join(p.Config, kind), Scope: User, Trusted: true})
	}
	if p.Home != "" {
		for _, owner := range owners {
			add(&own, Root{Dir: filepath.Join(p.Home, owner, kind), Scope: User, Trusted: true})
		}
	}
	top := p.top()
	for _, dir := range upTo(top, p.Cwd) {
		for _, owner := range owners {
			add(&roots, Root{Dir: filepath.Join(dir, owner, kind), Scope: Project, Within: top, Trusted: p.Trusted})
		}
	}
	return append(roots, own...)
}

// upTo is the directories from dir up to top. Where dir is not in top it is
// top alone.
func upTo(top, dir string) []string {
	if top == "" {
		return nil
	}
	top = filepath.Clean(top)
	var out []string
	if dir != "" && inside(top, filepath.Clean(dir)) {
		for dir = filepath.Clean(dir); dir != top; dir = filepath.Dir(dir) {
			out = append(out, dir)
		}
	}
	return append(out, top)
}

// inside is whether path is dir or lies in it; both are clean and absolute.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// directory is an open directory whose links have been followed.
type directory struct {
	*os.Root
	path  string // absolute, links resolved
	scope Scope
}

func (d directory) close() { _ = d.Close() }

// openDirectory opens a directory, links followed, if it is where it may be.
func (r Root) openDirectory(path string) (directory, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return directory{}, err
	}
	if r.Within != "" {
		within, err := filepath.EvalSymlinks(r.Within)
		if err != nil {
			return directory{}, err
		}
		if !inside(within, real) {
			return directory{}, fmt.Errorf("%s leads to %s, out of %s", path, real, within)
		}
	}
	// A pipe in the place of a directory would be waited for.
	info, err := os.Lstat(real)
	if err != nil {
		return directory{}, err
	}
	if !info.IsDir() {
		return directory{}, fmt.Errorf("%s is not a directory", path)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return directory{}, err
	}
	return directory{Root: root, path: real, scope: r.Scope}, nil
}

// openFile opens a regular file in the directory, without ever waiting for
// one. A link of the person's own may lead anywhere, any other only within the
// directory.
func (d directory) openFile(name string) (*os.File, fs.FileInfo, error) {
	root, at := d.Root, name
	if info, err := d.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 && d.scope == User {
		real, err := filepath.EvalSymlinks(filepath.Join(d.path, name))
		if err != nil {
			return nil, nil, err
		}
		other, err := os.OpenRoot(filepath.Dir(real))
		if err != nil {
			return nil, nil, err
		}
		defer directory{Root: other}.close()
		root, at = other, filepath.Base(real)
	}
	info, err := root.Stat(at)
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(at, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil { // it may have been replaced meanwhile
		err = regular(info.Mode())
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// regular is an error unless the mode is a plain file's.
func regular(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("it is a directory, not a file")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("it is a named pipe, not a file")
	case mode&fs.ModeSocket != 0:
		return errors.New("it is a socket, not a file")
	case mode&fs.ModeDevice != 0:
		return errors.New("it is a device, not a file")
	}
	return errors.New("it is not a regular file")
}

// list is the entries of a directory below d, sorted by name, and whether
// there are more than the limit.
func (d directory) list(rel string, limit int) (entries []fs.DirEntry, more bool, err error) {
	f, err := d.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err = f.ReadDir(limit + 1)
	if len(entries) > limit {
		entries, more = entries[:limit], true
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if len(entries) > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, more, err
}
