package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		rule, path string
		isDir      bool
		want       bool
	}{
		{"*.log", "a/b.log", false, true},
		{"/*.log", "a/b.log", false, false},
		{"build/", "x/build", true, true},
		{"build/", "x/build", false, false},
		{"a/b", "a/b", false, true},
		{"a/b", "x/a/b", false, false},
		{"**/b", "x/a/b", false, true},
		{"a/**", "a/x/y", false, true},
		{"a/**", "a", true, false},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a**b", "axb", false, true},
		{"a*/b", "ax/y/b", false, false},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"x ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"[!x]y", "xy", false, false},
		{"[^x]y", "zy", false, true},
		{"[]-]a", "]a", false, true},
		{"[a-c]x", "bx", false, true},
		{"[[:digit:]]x", "5x", false, true},
		{"[a", "[a", false, false},
		{"?", "é", false, false}, // git counts bytes
		{"#x", "#x", false, false},
		{"x\r", "x", false, true},
	} {
		if got := judge(parseIgnore([]byte(c.rule+"\n")), c.path, c.isDir) == ignored; got != c.want {
			t.Errorf("%q on %q: %v", c.rule, c.path, got)
		}
	}
	start := time.Now()
	wildmatch(strings.Repeat("*a", 40)+"b", strings.Repeat("a", 250))
	wildmatch(strings.Repeat("**/a*", 12)+"b", strings.Repeat("a/", 120))
	if took := time.Since(start); took > time.Second {
		t.Errorf("a hostile rule took %s", took)
	}
}

// git runs git in dir without the settings of the machine.
func git(t testing.TB, dir, in string, arg ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", arg...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.Output()
	var e *exec.ExitError
	if errors.As(err, &e) && e.ExitCode() > 1 {
		t.Fatalf("git %v: %v %s", arg, err, e.Stderr)
	}
	return string(out)
}

// randomTree makes directories and files with .gitignore files among them,
// of few letters, so that rules and names meet. extra is more pieces of rules.
func randomTree(t testing.TB, dir string, random *rand.Rand, extra ...string) {
	t.Helper()
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	name := func() string {
		n := ""
		for range 1 + random.IntN(3) {
			n += pick("a", "b", "c", ".x", "A", "-")
		}
		return n
	}
	rule := func() string {
		r := pick("", "", "", "!", "/", "!/")
		for range 1 + random.IntN(5) {
			r += pick(append([]string{"a", "b", "c", ".x", "*", "**", "/", "?", "[ab]", "**/", "/**", `\a`, `\*`, "A", "-", " "}, extra...)...)
		}
		return r + pick("", "", "/")
	}
	dirs := []string{dir}
	for range 6 + random.IntN(6) {
		d := filepath.Join(dirs[random.IntN(len(dirs))], name())
		if os.MkdirAll(d, 0o755) == nil && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for range 25 {
		_ = os.WriteFile(filepath.Join(dirs[random.IntN(len(dirs))], name()), []byte("word\n"), 0o644)
	}
	for range 1 + random.IntN(3) {
		var rules []string
		for range 1 + random.IntN(4) {
			if r := rule(); len(extra) > 0 || !strings.Contains(r, "//") && !strings.Contains(r, "***") { // rg reads those in its own way
				rules = append(rules, r)
			}
		}
		_ = os.WriteFile(filepath.Join(dirs[random.IntN(len(dirs))], ".gitignore"), []byte(strings.Join(rules, "\n")+"\n"), 0o644)
	}
}

// walkedNearest is the files that Walk visits. No directory may come before
// one that is nearer.
func walkedNearest(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	depth := 0
	Walk(context.Background(), root, func(rel string, isDir bool) bool {
		if n := strings.Count(rel, "/"); n < depth {
			t.Errorf("%s comes after what is deeper", rel)
		} else {
			depth = n
		}
		if !isDir {
			out = append(out, rel)
		}
		return true
	})
	return out
}

func walked(root string) []string {
	var out []string
	w := walker{ctx: context.Background(), visit: func(f walkedFile) bool {
		out = append(out, f.rel)
		return true
	}}
	w.walk(root)
	return out
}

// TestIgnoreLikeGit compares the walk with git's own idea of the files that
// are not ignored, on trees made at random.
func TestIgnoreLikeGit(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rounds := 25
	if testing.Short() || raceDetector {
		rounds = 10
	}
	for seed := range rounds {
		dir := filepath.Join(base, fmt.Sprint(seed))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "", "init", "-q")
		randomTree(t, dir, rand.New(rand.NewPCG(uint64(seed), 7)), "[[:upper:]]", "[!a]", "[^b-c]")
		want := strings.Split(strings.TrimSuffix(git(t, dir, "", "ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
		if want[0] == "" {
			want = nil
		}
		got := walked(dir)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d:\ngot  %q\nwant %q\n%s", seed, got, want, ignoreFiles(dir))
		}
		nearest := walkedNearest(t, dir)
		slices.Sort(nearest)
		if !slices.Equal(nearest, want) {
			t.Errorf("seed %d: Walk\ngot  %q\nwant %q\n%s", seed, nearest, want, ignoreFiles(dir))
		}
	}
}

func ignoreFiles(dir string) string {
	var b bytes.Buffer
	_ = filepath.WalkDir(dir, func(p string, _ os.DirEntry, _ error) error {
		if filepath.Base(p) == ".gitignore" {
			data, _ := os.ReadFile(p)
			fmt.Fprintf(&b, "%s: %q\n", p, data)
		}
		return nil
	})
	return b.String()
}

func TestWalkNestedRepositories(t *testing.T) {
	s := newFileSpace(t)
	s.file(".git/HEAD", "x")
	s.file(".git/info/exclude", "secret\n")
	s.file(".gitignore", "*.log\n")
	s.file("a.log", "x")
	s.file("secret", "x")
	s.file(".github/ci.yml", "x")
	s.file("sub/.git/HEAD", "x")
	s.file("sub/b.log", "x")   // its own repository: rules from above end
	s.file("sub/.ignore", "c") // but those of .ignore hold without git
	s.file("sub/c", "x")
	got := walked(s.Cwd)
	want := []string{".github/ci.yml", ".gitignore", "sub/.ignore", "sub/b.log"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := walked(filepath.Join(s.Cwd, ".github")); !slices.Equal(got, []string{"ci.yml"}) {
		t.Errorf("%q", got)
	}
}
