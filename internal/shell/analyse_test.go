package shell

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
)

// workspace is where the cases run: a project in a home directory.
func workspace() Env {
	return Env{
		Cwd: "/home/me/project", Root: "/home/me/project", Home: "/home/me",
		Protected: func(path string) bool {
			for part := range strings.SplitSeq(path, "/") {
				if slices.Contains([]string{".git", ".minicode", ".claude", ".vscode", ".idea", ".husky", ".devcontainer", ".gitconfig",
					".npmrc", ".envrc", ".bashrc", ".zshrc", ".profile", ".bash_profile"}, part) {
					return true
				}
			}
			return strings.Contains(path, "/.github/workflows/")
		},
		Secrets: func(path string) bool {
			base := filepath.Base(path)
			return strings.HasPrefix(base, ".env") && base != ".env.example" || strings.HasPrefix(base, "id_") && !strings.HasSuffix(base, ".pub") ||
				strings.HasSuffix(base, ".pem") || strings.Contains(path, "/.aws/") || base == "credentials" || base == ".netrc" || base == ".npmrc"
		},
	}
}

// judged is a command with what it must come out as.
type judged struct {
	ID, Command, Verdict, Parse, Why string
	Parts, Writes                    []string
}

func cases(t testing.TB, name string) []judged {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []judged
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "//") || lines.Text() == "" {
			continue
		}
		var c judged
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		out = append(out, c)
	}
	return out
}

// verdict is the class with three values that the cases use.
func verdict(c event.Class) string {
	if c == event.Critical {
		return string(event.Dangerous)
	}
	return string(c)
}

func texts(parts []Part) []string {
	out := []string{}
	for _, p := range parts {
		out = append(out, p.Text)
	}
	return out
}

func TestJudgedCommands(t *testing.T) {
	for _, c := range cases(t, "shell.jsonl") {
		t.Run(c.ID, func(t *testing.T) { check(t, c) })
	}
}

func check(t *testing.T, c judged) {
	t.Helper()
	a := Analyse(c.Command, workspace())
	if got := verdict(a.Class); got != c.Verdict {
		t.Errorf("%q is %s (%s), want %s (%s)", c.Command, got, a.Why, c.Verdict, c.Why)
	}
	if got := a.Failed; got != (c.Parse == "error") {
		t.Errorf("%q: failed %v, want parse %s", c.Command, got, c.Parse)
	}
	if got := texts(a.Parts); c.Parts != nil && !slices.Equal(got, c.Parts) {
		t.Errorf("%q: parts %q, want %q", c.Command, got, c.Parts)
	}
	if !slices.Equal(a.Writes, c.Writes) {
		t.Errorf("%q: writes %q, want %q", c.Command, a.Writes, c.Writes)
	}
	if a.Class != event.ReadOnly && a.Why == "" {
		t.Errorf("%q: no reason", c.Command)
	}
}
