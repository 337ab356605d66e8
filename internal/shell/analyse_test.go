package shell

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
				if slices.Contains([]string{
					".git", ".minicode", ".claude", ".vscode", ".idea", ".husky", ".devcontainer", ".gitconfig",
					".npmrc", ".envrc", ".bashrc", ".zshrc", ".profile", ".bash_profile",
				}, part) {
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

func TestNearbyCommands(t *testing.T) {
	text, err := os.ReadFile("testdata/nearby.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		want, command, _ := strings.Cut(line, " ")
		command = strings.TrimLeft(command, " ")
		if s, err := strconv.Unquote(command); err == nil {
			command = s
		}
		a := Analyse(command, workspace())
		if string(a.Class) != want {
			t.Errorf("%q is %s (%s), want %s", command, a.Class, a.Why, want)
		}
		if a.Class != event.ReadOnly && a.Why == "" {
			t.Errorf("%q: no reason", command)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		command string
		parts   []string
	}{
		{"timeout 5 echo $(ls)", []string{"timeout 5 echo $(ls)", "echo $(ls)", "ls"}},
		{"x=$(pwd) y=2 ls $(date)", []string{"pwd", "ls $(date)", "date"}},
		{"while read -r x; do wc -l $x; done < <(ls)", []string{"read -r x", "wc -l $x", "ls"}},
		{"ls 2>/dev/null -la >&2 src", []string{"ls -la src"}},
		{"for x in a b c; do cat $x; done", []string{"cat $x"}},
		{"f() { ls; }; f; f", []string{"ls", "f", "f"}},
		{"bash -c 'ls; bash -c \"pwd; date\"' && id", []string{"bash -c 'ls; bash -c \"pwd; date\"'", "ls", "bash -c \"pwd; date\"", "pwd", "date", "id"}},
		{"find . -exec a {} \\; -o -exec b {} +", []string{"find . -exec a {} \\; -o -exec b {} +", "a {}", "b {}"}},
		{"sudo env A=1 nice -n 5 xargs -I% sh -c 'id %'", []string{
			"sudo env A=1 nice -n 5 xargs -I% sh -c 'id %'",
			"env A=1 nice -n 5 xargs -I% sh -c 'id %'", "nice -n 5 xargs -I% sh -c 'id %'", "xargs -I% sh -c 'id %'", "sh -c 'id %'", "id %",
		}},
		{"[[ -f $(ls) ]] && ((i++)) && let i=2", []string{"[[ -f $(ls) ]]", "ls", "((i++))", "let i=2"}},
		{"case $(id) in a) ls;; *) pwd;& b) date;; esac", []string{"id", "ls", "pwd", "date"}},
		{"cat <<A <<'B'\n$(id)\nA\n$(ls)\nB\n", []string{"cat", "id"}},
		{"# nothing\nls # more", []string{"ls"}},
	} {
		if got := texts(Analyse(c.command, workspace()).Parts); !slices.Equal(got, c.parts) {
			t.Errorf("%q: parts %q, want %q", c.command, got, c.parts)
		}
	}
}

func TestWordsAreDecoded(t *testing.T) {
	for _, c := range []struct {
		command string
		args    []string
	}{
		{`r\m "a b" 'c'\''d' $'\x41\u00e9\102\n'`, []string{"rm", "a b", "c'd", "Aé" + "B\n"}},
		{`r''m "$HOME/x" ~/y ~+/z`, []string{"rm", "/home/me/x", "/home/me/y", "/home/me/project/z"}},
		{`ls {a,b}{1..3} x{y`, []string{"ls", "a1", "a2", "a3", "b1", "b2", "b3", "x{y"}},
		{"ls a\\\nb \"c\\\nd\"", []string{"ls", "ab", "cd"}},
		{`v='a  b'; ls $v "$v"`, []string{"ls", "a", "b", "a  b"}},
		{`v=; ls $v "$v" x`, []string{"ls", "", "x"}},
		{`dd if=~/a`, []string{"dd", "if=/home/me/a"}},
		{`ls "$(pwd)" $X`, []string{"ls", "/home/me/project", "$X"}},
	} {
		parts := Analyse(c.command, workspace()).Parts
		if len(parts) == 0 || !slices.Equal(parts[0].Args, c.args) {
			t.Errorf("%q: %+v, want %q", c.command, parts, c.args)
		}
	}
}

func TestHiddenText(t *testing.T) {
	for _, command := range []string{
		"ls\u00a0-la", "ls \ufeff-la", "ls \u2066x", "echo \x1b[2K", "ls\x00", "ls \x7f", "echo a\rb", "ls \xff", "ls # \u200b",
		"ls" + strings.Repeat("\t", 20) + "-la", "ls" + strings.Repeat(" ", 100) + "; pwd", "ls" + strings.Repeat("\n", 50) + "pwd",
		"echo " + strings.Repeat("a", 10_001), "ls; " + strings.Repeat("pwd; ", 2500), strings.Repeat("ls\n", 40_000), "ls \u3164", "echo \U000e0041",
	} {
		a := Analyse(command, workspace())
		if a.Class != event.NeedsAsk {
			t.Errorf("%.40q is %s", command, a.Class)
		}
		if !slices.ContainsFunc(a.Effects(), func(e event.Effect) bool {
			return e.Kind == event.Exec && e.Class != event.ReadOnly && !Match("*", e.Target)
		}) {
			t.Errorf("%.40q: an allow rule could cover all of it", command)
		}
	}
	for _, command := range []string{"echo é ✓ 日本", "cat <<'E'\n\t\tx := 1\t\t// y\nE", "ls\n\n\npwd", "ls  -la", "ls\t-la", "if true; then\n\t\t\t\t\t\tls\nfi"} {
		if a := Analyse(command, workspace()); a.Class != event.ReadOnly {
			t.Errorf("%q is %s: %s", command, a.Class, a.Why)
		}
	}
}

func TestEffects(t *testing.T) {
	const root = "/home/me/project/"
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"cat a ../b < c > d", []string{"exec read_only cat a ../b", "read /home/me/b", "read " + root + "a", "read " + root + "c", "write " + root + "d"}},
		{"cp a b", []string{"exec needs_ask plain cp a b", "read " + root + "a", "write " + root + "b", "write " + root + "b/a"}},
		{"mkdir -p x/y", []string{"exec needs_ask plain mkdir -p x/y", "write " + root + "x/y"}},
		{"mv -f a b", []string{"exec needs_ask mv -f a b", "read " + root + "a", "write " + root + "a", "write " + root + "b", "write " + root + "b/a"}},
		{"touch $X", []string{"exec needs_ask touch $X"}},
		{"cd sub && cat x/../y", []string{"exec read_only cd sub", "read " + root + "sub", "exec read_only cat x/../y", "read " + root + "sub/x", "read " + root + "sub/y"}},
		{"> out", []string{"write " + root + "out"}},
		{"LANG=C ls", []string{"exec read_only ls", "read " + root[:len(root)-1]}},
		{"FOO=1 bar --baz", []string{"exec needs_ask FOO=1 bar --baz"}},
		{"PATH=/x; pwd", []string{"exec read_only pwd", "exec needs_ask ?"}},
		{"ls &&", []string{"exec needs_ask ?"}},
		{"", []string{"exec needs_ask ?"}},
		{"wc -l src/*.go", []string{"exec read_only wc -l src/*.go", "read " + root + "src"}},
		{"grep -r x", []string{"exec read_only grep -r x", "read " + root[:len(root)-1]}},
		{"git reset --hard", []string{"exec critical git reset --hard"}},
	} {
		var got []string
		for _, e := range Analyse(c.command, workspace()).Effects() {
			s := string(e.Kind)
			if e.Kind == event.Exec {
				s += " " + string(e.Class)
			}
			if e.Plain {
				s += " plain"
			}
			got = append(got, s+" "+e.Target)
			if e.Kind == event.Exec && (e.Reason == "") != (e.Class == event.ReadOnly) {
				t.Errorf("%q: reason %q of %s", c.command, e.Reason, e.Target)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q:\n got %q\nwant %q", c.command, got, c.want)
		}
	}
}

func TestEnv(t *testing.T) {
	env := workspace()
	env.Cwd = "/home/me/project/sub/"
	env.Additional = []string{"/data"}
	for command, want := range map[string]event.Class{
		"ls ..":                     event.ReadOnly,
		"ls ../..":                  event.NeedsAsk,
		"cat /data/x":               event.ReadOnly,
		"cat /database/x":           event.NeedsAsk,
		"cat /home/me/project2":     event.NeedsAsk,
		"git status":                event.NeedsAsk, // the directory has its own configuration, maybe
		"cd /data && git log":       event.ReadOnly,
		"rm -rf *":                  event.Critical,
		"rm -rf ../build":           event.NeedsAsk,
		"rm -rf ..":                 event.Critical,
		"cat ~/x":                   event.NeedsAsk,
		"echo x > /data/.git/hooks": event.Dangerous,
	} {
		if a := Analyse(command, env); a.Class != want {
			t.Errorf("%q is %s (%s), want %s", command, a.Class, a.Why, want)
		}
	}
	if a := Analyse("ls; cat ~/.ssh/id_rsa ~x; cd; rm -rf $HOME", Env{Cwd: "/w"}); a.Class != event.Dangerous || a.Failed {
		t.Errorf("with the least of environments it is %s: %s", a.Class, a.Why)
	}
}
