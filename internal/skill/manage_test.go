package skill

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files are the names below a directory, links marked.
func files(t *testing.T, dir string) []string {
	t.Helper()
	out := []string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if d.Type()&fs.ModeSymlink != 0 {
			rel += "@"
		}
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func TestAdd(t *testing.T) {
	p, top := world(t)
	src := filepath.Join(top, "download", "v1.2")
	put(t, src, map[string]string{
		"SKILL.md":        skillText("pdf", "Reads PDFs."),
		"scripts/run.sh":  "#!/bin/sh",
		"references/a.md": "More.",
		".env.example":    "KEY=",
		".git/config":     "",
		"again.md":        "-> references/a.md",
	})
	if err := os.Chmod(filepath.Join(src, "scripts/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, to := range []Root{p.Target(User), p.Target(Project)} {
		s, err := Add(filepath.Join(src, "SKILL.md"), to, "")
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != "pdf" || s.Dir != filepath.Join(to.Dir, "pdf") || len(s.Faults) > 0 || s.Root != to {
			t.Errorf("%+v", s)
		}
		want := []string{"pdf/.env.example", "pdf/SKILL.md", "pdf/again.md", "pdf/references/a.md", "pdf/scripts/run.sh"}
		if diff := cmp.Diff(want, files(t, to.Dir)); diff != "" {
			t.Error(diff)
		}
		if runtime.GOOS != "windows" {
			if info, err := os.Stat(filepath.Join(s.Dir, "scripts/run.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
				t.Errorf("%v, %v", info, err)
			}
		}
		if _, err := Add(src, to, ""); err == nil || !strings.Contains(err.Error(), "remove it first") {
			t.Errorf("added twice: %v", err)
		}
		if _, err := Add(src, to, "other"); err != nil {
			t.Error(err)
		}
		if found, _ := Find([]Root{to}).Get("pdf"); found.Dir != filepath.Join(to.Dir, "other") && found.Dir != s.Dir {
			t.Errorf("%+v", found)
		}
	}
}

func TestAddRefused(t *testing.T) {
	p, top := world(t)
	put(t, top, map[string]string{
		"right/SKILL.md": skillText("right", "Does it."),
		"none/README.md": "",
		"link/SKILL.md":  skillText("link", "Does it."),
		"link/a/secret":  "-> ../../home/secret",
		"dirs/SKILL.md":  skillText("dirs", "Does it."),
		"dirs/up":        "-> ..",
		"out/SKILL.md":   "-> ../home/secret",
		"home/secret":    skillText("secret", "Is the person's."),
		"file.md":        skillText("file", "Does it."),
		"colon/SKILL.md": skillText("a:b", "Does it."),
	})
	to := p.Target(User)
	for from, want := range map[string]string{
		"nowhere": "nowhere", "none": "no SKILL.md", "link": "a/secret", "dirs": "up", "out": "SKILL.md", "file.md": "not a directory", "colon": `"a:b" cannot be the name`,
	} {
		if _, err := Add(filepath.Join(top, from), to, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", from, err)
		}
	}
	for _, name := range []string{"..", ".", "../x", "a/b", `a\b`, "/x", ".hidden", "a\x00b", "a\nb", " a", strings.Repeat("a", 65), "-", "a."} {
		if _, err := Add(filepath.Join(top, "right"), to, name); err == nil {
			t.Errorf("added as %q", name)
		}
		if err := Remove(name, to); err == nil {
			t.Errorf("removed %q", name)
		}
	}
	if got := files(t, p.Config); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
	if _, err := Add(top, Root{Dir: filepath.Join(top, "sub"), Scope: User}, "x"); err == nil {
		t.Error("added without a skill")
	}
	put(t, top, map[string]string{"SKILL.md": skillText("top", "Does it.")})
	if _, err := Add(top, Root{Dir: filepath.Join(top, "sub"), Scope: User}, ""); err == nil || !strings.Contains(err.Error(), "lies in it") {
		t.Errorf("added into itself: %v", err)
	}
	put(t, p.Project, map[string]string{".minicode": "-> ../home"})
	if _, err := Add(filepath.Join(top, "right"), p.Target(Project), ""); err == nil {
		t.Error("added through a link out of the project")
	}
	if _, err := os.Stat(filepath.Join(p.Home, "skills")); err == nil {
		t.Error("a directory was made outside of the project")
	}
}

func TestRemove(t *testing.T) {
	p, top := world(t)
	to := p.Target(User)
	put(t, top, map[string]string{
		"other/linked/SKILL.md":          skillText("linked", "Lies elsewhere."),
		"config/skills/a/SKILL.md":       skillText("a", "Does it."),
		"config/skills/a/x/y":            "",
		"config/skills/dir/SKILL.md":     skillText("named", "Does it."),
		"config/skills/pack/in/SKILL.md": skillText("in", "Does it."),
		"config/skills/data/important":   "",
		"config/skills/broken/SKILL.md":  "",
		"config/skills/file":             "",
		"config/skills/linked":           "-> ../../other/linked",
	})
	for _, name := range []string{"A", "named", "in", "linked", "broken"} {
		if err := Remove(name, to); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff([]string{"data/important", "file"}, files(t, to.Dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(top, "other/linked/SKILL.md")); err != nil {
		t.Error("what a link leads to is gone")
	}
	for name, want := range map[string]string{"data": "is no skill", "file": "not a directory", "a": "there is no skill a", "pack": "is no skill"} {
		if err := Remove(name, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Remove("a", p.Target(Project)); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
	put(t, p.Project, map[string]string{".minicode/skills": "-> ../../config/skills"})
	put(t, to.Dir, map[string]string{"mine/SKILL.md": skillText("mine", "Is the person's.")})
	if err := Remove("mine", p.Target(Project)); err == nil {
		t.Error("removed through a link out of the project")
	}
	if err := Remove("mime", to); err == nil || !strings.Contains(err.Error(), "did you mean mine?") {
		t.Error(err)
	}
}

// TestAddBounded: what is too much is not added at all.
func TestAddBounded(t *testing.T) {
	p, top := world(t)
	put(t, top, map[string]string{
		"deep/SKILL.md": skillText("deep", "Does it."),
		"deep/" + strings.Repeat("d/", 20) + "file": "",
		"large/SKILL.md": skillText("large", "Does it."),
		"large/data":     "",
	})
	if err := os.Truncate(filepath.Join(top, "large/data"), maxAddBytes+1); err != nil {
		t.Skip("no sparse files here:", err)
	}
	for name, want := range map[string]string{"deep": "directories deep", "large": "bytes"} {
		if _, err := Add(filepath.Join(top, name), p.Target(User), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := files(t, p.Config); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}
