package skill

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCatalogText(t *testing.T) {
	own, project := Root{Dir: "/own", Scope: User}, Root{Dir: "/project", Scope: Project}
	c := Catalog{Skills: []Skill{
		{Name: "zeta", Description: "Does it.", Root: project},
		{Name: "alpha", Description: strings.Repeat("long ", 100), Root: project},
		{Name: "manual", Description: "Is for the person only.", Root: own, Manual: true},
		{Name: "beta", Description: "Does that.", Root: own},
	}}
	want := "- alpha: " + strings.Repeat("long ", 59) + "long…\n- beta: Does that.\n- zeta: Does it."
	if diff := cmp.Diff(want, c.Text(0)); diff != "" {
		t.Error(diff)
	}
	if got := c.Text(120); got != "- alpha: "+strings.Repeat("long ", 11)+"long…\n- beta: Does that.\n- zeta: Does it." {
		t.Errorf("%q", got)
	}
	if got := c.Text(30); got != "- alpha\n- beta\n- zeta" {
		t.Errorf("%q", got)
	}
	if got := c.Text(5); got != "" {
		t.Errorf("%q", got)
	}
	if got := (Catalog{}).Text(0); got != "" {
		t.Errorf("%q", got)
	}
}

// TestCatalogBounded: the text is never longer than its limit, sorted, has no
// more lines than it may, and gives every root its share.
func TestCatalogBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Catalog
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 60), 1, 4).Draw(t, "roots") {
			for j := range n {
				c.Skills = append(c.Skills, Skill{
					Name:        fmt.Sprintf("s%d-%02d", i, j),
					Description: plain(rapid.StringN(1, 400, -1).Draw(t, "description")),
					Root:        Root{Dir: fmt.Sprint("/", i)},
				})
			}
		}
		limit := rapid.IntRange(60, 20_000).Draw(t, "limit")
		text := c.Text(limit)
		if n := utf8.RuneCountInString(text); n > limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if text != c.Text(limit) {
			t.Fatal("not the same twice")
		}
		lines := strings.Split(text, "\n")
		if len(c.Skills) == 0 {
			if text != "" {
				t.Fatalf("%q", text)
			}
			return
		}
		rest := 0
		if _, err := fmt.Sscanf(lines[len(lines)-1], "and %d more", &rest); err == nil {
			lines = lines[:len(lines)-1]
		}
		if !slices.IsSorted(lines) || len(lines)+rest != len(c.Skills) {
			t.Fatalf("%d lines and %d more for %d skills", len(lines), rest, len(c.Skills))
		}
		shown, of := map[byte]int{}, map[byte]int{}
		for _, line := range lines {
			shown[line[3]]++
		}
		for _, s := range c.Skills {
			of[s.Name[1]]++
		}
		for a := range of {
			for b := range of {
				if shown[a] < of[a] && shown[b] > shown[a]+1 {
					t.Fatalf("root %c has %d of %d, root %c %d", a, shown[a], of[a], b, shown[b])
				}
			}
		}
	})
}

func TestFree(t *testing.T) {
	p, _ := world(t)
	put(t, p.Project, map[string]string{".claude/skills/theirs/SKILL.md": skillText("theirs", "Does it.")})
	put(t, p.Home, map[string]string{
		".claude/skills/mine/SKILL.md": skillText("mine", "Does it."), ".claude/skills/unused/SKILL.md": skillText("unused", "Does it."),
		".claude/skills/elsewhere/SKILL.md": "-> ../../../elsewhere.md", "elsewhere.md": skillText("elsewhere", "Does it."),
	})
	c := Find(p.Skills())
	at := func(names ...string) string {
		return filepath.Join(append([]string{p.Home, ".claude/skills"}, names...)...)
	}
	if diff := cmp.Diff([]string{at("elsewhere/SKILL.md"), at("mine/SKILL.md"), at("unused/SKILL.md")}, c.Free(nil)); diff != "" {
		t.Error(diff)
	}
	want := []string{filepath.Join(p.Project, ".claude/skills/theirs"), at("elsewhere/SKILL.md"), at("mine"), at("mine/SKILL.md"), at("unused/SKILL.md")}
	if diff := cmp.Diff(want, c.Free([]string{"Mine", "theirs", "other"})); diff != "" {
		t.Error(diff)
	}
}
