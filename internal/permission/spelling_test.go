package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

func decide(p Policy, kind event.EffectKind, path string) Verdict {
	return Decide(p, "some_tool", []event.Effect{{Kind: kind, Target: path}}, nil, tool.Advice{})
}

func with(t *testing.T, p Policy, d Decision, own bool, rules ...string) Policy {
	t.Helper()
	p.Rules = slices.Concat(p.Rules, parsed(rules, d, own))
	return p
}

// What a denied or guarded file is called makes no difference, and neither
// does it for one that is allowed.
func TestEverySpellingIsOneFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	name := "café.txt"
	symlink(t, f.root+"/src", f.root+"/by-dir")
	symlink(t, "../src/"+name, f.root+"/sub/by-leaf")
	symlink(t, "sub/by-leaf", f.root+"/chain")
	symlink(t, f.root, f.outside+"/back")
	symlink(t, f.root, f.base+"/ws2")
	spellings := []string{
		f.root + "/src/" + name, f.root + "/by-dir/" + name, f.root + "/sub/by-leaf", f.root + "/chain",
		f.outside + "/back/src/" + name, f.outside + "/back/chain", f.root + "/src/" + norm.NFD.String(name), f.root + "/SRC/CAFÉ.TXT",
	}
	// On a system that folds case the last one is there as well.
	if err := os.WriteFile(f.root+"/src/"+name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	base := f.policy(Default)
	base.FoldCase = true
	for _, root := range []string{f.root, f.base + "/ws2"} {
		base.Root, base.Cwd = root, root
		for _, rule := range []string{"src/" + name, "/src", "src/*.txt", name, "/" + f.root + "/src/**", "by-dir/**", "sub/by-leaf", "/chain", "*"} {
			for _, m := range []Mode{Plan, Default, FullAccess} {
				base.Mode = m
				for _, path := range spellings {
					if v := decide(with(t, base, Deny, false, "Read("+rule+")"), event.Read, path); v.Decision != Deny || v.By != byRule {
						t.Errorf("%s: deny Read(%s), %s: %s", m, rule, path, v.Decision)
					}
					if v := decide(with(t, base, Deny, false, "Edit("+rule+")"), event.Write, path); v.Decision != Deny || v.By != byRule {
						t.Errorf("%s: deny Edit(%s), %s: %s", m, rule, path, v.Decision)
					}
				}
			}
		}
		base.Mode = Default
		for _, rule := range []string{"src/" + name, "/src/**", "src/*.txt", name, "**"} {
			for _, path := range spellings {
				if v := decide(with(t, base, Allow, false, "Edit("+rule+")"), event.Write, path); v.Decision != Allow {
					t.Errorf("allow Edit(%s), %s: %s, %s", rule, path, v.Decision, v.Reason)
				}
			}
		}
		base.Mode = AcceptEdits
		for _, path := range spellings[:4] {
			if v := decide(base, event.Write, path); v.Decision != Allow {
				t.Errorf("%s: %s, %s", path, v.Decision, v.Reason)
			}
		}
	}
}

func TestLinksThatLeadOut(t *testing.T) {
	f := newFixture(t)
	symlink(t, f.outside, f.root+"/deep/out")
	symlink(t, "deep/out/dir", f.root+"/twice")
	symlink(t, f.outside+"/nothing/there", f.root+"/dangling")
	symlink(t, "loop-b", f.root+"/loop-a")
	symlink(t, "loop-a", f.root+"/loop-b")
	symlink(t, "/proc/self/cwd", f.root+"/magic")
	p := with(t, f.policy(AcceptEdits), Allow, true, "Edit(**)", "Read(**)")
	for _, path := range []string{"deep/out/x", "twice/x", "twice/new/y", "dangling", "loop-a", "loop-b/x", "magic/x", "link-out", "dir-out/x", "dir-out/new"} {
		for _, kind := range []event.EffectKind{event.Read, event.Write} {
			if v := decide(p, kind, f.root+"/"+path); v.Decision != Ask {
				t.Errorf("%s %s: %s, %s", kind, path, v.Decision, v.Reason)
			}
		}
	}
	for _, path := range []string{f.root + "-evil/x", f.root + "/../out/x", "relative/x", "", "~/x", f.root + "/a\x00b"} {
		if v := decide(p, event.Write, path); v.Decision != Ask {
			t.Errorf("%q: %s, %s", path, v.Decision, v.Reason)
		}
	}
	if v := decide(Policy{Mode: AcceptEdits}, event.Write, f.root+"/x"); v.Decision != Ask {
		t.Errorf("without a workspace: %s", v.Decision)
	}
}

