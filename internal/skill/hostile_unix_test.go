//go:build unix

package skill

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPipesAndDevices: nothing is waited for.
func TestPipesAndDevices(t *testing.T) {
	p, _ := world(t)
	root := filepath.Join(p.Project, ".claude/skills")
	put(t, root, map[string]string{
		"right/SKILL.md":  skillText("right", "Does it."),
		"zero/SKILL.md":   "-> /dev/zero",
		"dir/SKILL.md/x":  "",
		"pipe/a":          "",
		"socket/a":        "",
		"linked/SKILL.md": "-> ../pipe/SKILL.md",
		"locked/SKILL.md": skillText("locked", "Does it."),
	})
	put(t, filepath.Join(p.Home, ".claude/skills"), map[string]string{"zero/SKILL.md": "-> /dev/zero", "tty/SKILL.md": "-> /dev/tty", "pipe/SKILL.md": "-> " + filepath.Join(root, "pipe/SKILL.md")})
	for _, path := range []string{"pipe/SKILL.md", "fifo", "right/also-a-pipe"} {
		if err := syscall.Mkfifo(filepath.Join(root, path), 0o644); err != nil {
			t.Skip("no pipes here:", err)
		}
	}
	t.Chdir(filepath.Join(root, "socket")) // the names of sockets must be short
	l, err := net.Listen("unix", "SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(filepath.Join(root, "locked/SKILL.md"), 0); err != nil {
		t.Fatal(err)
	}
	c := Find(p.Skills())
	want := []string{"right"}
	if os.Getuid() == 0 {
		want = []string{"locked", "right"} // root reads everything
	}
	if diff := cmp.Diff(want, namesOf(c.Skills)); diff != "" {
		t.Error(diff)
	}
	for _, what := range []string{"skills/pipe is left out: SKILL.md: it is a named pipe", "socket is left out: SKILL.md: it is a socket", "dir is left out: SKILL.md: it is a directory", "zero is left out: SKILL.md: it is a device", "linked is left out"} {
		if !told(c.Trouble, what) {
			t.Errorf("not told: %s\n%q", what, c.Trouble)
		}
	}
	for _, name := range []string{"pipe", "socket", "dir", "zero", "linked", "fifo"} {
		if problems := Validate(filepath.Join(root, name)); Valid(problems) {
			t.Errorf("%s is valid", name)
		}
		if _, err := Add(filepath.Join(root, name), p.Target(User), ""); err == nil {
			t.Errorf("%s was added", name)
		}
	}
	if _, err := Add(filepath.Join(root, "right"), p.Target(User), ""); err == nil {
		t.Error("a skill with a pipe in it was added")
	}
	if names := namesOf(Find([]Root{p.Target(User)}).Skills); len(names) > 0 {
		t.Errorf("%v is there", names)
	}
}

// TestPipeAsRoot: also a root, and a directory of commands, may be a pipe.
func TestPipeAsRoot(t *testing.T) {
	p, _ := world(t)
	put(t, p.Project, map[string]string{".claude/x": "", ".claude/commands/a.md": "Do it."})
	for _, path := range []string{".claude/skills", ".claude/commands/b.md", ".minicode"} {
		if err := syscall.Mkfifo(filepath.Join(p.Project, path), 0o644); err != nil {
			t.Skip("no pipes here:", err)
		}
	}
	if c := Find(p.Skills()); len(c.Skills) > 0 || !told(c.Trouble, "not a directory") {
		t.Errorf("%+v", c)
	}
	c := FindCommands(p.Commands())
	if len(c.All) != 1 || !told(c.Trouble, "b.md is left out: b.md: it is a named pipe") {
		t.Errorf("%+v", c)
	}
	if err := Remove("a", p.Target(Project)); err == nil {
		t.Error("removed from a pipe")
	}
	if _, err := Add(filepath.Join(p.Project, ".claude"), p.Target(Project), ""); err == nil {
		t.Error("added to a pipe")
	}
}
