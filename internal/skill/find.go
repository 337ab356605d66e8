package skill

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Catalog is the skills that were found.
type Catalog struct {
	// Skills can be loaded. Names are unique, whatever their case; those of
	// roots that win come first.
	Skills []Skill
	// Shadowed are hidden by a skill of the same name in a root that wins.
	Shadowed []Skill
	// Withheld grant permissions, in a root that is not trusted. They take
	// effect once the person trusts it.
	Withheld []Skill
	// Trouble is what could not be used and why, a line each, for the person.
	Trouble []string
}

const (
	skillFile = "SKILL.md"
	maxSkills = 500    // of one root
	maxDirs   = 2_000  // that are looked at in one root
	maxNames  = 50_000 // of files and directories, in all of one root
	maxDepth  = 4      // of a skill's directory below its root
	maxTold   = 20     // lines of trouble of one root
)

// Find looks for skills in the roots, of which the first wins where names
// collide. It reads no more than the front matter of a skill, and is done
// soon however many there are: the rest is told in Trouble. A root that does
// not exist has no skills.
func Find(roots []Root) Catalog {
	var c Catalog
	taken := map[string]int{}
	seen := map[string]bool{}
	for _, root := range roots {
		found := &finder{root: root, seen: seen}
		found.run()
		for _, s := range found.skills {
			key := strings.ToLower(s.Name)
			switch first, ok := taken[key]; {
			case !root.Trusted && len(s.Tools) > 0:
				c.Withheld = append(c.Withheld, s)
			case ok:
				c.Shadowed = append(c.Shadowed, s)
				if s.sum == c.Skills[first].sum {
					continue // the same skill, put there for several programs
				}
				found.tell("the skill %s in %s is hidden by the one in %s", show(s.Name), s.Dir, c.Skills[first].Dir)
			default:
				taken[key] = len(c.Skills)
				c.Skills = append(c.Skills, s)
			}
		}
		c.Trouble = append(c.Trouble, found.told()...)
	}
	if n := len(c.Withheld); n > 0 {
		c.Trouble = append(c.Trouble, fmt.Sprintf("%s left out because the project is not trusted: %s", counted(n, "skill with allowed-tools is", "skills with allowed-tools are"), names(c.Withheld, 5)))
	}
	return c
}

// finder looks through one root.
type finder struct {
	root    Root
	seen    map[string]bool // directories with a skill, links resolved
	skills  []Skill
	trouble []string
	more    int // that was not told
	dirs    int
	names   int
	base    directory
}

func (f *finder) tell(format string, args ...any) {
	if len(f.trouble) == maxTold {
		f.more++
		return
	}
	f.trouble = append(f.trouble, plain(fmt.Sprintf(format, args...)))
}

func (f *finder) told() []string {
	if f.more > 0 {
		f.trouble = append(f.trouble, fmt.Sprintf("and %d more in %s", f.more, f.root.Dir))
	}
	return f.trouble
}

// run goes through the directories, those nearer to the root first.
func (f *finder) run() {
	base, err := f.root.openDirectory(f.root.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		f.tell("the skills in %s cannot be read: %v", f.root.Dir, err)
		return
	}
	defer base.close()
	f.base = base
	var level []string
	for _, e := range f.list(base, ".") {
		if !passedOver(e.Name()) && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			level = append(level, e.Name())
		}
	}
	for depth := 1; depth <= maxDepth && len(level) > 0; depth++ {
		var next []string
		for i, rel := range level {
			if f.dirs == maxDirs || len(f.skills) == maxSkills {
				f.tell("%s has too many directories: %d and what is in them are not looked at", f.root.Dir, len(level)-i)
				return
			}
			f.dirs++
			next = append(next, f.look(rel)...)
		}
		level = next
	}
}

// list is the entries of a directory, as far as there may be more names.
func (f *finder) list(d directory, rel string) []fs.DirEntry {
	entries, more, err := d.list(rel, maxNames-f.names)
	f.names += len(entries)
	if err != nil {
		f.tell("%s cannot be read: %v", filepath.Join(d.path, rel), err)
	}
	if more {
		f.tell("%s has too many entries: some are not looked at", filepath.Join(d.path, rel))
	}
	return entries
}

// passedOver is whether no skill is looked for in a directory of that name.
func passedOver(name string) bool { return name[0] == '.' || name == "node_modules" }

