package shell

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
)

// standing are the judged commands that mean the same wherever they stand in
// a list: they parse, hide nothing, and change nothing of the shell.
func standing(t testing.TB) []string {
	var out []string
	for _, c := range cases(t, "shell.jsonl") {
		a := Analyse(c.Command, workspace())
		if a.Failed || len(a.Parts) == 0 || strings.ContainsAny(c.Command, "#\n\u200b\u202e\r") || strings.Contains(c.Command, "()") ||
			slices.ContainsFunc(a.Parts, func(p Part) bool { return strings.HasPrefix(p.Text, "cd ") || strings.HasPrefix(p.Text, "eval") }) ||
			strings.HasSuffix(c.Command, "&") || len(c.Command) > 200 || strings.HasPrefix(c.Command, "source") ||
			strings.HasPrefix(c.Command, "exec") {
			continue
		}
		out = append(out, c.Command)
	}
	return out
}

// The class of a list is that of its strictest part.
func TestListIsAsStrictAsItsParts(t *testing.T) {
	commands := standing(t)
	class := map[string]event.Class{}
	for _, c := range commands {
		class[c] = Analyse(c, workspace()).Class
	}
	r := rand.New(rand.NewPCG(1, 2))
	judged, differ := 0, 0
	for range 120 {
		x, y := commands[r.IntN(len(commands))], commands[r.IntN(len(commands))]
		for _, join := range []string{" ; ", " && ", " || ", "\n", " & "} {
			a := Analyse(x+join+y, workspace())
			judged++
			if class[x] != class[y] {
				differ++
			}
			if want := strictest(class[x], class[y]); a.Class != want {
				t.Errorf("%q is %s, its parts are %s", x+join+y, a.Class, want)
			}
		}
	}
	t.Logf("%d lists, %d of them of two classes", judged, differ)
}

// Whatever a program says, it is no stricter than the strictest of its parts,
// of its files and of what belongs to none.
func TestClassIsTheStrictestVerdict(t *testing.T) {
	for _, c := range cases(t, "shell.jsonl") {
		a := Analyse(c.Command, workspace())
		want := event.ReadOnly
		for _, p := range a.Parts {
			want = strictest(want, p.Verdict)
			if rank(p.Class) > rank(p.Verdict) {
				t.Errorf("%q: the verdict of %q is weaker than its class", c.Command, p.Text)
			}
		}
		if len(a.Parts) > 0 && len(a.Writes) == 0 && a.Class != want {
			t.Errorf("%q is %s, its parts are %s", c.Command, a.Class, want)
		}
	}
}

// around are ways to put a command into something else.
func around() []string {
	return []string{
		"%", "(%)", "{ %; }", "echo $(%)", "echo \"$(%)\"", "echo `%`", "cat <(%)", "if %; then ls; fi", "for i in a b; do %; done", "! %", "time %",
		"% | cat", "ls | %", "ls && %", "ls; %", "% &", "f() { %; }; f", "case x in x) %;; esac", "while read x; do %; done < f", "x=$(%)",
		"echo ${x:-$(%)}", "ls $((1 + $(%)))", "[[ -n $(%) ]]", "ls \"a $(%) b\"", "cat <<E\n$(%)\nE", "a=(1 $(%))", "until %; do ls; done",
	}
}

// Nothing is gained by wrapping: what asks or worse does so within anything.
func TestWrappingGainsNothing(t *testing.T) {
	judged, strict := 0, 0
	for i, command := range standing(t) {
		if i%4 != 0 || strings.Contains(command, "`") {
			continue
		}
		plain := Analyse(command, workspace())
		for _, w := range around() {
			text := strings.ReplaceAll(w, "%", command)
			judged++
			if plain.Class != event.ReadOnly {
				strict++
			}
			if a := Analyse(text, workspace()); rank(a.Class) < rank(plain.Class) && !a.Failed {
				t.Errorf("%q is %s, alone it is %s", text, a.Class, plain.Class)
			}
		}
	}
	t.Logf("%d wrapped commands, %d of them more than read-only", judged, strict)
}

