package builtin

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/minicode-go/minicode/llm"
)

func TestListFiles(t *testing.T) {
	s := newFileSpace(t)
	s.file("b.txt", "12345")
	s.file("a/x", "")
	s.file("Z", "")
	s.file("odd\nname", "")
	if err := os.Symlink("b.txt", s.path("l")); err != nil {
		t.Skip(err)
	}
	r, err := s.use("list_files", args{})
	if want := "file Z (0 bytes)\ndir a\nfile b.txt (5 bytes)\nlink l -> b.txt\nfile \"odd\\nname\" (0 bytes)\n"; err != nil || r.Parts.Text() != want || !r.Meta.Again {
		t.Errorf("%v %q", err, r.Parts.Text())
	}
	wantAll(t, s.fails("list_files", args{"path": "b.txt"}), "not a directory")
	wantAll(t, s.fails("list_files", args{"path": "zz"}), "does not exist")
	for i := range 600 {
		s.file(fmt.Sprintf("many/%04d", i), "")
	}
	out := s.must("list_files", args{"path": "many"})
	wantAll(t, out, "file 0499", "[500 of 600 entries shown")
	if strings.Contains(out, "file 0500") {
		t.Error("too many")
	}
	if err := os.Mkdir(s.path("none"), 0o755); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.must("list_files", args{"path": "none"}), "(empty directory)")
}

func TestGlobFiles(t *testing.T) {
	s := newFileSpace(t)
	s.file(".gitignore", "out/\n")
	for i, name := range []string{"a.go", "x/b.go", "x/y/c.go", "x/y/d.ts", "out/e.go", ".hidden/f.go", "x/g.tsx"} {
		p := s.file(name, "")
		when := time.Unix(int64(1_000_000+i), 0)
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		in   args
		want string
	}{
		{args{"pattern": "**/*.go"}, ".hidden/f.go\nx/y/c.go\nx/b.go\na.go"},
		{args{"pattern": "**/*.go", "ignored": true}, ".hidden/f.go\nout/e.go\nx/y/c.go\nx/b.go\na.go"},
		{args{"pattern": "*.go"}, "a.go"},
		{args{"pattern": "x/**/*.{ts,tsx}"}, "x/g.tsx\nx/y/d.ts"},
		{args{"pattern": "*/b.go"}, "x/b.go"},
		{args{"pattern": "y/*", "path": "x"}, "x/y/d.ts\nx/y/c.go"},
		{args{"pattern": s.Cwd + "/x/*.go"}, "x/b.go"},
		{args{"pattern": "../x/*.go", "path": "out"}, "x/b.go"},
		{args{"pattern": "out/*.go"}, "out/e.go"},
		{args{"pattern": "*.tsx"}, "No files match. *.tsx looks in one directory only: **/*.tsx looks below it too."},
		{args{"pattern": "nowhere/*.go"}, "No files match: nowhere does not exist."},
		{args{"pattern": "a.go"}, "a.go"},
	} {
		if got := s.must("glob_files", c.in); got != c.want {
			t.Errorf("%v: %q", c.in, got)
		}
	}
	wantAll(t, s.fails("glob_files", args{"pattern": "a[b"}), "not valid")
	for i := range 250 {
		s.file(fmt.Sprintf("many/%d", i), "")
	}
	wantAll(t, s.must("glob_files", args{"pattern": "many/*"}), "[the newest 200 of 250 files")
}

// searchers runs a test with both searchers.
func searchers(t *testing.T, f func(t *testing.T, s *fileSpace)) {
	t.Run("own", func(t *testing.T) { f(t, newFileSpace(t)) })
	t.Run("rg", func(t *testing.T) {
		rg, err := exec.LookPath("rg")
		if err != nil {
			t.Skip("ripgrep is not installed: only the searcher of our own was tested")
		}
		s := newFileSpace(t)
		s.RgPath = rg
		f(t, s)
	})
}

