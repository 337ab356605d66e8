package minicode_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestProgram builds the program once, as a release does, and looks at it from
// outside.
func TestProgram(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "minicode")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./cmd/minicode")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("is small", func(t *testing.T) { isSmall(t, binary) })
	t.Run("starts at once", func(t *testing.T) { startsAtOnce(t, binary) })
	t.Run("tells version and help without looking around", func(t *testing.T) { looksNowhere(t, binary) })
	t.Run("says little at first", func(t *testing.T) { saysLittle(t, binary) })
}

func isSmall(t *testing.T, binary string) {
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	if info.Size() >= 30e6 {
		t.Errorf("the binary has %d bytes, over 30 MB", info.Size())
	}
}

// startsAtOnce is the only gate that looks at the clock: what packages do
// before main runs. A module that is updated can make each start slower by
// tens of milliseconds, and nothing else would tell.
func startsAtOnce(t *testing.T, binary string) {
	const (
		whole = 8 * time.Millisecond
		each  = 1500 * time.Microsecond
	)
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)
	least := map[string]time.Duration{} // machines are noisy
	for range 20 {
		cmd := exec.Command(binary, "--version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace bytes.Buffer
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, trace.Bytes())
		}
		for _, m := range line.FindAllStringSubmatch(trace.String(), -1) {
			ms, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatalf("%q: %v", m[0], err)
			}
			took := time.Duration(ms * float64(time.Millisecond))
			if before, ok := least[m[1]]; !ok || took < before {
				least[m[1]] = took
			}
		}
	}
	if len(least) < 10 {
		t.Fatalf("%d packages are in the trace; it cannot be read", len(least))
	}
	var sum time.Duration
	var names []string
	for name, took := range least {
		sum += took
		names = append(names, name)
		if took > each {
			t.Errorf("%s takes %v before main runs, over %v", name, took, each)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return int(least[b] - least[a]) })
	t.Logf("%v in %d packages", sum, len(names))
	for _, name := range names[:5] {
		t.Logf("%8v %s", least[name], name)
	}
	if sum > whole {
		t.Errorf("packages take %v before main runs, over %v", sum, whole)
	}
}

// looksNowhere starts the program where every file of ours is a trap: whoever
// opens a pipe without a writer waits for ever.
func looksNowhere(t *testing.T, binary string) {
	run := func(dir string, env []string, arg string) (stdout, stderr string, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, arg)
		var out, diagnosis bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &diagnosis
		err = cmd.Run()
		return out.String(), diagnosis.String(), err
	}
	broken, trapped := t.TempDir(), t.TempDir()
	for _, name := range []string{
		"settings.json", "CLAUDE.md", "AGENTS.md", ".minicode/settings.json", ".minicode/settings.local.json",
		".config/minicode/settings.json", ".config/minicode/AGENTS.md", ".mini-code/settings.json", ".claude/settings.json", ".claude/CLAUDE.md",
	} {
		for dir, put := range map[string]func(path string) error{
			broken:  func(path string) error { return os.WriteFile(path, []byte(`{"model": [}`), 0o600) },
			trapped: func(path string) error { return exec.Command("mkfifo", path).Run() },
		} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil && dir == broken {
				t.Fatal(err)
			}
		}
	}
	nowhere := filepath.Join(broken, "not", "there")
	before := entries(t, broken) + entries(t, trapped)
	for _, arg := range []string{"--version", "--help"} {
		want, _, err := run(t.TempDir(), os.Environ(), arg)
		if err != nil || want == "" {
			t.Fatalf("%s: %q, %v", arg, want, err)
		}
		for name, env := range map[string][]string{
			"no home":          {},
			"home not there":   {"HOME=" + nowhere, "USERPROFILE=" + nowhere},
			"broken files":     {"HOME=" + broken, "USERPROFILE=" + broken},
			"broken files too": {"HOME=" + broken, "MINICODE_HOME=" + broken},
			"traps":            {"HOME=" + trapped, "USERPROFILE=" + trapped},
			"more traps":       {"HOME=" + trapped, "MINICODE_HOME=" + trapped},
		} {
			dir := broken
			if strings.Contains(name, "traps") {
				dir = trapped
			}
			got, stderr, err := run(dir, append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT")), arg)
			if err != nil || got != want || stderr != "" {
				t.Errorf("%s, %s: %v, %q, %q", arg, name, err, got, stderr)
			}
		}
	}
	if after := entries(t, broken) + entries(t, trapped); after != before {
		t.Errorf("files before:\n%s\nand after:\n%s", before, after)
	}
	// The traps are where the program looks otherwise.
	if _, stderr, err := run(broken, []string{"HOME=" + broken, "MINICODE_HOME=" + broken}, "config"); err == nil || !strings.Contains(stderr, "settings.json") {
		t.Errorf("broken settings do not matter anywhere: %v, %q", err, stderr)
	}
}

func entries(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}
