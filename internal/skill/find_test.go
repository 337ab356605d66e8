package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// put writes files below a directory, which is made; "-> to" is a link.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(filepath.FromSlash(to), path); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// world is a project and a home directory, links resolved.
func world(t *testing.T) (Places, string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := Places{Project: filepath.Join(top, "project"), Cwd: filepath.Join(top, "project"), Home: filepath.Join(top, "home"), Config: filepath.Join(top, "config"), Trusted: true}
	for _, dir := range []string{p.Project, p.Home, p.Config} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p, top
}

func skillText(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\nDo it.\n"
}

func namesOf(skills []Skill) []string {
	out := []string{}
	for _, s := range skills {
		out = append(out, s.Name)
	}
	return out
}

// told is whether a line says something.
func told(lines []string, what string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, what) })
}

// TestLenient reads front matter that is right or wrong in each of the usual
// ways.
func TestLenient(t *testing.T) {
	const dir = "a-skill"
	tests := map[string]struct {
		text        string
		name        string // "": the skill is left out
		description string
		fault       string // "": there is none
	}{
		"right":                        {skillText(dir, "Does it."), dir, "Does it.", ""},
		"byte order mark":              {"\ufeff" + skillText(dir, "Does it."), dir, "Does it.", ""},
		"CRLF":                         {strings.ReplaceAll(skillText(dir, "Does it."), "\n", "\r\n"), dir, "Does it.", ""},
		"CR":                           {strings.ReplaceAll(skillText(dir, "Does it."), "\n", "\r"), dir, "Does it.", ""},
		"BOM, CRLF and a blank line":   {"\ufeff\r\n" + strings.ReplaceAll(skillText(dir, "Does it."), "\n", "\r\n"), dir, "Does it.", ""},
		"unquoted colon":               {skillText(dir, "Use when: asked"), dir, "Use when: asked", "not valid YAML"},
		"unquoted colons, list, quote": {"---\nname: \"a-skill\"\ndescription: a: b: c\n  and d: e\nallowed-tools:\n- Read\n- \"Bash(git:*)\"\n---\nDo it.", dir, "a: b: c and d: e", "not valid YAML"},
		"colon and block":              {"---\nname: a-skill\nlicense: a: b\ndescription: >-\n  Does it,\n  twice.\nallowed-tools: [Read, \"Bash(git:*)\"]\n---\n", dir, "Does it, twice.", "not valid YAML"},
		"colon and quotes":             {"---\n'name': 'a-skill'\nlicense: a: b\n# Comment: here\ndescription: \"Does it.\"\n---\n", dir, "Does it.", "not valid YAML"},
		"block":                        {"---\nname: a-skill\ndescription: |\n  Does it.\n  Twice.\n---\n", dir, "Does it. Twice.", ""},
		"unclosed quote":               {skillText(dir, `"Does it.`), dir, `"Does it.`, "not valid YAML"},
		"tab":                          {"---\n\tname: a-skill\n\tdescription: Does it.\n---\n", dir, "Does it.", "not valid YAML"},
		"no name":                      {"---\ndescription: Does it.\n---\n", dir, "Does it.", "no name"},
		"empty name":                   {"---\nname:\ndescription: Does it.\n---\n", dir, "Does it.", "no name"},
		"other name":                   {skillText("other", "Does it."), "other", "Does it.", "not its directory's"},
		"name of another form":         {skillText("My Skill_2", "Does it."), "My Skill_2", "Does it.", "not its directory's"},
		"traversal name":               {skillText("../../etc", "Does it."), dir, "Does it.", "no name of a skill"},
		"absolute name":                {skillText("/etc/passwd", "Does it."), dir, "Does it.", "no name of a skill"},
		"name with a backslash":        {skillText(`..\x`, "Does it."), dir, "Does it.", "no name of a skill"},
		"name in two lines":            {"---\nname: \"a\\nb\\u202ec\"\ndescription: Does it.\n---\n", "a bc", "Does it.", "not its directory's"},
		"long name":                    {skillText(strings.Repeat("a", 65), "Does it."), dir, "Does it.", "no name of a skill"},
		"no description":               {"---\nname: a-skill\n---\n# Heading\n\nSays `it` here\nand here.\n\nNot here.", dir, "Says it here and here.", "no description"},
		"no front matter":              {"# Heading\n\n```\ncode\n```\nSays it.\n", dir, "Says it.", "no description"},
		"TypeScript's":                 {"# Title\nFirst line.\n", dir, "First line.", "no description"},
		"nothing":                      {"", "", "", ""},
		"only headings":                {"---\nname: a-skill\n---\n# One\n## Two\n---\n", "", "", ""},
		"unclosed":                     {"---\nname: a-skill\ndescription: Does it.\n\n# Do it\n", dir, "Does it.", "not closed"},
		"unclosed to the end":          {"---\nname: a-skill\ndescription: Does it.", dir, "Does it.", "not closed"},
		"three hyphens in a value":     {skillText(dir, "a --- b"), dir, "a --- b", ""},
		"long description":             {skillText(dir, strings.Repeat("é", 1100)), dir, strings.Repeat("é", 1023) + "…", "more than 1024"},
		"description that is a list":   {skillText(dir, "[one, two]"), dir, "one, two", ""},
		"description that is a map":    {"---\nname: a-skill\ndescription: {a: b}\n---\nSays it.", dir, "Says it.", "no description"},
		"hidden characters":            {skillText(dir, "Does\u200b \u202eit\U000e0041."), dir, "Does it.", ""},
		"invalid UTF-8":                {skillText(dir, "Does \xff it."), dir, "Does \ufffd it.", "not UTF-8"},
		"zero bytes":                   {skillText(dir, "Does it.") + "\x00", "", "", ""},
		"keys of another case":         {"---\nName: a-skill\nDESCRIPTION: Does it.\n---\n", dir, "Does it.", ""},
		"a field twice":                {"---\nname: a-skill\ndescription: Does it.\ndescription: Not.\n---\n", dir, "Does it.", "more than one"},
		"when_to_use":                  {"---\nname: a-skill\ndescription: Does it.\nwhen_to_use: When asked.\n---\n", dir, "Does it. When asked.", ""},
		"an alias of itself":           {"---\nname: a-skill\ndescription: &a [*a]\n---\nSays it.", dir, "Says it.", ""},
		"unknown fields":               {"---\nname: a-skill\ndescription: Does it.\nversion: 2\nhooks: {a: [b]}\n---\n", dir, "Does it.", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, _ := world(t)
			put(t, p.Project, map[string]string{".minicode/skills/a-skill/SKILL.md": test.text})
			c := Find(p.Skills())
			if test.name == "" {
				if len(c.Skills) != 0 || !told(c.Trouble, "a-skill") {
					t.Fatalf("found %v, told %q", namesOf(c.Skills), c.Trouble)
				}
				return
			}
			if len(c.Skills) != 1 {
				t.Fatalf("found %v, told %q", namesOf(c.Skills), c.Trouble)
			}
			s := c.Skills[0]
			if s.Name != test.name || s.Description != test.description {
				t.Errorf("%q: %q, want %q: %q", s.Name, s.Description, test.name, test.description)
			}
			if test.fault == "" && test.name == dir && len(s.Faults) > 0 && name != "an alias of itself" || test.fault != "" && !told(s.Faults, test.fault) {
				t.Errorf("faults: %q, want %q", s.Faults, test.fault)
			}
		})
	}
}

