package permission

import (
	"strconv"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

func unquoted(t *testing.T, s string) string {
	t.Helper()
	if !strings.Contains(s, `\u`) {
		return s
	}
	out, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fits is whether a rule of that decision says something of the effect.
func fits(t *testing.T, p Policy, d Decision, rule, toolName string, e event.Effect) bool {
	t.Helper()
	r, err := ParseRule(rule)
	if err != nil {
		t.Fatal(err)
	}
	r.Decision = d
	j := newJudge(p, toolName, nil, tool.Advice{})
	c := j.compile(r)
	f := j.facts(e)
	if d == Allow && e.Kind == event.Exec && e.Target == "?" {
		return j.allowed(f, nil).Decision == Allow
	}
	return c.matches(j.call, f)
}

func TestPaths(t *testing.T) {
	f := newFixture(t)
	p := f.policy(Default)
	p.Cwd = f.root + "/src"
	table(t, "paths.txt", func(line int, cells []string) {
		spec, path := f.places(unquoted(t, cells[0])), unquoted(t, cells[1])
		e := event.Effect{Kind: event.Read, Target: f.path(strings.ReplaceAll(path, "$C", p.Cwd))}
		for i, d := range []Decision{Allow, Deny} {
			if got, want := fits(t, p, d, "Read("+spec+")", "read_file", e), cells[2+i] == "yes"; got != want {
				t.Errorf("paths.txt:%d: %s Read(%s) fits %s: %v, want %v", line, d, spec, e.Target, got, want)
			}
		}
	})
}

func TestMatches(t *testing.T) {
	f := newFixture(t)
	table(t, "matches.txt", func(line int, cells []string) {
		e := event.Effect{}
		if all := f.effects(t, cells[2]); len(all) > 0 {
			e = all[0]
		}
		for i, d := range []Decision{Allow, Deny} {
			if got, want := fits(t, f.policy(Default), d, cells[0], cells[1], e), cells[3+i] == "yes"; got != want {
				t.Errorf("matches.txt:%d: %s %s is about %s by %s: %v, want %v", line, d, cells[0], cells[2], cells[1], got, want)
			}
		}
	})
}

func TestLists(t *testing.T) {
	f := newFixture(t)
	protected, secret := f.policy(Default).Guards()
	table(t, "lists.txt", func(line int, cells []string) {
		path := f.path(unquoted(t, cells[0]))
		var got []string
		if protected(path) {
			got = append(got, "protected")
		}
		if secret(path) {
			got = append(got, "secret")
		}
		if len(got) == 0 {
			got = append(got, "-")
		}
		if s := strings.Join(got, " "); s != cells[1] {
			t.Errorf("lists.txt:%d: %s is %s, want %s", line, path, s, cells[1])
		}
	})
}

func TestListsOfSettings(t *testing.T) {
	f := newFixture(t)
	p := f.policy(FullAccess)
	p.Protected = []string{"deploy/**", f.outside + "/own", "/" + f.outside + "/[odd]/**"}
	p.Secrets = []string{"*.vault", "!.env"}
	for path, want := range map[string]string{
		"write deploy/x": "ask protected", "write sub/deploy/x": "ask protected", "write src/x": "yes mode",
		"write $O/own/settings.json": "ask protected", "read x.vault": "ask protected", "write $O/[odd]/x": "ask protected", "read .env": "ask protected",
	} {
		if got := answerOf(Decide(p, "x", f.effects(t, path), nil, tool.Advice{})); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A workspace below a directory of a protected name is one to work in.
func TestWorkspaceBelowProtectedName(t *testing.T) {
	f := newFixture(t)
	p := f.policy(AcceptEdits)
	p.Root = f.outside + "/.vscode/extensions/x"
	protected, _ := p.Guards()
	for path, want := range map[string]bool{"/a.ts": false, "/.vscode/tasks.json": true, "/.git/config": true} {
		if got := protected(p.Root + path); got != want {
			t.Errorf("%s protected: %v, want %v", path, got, want)
		}
	}
}