// A directory that a session can replace by a link must not carry an allow
// rule to where the link leads.
func TestAllowRuleDoesNotFollowLinks(t *testing.T) {
	f := newFixture(t)
	symlink(t, f.outside, f.root+"/build")
	p := with(t, f.policy(Default), Allow, true, "Edit(build/**)", "Edit(/"+f.root+"/build/**)")
	if v := decide(p, event.Write, f.root+"/build/x"); v.Decision != Ask {
		t.Errorf("%s, %s", v.Decision, v.Reason)
	}
	p.Cwd = f.root + "/build"
	if v := decide(with(t, p, Allow, true, "Edit(./**)"), event.Write, f.root+"/build/x"); v.Decision != Ask {
		t.Errorf("from the directory: %s, %s", v.Decision, v.Reason)
	}
}

// Writing through a link that stands outside, and may be moved by the write,
// is no change in the workspace.
func TestEntryOutside(t *testing.T) {
	f := newFixture(t)
	symlink(t, f.root+"/src/a.go", f.outside+"/to-workspace")
	if v := decide(f.policy(AcceptEdits), event.Write, f.outside+"/to-workspace"); v.Decision != Ask {
		t.Errorf("write: %s", v.Decision)
	}
	if v := decide(f.policy(AcceptEdits), event.Read, f.outside+"/to-workspace"); v.Decision != Allow {
		t.Errorf("read: %s", v.Decision)
	}
}

// The guarded files ask in every mode that does not refuse them, however
// they are reached and whatever is allowed short of themselves.
func TestGuardedFilesAskInEveryMode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	symlink(t, ".git", f.root+"/g")
	symlink(t, f.home+"/.config", f.root+"/conf")
	wide := []string{"Edit", "Edit(*)", "Edit(**)", "Edit(/**)", "Edit(//**)", "Edit(~/**)", "Read", "Read(*)", "Read(**)", "Read(//**)", "Bash", "Edit(g/**)", "Edit(conf/**)", "Edit(.g*/**)", "Edit(~/.config/**)", "Read(.e*)"}
	for _, m := range Modes() {
		p := with(t, f.policy(m), Allow, true, wide...)
		p.Sandboxed = true
		grants := []event.Grant{{Scope: event.ForSession, Rules: append(wide, "Edit(.git/hooks/**)", "Read(.env)", "Edit(.env)", "Edit(.minicode/**)")}}
		advice := tool.Advice{Verdict: tool.Allow}
		for _, c := range []struct {
			kind event.EffectKind
			path string
		}{
			{event.Write, ".git/hooks/pre-commit"},
			{event.Write, "g/hooks/pre-commit"},
			{event.Write, "link-hooks/x"},
			{event.Write, ".git"},
			{event.Write, ".minicode/settings.json"},
			{event.Write, "$H/.config/minicode/settings.json"},
			{event.Write, "conf/minicode/settings.json"},
			{event.Read, ".env"},
			{event.Read, "link-env"},
			{event.Write, ".env"},
			{event.Read, "$H/.ssh/id_rsa"},
		} {
			v := Decide(p, "x", []event.Effect{{Kind: c.kind, Target: f.path(c.path)}}, grants, advice)
			refuses := m == DontAsk || (m == Plan || m == ReadOnly) && c.kind == event.Write
			if want := map[bool]Decision{true: Deny, false: Ask}[refuses]; v.Decision != want {
				t.Errorf("%s: %s %s: %s by %s: %s", m, c.kind, c.path, v.Decision, v.By, v.Reason)
			}
		}
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	symlink(t, "../../out/./dir/../x", f.root+"/sub/rel")
	p := trace(f.root + "/sub/rel")
	if !p.known || p.real != f.outside+"/x" || p.entry != f.root+"/sub/rel" || p.spellings[0] != f.root+"/sub/rel" {
		t.Errorf("%+v", p)
	}
	if p := trace(f.root + "/src/a.go/b"); !p.known || p.real != f.root+"/src/a.go/b" {
		t.Errorf("below a file: %+v", p)
	}
	if p := trace("/"); !p.known || p.real != "/" || p.entry != "/" {
		t.Errorf("root: %+v", p)
	}
	// What the system says of an existing path is what we say.
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"ws", "out", "dir-out", "link-in", "link-hooks", "src", "a.go", ".git", "hooks", "dir", "x"}), 1, 5).Draw(r, "names")
		path := f.base + "/" + strings.Join(names, "/")
		want, err := filepath.EvalSymlinks(path)
		if got := trace(path); err == nil && (!got.known || got.real != want) {
			r.Fatalf("%s: %+v, want %s", path, got, want)
		}
	})
}
