package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tree makes files under a new directory. A content of "-> target" makes a
// symbolic link.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		put(t, dir, name, content)
	}
	return dir
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if target, link := strings.CutPrefix(content, "-> "); link {
		err = os.Symlink(target, path)
	} else {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// told lists what became of each file, in order.
func told(dir string, files []File) []string {
	var out []string
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f.Path)
		out = append(out, filepath.ToSlash(rel)+" "+string(f.Use))
	}
	return out
}

func places(dir string) Places {
	return Places{
		Root: filepath.Join(dir, "p"), Cwd: filepath.Join(dir, "p", "a", "b"), Home: filepath.Join(dir, "home"),
		Config: filepath.Join(dir, "config"), Legacy: filepath.Join(dir, "home", ".mini-code"),
	}
}

func TestOrderIsFromThePersonToTheDirectory(t *testing.T) {
	files := map[string]string{"AGENTS.md": "outside", "p/c/AGENTS.md": "not on the way", "p/a/b/c/AGENTS.md": "deeper", "p/a/AGENTS.md": " \n\t"}
	want := []string{
		"home/.claude/CLAUDE.md", "home/.claude/rules/r.md", "home/.mini-code/MINI.md", "home/.mini-code/rules/a.md", "home/.mini-code/rules/b.md",
		"config/AGENTS.md", "config/rules/x.md", "p/AGENTS.md", "p/MINI.md", "p/MINI.local.md", "p/.mini-code/MINI.md", "p/CLAUDE.md", "p/CLAUDE.local.md",
		"p/.claude/CLAUDE.md", "p/.claude/rules/t.md", "p/.mini-code/rules/u.md", "p/.minicode/rules/v.md", "p/a/CLAUDE.md", "p/a/b/AGENTS.md",
	}
	for i, name := range want {
		files[name] = fmt.Sprintf("text %d", i)
		want[i] += " loaded"
	}
	files["home/.mini-code/CLAUDE.md"] = "not besides MINI.md"
	files["p/.claude/rules/t.txt"] = "no Markdown"
	dir := tree(t, files)
	got := Instructions(places(dir))
	if diff := cmp.Diff(want, told(dir, got)); diff != "" {
		t.Error(diff)
	}
	text := Render(got)
	if !strings.HasPrefix(text, "# Instructions\n\n## CLAUDE.md (scope: user)\n\ntext 0\n\n") ||
		!strings.HasSuffix(text, "\n\n## AGENTS.md (scope: "+filepath.Join(dir, "p", "a", "b")+")\n\ntext 18") {
		t.Errorf("rendered:\n%s", text)
	}
	if text != Render(Instructions(places(dir))) {
		t.Error("the same files gave other bytes")
	}
	if Render(nil) != "" || !strings.Contains(Report(nil), "/init") {
		t.Error("nothing is something")
	}
}

func TestTheSameTextIsThereOnce(t *testing.T) {
	dir := tree(t, map[string]string{"config/AGENTS.md": "be kind", "p/AGENTS.md": "\ufeffbe kind\r\n\r\n", "p/CLAUDE.md": "be kind\n", "p/a/b/CLAUDE.md": "be brief"})
	want := []string{"config/AGENTS.md same", "p/AGENTS.md same", "p/CLAUDE.md loaded", "p/a/b/CLAUDE.md loaded"}
	got := Instructions(places(dir))
	if diff := cmp.Diff(want, told(dir, got)); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(Render(got), "be kind"); n != 1 {
		t.Errorf("said %d times", n)
	}
	// Home as the project: its .claude is the person's and the project's.
	p := Places{Root: filepath.Join(dir, "h"), Cwd: filepath.Join(dir, "h"), Home: filepath.Join(dir, "h")}
	put(t, dir, "h/.claude/CLAUDE.md", "@x.md\nme")
	put(t, dir, "h/.claude/x.md", "x")
	if diff := cmp.Diff([]string{"h/.claude/CLAUDE.md same", "h/.claude/CLAUDE.md loaded"}, told(dir, Instructions(p))); diff != "" {
		t.Error(diff)
	}
}

