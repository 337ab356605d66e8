package builtin

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/tool"
)

// patience is how long a test waits for what should take no time.
const patience = 60 * time.Second

// commandSpace is a workspace for commands. At the end of the test nothing
// may be left of what ran in it.
func commandSpace(t *testing.T) *Workspace {
	t.Helper()
	if _, err := process.Shell(os.Environ()); err != nil {
		t.Skip(err)
	}
	ignore := goleak.IgnoreCurrent()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	session := filepath.Join(t.TempDir(), "s.d")
	w := &Workspace{
		Root: root, Cwd: root, Home: root,
		SessionDir: func() string { return session },
		Now:        time.Now,
		Env:        os.Environ,
		Tasks:      &Tasks{},
	}
	w.Analyse = func(command, cwd string) shell.Analysis {
		return shell.Analyse(command, shell.Env{Cwd: cwd, Root: root, Home: root})
	}
	t.Cleanup(func() {
		if err := w.Tasks.StopAll(t.Context()); err != nil {
			t.Error(err)
		}
		if n := process.EndMarked(w.Tasks.prefix()); n > 0 {
			t.Errorf("%d processes were left", n)
		}
		goleak.VerifyNone(t, ignore)
	})
	return w
}

func prepare(t *testing.T, tl tool.Tool, in any) tool.Action {
	t.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tl.Prepare(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// call prepares and runs, and fails the test where the call hangs.
func call(t *testing.T, tl tool.Tool, in any) tool.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := prepare(t, tl, in).Run(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("the call did not end:\n%s", res.Parts.Text())
	}
	return res
}

func wantText(t *testing.T, res tool.Result, want string) {
	t.Helper()
	if got := res.Parts.Text(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func wantHolds(t *testing.T, res tool.Result, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(res.Parts.Text(), p) {
			t.Errorf("no %q in %q", p, res.Parts.Text())
		}
	}
}

func TestRunCommand(t *testing.T) {
	w := commandSpace(t)
	for _, c := range []struct {
		name string
		in   runInput
		want string
		code int
	}{
		{"both streams in order, also on failure", runInput{Command: "echo a; echo b >&2; echo c; exit 3"}, "EXIT: 3\n\na\nb\nc\n", 3},
		{"no output", runInput{Command: "true"}, "EXIT: 0\n\n(no output)", 0},
		{"not found", runInput{Command: "no-such-program-here 2>/dev/null"}, "EXIT: 127\n\n(no output)", 127},
		{"killed by a signal", runInput{Command: "kill -KILL $$"}, "EXIT: 137\n\n(no output)", 137},
		{"arguments without a shell", runInput{Command: "printf", Args: []string{"%s|", "a b", "$HOME", "*", "it's"}}, "EXIT: 0\n\na b|$HOME|*|it's|", 0},
		{"more than one line", runInput{Command: "x=1\ncat <<E\n$x & 2\nE"}, "EXIT: 0\n\n1 & 2\n", 0},
		{"an ampersand that is not at the end of the command", runInput{Command: "echo 'a &'"}, "EXIT: 0\n\na &\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := call(t, runCommand(w), c.in)
			wantText(t, res, c.want)
			if res.Meta.Exit == nil || *res.Meta.Exit != c.code || res.Error != (c.code != 0) {
				t.Errorf("exit %v, error %v", res.Meta.Exit, res.Error)
			}
		})
	}
}

func TestRunCommandNoProgram(t *testing.T) {
	w := commandSpace(t)
	res := call(t, runCommand(w), runInput{Command: "no-such-program-here", Args: []string{"x"}})
	wantHolds(t, res, "EXIT: 127", `no program "no-such-program-here"`)
	if !res.Error || *res.Meta.Exit != 127 {
		t.Error("no failure")
	}
	if err := os.WriteFile(filepath.Join(w.Root, "data"), []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	wantHolds(t, call(t, runCommand(w), runInput{Command: "./data", Args: []string{"x"}}), "EXIT: 126")
}

func TestRunCommandPrepareRefuses(t *testing.T) {
	w := commandSpace(t)
	for args, want := range map[string]string{
		`{"command":" "}`:                    "must not be empty",
		`{"command":"ls","cwd":"nowhere"}`:   "no directory " + filepath.Join(w.Root, "nowhere"),
		`{"command":"ls","cwd":"file"}`:      "is not a directory",
		`{"command":"a\u0000b"}`:             "NUL",
		`{"command":"ls","timeout_ms":"1s"}`: "timeout_ms: want integer",
		`{"commands":"ls"}`:                  "command: required",
	} {
		if err := os.WriteFile(filepath.Join(w.Root, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := runCommand(w).Prepare(t.Context(), json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The directory that was approved is the one that is used.
func TestRunCommandDirectory(t *testing.T) {
	w := commandSpace(t)
	for _, d := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(w.Root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(w.Root, "link")
	if err := os.Symlink("one", link); err != nil {
		t.Skip(err)
	}
	a := prepare(t, runCommand(w), runInput{Command: "pwd -P", Cwd: "link"})
	if !strings.Contains(a.Title, link) {
		t.Errorf("title %q does not name the directory", a.Title)
	}
	res, err := a.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, res, "EXIT: 0\n\n"+filepath.Join(w.Root, "one")+"\n")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("two", link); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "no longer what it was") {
		t.Errorf("ran in another directory: %v", err)
	}
}

// A shell that took code from elsewhere would do other things than the text
// that was judged says.
func TestRunCommandRunsOnlyItsText(t *testing.T) {
	w := commandSpace(t)
	start := filepath.Join(w.Root, "start.sh")
	if err := os.WriteFile(start, []byte("echo sourced\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Env = func() []string {
		return append(os.Environ(), "BASH_ENV="+start, "ENV="+start, "BASH_FUNC_ls%%=() { echo function; }", "SHELLOPTS=xtrace", "CDPATH=/", "KEPT=kept")
	}
	if err := os.Mkdir(filepath.Join(w.Root, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	wantText(t, call(t, runCommand(w), runInput{Command: "ls -d bin; cd bin; echo $KEPT"}), "EXIT: 0\n\nbin\nkept\n")
}

func TestRunCommandSaysWhatItWrites(t *testing.T) {
	w := commandSpace(t)
	res := call(t, runCommand(w), runInput{Command: "echo hi > out.txt"})
	if len(res.Meta.Wrote) != 1 || res.Meta.Wrote[0].Path != filepath.Join(w.Root, "out.txt") || res.Meta.Wrote[0].SHA256 != "" {
		t.Errorf("wrote %+v", res.Meta.Wrote)
	}
}

func TestRunCommandShowsOutputWhileItRuns(t *testing.T) {
	w := commandSpace(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var (
		mu  sync.Mutex
		all strings.Builder
	)
	gate := filepath.Join(w.Root, "gate")
	a := prepare(t, runCommand(w), runInput{Command: "echo first; until [ -e gate ]; do sleep 0.01; done; echo last"})
	res, err := a.Run(ctx, func(s event.Signal) {
		mu.Lock()
		defer mu.Unlock()
		all.WriteString(s.(event.Output).Text)
		if all.String() == "first\n" {
			_ = os.WriteFile(gate, nil, 0o600)
		}
	})
	if err != nil || ctx.Err() != nil {
		t.Fatal(err, ctx.Err())
	}
	wantText(t, res, "EXIT: 0\n\nfirst\nlast\n")
	if all.String() != "first\nlast\n" {
		t.Errorf("streamed %q", all.String())
	}
}

// Exactly the limit passes; one character more is saved.
func TestRunCommandLimit(t *testing.T) {
	w := commandSpace(t)
	w.Limits.ResultChars = 10_000
	fits := 10_000 - len("EXIT: 0\n\n")
	res := call(t, runCommand(w), runInput{Command: "printf", Args: []string{"%0*d", "9991", "0"}})
	if got := utf8.RuneCountInString(res.Parts.Text()); fits != 9991 || got != 10_000 || res.Meta.Saved != "" {
		t.Errorf("%d characters, saved %q", got, res.Meta.Saved)
	}
	res = call(t, runCommand(w), runInput{Command: "printf", Args: []string{"%0*d", "9992", "0"}})
	saved, err := os.ReadFile(res.Meta.Saved)
	if err != nil {
		t.Fatal(err)
	}
	zeros := strings.Repeat("0", 2000)
	if string(saved) != strings.Repeat("0", 9992) || res.Meta.Size != 9992 {
		t.Errorf("saved %d bytes, size %d", len(saved), res.Meta.Size)
	}
	if filepath.Dir(res.Meta.Saved) != filepath.Join(w.SessionDir(), "results") {
		t.Errorf("saved in %s", res.Meta.Saved)
	}
	wantText(t, res, "EXIT: 0\nCUT: 5992 of 9992 characters are not shown, in the middle.\n\n"+zeros+"\n...\n"+zeros)
}

func TestRunCommandPreviewEndsWithALine(t *testing.T) {
	w := commandSpace(t)
	in := runInput{Command: "for i in {1..20000}; do echo line $i; done; exit 2"}
	res := call(t, runCommand(w), in)
	text := res.Parts.Text()
	head, tail, ok := strings.Cut(text, "\n...\n")
	if !ok || !strings.HasPrefix(head, "EXIT: 2\nCUT: ") || !strings.Contains(head, "\n\nline 1\nline 2\n") || !strings.HasSuffix(tail, "line 19999\nline 20000\n") {
		t.Errorf("preview %q", text)
	}
	if last := head[strings.LastIndexByte(head, '\n')+1:]; !strings.HasPrefix(last, "line ") || len(last) < len("line 180") {
		t.Errorf("the beginning ends with %q", last)
	}
	if !res.Error || *res.Meta.Exit != 2 {
		t.Error("the exit code is lost")
	}
	again := call(t, runCommand(w), in)
	wantText(t, again, text)
}

func TestRunCommandKeepsNoFiles(t *testing.T) {
	w := commandSpace(t)
	w.SessionDir = nil
	res := call(t, runCommand(w), runInput{Command: "printf", Args: []string{"%0*d", "100000", "0"}})
	wantHolds(t, res, "CUT: 96000 of 100000", "NOT SAVED: this session keeps no files")
	if res.Meta.Saved != "" {
		t.Errorf("saved %s", res.Meta.Saved)
	}
}

func TestRunCommandSpillLimit(t *testing.T) {
	w := commandSpace(t)
	w.Limits = Limits{ResultChars: 5000, SpillBytes: 10_001}
	res := call(t, runCommand(w), runInput{Command: "printf 'é%.0s' {1..8000}"})
	wantHolds(t, res, "CUT: 5500 of 8000", "SAVED: the first 10000 of 16000 bytes")
	saved, err := os.ReadFile(res.Meta.Saved)
	if err != nil || !utf8.Valid(saved) || len(saved) != 10_000 || res.Meta.Size != 16_000 {
		t.Errorf("%v, %d bytes saved, size %d", err, len(saved), res.Meta.Size)
	}
}

// Background, seen by its spelling.
func TestDetached(t *testing.T) {
	for command, want := range map[string]string{
		"sleep 5 &":                        "sleep 5",
		"cd x && npm start > log 2>&1 &\n": "cd x && npm start > log 2>&1",
		"a 'b; c' \"d & e\" &> f &":        "a 'b; c' \"d & e\" &> f",
		"a | b &":                          "a | b",
		"sleep 5":                          "",
		"a && b":                           "",
		"a &&":                             "",
		"a; b &":                           "",
		"a & b &":                          "",
		"a\nb &":                           "",
		"echo a \\&":                       "",
		"echo 'a &":                        "",
		"echo \"$(b &)\" &":                "",
		"echo a # b &":                     "",
		"(a; b) &":                         "",
		"&":                                "",
		"echo 2>&":                         "",
		"a |&":                             "",
	} {
		got, ok := detached(command)
		if ok != (want != "") || ok && got != want || !ok && got != command {
			t.Errorf("detached(%q) = %q, %v; want %q", command, got, ok, want)
		}
	}
}

// What is analysed of a call with args is what a shell would read as it.
func TestQuoteIsReadByAShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab=~ '\"\\$`*?{}!#&;|<>()[]\n\té-"))), 1, 5).Draw(t, "words")
		out, err := exec.Command(bash, "-c", "printf '%s\\0' "+quoteAll(append([]string{"x"}, words...))).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got[1:], words) {
			t.Fatalf("%q was read as %q", words, got[1:])
		}
	})
	if got := quoteAll([]string{"A=b", "rm", "A=b"}); got != "'A=b' rm A=b" {
		t.Errorf("a program that looks like an assignment: %s", got)
	}
}

func TestRunCommandTitle(t *testing.T) {
	w := commandSpace(t)
	for _, c := range []struct {
		in   runInput
		want string
	}{
		{runInput{Command: "go test ./..."}, "Run go test ./..."},
		{runInput{Command: "go\n  test\x1b[2J", Description: "Run\nthe tests"}, "Run go test [2J (Run the tests)"},
		{runInput{Command: "npm start &"}, "Run npm start in the background"},
		{runInput{Command: "git", Args: []string{"commit", "-m", "a b"}}, "Run git commit -m 'a b'"},
		{runInput{Command: strings.Repeat("x", 200)}, "Run " + strings.Repeat("x", 100) + "…"},
	} {
		a := prepare(t, runCommand(w), c.in)
		if a.Title != c.want {
			t.Errorf("title %q, want %q", a.Title, c.want)
		}
		if a.Preview.Kind != event.PreviewCommand || len(a.Effects) == 0 {
			t.Errorf("preview %+v, effects %+v", a.Preview, a.Effects)
		}
	}
}
