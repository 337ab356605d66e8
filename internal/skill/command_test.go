package skill

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestExpand(t *testing.T) {
	tests := []struct {
		text  string
		names []string
		args  string
		want  string
	}{
		{"Fix $ARGUMENTS now", nil, "issue 7", "Fix issue 7 now"},
		{"Fix $ARGUMENTS now", nil, "", "Fix  now"},
		{"Fix it", nil, "", "Fix it"},
		{"Fix it\n", nil, " issue 7 ", "Fix it\n\nARGUMENTS: issue 7"},
		{"$1 and $2", nil, "a b", "a and b"},
		{"$2 and $1, not $3", nil, `"a b" 'c d'`, "c d and a b, not "},
		{"from $0 to $1", nil, "a b", "from a to b"},
		{"$1 \\$0", nil, "a b", "a $0"},
		{"$00 $1", nil, "a b", "a b"},
		{"$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[2]", nil, "a b", "a b "},
		{"$1 $ARGUMENTS[0] $ARGUMENTS", nil, "a b", "a a a b"},
		{"$ARGUMENTS[x] $ARGUMENTS[", nil, "a", "a[x] a["},
		{"$issue on $branch, $issues", []string{"issue", "branch"}, "7 main", "7 on main, $issues"},
		{"$issue on $branch", []string{"issue", "branch"}, "7", "7 on "},
		{"$ARGUMENTSX $HOME ${ARGUMENTS} $ $", nil, "a", "$ARGUMENTSX $HOME ${ARGUMENTS} $ $\n\nARGUMENTS: a"},
		{`\$ARGUMENTS costs \$5`, nil, "a", "$ARGUMENTS costs $5\n\nARGUMENTS: a"},
		{`\\$1 \x \`, nil, "a", `\$1 \x \` + "\n\nARGUMENTS: a"},
		{"$1$1$1", nil, "a", "aaa"},
		{"$12 $1", nil, "a b", " a"},
		{"$99999999999999999999", nil, "a", ""},
		{"$1", nil, "$2 $ARGUMENTS", "$2"},
		{"$ARGUMENTS", nil, `$1 \$ $ARGUMENTS`, `$1 \$ $ARGUMENTS`},
		{"é$1é", nil, "ü", "éüé"},
		{"!`git status` @file $1", nil, "a", "!`git status` @file a"},
		{"", nil, "a", "\n\nARGUMENTS: a"},
	}
	for _, test := range tests {
		if got := Expand(test.text, test.names, test.args); got != test.want {
			t.Errorf("%q with %q: %q, want %q", test.text, test.args, got, test.want)
		}
	}
}

func TestFields(t *testing.T) {
	for text, want := range map[string][]string{
		"":                nil,
		" \t\n":           nil,
		"a  b\tc\nd":      {"a", "b", "c", "d"},
		`"a b" 'c d'`:     {"a b", "c d"},
		`a"b c"d`:         {"ab cd"},
		`"" ''`:           {"", ""},
		`"a \"b\" \\ \n"`: {`a "b" \ \n`},
		`'a \'b`:          {`a \b`},
		`a\ b C:\dir`:     {"a b", `C:\dir`},
		`it's fine`:       {"it's", "fine"},
		`"open a`:         {`"open`, "a"},
		`\"a b\"`:         {`"a`, `b"`},
		`a\`:              {`a\`},
		"é\u00a0x \u3000": {"é\u00a0x", "\u3000"},
	} {
		if diff := cmp.Diff(want, Fields(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestFieldsQuoted: any arguments can be written so that they come back.
func TestFieldsQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "arguments")
		var quoted []string
		for _, arg := range want {
			quoted = append(quoted, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(arg)+`"`)
		}
		if diff := cmp.Diff(want, Fields(strings.Join(quoted, " "))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestExpandOnce: what is put in is never looked at again, and the text around
// it stays as it is.
func TestExpandOnce(t *testing.T) {
	piece := rapid.SampledFrom([]string{"$ARGUMENTS", "$1", "$2", "$3", "$ARGUMENTS[0]", "$name", `\$`, `\$1`, "$", `\`, "text ", "é", "[0]", " "})
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "$1", "$ARGUMENTS", `\$`, "$name", "$0", "é"}), 1, 3).Draw(t, "arguments")
		text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "text"), "|")
		typed := strings.Join(args, " ")
		got := Expand(text, []string{"name"}, typed)

		at := func(i int) string {
			if i < len(args) {
				return args[i]
			}
			return ""
		}
		// The same with marks that no text has, put in one after the other.
		want := text
		marks := [][2]string{
			{`\$`, "\x01"}, {"$ARGUMENTS[0]", "\x02"}, {"$ARGUMENTS", "\x03"}, {"$name", "\x04"}, {"$1", "\x05"}, {"$2", "\x06"}, {"$3", "\x07"},
		}
		for _, m := range marks {
			want = strings.ReplaceAll(want, m[0], m[1])
		}
		used := strings.ContainsAny(want, "\x02\x03\x04\x05\x06\x07")
		want = strings.NewReplacer("\x01", "$", "\x02", at(0), "\x03", typed, "\x04", at(0), "\x05", at(0), "\x06", at(1), "\x07", at(2)).Replace(want)
		if !used {
			want += "\n\nARGUMENTS: " + typed
		}
		if got != want {
			t.Fatalf("%q with %q: %q, want %q", text, typed, got, want)
		}
	})
}

func TestCommands(t *testing.T) {
	p, _ := world(t)
	p.Cwd = filepath.Join(p.Project, "sub")
	put(t, p.Cwd, map[string]string{".minicode/commands/near.md": "Near $1."})
	put(t, p.Project, map[string]string{
		".minicode/commands/fix.md":        "Ours.",
		".claude/commands/fix.md":          "Hidden.",
		".claude/commands/git/commit.md":   "---\ndescription: Commits\nargument-hint: [message]\nallowed-tools: Bash(git add:*), Bash(git commit:*)\nmodel: haiku\n---\n\nCommit with $ARGUMENTS\n",
		".claude/commands/a/b/c.MD":        "\ufeff---\r\ndescription: use: it\r\nargument-hint: <a> [b]\r\narguments: one, two\r\nmodel: inherit\r\n---\r\n\r\n$two then $one\r\n",
		".claude/commands/a/b/c/d/e/f.md":  "Too deep.",
		".claude/commands/no name.md":      "Has a blank.",
		".claude/commands/x:y.md":          "Has a colon.",
		".claude/commands/empty.md":        "---\ndescription: Nothing\n---\n",
		".claude/commands/binary.md":       "\x00",
		".claude/commands/big.md":          strings.Repeat("x", maxCommandText+1),
		".claude/commands/.hidden.md":      "Hidden.",
		".claude/commands/README.txt":      "No Markdown.",
		".claude/commands/link-out.md":     "-> ../../../home/secret.md",
		".claude/commands/link-in.md":      "-> fix.md",
		".claude/commands/dir.md/inner.md": "Lies in a directory.",
		".claude/commands/cycle":           "-> .",
	})
	put(t, p.Home, map[string]string{".claude/commands/FIX.md": "Hidden.", ".claude/commands/mine.md": "-> ../../secret.md", "secret.md": "Is the person's."})
	put(t, p.Config, map[string]string{"commands/own.md": "# Title\n\nDoes `it`."})
	found := FindCommands(p.Commands())
	var got []string
	for _, c := range found.All {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff([]string{"near", "fix", "link-in", "dir.md:inner", "git:commit", "a:b:c", "own", "mine"}, got); diff != "" {
		t.Error(diff)
	}
	for _, what := range []string{"no name.md is left out", "empty.md is left out", "binary.md is left out", "big.md is left out", "link-out.md is left out", "/fix in " + filepath.Join(p.Project, ".claude/commands/fix.md") + " is hidden by", "/FIX in "} {
		if !told(found.Trouble, what) {
			t.Errorf("not told: %s\n%s", what, strings.Join(found.Trouble, "\n"))
		}
	}
	get := func(name string) Command {
		for _, c := range found.All {
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no command %s", name)
		return Command{}
	}
	c := get("git:commit")
	if c.Description != "Commits" || c.Hint != "[message]" || c.Model != "haiku" || !slices.Equal(c.Tools, []string{"Bash(git add:*)", "Bash(git commit:*)"}) || c.Expand("a b") != "Commit with a b" {
		t.Errorf("%+v", c)
	}
	if a := c.Allowances(); len(a) != 2 || a[1].Rule != "Bash(git commit:*)" || !strings.Contains(a[1].Origin, "/git:commit") {
		t.Errorf("%+v", a)
	}
	if c = get("a:b:c"); c.Description != "use: it" || c.Hint != "<a> [b]" || c.Model != "" || c.Expand("x y") != "y then x" {
		t.Errorf("%+v", c)
	}
	if c = get("own"); c.Description != "Does it." || c.Root.Scope != User {
		t.Errorf("%+v", c)
	}
	if c = get("mine"); c.Text != "Is the person's." {
		t.Errorf("%+v", c)
	}
	p.Trusted = false
	found = FindCommands(p.Commands())
	if c = get("git:commit"); c.Tools != nil || c.Model != "" || c.Expand("a") != "Commit with a" || !told(found.Trouble, "/git:commit: its allowed-tools and model are left out") {
		t.Errorf("not trusted: %+v", c)
	}
}

// TestManyCommands: their number is bounded.
func TestManyCommands(t *testing.T) {
	p, _ := world(t)
	files := map[string]string{}
	for i := range maxCommands + 10 {
		files[fmt.Sprintf(".claude/commands/c%03d.md", i)] = "Do it."
	}
	put(t, p.Project, files)
	found := FindCommands(p.Commands())
	if len(found.All) != maxCommands || !told(found.Trouble, "more than 500 commands") {
		t.Errorf("%d, told %q", len(found.All), found.Trouble)
	}
}

func TestPrompt(t *testing.T) {
	s := Skill{Name: "pdf"}
	if got := s.Prompt("  "); got != `Use the skill "pdf": call load_skill with this name first, then do what it says.` {
		t.Errorf("%q", got)
	}
	if got := s.Prompt("a.pdf $1"); !strings.HasSuffix(got, "\n\nARGUMENTS: a.pdf $1") {
		t.Errorf("%q", got)
	}
}