func TestGrepFiles(t *testing.T) {
	searchers(t, func(t *testing.T, s *fileSpace) {
		s.file(".gitignore", "*.log\n")
		s.file("a.go", "package a\n\nfunc One() {}\nfunc Two() {}\n\n// end\nfunc Three() {}\n")
		s.file("b/c.py", "def one():\n    pass\n")
		s.file("b/d_test.go", "func One() {}\r\nfunc x() {}\r\n")
		s.file(".ci/run", "func in hidden\n")
		s.file("x.log", "func One\n")
		s.file("bin", "func One\x00\n")
		s.file("b/wide.txt", "\xff\xfef\x00u\x00n\x00c\x00 \x00w\x00\n\x00")
		s.file("b/old.txt", "func caf\xe9\n")
		for _, c := range []struct {
			in   args
			want string
		}{
			{args{"pattern": "func (One|Two)"}, "a.go:3:func One() {}\na.go:4:func Two() {}\nb/d_test.go:1:func One() {}"},
			{args{"pattern": "func", "mode": "files"}, ".ci/run\na.go\nb/d_test.go\nb/old.txt\nb/wide.txt"},
			{args{"pattern": "func", "mode": "count"}, ".ci/run:1\na.go:3\nb/d_test.go:2\nb/old.txt:1\nb/wide.txt:1\n[8 in 5 files]"},
			{args{"pattern": "func", "type": "go", "mode": "files"}, "a.go\nb/d_test.go"},
			{args{"pattern": "func", "glob": "*.go !*_test.go", "mode": "files"}, "a.go"},
			{args{"pattern": "func", "glob": "b/**/*.{go,txt}", "mode": "files"}, "b/d_test.go\nb/old.txt\nb/wide.txt"},
			{args{"pattern": "func", "glob": "!b", "mode": "files"}, ".ci/run\na.go"},
			{args{"pattern": "func", "ignored": true, "glob": "*.log"}, "x.log:1:func One"},
			{args{"pattern": "DEF ONE", "ignore_case": true}, "b/c.py:1:def one():"},
			{args{"pattern": "Two", "before": 1, "after": 1}, "a.go-3-func One() {}\na.go:4:func Two() {}\na.go-5-"},
			{args{"pattern": "One|Three", "after": 1, "path": "a.go"}, "a.go:3:func One() {}\na.go-4-func Two() {}\n--\na.go:7:func Three() {}"},
			{args{"pattern": "One|Three", "before": 2, "after": 2, "path": "a.go"}, "a.go-1-package a\na.go-2-\na.go:3:func One() {}\na.go-4-func Two() {}\na.go-5-\na.go-6-// end\na.go:7:func Three() {}"},
			{args{"pattern": "x\\(\\) \\{\\}$"}, "b/d_test.go:2:func x() {}"},
			{args{"pattern": "^func"}, ".ci/run:1:func in hidden\na.go:3:func One() {}\na.go:4:func Two() {}\na.go:7:func Three() {}\nb/d_test.go:1:func One() {}\nb/d_test.go:2:func x() {}\nb/old.txt:1:func café\nb/wide.txt:1:func w"},
			{args{"pattern": "Two.*end", "multiline": true}, "a.go:4:func Two() {}\na.go:5:\na.go:6:// end"},
			{args{"pattern": "pass\\n", "multiline": true}, "b/c.py:2:    pass"},
			{args{"pattern": "One() {}"}, "No matches."},
			{args{"pattern": "One\\(\\) {}", "path": "a.go"}, "a.go:3:func One() {}"},
			{args{"pattern": "nothing at all"}, "No matches."},
			{args{"pattern": "func", "head_limit": 2}, ".ci/run:1:func in hidden\na.go:3:func One() {}\n[more match: call grep_files again with offset 2]"},
			{args{"pattern": "func", "head_limit": 2, "offset": 2}, "a.go:4:func Two() {}\na.go:7:func Three() {}\n[more match: call grep_files again with offset 4]"},
			{args{"pattern": "func", "offset": 100}, "No more matches: there are 8 in all."},
			{args{"pattern": "func", "path": "b", "mode": "files"}, "b/d_test.go\nb/old.txt\nb/wide.txt"},
			{args{"pattern": "func", "path": "x.log"}, "x.log:1:func One"},
		} {
			if got := s.must("grep_files", c.in); got != c.want {
				t.Errorf("%v:\n%s\nwant\n%s", c.in, got, c.want)
			}
		}
		for _, bad := range []string{"a(b", "[z-a]", "(?!x)y", "*"} {
			wantAll(t, s.fails("grep_files", args{"pattern": bad}), "pattern is not valid")
		}
		wantAll(t, s.fails("grep_files", args{"pattern": "a\nb"}), "set multiline")
		wantAll(t, s.fails("grep_files", args{"pattern": "a", "type": "nope"}), "not known", "go")
		wantAll(t, s.fails("grep_files", args{"pattern": "a", "path": "nope"}), "does not exist")
		wantAll(t, s.fails("grep_files", args{"pattern": "a", "path": "bin"}), "binary")
		s.Withheld = func(p string) bool { return filepath.Base(p) == "run" }
		wantAll(t, s.must("grep_files", args{"pattern": "hidden"}), "needs an approval: .ci/run")
	})
}