func TestIncludes(t *testing.T) {
	dir := tree(t, map[string]string{
		"secret": "never", "p/docs/a.md": "A\n@b.md\n", "p/docs/b.md": "B\n@a.md\n@../AGENTS.md\n", "p/link.md": "-> ../secret", "p/.env": "KEY=never",
		"p/AGENTS.md": "top\n  @docs/a.md  \n@" + filepath.ToSlash(os.TempDir()) + "\n@../secret\n@~/x\n@link.md\n@none.md\n@docs\nmail @docs/a.md\n@docs/a.md twice\n```\n@docs/a.md\n```\n~~~~\n~~~\n@docs/a.md\n~~~~\n@.env\n@",
	})
	p := places(dir)
	p.Cwd = p.Root
	p.Secret = func(path string) bool { return filepath.Base(path) == ".env" }
	got := Instructions(p)
	want := "top\n<!-- included from docs/a.md -->\nA\n<!-- included from b.md -->\nB\n<!-- include skipped: cycle detected a.md -->\n<!-- include skipped: unsafe path ../AGENTS.md -->\n" +
		"<!-- end include b.md -->\n<!-- end include docs/a.md -->\n<!-- include skipped: unsafe path " + filepath.ToSlash(os.TempDir()) + " -->\n<!-- include skipped: unsafe path ../secret -->\n" +
		"<!-- include skipped: unsafe path ~/x -->\n<!-- include skipped: unsafe path link.md -->\n<!-- include skipped: not found none.md -->\n<!-- include skipped: not found docs -->\n" +
		"mail @docs/a.md\n@docs/a.md twice\n```\n@docs/a.md\n```\n~~~~\n~~~\n@docs/a.md\n~~~~\n<!-- include skipped: not found .env -->\n@"
	if len(got) != 1 {
		t.Fatalf("%d files", len(got))
	}
	if diff := cmp.Diff(want, got[0].Text); diff != "" {
		t.Error(diff)
	}
}

func TestIncludesAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 30 { // each includes the next one twice: 2^30 without a bound
		files[fmt.Sprintf("p/f%d.md", i)] = fmt.Sprintf("%d\n@f%d.md\n@f%d.md\n", i, i+1, i+1)
	}
	files["p/AGENTS.md"] = "@f0.md"
	dir := tree(t, files)
	p := places(dir)
	f := Instructions(p)[0]
	if !strings.Contains(f.Text, "too many includes") || f.Chars > 64_000 {
		t.Errorf("%d characters", f.Chars)
	}
}

func TestWhatCannotBeUsedIsSaid(t *testing.T) {
	dir := tree(t, map[string]string{
		"out/x.md": "from outside", "p/AGENTS.md": strings.Repeat("x", 10<<20), "p/MINI.md": "a\x00b", "p/CLAUDE.md": "\xff\xfe", "p/CLAUDE.local.md/x": "",
		"p/a/AGENTS.md": "-> ../../out/x.md", "p/a/CLAUDE.md": "-> nowhere", "p/a/MINI.md": "-> MINI.md", "p/a/b/AGENTS.md": "good", "p/a/b/CLAUDE.md": "-> ../../../id_rsa", "id_rsa": "key",
		"home/.claude/CLAUDE.md": "-> ../../out/mine.md", "out/mine.md": "mine",
	})
	p := places(dir)
	p.Secret = func(path string) bool { return filepath.Base(path) == "id_rsa" }
	got := Instructions(p)
	want := []string{"home/.claude/CLAUDE.md loaded", "p/AGENTS.md skipped", "p/MINI.md skipped", "p/CLAUDE.md skipped", "p/CLAUDE.local.md skipped", "p/a/AGENTS.md skipped", "p/a/MINI.md skipped", "p/a/CLAUDE.md skipped", "p/a/b/AGENTS.md loaded", "p/a/b/CLAUDE.md skipped"}
	if diff := cmp.Diff(want, told(dir, got)); diff != "" {
		t.Error(diff)
	}
	text, report := Render(got), Report(got)
	if strings.Contains(text, "from outside") || !strings.Contains(text, "mine") {
		t.Errorf("rendered:\n%s", text)
	}
	outside := "(a link to " + filepath.Join(dir, "out", "x.md") + "): a link that leads out of the project"
	for _, said := range []string{"2 of 10 instruction files", outside, "too large to be an instruction file: 10485760 bytes", "not text in UTF-8", "not a regular file", "a link that leads nowhere", "holds secrets", "a link to " + filepath.Join(dir, "out", "mine.md") + ")"} {
		if !strings.Contains(report, said) {
			t.Errorf("the report does not say %q:\n%s", said, report)
		}
	}
	if strings.Contains(text, "key") {
		t.Error("a key is in the prompt")
	}
}