func TestTools(t *testing.T) {
	for text, want := range map[string][]string{
		"Bash(git:*) Bash(jq:*) Read":           {"Bash(git:*)", "Bash(jq:*)", "Read"},
		"Bash(git add *), Read,Write":           {"Bash(git add *)", "Read", "Write"},
		"[Read, 'Bash(npm run test:*)']":        {"Read", "Bash(npm run test:*)"},
		"\n  - Read\n  - Bash(git commit -m *)": {"Read", "Bash(git commit -m *)"},
		"\n  - Read, Write":                     {"Read", "Write"},
		"Bash(echo (a b)) Read":                 {"Bash(echo (a b))", "Read"},
		"Bash(a":                                {"Bash(a"},
		"":                                      nil,
		"[]":                                    nil,
		"{a: b}":                                nil,
		"Read: no, Bash(x: y)":                  {"Read:", "no", "Bash(x: y)"}, // no YAML
		strings.Repeat("Read ", 150):            slices.Repeat([]string{"Read"}, 100),
		"Read Bash(" + strings.Repeat("a", 600) + ")": {"Read"},
	} {
		d, err := read([]byte("---\nallowed-tools: " + text + "\n---\n"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, d.tools("allowed-tools")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestRoots: all roots are read, those that win first, and a collision is told.
func TestRoots(t *testing.T) {
	p, _ := world(t)
	p.Cwd = filepath.Join(p.Project, "sub", "dir")
	var want []string
	for i, dir := range []string{
		filepath.Join(p.Cwd, ".claude"), filepath.Join(p.Project, "sub", ".agents"),
		filepath.Join(p.Project, ".minicode"), filepath.Join(p.Project, ".agents"), filepath.Join(p.Project, ".claude"), filepath.Join(p.Project, ".mini-code"),
		p.Config, filepath.Join(p.Home, ".minicode"), filepath.Join(p.Home, ".agents"), filepath.Join(p.Home, ".claude"), filepath.Join(p.Home, ".mini-code"),
	} {
		name := fmt.Sprintf("only-%02d", i)
		want = append(want, name)
		put(t, dir, map[string]string{
			"skills/" + name + "/SKILL.md": skillText(name, "One."),
			"skills/shared/SKILL.md":       skillText("Shared", fmt.Sprintf("From %d.", i)),
		})
	}
	c := Find(p.Skills())
	if diff := cmp.Diff(append([]string{"only-00", "Shared"}, want[1:]...), namesOf(c.Skills)); diff != "" {
		t.Error(diff)
	}
	s, ok := c.Get("shared")
	if !ok || s.Description != "From 0." || s.Root.Scope != Project {
		t.Errorf("%+v wins", s)
	}
	if len(c.Shadowed) != 10 || !told(c.Trouble, `the skill "Shared" in `+filepath.Join(p.Home, ".mini-code/skills/shared")+" is hidden by the one in "+s.Dir) {
		t.Errorf("%d hidden, told %q", len(c.Shadowed), c.Trouble)
	}
	put(t, p.Project, map[string]string{".agents/skills/same/SKILL.md": skillText("same", "Does it."), ".claude/skills/same/SKILL.md": skillText("same", "Does it.")})
	if c := Find(p.Skills()); len(c.Shadowed) != 11 || told(c.Trouble, `"same"`) {
		t.Errorf("of copies that are the same: told %q", c.Trouble)
	}
	for _, s := range c.Skills {
		if inProject := strings.HasPrefix(s.Dir, p.Project); inProject != (s.Root.Scope == Project) {
			t.Errorf("%s is of the %s", s.Dir, s.Root.Scope)
		}
	}
}

func TestPlaces(t *testing.T) {
	home := filepath.FromSlash("/home/me")
	for name, test := range map[string]struct {
		places Places
		want   int // roots of skills
		first  string
	}{
		"at home":            {Places{Project: home, Cwd: home, Home: home}, 4, "/home/me/.minicode/skills"},
		"below home":         {Places{Project: home, Cwd: home + "/x", Home: home}, 8, "/home/me/x/.minicode/skills"},
		"no project's root":  {Places{Cwd: filepath.FromSlash("/src/p"), Home: home, Config: home + "/.minicode"}, 8, "/src/p/.minicode/skills"},
		"outside of it":      {Places{Project: filepath.FromSlash("/src/p"), Cwd: filepath.FromSlash("/src/pq")}, 4, "/src/p/.minicode/skills"},
		"the root directory": {Places{Project: filepath.FromSlash("/"), Cwd: filepath.FromSlash("/")}, 4, "/.minicode/skills"},
		"nowhere":            {Places{}, 0, ""},
	} {
		roots := test.places.Skills()
		if len(roots) != test.want || test.want > 0 && filepath.ToSlash(roots[0].Dir) != test.first {
			t.Errorf("%s: %d roots: %v", name, len(roots), roots)
		}
		for _, r := range roots {
			if (r.Scope == Project) != (r.Within != "") || r.Scope == User && !r.Trusted {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	at := Places{Project: home, Cwd: home, Home: home}.Skills()
	if at[0].Scope != User {
		t.Error("what lies at home is the person's own, also when they work there")
	}
}

// TestFileNames: the exact name is preferred, another case is put up with.
func TestFileNames(t *testing.T) {
	p, _ := world(t)
	root := filepath.Join(p.Project, ".agents/skills")
	put(t, root, map[string]string{
		"lower/skill.md":        skillText("lower", "Does it."),
		"mixed/Skill.md":        skillText("mixed", "Does it."),
		"readme/README.md":      skillText("readme", "Does it."),
		"SKILL.md":              skillText("skills", "Lies in the root itself."),
		"file":                  "no directory",
		"pack/a/SKILL.md":       skillText("a", "Does it."),
		"pack/b/c/SKILL.md":     skillText("c", "Does it."),
		"pack/b/d/e/f/SKILL.md": skillText("f", "Lies too deep."),
		"a-skill/SKILL.md":      skillText("a-skill", "Does it."),
		"a-skill/sub/SKILL.md":  skillText("sub", "Is a part of a skill."),
		".hidden/x/SKILL.md":    skillText("x", "Is hidden."),
		"node_modules/SKILL.md": skillText("y", "Is a package."),
		"empty/.keep":           "",
	})
	c := Find(p.Skills())
	got := namesOf(c.Skills)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "a-skill", "c", "lower", "mixed"}, got); diff != "" {
		t.Error(diff)
	}
	if len(c.Trouble) > 0 {
		t.Errorf("told %q", c.Trouble)
	}
	for _, name := range []string{"lower", "mixed"} {
		if s, _ := c.Get(name); !told(s.Faults, "rename it to SKILL.md") {
			t.Errorf("%s: %q", name, s.Faults)
		}
	}
	put(t, root, map[string]string{"both/skill.md": skillText("both", "Not this.")})
	if err := os.WriteFile(filepath.Join(root, "both/SKILL.md"), []byte(skillText("both", "This.")), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, _ := Find(p.Skills()).Get("both"); s.Description != "This." {
		t.Errorf("%q is taken", s.Description)
	}
}

// TestLinks: in a project a link may lead anywhere in it and not out of it, and
// a skill's file lies in its directory; the person's own links are followed.
func TestLinks(t *testing.T) {
	p, top := world(t)
	put(t, top, map[string]string{
		"outside/evil/SKILL.md":    skillText("evil", "Is outside."),
		"outside/secret.md":        skillText("secret", "Is outside."),
		"home/dotfiles/own.md":     skillText("own-file", "Is the person's."),
		"home/dotfiles/s/SKILL.md": skillText("s", "Is the person's."),
		"project/shared/SKILL.md":  skillText("shared", "Is in the project."),
		"project/.env":             "KEY=secret\n",
	})
	put(t, filepath.Join(p.Project, ".claude/skills"), map[string]string{
		"relative":           "-> ../../../outside/evil",
		"absolute":           "-> " + filepath.Join(top, "outside/evil"),
		"file-out/SKILL.md":  "-> ../../../../outside/secret.md",
		"file-in/SKILL.md":   "-> ../../../.env",
		"inner/SKILL.md":     "-> real.md",
		"inner/real.md":      skillText("inner", "Is a link within its directory."),
		"shared":             "-> ../../shared",
		"shared-again":       "-> " + filepath.Join(p.Project, "shared"),
		"dangling":           "-> nowhere",
		"loop":               "-> loop",
		"self":               "-> .",
		"up":                 "-> ../..",
		"a-file":             "-> ../../.env",
		"nested/deep/link":   "-> ../../../../shared",
		"ring/one/two":       "-> ../..",
		"ring-file/SKILL.md": "-> SKILL.md",
	})
	put(t, filepath.Join(p.Home, ".claude/skills"), map[string]string{
		"s":                  "-> ../../dotfiles/s",
		"own-file/SKILL.md":  "-> ../../../dotfiles/own.md",
		"evil":               "-> " + filepath.Join(top, "outside/evil"),
		"home":               "-> ../..",
		"fake/SKILL.md":      "-> nowhere.md",
		"directory/SKILL.md": "-> .",
	})
	c := Find(p.Skills())
	if diff := cmp.Diff([]string{"inner", "shared", "evil", "own-file", "s"}, namesOf(c.Skills)); diff != "" {
		t.Error(diff)
	}
	for _, what := range []string{
		"relative is left out", "absolute is left out", "out of " + p.Project, "file-out is left out", "file-in is left out",
		"dangling is a link that leads nowhere", "loop is a link that leads nowhere", "self is left out", "up is left out", "ring-file is left out",
		"skills/home is left out", "fake is left out", "directory is left out: SKILL.md: it is a directory",
	} {
		if !told(c.Trouble, what) {
			t.Errorf("not told: %s", what)
		}
	}
	if t.Failed() {
		t.Logf("%s", strings.Join(c.Trouble, "\n"))
	}
	if s, _ := c.Get("shared"); s.Dir != filepath.Join(p.Project, "shared") {
		t.Errorf("the directory of shared is %s", s.Dir)
	}
}

// TestRootLinks: also the root itself may be a link, but not out.
func TestRootLinks(t *testing.T) {
	p, top := world(t)
	put(t, top, map[string]string{"outside/x/SKILL.md": skillText("x", "Is outside."), "project/docs/y/SKILL.md": skillText("y", "Is inside.")})
	put(t, p.Project, map[string]string{".claude/skills": "-> ../../outside", ".agents/skills": "-> ../docs", ".minicode/skills": "a file"})
	c := Find(p.Skills())
	if diff := cmp.Diff([]string{"y"}, namesOf(c.Skills)); diff != "" {
		t.Error(diff)
	}
	if len(c.Trouble) != 2 || !told(c.Trouble, "out of "+p.Project) || !told(c.Trouble, "is not a directory") {
		t.Errorf("told %q", c.Trouble)
	}
}

// TestTrust: what a project's skills allow takes no effect before it is
// trusted; those that allow nothing are there.
func TestTrust(t *testing.T) {
	p, _ := world(t)
	put(t, p.Project, map[string]string{
		".claude/skills/plain/SKILL.md": skillText("plain", "Does it."),
		".claude/skills/tools/SKILL.md": "---\nname: tools\ndescription: Does it.\nallowed-tools: Bash(rm:*) Write\n---\n",
	})
	put(t, p.Home, map[string]string{".claude/skills/tools/SKILL.md": "---\nname: tools\ndescription: Is the person's.\nallowed-tools: Read\n---\n"})
	c := Find(p.Skills())
	if s, _ := c.Get("tools"); s.Root.Scope != Project || len(c.Withheld) != 0 {
		t.Errorf("trusted: %+v", c)
	}
	p.Trusted = false
	c = Find(p.Skills())
	if s, _ := c.Get("tools"); s.Root.Scope != User || !slices.Equal(s.Tools, []string{"Read"}) {
		t.Errorf("not trusted: %+v", s)
	}
	if diff := cmp.Diff([]string{"plain", "tools"}, namesOf(c.Skills)); diff != "" {
		t.Error(diff)
	}
	if len(c.Withheld) != 1 || !slices.Equal(c.Withheld[0].Tools, []string{"Bash(rm:*)", "Write"}) || !told(c.Trouble, "not trusted: tools") {
		t.Errorf("withheld %+v, told %q", c.Withheld, c.Trouble)
	}
	if got := c.Allowances([]string{"tools", "plain"}); len(got) != 1 || got[0].Rule != "Read" {
		t.Errorf("allows %+v", got)
	}
}

func TestReport(t *testing.T) {
	p, _ := world(t)
	if got := Find(p.Skills()).Report(); !strings.HasPrefix(got, "No skills found.") {
		t.Errorf("%q", got)
	}
	put(t, p.Project, map[string]string{
		".claude/skills/b/SKILL.md": skillText("b", "Use when: asked"),
		".agents/skills/a/SKILL.md": skillText("a", "Does it."),
		".agents/skills/c/SKILL.md": "",
	})
	got := strings.ReplaceAll(filepath.ToSlash(Find(p.Skills()).Report()), filepath.ToSlash(p.Project), "P")
	want := `a: Does it. (P/.agents/skills/a/SKILL.md)
b: Use when: asked (P/.claude/skills/b/SKILL.md)
  its front matter is not valid YAML and was read line by line: line 3: mapping values are not allowed in this context
! the skill in P/.agents/skills/c is left out: nothing says what it is for: give it a description in its front matter
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