func TestGrepLongLines(t *testing.T) {
	searchers(t, func(t *testing.T, s *fileSpace) {
		s.file("min.js", strings.Repeat("abcdefghi ", 500_000)+"NEEDLE"+strings.Repeat(" xyz", 100_000)+"\n")
		out := s.must("grep_files", args{"pattern": "NEEDLE"})
		wantAll(t, out, "min.js:1:…", "NEEDLE xyz", "…")
		if utf8.RuneCountInString(out) > 600 {
			t.Errorf("%d characters", len(out))
		}
		s.file("all.txt", strings.Repeat(strings.Repeat("word ", 20)+"\n", 3000))
		out = s.must("grep_files", args{"pattern": "word", "head_limit": 5000})
		if n := utf8.RuneCountInString(out); n > 45_000 || n < 40_000 {
			t.Errorf("%d characters", n)
		}
		wantAll(t, out, "[more match: call grep_files again with offset ")
	})
}

func TestGrepWithoutRipgrepAfterAll(t *testing.T) {
	s := newFileSpace(t)
	s.file("a", "word\n")
	s.RgPath = s.path("no-such-program")
	wantAll(t, s.must("grep_files", args{"pattern": "word"}), "a:1:word")
}

func TestGrepUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	searchers(t, func(t *testing.T, s *fileSpace) {
		s.file("a", "word\n")
		if err := os.Chmod(s.file("b", "word\n"), 0); err != nil {
			t.Skip(err)
		}
		wantAll(t, s.must("grep_files", args{"pattern": "word"}), "a:1:word", "[not everything could be read: ", "b")
	})
}

// TestSearchersAgree asks both searchers the same of trees made at random.
func TestSearchersAgree(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed: the searchers were not compared")
	}
	words := []string{"foo", "Foo", "bar", "foo(", "x1", "ünï", "日本", "a-b", "   ", "\t", "ſ", "K", "", "end", "{}"}
	patterns := []string{"foo", "(?i)foo", "fo+\\b", "^\\s+", "\\w+", "x\\d", "b.r$", "ün", "(foo|bar)", "[a-f]{3}", "\\p{Han}", "end$", "foo\\(", "k", "S", "{}", "^$", "\\S\\s\\S", "o\\b"}
	rounds := 6
	if testing.Short() || raceDetector {
		rounds = 2
	}
	for seed := range rounds {
		random := rand.New(rand.NewPCG(uint64(seed), 11))
		s := newFileSpace(t)
		randomTree(t, s.Cwd, random)
		for i := range 6 {
			var text strings.Builder
			for range random.IntN(30) {
				for range random.IntN(5) {
					text.WriteString(words[random.IntN(len(words))])
				}
				text.WriteString([]string{"\n", "\n", "\r\n"}[random.IntN(3)])
			}
			s.file(fmt.Sprintf("text%d/f%d.txt", i%3, i), strings.TrimSuffix(text.String(), []string{"", "\n"}[random.IntN(2)]))
		}
		for _, p := range patterns {
			in := args{
				"pattern": p, "mode": []string{"content", "files", "count"}[random.IntN(3)], "ignore_case": random.IntN(2) == 0,
				"before": random.IntN(3), "after": random.IntN(3), "head_limit": 1 + random.IntN(40), "offset": random.IntN(5), "ignored": random.IntN(4) == 0,
			}
			s.RgPath = ""
			own := s.must("grep_files", in)
			s.RgPath = rg
			if other := s.must("grep_files", in); own != other {
				t.Errorf("seed %d %v:\nown\n%s\nrg\n%s\n%s", seed, in, strings.ReplaceAll(own, "\r", "<CR>"), strings.ReplaceAll(other, "\r", "<CR>"), ignoreFiles(s.Cwd))
				return
			}
		}
	}
}