// FuzzAnalyse: no panic, and what is put to a program never makes it ask less.
func FuzzAnalyse(f *testing.F) {
	for _, c := range cases(f, "shell.jsonl") {
		f.Add(c.Command)
	}
	for _, program := range programs() {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, command string) {
		start := time.Now()
		a := analyse(command, workspace())
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
		if a.Failed != (len(a.Parts) == 0 && a.Failed) || rank(a.Class) < 0 {
			t.Errorf("%+v", a)
		}
		for _, e := range a.Effects() {
			if e.Kind == event.Exec && rank(e.Class) < 0 || e.Target == "" && e.Kind != event.Exec {
				t.Errorf("effect %+v", e)
			}
		}
		for _, text := range []string{command + "\nrm -rf x", "rm -rf x\n" + command, command + "\n; rm -rf x", "echo $(" + command + "\n)\nrm -rf x"} {
			b := analyse(text, workspace())
			seen := slices.ContainsFunc(b.Parts, func(p Part) bool { return p.Text == "rm -rf x" })
			if b.Class == event.ReadOnly && !inDocument(command) {
				t.Errorf("%q is read_only", text)
			}
			if !b.Failed && strings.HasPrefix(text, "rm") && !seen {
				t.Errorf("%q: no rm among %q", text, texts(b.Parts))
			}
		}
		if wrapped := analyse("echo $("+command+"\n)", workspace()); wrapped.Class == event.ReadOnly && a.Class != event.ReadOnly && len(a.Parts) > 0 && !inDocument(command) {
			t.Errorf("%q is %s, but read_only in a substitution", command, a.Class)
		}
		rule := Exact(command)
		_ = Match(rule, command)
		_ = Catches(rule, command)
	})
}

// inDocument reports whether what follows a text may still belong to it: a
// here-document, a comment, a quote.
func inDocument(command string) bool { return strings.ContainsAny(command, "<#'\"`\\") }

// FuzzMatch: a rule never covers more when the command is changed by quotes.
func FuzzMatch(f *testing.F) {
	f.Add("npm run test:*", "npm run test a")
	f.Add("git * main", "git push 'origin' main")
	f.Add("ls*", "lsof")
	f.Fuzz(func(t *testing.T, rule, command string) {
		if Match(rule, command) && !Catches(rule, command) {
			t.Errorf("an allow rule %q covers %q, but as a deny rule it would not", rule, command)
		}
		if Match(rule, Unparsed) {
			t.Errorf("%q covers what is not parsed", rule)
		}
	})
}

func TestLongPrograms(t *testing.T) {
	for name, command := range map[string]string{
		"pipes":      strings.Repeat("cat | ", 2000) + "cat",
		"lists":      strings.Repeat("ls && ", 3000) + "ls",
		"loops":      strings.Repeat("for i in a b c d e f g h; do ", 12) + "ls; cd x" + strings.Repeat("; done", 12),
		"functions":  "f0() { ls; }; " + doubling(30) + "f30",
		"variables":  strings.Repeat("x=1 && ", 5000) + "ls",
		"names":      many(2000),
		"subshells":  strings.Repeat("(", 5000) + "ls" + strings.Repeat(")", 5000),
		"opened":     strings.Repeat("$(", 15000),
		"ifs":        strings.Repeat("if ", 10000),
		"braces":     "echo " + strings.Repeat("{a,b}", 1000),
		"quotes":     "echo " + strings.Repeat(`"a"'b'`, 8000),
		"wrappers":   strings.Repeat("nice ", 800) + "ls",
		"evals":      strings.Repeat("eval ", 800) + "ls",
		"redirects":  "ls" + strings.Repeat(" >a", 8000),
		"stars":      "cat " + strings.Repeat("*a", 2000),
		"directions": strings.Repeat("cd a; ", 3000) + "ls",
	} {
		start := time.Now()
		a := Analyse(command, workspace())
		if d := time.Since(start); d > 4*time.Second {
			t.Errorf("%s took %v", name, d)
		} else if testing.Verbose() {
			t.Logf("%s: %v, %s", name, d, a.Class)
		}
		if a.Class == event.ReadOnly && len(command) > maxChars {
			t.Errorf("%s is read_only", name)
		}
	}
}

func doubling(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		prev, next := string(rune('A'+(i-1)%26))+strings.Repeat("x", (i-1)/26), string(rune('A'+i%26))+strings.Repeat("x", i/26)
		if i == 1 {
			prev = "f0"
		}
		b.WriteString(next + "() { " + prev + "; " + prev + "; }; ")
		if i == n {
			b.WriteString("f30() { " + next + "; }; ")
		}
	}
	return b.String()
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("v")
		for j := i; j > 0; j /= 26 {
			b.WriteByte(byte('a' + j%26))
		}
		b.WriteString("=1 && ")
	}
	return b.String() + "ls"
}

func BenchmarkAnalyse(b *testing.B) {
	for b.Loop() {
		Analyse("cd src && git log --oneline -5 | head -3 && npm test > out.txt", workspace())
	}
}

func BenchmarkMatch(b *testing.B) {
	for b.Loop() {
		Match("npm run test:*", "CI=1 npm run test -- --watch=false")
	}
}