// look takes the skill in a directory, or gives the directories in it.
func (f *finder) look(rel string) []string {
	path := filepath.Join(f.base.path, rel)
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	link := info.Mode()&fs.ModeSymlink != 0
	if link {
		to, err := os.Stat(path)
		if err == nil && !to.IsDir() {
			return nil
		}
		// Only directly in a root does a link stand for a skill: anywhere else
		// it may lead round in circles.
		if err != nil || filepath.Dir(rel) != "." {
			if err != nil {
				f.tell("%s is a link that leads nowhere", path)
			}
			return nil
		}
	}
	d, err := f.root.openDirectory(path)
	if err != nil {
		f.tell("%s is left out: %v", path, err)
		return nil
	}
	defer d.close()
	if link && inside(d.path, f.base.path) {
		f.tell("%s is left out: it is a link to a directory that it lies in itself", path)
		return nil
	}
	name, dirs := f.contents(d)
	if name == "" {
		if link {
			return nil
		}
		for i, dir := range dirs {
			dirs[i] = filepath.Join(rel, dir)
		}
		return dirs
	}
	if f.seen[d.path] {
		return nil // by another way
	}
	f.seen[d.path] = true
	s, err := f.take(d, rel, name)
	if err != nil {
		f.tell("the skill in %s is left out: %v", path, err)
		return nil
	}
	f.skills = append(f.skills, s)
	return nil
}

// contents is the name of the skill file in a directory, or the directories.
func (f *finder) contents(d directory) (file string, dirs []string) {
	for _, e := range f.list(d, ".") {
		switch name := e.Name(); {
		case name == skillFile, file != skillFile && strings.EqualFold(name, skillFile) && (file == "" || name == "skill.md"):
			file = name
		case e.IsDir() && !passedOver(name):
			dirs = append(dirs, name)
		}
	}
	return file, dirs
}

// take reads the beginning of a skill's file.
func (f *finder) take(d directory, rel, name string) (Skill, error) {
	file, info, err := d.openFile(name)
	if err != nil {
		return Skill{}, unwrapped(name, err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxHead))
	if err != nil {
		return Skill{}, unwrapped(name, err)
	}
	return newSkill(f.root, d, rel, name, whole(raw, info.Size()))
}

// whole is the beginning of a file without the piece of a line at which it
// was cut.
func whole(raw []byte, size int64) []byte {
	if i := bytes.LastIndexByte(raw, '\n'); i >= 0 && int64(len(raw)) < size {
		return raw[:i+1]
	}
	return raw
}

// unwrapped names a file once in an error about it.
func unwrapped(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Get is the skill of that name. Case does not count.
func (c Catalog) Get(name string) (Skill, bool) {
	for _, s := range c.Skills {
		if strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return Skill{}, false
}

// Report is the skills for the person, as "minicode skills list" and /skills
// show them: name, description and place, those that are hidden or withheld,
// and what is wrong.
func (c Catalog) Report() string {
	var b strings.Builder
	for _, s := range sorted(c.Skills) {
		fmt.Fprintf(&b, "%s: %s (%s)\n", s.Name, s.Description, s.File)
		for _, fault := range s.Faults {
			fmt.Fprintf(&b, "  %s\n", plain(fault))
		}
	}
	for _, s := range sorted(c.Withheld) {
		fmt.Fprintf(&b, "%s: not used before the project is trusted; it allows %s (%s)\n", s.Name, strings.Join(s.Tools, ", "), s.File)
	}
	if b.Len() == 0 {
		b.WriteString("No skills found. A skill is a directory with a SKILL.md in .minicode/skills, .agents/skills or .claude/skills.\n")
	}
	for _, line := range c.Trouble {
		fmt.Fprintf(&b, "! %s\n", line)
	}
	return b.String()
}

func sorted(skills []Skill) []Skill {
	return slices.SortedStableFunc(slices.Values(skills), func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
}

// names lists at most n of them.
func names(skills []Skill, n int) string {
	var out []string
	for _, s := range skills[:min(n, len(skills))] {
		out = append(out, s.Name)
	}
	if len(skills) > n {
		out = append(out, fmt.Sprintf("and %d more", len(skills)-n))
	}
	return strings.Join(out, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