func TestField_R01(t *testing.T) {
	files, limit := 200, 2*time.Second
	if testing.Short() || raceDetector {
		files = 100
	}
	searchers(t, func(t *testing.T, s *fileSpace) {
		for i := range 20 {
			repo := fmt.Sprintf("repo%02d", i)
			s.file(repo+"/.git/HEAD", "ref: refs/heads/main\n")
			s.file(repo+"/.gitignore", "node_modules/\n")
			s.file(repo+"/src/lib/uri.js", "export const needle = 1\n")
			for d := range files / 100 {
				dir := s.path(fmt.Sprintf("%s/node_modules/p%d", repo, d))
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				for f := range 100 {
					if err := os.WriteFile(fmt.Sprintf("%s/f%d.js", dir, f), []byte("needle\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		start := time.Now()
		found := s.must("glob_files", args{"pattern": "*/src/lib/uri.js"})
		if n := strings.Count(found, "uri.js"); n != 20 {
			t.Errorf("%d found", n)
		}
		everywhere := s.must("glob_files", args{"pattern": "**/uri.js"})
		if n := strings.Count(everywhere, "uri.js"); n != 20 {
			t.Errorf("%d found", n)
		}
		if out := s.must("grep_files", args{"pattern": "needle"}); strings.Count(out, "\n") != 19 || strings.Contains(out, "node_modules") {
			t.Error(out)
		}
		if took := time.Since(start); took > limit {
			t.Errorf("took %s", took)
		}
		wantAll(t, s.must("grep_files", args{"pattern": "needle", "ignored": true, "mode": "count"}), fmt.Sprintf("[%d in %d files]", 20*files+20, 20*files+20))
	})
}

// TestSearchesRunAgain: what they give holds no times, so that it can be
// cleared and had again.
func TestSearchesRunAgain(t *testing.T) {
	searchers(t, func(t *testing.T, s *fileSpace) {
		s.file("a", "x\n")
		for name, in := range map[string]args{"grep_files": {"pattern": "x"}, "glob_files": {"pattern": "*"}, "list_files": {}, "read_file": {"path": "a"}} {
			first, err := s.use(name, in)
			second, _ := s.use(name, in)
			if err != nil || !first.Meta.Again || !slices.EqualFunc(first.Parts, second.Parts, func(a, b llm.Part) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
				t.Errorf("%s: %v %v %v", name, err, first, second)
			}
		}
	})
}

func TestGrepWithheldFileByName(t *testing.T) {
	searchers(t, func(t *testing.T, s *fileSpace) {
		s.file(".env", "KEY=1\n")
		s.file("a", "KEY\n")
		s.Withheld = func(p string) bool { return filepath.Base(p) == ".env" }
		if out := s.must("grep_files", args{"pattern": "KEY"}); strings.Contains(out, "KEY=1") || !strings.Contains(out, "approval: .env") {
			t.Error(out)
		}
		wantAll(t, s.must("grep_files", args{"pattern": "KEY", "path": ".env"}), ".env:1:KEY=1")
	})
}
