package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/minicode-go/minicode/internal/nearest"
)

const (
	maxAddFiles = 5_000
	maxAddBytes = 64 << 20
	maxAddDepth = 16
)

// Add copies the skill in a directory, or beside a SKILL.md, into the root,
// with all its files but .git. Its directory gets the name, or the skill's own
// if name is "". All of it is there in the end or nothing: a link that leads out
// of the directory, a pipe or a device, and a name that is taken are errors.
func Add(from string, to Root, name string) (Skill, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return Skill{}, err
	}
	if strings.EqualFold(filepath.Base(from), skillFile) {
		from = filepath.Dir(from)
	}
	src, err := Root{Scope: Project}.openDirectory(from)
	if err != nil {
		return Skill{}, fmt.Errorf("cannot add a skill from %s: %w", from, err)
	}
	defer src.close()
	s, err := skillIn(Root{}, src, filepath.Base(from))
	if err != nil {
		return Skill{}, fmt.Errorf("cannot add a skill from %s: %w", from, err)
	}
	if name == "" {
		name = s.Name
	}
	if err := checkEntry(name); err != nil {
		return Skill{}, err
	}
	dst, err := to.make()
	if err != nil {
		return Skill{}, fmt.Errorf("cannot add to %s: %w", to.Dir, err)
	}
	defer dst.close()
	if inside(src.path, dst.path) {
		return Skill{}, fmt.Errorf("cannot add %s to %s, which lies in it", from, to.Dir)
	}
	if _, err := dst.Lstat(name); err == nil {
		return Skill{}, fmt.Errorf("there is a skill %s in %s already: remove it first, or give another name", name, to.Dir)
	}
	part := ".adding-" + name // not looked at by Find
	if err := dst.RemoveAll(part); err != nil {
		return Skill{}, err
	}
	c := copier{src: src, dst: dst}
	if err := c.dir(".", part, 0); err != nil {
		_ = dst.RemoveAll(part)
		return Skill{}, fmt.Errorf("cannot add the skill %s: %w", name, err)
	}
	if err := dst.Rename(part, name); err != nil {
		_ = dst.RemoveAll(part)
		return Skill{}, fmt.Errorf("cannot add the skill %s: %w", name, err)
	}
	added, err := to.openDirectory(filepath.Join(dst.path, name))
	if err != nil {
		return Skill{}, err
	}
	defer added.close()
	return skillIn(to, added, name)
}

// skillIn is the skill in a directory.
func skillIn(root Root, d directory, entry string) (Skill, error) {
	f := &finder{root: root}
	file, _ := f.contents(d)
	if file == "" {
		return Skill{}, fmt.Errorf("there is no %s in it", skillFile)
	}
	return f.take(d, entry, file)
}

// checkEntry is an error unless the name can be that of a directory in a root.
func checkEntry(name string) error {
	if !usable(name) || strings.ContainsRune(name, ':') || strings.HasSuffix(name, ".") || !filepath.IsLocal(name) {
		return fmt.Errorf("%s cannot be the name of a skill's directory: use letters, digits and hyphens", show(name))
	}
	return nil
}

// make opens the root's directory, which is made where there is none.
func (r Root) make() (directory, error) {
	if r.Within == "" {
		if err := os.MkdirAll(r.Dir, 0o755); err != nil {
			return directory{}, err
		}
		return r.openDirectory(r.Dir)
	}
	rel, err := filepath.Rel(r.Within, r.Dir)
	if err != nil {
		return directory{}, err
	}
	within, err := os.OpenRoot(r.Within)
	if err != nil {
		return directory{}, err
	}
	defer directory{Root: within}.close()
	if err := within.MkdirAll(rel, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return directory{}, err
	}
	return r.openDirectory(r.Dir)
}

// copier copies a skill's files.
type copier struct {
	src, dst directory
	files    int
	bytes    int64
}

func (c *copier) dir(from, to string, depth int) error {
	if depth > maxAddDepth {
		return fmt.Errorf("%s lies more than %d directories deep", from, maxAddDepth)
	}
	if err := c.dst.Mkdir(to, 0o755); err != nil {
		return err
	}
	entries, more, err := c.src.list(from, maxAddFiles-c.files)
	if err != nil {
		return err
	}
	if c.files += len(entries); more {
		return fmt.Errorf("it has more than %d files", maxAddFiles)
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			if err := c.dir(source, target, depth+1); err != nil {
				return err
			}
		default:
			if err := c.file(source, target); err != nil {
				return unwrapped(source, err)
			}
		}
	}
	return nil
}

// file copies what a name stands for: a link within the skill becomes a file.
func (c *copier) file(source, target string) error {
	in, info, err := c.src.openFile(source)
	if err != nil {
		return err
	}
	defer in.Close()
	tooLarge := fmt.Errorf("the skill has more than %d bytes", maxAddBytes)
	if c.bytes+info.Size() > maxAddBytes {
		return tooLarge
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := c.dst.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxAddBytes-c.bytes+1))
	if c.bytes += n; err == nil && c.bytes > maxAddBytes {
		err = tooLarge // it has grown meanwhile
	}
	return errors.Join(err, out.Close())
}

// Remove deletes the skill of that name from the root: its directory, or the
// link that stands for it, never what a link leads to. A name that no skill has
// may be that of its directory.
func Remove(name string, from Root) error {
	if err := checkEntry(name); err != nil {
		return err
	}
	base, err := from.openDirectory(from.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no skill %s: %s does not exist", name, from.Dir)
	}
	if err != nil {
		return fmt.Errorf("cannot remove a skill from %s: %w", from.Dir, err)
	}
	defer base.close()
	f := &finder{root: from, seen: map[string]bool{}}
	f.run()
	entry := name
	var all []string
	for i := len(f.skills) - 1; i >= 0; i-- {
		if all = append(all, f.skills[i].Name); strings.EqualFold(f.skills[i].Name, name) {
			entry = f.skills[i].entry
		}
	}
	info, err := base.Lstat(entry)
	if errors.Is(err, fs.ErrNotExist) {
		hint := ""
		if close := nearest.Close(name, all); close != "" {
			hint = "; did you mean " + close + "?"
		}
		return fmt.Errorf("there is no skill %s in %s%s", name, from.Dir, hint)
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return base.Remove(entry)
	}
	d, err := from.openDirectory(filepath.Join(base.path, entry))
	if err != nil {
		return err
	}
	defer d.close()
	if file, _ := f.contents(d); file == "" {
		return fmt.Errorf("%s is left as it is: it is no skill, for it has no %s", d.path, skillFile)
	}
	return base.RemoveAll(entry)
}