func TestUnreadableFileIsSaid(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("this user may read everything")
	}
	dir := tree(t, map[string]string{"p/AGENTS.md": "x"})
	if err := os.Chmod(filepath.Join(dir, "p", "AGENTS.md"), 0); err != nil {
		t.Fatal(err)
	}
	if got := Report(Instructions(places(dir))); !strings.Contains(got, "cannot be read: permission denied") {
		t.Error(got)
	}
}

func TestLimits(t *testing.T) {
	exact, over := strings.Repeat("ä", 8000), strings.Repeat("ö", 8001)
	dir := tree(t, map[string]string{"p/AGENTS.md": exact, "p/a/AGENTS.md": over})
	got := Instructions(places(dir))
	if got[0].Use != Whole || got[0].Text != exact {
		t.Errorf("exactly the limit: %s", got[0].Use)
	}
	if got[1].Use != Cut || utf8.RuneCountInString(got[1].Text) != 8000 || !strings.HasSuffix(got[1].Text, "ö\n[truncated]") || got[1].Chars != 8001 {
		t.Errorf("one more: %s, %d of %d", got[1].Use, utf8.RuneCountInString(got[1].Text), got[1].Chars)
	}
	p := places(dir)
	p.Budget = 9000
	got = Instructions(p)
	if got[1].Use != Cut || got[0].Use != Cut {
		t.Errorf("the farther one should be cut: %v", told(dir, got))
	}
	p.Budget = 8200
	got = Instructions(p)
	if got[1].Use == Omitted || got[0].Use != Omitted || !strings.Contains(Report(got), "used up by closer files") || !strings.HasSuffix(Render(got), omittedMark) {
		t.Errorf("the farther one should be omitted: %v", told(dir, got))
	}
	p.Budget = 10
	if text := Render(Instructions(p)); text != "" {
		t.Errorf("no room at all: %q", text)
	}
}

func TestBudgetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 12000), 1, 9).Draw(t, "sizes")
		p := Places{Budget: rapid.IntRange(1, 50000).Draw(t, "budget"), PerFile: rapid.IntRange(minPiece, 9000).Draw(t, "per file")}
		var files []File
		for i, n := range sizes {
			f := File{Path: fmt.Sprint(i), Real: fmt.Sprint(i), Name: "AGENTS.md", Scope: strings.Repeat("d", i*7), Text: strings.Repeat("é", n), Chars: n}
			f.sum[0] = byte(rapid.IntRange(0, 12).Draw(t, "sum"))
			files = append(files, f)
		}
		files = p.share(files)
		if n := utf8.RuneCountInString(Render(files)); n > p.Budget {
			t.Fatalf("%d characters of %d", n, p.Budget)
		}
		short := false // a closer file got less than it could have had
		for i := len(files) - 1; i >= 0; i-- {
			f := files[i]
			got := utf8.RuneCountInString(f.Text)
			switch f.Use {
			case Whole, Cut:
				if short {
					t.Fatalf("file %d got %d characters after a closer one was cut: %v", i, got, told("", files))
				}
				if got > p.PerFile {
					t.Fatalf("file %d has %d characters of %d", i, got, p.PerFile)
				}
			}
			short = short || f.Use == Omitted || f.Use == Cut && got < min(p.PerFile, f.Chars)
		}
	})
}

