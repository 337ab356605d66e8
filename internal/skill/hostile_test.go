package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManySkills: thousands of skills cost no more than 500, take nothing from
// the person's own, and the catalogue stays short.
func TestManySkills(t *testing.T) {
	p, _ := world(t)
	root := filepath.Join(p.Project, ".claude/skills")
	for i := range 2_500 {
		dir := filepath.Join(root, fmt.Sprintf("skill-%05d-%s", i, strings.Repeat("a", 40)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if i > maxSkills {
			continue // they are not looked at
		}
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skillText(filepath.Base(dir), strings.Repeat("Does it. ", 100))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(t, p.Home, map[string]string{".claude/skills/mine/SKILL.md": skillText("mine", "Is the person's.")})
	c := Find(p.Skills())
	if len(c.Skills) != maxSkills+1 || !strings.HasPrefix(c.Skills[0].Name, "skill-00000-") {
		t.Errorf("%d skills, first %s", len(c.Skills), c.Skills[0].Name)
	}
	if len(c.Trouble) != 1 || !told(c.Trouble, "too many directories: 2000 ") {
		t.Errorf("told %q", c.Trouble)
	}
	text := c.Text(0)
	if n := len([]rune(text)); n > CatalogChars || n < CatalogChars-300 {
		t.Errorf("the catalogue has %d characters", n)
	}
	if !strings.Contains(text, "- mine\n") || !strings.Contains(text, "and ") {
		t.Errorf("the person's own skill is not in\n%s", text)
	}
}

// TestManyDirectories: a tree without skills is given up soon.
func TestManyDirectories(t *testing.T) {
	p, _ := world(t)
	root := filepath.Join(p.Project, ".claude/skills")
	for i := range 21 {
		for j := range 100 {
			if err := os.MkdirAll(filepath.Join(root, fmt.Sprint(i), fmt.Sprint(j)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	f := &finder{root: p.Skills()[2], seen: map[string]bool{}}
	f.run()
	if f.dirs > maxDirs || !told(f.told(), "too many directories") {
		t.Errorf("%d directories looked at, told %q", f.dirs, f.told())
	}
}

// TestManyFaults: what is wrong is told in a bounded number of lines.
func TestManyFaults(t *testing.T) {
	p, _ := world(t)
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf(".claude/skills/%03d/SKILL.md", i)] = ""
	}
	put(t, p.Project, files)
	c := Find(p.Skills())
	if len(c.Trouble) != maxTold+1 || !told(c.Trouble, "and 80 more in ") {
		t.Errorf("told %q", c.Trouble)
	}
}

// TestHugeFiles: of a huge file only the beginning is read.
func TestHugeFiles(t *testing.T) {
	p, _ := world(t)
	put(t, p.Project, map[string]string{
		".claude/skills/big/SKILL.md":      skillText("big", "Does it."),
		".claude/skills/unclosed/SKILL.md": "---\nname: unclosed\ndescription: Does it.\n",
		".claude/skills/long/SKILL.md":     "---\nname: long\ndescription: Does it.\nlicense: \"" + strings.Repeat("é", 200_000) + "\"\n---\nDo it.",
		".claude/skills/alias/SKILL.md":    "---\nname: alias\ndescription: Does it.\na: &a [x, x, x, x, x, x, x, x, x]\n" + bomb() + "---\nDo it.",
		".claude/skills/deep/SKILL.md":     "---\nname: deep\ndescription: Does it.\nmetadata: " + strings.Repeat("[", 50_000) + "\n---\nDo it.",
	})
	for _, name := range []string{"big", "unclosed"} {
		if err := os.Truncate(filepath.Join(p.Project, ".claude/skills", name, "SKILL.md"), 20<<30); err != nil {
			t.Skip("no sparse files here:", err)
		}
	}
	c := Find(p.Skills())
	for _, name := range []string{"big", "unclosed", "alias", "deep", "long"} {
		if s, ok := c.Get(name); !ok || s.Description != "Does it." {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for _, name := range []string{"big", "unclosed", "long", "alias", "deep"} {
		Validate(filepath.Join(p.Project, ".claude/skills", name))
	}
}

// bomb is a front matter whose lists stand for 9^20 values.
func bomb() string {
	var b strings.Builder
	for i := 'b'; i < 'v'; i++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", i-1), 9), ", "))
	}
	return b.String() + "name2: *u\n"
}

// TestBombs: no front matter takes longer than its size.
func TestBombs(t *testing.T) {
	for name, front := range map[string]string{
		"lists":   "name: a\ndescription: x\na: &a [x, x]\n" + bomb() + "compatibility: *u\n*u : x",
		"as name": "a: &a [x, x]\n" + bomb() + "description: *u\nname: *u",
		"merges":  "a: &a {" + strings.Repeat("<<: {b: c}, ", 9_000) + "}",
		"itself":  "a: &a {<<: *a}",
		"nested":  strings.Repeat("{a: ", 10_000),
		"quotes":  "a: [" + strings.Repeat(`"b", `, 20_000) + "]",
		"keys":    strings.Repeat("? ", 50_000),
		"anchors": strings.Repeat("&a ", 40_000),
		"blanks":  strings.Repeat("\t\n \t", 40_000),
	} {
		t.Run(name, func(t *testing.T) {
			validate("a", "---\n"+front+"\n---\n")
			if _, err := read([]byte("---\n" + front + "\n---\n")); err != nil {
				t.Error(err)
			}
		})
	}
}
