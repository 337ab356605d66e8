package permission

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// fixture is a workspace with what surrounds it, as the tables describe it.
type fixture struct{ base, root, home, outside, additional, free string }

func newFixture(t testing.TB) fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{base, base + "/ws", base + "/home", base + "/out", base + "/more", base + "/state/s.d"}
	for _, dir := range []string{f.root + "/src", f.root + "/.git/hooks", f.home + "/.ssh", f.home + "/.config/minicode", f.outside + "/dir", f.additional, f.free + "/results"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{f.root + "/src/a.go", f.root + "/.env", f.root + "/.git/config", f.outside + "/x", f.outside + "/target", f.outside + "/dir/x", f.home + "/.ssh/id_rsa"} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"link-out": f.outside + "/target", "dir-out": f.outside + "/dir", "link-in": "src/a.go", "link-env": ".env", "link-hooks": ".git/hooks",
	} {
		if err := os.Symlink(target, f.root+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f fixture) policy(mode Mode) Policy {
	return Policy{
		Mode: mode, Root: f.root, Cwd: f.root, Home: f.home, Additional: []string{f.additional}, Free: []string{f.free},
		ReadOnlyTools: []string{"srv/look"},
	}
}

// places puts the fixture's directories in the place of $O and its like.
func (f fixture) places(s string) string {
	return strings.NewReplacer("$O", f.outside, "$H", f.home, "$A", f.additional, "$F", f.free, "$W", f.root).Replace(s)
}

// path is a path of the tables as an effect names it.
func (f fixture) path(s string) string {
	if s = f.places(s); filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(f.root, s)
}

// effects reads "read a.go & exec needs_ask: npm test".
func (f fixture) effects(t testing.TB, text string) []event.Effect {
	t.Helper()
	if text == "-" {
		return nil
	}
	var out []event.Effect
	for one := range strings.SplitSeq(text, " & ") {
		kind, target, _ := strings.Cut(strings.TrimSpace(one), " ")
		e := event.Effect{Kind: event.EffectKind(kind), Target: target}
		switch e.Kind {
		case event.Read, event.Write:
			e.Target = f.path(target)
		case event.Exec:
			class, command, ok := strings.Cut(target, ": ")
			if !ok {
				t.Fatalf("no class in %q", one)
			}
			e.Class, e.Target = event.Class(class), f.places(command)
			if class == "plain" {
				e.Class, e.Plain = event.NeedsAsk, true
			}
		}
		out = append(out, e)
	}
	return out
}

// rules reads "deny Read(.env) & session Edit(**) & hook ask".
func (f fixture) rules(t testing.TB, p *Policy, text string) ([]event.Grant, tool.Advice) {
	t.Helper()
	var grants []event.Grant
	var advice tool.Advice
	if text == "-" {
		return nil, advice
	}
	for one := range strings.SplitSeq(text, " & ") {
		what, rest, _ := strings.Cut(strings.TrimSpace(one), " ")
		if what == "hook" {
			advice.Verdict = tool.Verdict(rest)
			continue
		}
		r, err := ParseRule(f.places(rest))
		if err != nil {
			t.Fatal(err)
		}
		switch what {
		case "turn", "session":
			grants = append(grants, event.Grant{Scope: event.Scope(what), Rules: []string{f.places(rest)}})
			continue
		case "own":
			r.Decision, r.Own, r.Origin = Allow, true, "user settings"
		default:
			r.Decision = Decision(what)
		}
		p.Rules = append(p.Rules, r)
	}
	return grants, advice
}

// table reads the cells of each line of a file in testdata.
func table(t testing.TB, name string, row func(line int, cells []string)) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	rows := 0
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		cells := strings.Split(text, " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		row(n, cells)
		rows++
	}
	if err := lines.Err(); err != nil || rows == 0 {
		t.Fatalf("%s: %d rows, %v", name, rows, err)
	}
}

// columns are the modes in the order of the tables.
func columns(f fixture) []Policy {
	out := make([]Policy, 0, 8)
	for _, m := range []Mode{Plan, ReadOnly, Default, AcceptEdits, Auto, Auto, DontAsk, FullAccess} {
		out = append(out, f.policy(m))
	}
	out[5].Sandboxed = true
	return out
}

func answerOf(v Verdict) string {
	return map[Decision]string{Allow: "yes", Ask: "ask", Deny: "no"}[v.Decision] + " " + v.By
}