func TestNested(t *testing.T) {
	dir := tree(t, map[string]string{
		"p/AGENTS.md": "root", "p/a/AGENTS.md": "a", "p/c/AGENTS.md": "c", "p/c/d/CLAUDE.md": "d", "p/c/d/AGENTS.md": "a", "p/c/d/x.go": "", "p/c/node_modules/m/AGENTS.md": "theirs",
		"p/c/node_modules/m/x.js": "", "out/AGENTS.md": "out", "out/x": "", "p/o": "-> ../out", "p/c/d/MINI.md": "-> nowhere",
	})
	p := places(dir)
	p.Cwd = filepath.Join(p.Root, "a")
	have := Instructions(p)
	got := Nested(p, filepath.Join(p.Root, "c", "d", "x.go"), have)
	if diff := cmp.Diff([]string{"p/c/AGENTS.md loaded", "p/c/d/MINI.md skipped", "p/c/d/CLAUDE.md loaded"}, told(dir, got)); diff != "" {
		t.Error(diff)
	}
	if again := Nested(p, filepath.Join(p.Root, "c", "d", "y.go"), append(have, got...)); again != nil {
		t.Errorf("again: %v", told(dir, again))
	}
	if got := Nested(p, filepath.Join(p.Root, "c", "node_modules", "m", "x.js"), append(have, got...)); got != nil {
		t.Errorf("other people's: %v", told(dir, got))
	}
	for _, path := range []string{filepath.Join(dir, "out", "x"), filepath.Join(p.Root, "o", "x"), filepath.Join(p.Root, "none", "x")} {
		if got := Nested(p, path, have); got != nil {
			t.Errorf("%s: %v", path, told(dir, got))
		}
	}
	// Through a link to the project, the same files are the same.
	if err := os.Symlink("p", filepath.Join(dir, "q")); err != nil {
		t.Fatal(err)
	}
	q := p
	q.Root, q.Cwd = filepath.Join(dir, "q"), filepath.Join(dir, "q", "a")
	if got := Nested(q, filepath.Join(q.Root, "c", "x"), Instructions(q)); len(got) != 1 || got[0].Scope != filepath.Join(dir, "q", "c") {
		t.Errorf("through a link: %+v", got)
	}
}

func FuzzIncludes(f *testing.F) {
	f.Add("@b.md\n@c.md", "@c.md\n```\n@a.md", "@sub/d.md\n@a.md", "x\n@../a.md")
	f.Add("@../out", "@sub/../../out\n@sub\\..\\..\\out", "@l/out", "@/etc/passwd")
	f.Add("~~~\n@b.md\n````", "@a.md@", "@ a.md", "@b.md\r\n@./b.md")
	dir := tree(f, map[string]string{"out": "OUTSIDE", "p/l": "-> .."})
	p := Places{Root: filepath.Join(dir, "p"), Cwd: filepath.Join(dir, "p")}
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		for name, content := range map[string]string{"AGENTS.md": "@a.md", "a.md": a, "b.md": b, "c.md": c, "sub/d.md": d} {
			put(t, p.Root, name, strings.TrimPrefix(strings.ReplaceAll(content, "OUTSIDE", ""), "-> "))
		}
		files := Instructions(p)
		for _, file := range files {
			if strings.Contains(file.Text, "OUTSIDE") || strings.Contains(file.Text, "root:") && !strings.Contains(a+b+c+d, "root:") {
				t.Fatalf("something from outside: %q", file.Text)
			}
		}
		text := Render(files)
		if n := utf8.RuneCountInString(text); n > defaultBudget || !utf8.ValidString(text) {
			t.Fatalf("%d characters", n)
		}
		if text != Render(Instructions(p)) {
			t.Fatal("the same files gave other bytes")
		}
	})
}
