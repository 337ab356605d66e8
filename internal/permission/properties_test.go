package permission

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/tool"
)

// situations draws policies, calls and what else a decision depends on.
type situations struct {
	f fixture
}

func (s situations) groups(r *rapid.T) [][]event.Effect {
	paths := []string{"src/a.go", "new", "link-in", "link-out", "dir-out/x", "link-hooks/x", ".git/hooks/x", ".env", "$O/x", "$H/.bashrc", "$A/x", "$F/x", "/etc/hosts"}
	file := rapid.Custom(func(r *rapid.T) event.Effect {
		return event.Effect{Kind: rapid.SampledFrom([]event.EffectKind{event.Read, event.Write}).Draw(r, "kind"), Target: s.f.path(rapid.SampledFrom(paths).Draw(r, "path"))}
	})
	exec := rapid.Custom(func(r *rapid.T) event.Effect {
		return event.Effect{
			Kind: event.Exec, Target: rapid.SampledFrom([]string{"npm test", "npm run x", "sudo ls", "ls", "rm *.o", "?"}).Draw(r, "command"),
			Class: rapid.SampledFrom([]event.Class{event.ReadOnly, event.NeedsAsk, event.NeedsAsk, event.Dangerous, event.Critical, ""}).Draw(r, "class"),
			Plain: rapid.Bool().Draw(r, "plain"),
		}
	})
	other := rapid.SampledFrom([]event.Effect{
		{Kind: event.Net, Target: "example.com"}, {Kind: event.Tool, Target: "srv/do"}, {Kind: event.Tool, Target: "srv/look"}, {Kind: event.Spawn, Target: "explore"}, {Kind: "new"},
	})
	group := rapid.Custom(func(r *rapid.T) []event.Effect {
		if rapid.Bool().Draw(r, "other") {
			return []event.Effect{other.Draw(r, "effect")}
		}
		return append([]event.Effect{exec.Draw(r, "exec")}, rapid.SliceOfN(file, 0, 3).Draw(r, "files")...)
	})
	return rapid.SliceOfN(group, 0, 4).Draw(r, "groups")
}

func (s situations) rule(r *rapid.T, d Decision) Rule {
	text := rapid.SampledFrom([]string{
		"Read", "Edit", "Bash", "Bash(npm test)", "Bash(npm:*)", "Bash(sudo ls)", "Bash(*)", `Bash(rm \*.o)`, "Read(.env)", "Read(**)", "Edit(src/**)", "Edit(.git/**)", "Edit(**)",
		"Read(/$O/**)", "Edit(/$O/**)", "Edit(link-out)", "WebFetch(domain:example.com)", "WebFetch", "mcp__srv", "mcp__srv__do", "Agent", "*", "run_command", "grep_files", "Read(~/**)", "Edit(~/.bashrc)",
	}).Draw(r, "rule")
	rule, err := ParseRule(s.f.places(text))
	if err != nil {
		r.Fatal(err)
	}
	rule.Decision, rule.Own = d, rapid.Bool().Draw(r, "own")
	return rule
}

func (s situations) draw(r *rapid.T) (Policy, string, [][]event.Effect, []event.Grant, tool.Advice) {
	p := s.f.policy(rapid.SampledFrom(Modes()).Draw(r, "mode"))
	p.Sandboxed = rapid.Bool().Draw(r, "sandboxed")
	for range rapid.IntRange(0, 5).Draw(r, "rules") {
		p.Rules = append(p.Rules, s.rule(r, rapid.SampledFrom([]Decision{Allow, Allow, Ask, Deny}).Draw(r, "decision")))
	}
	var grants []event.Grant
	for range rapid.IntRange(0, 2).Draw(r, "grants") {
		grants = append(grants, event.Grant{Scope: event.ForTurn, Rules: []string{s.rule(r, Allow).String()}})
	}
	advice := tool.Advice{Verdict: rapid.SampledFrom([]tool.Verdict{"", "", "", tool.Allow, tool.Ask, tool.Deny, "else"}).Draw(r, "hook")}
	name := rapid.SampledFrom([]string{"run_command", "edit_file", "web_fetch", "mcp__srv__do", "other"}).Draw(r, "tool")
	return p, name, s.groups(r), grants, advice
}

func strictness(d Decision) int { return slices.Index([]Decision{Allow, Ask, Deny}, d) }

func TestMoreRules(t *testing.T) {
	t.Parallel()
	s := situations{newFixture(t)}
	rapid.Check(t, func(r *rapid.T) {
		p, name, groups, grants, advice := s.draw(r)
		effects := slices.Concat(groups...)
		was := Decide(p, name, effects, grants, advice)

		denying := p
		denying.Rules = slices.Insert(slices.Clone(p.Rules), rapid.IntRange(0, len(p.Rules)).Draw(r, "at"), s.rule(r, Deny))
		now := Decide(denying, name, effects, grants, advice)
		if strictness(now.Decision) < strictness(was.Decision) {
			r.Fatalf("a deny rule turned %s into %s", was.Decision, now.Decision)
		}
		for i := range now.PerEffect {
			if a, b := was.PerEffect[i], now.PerEffect[i]; strictness(b.Decision) < strictness(a.Decision) {
				r.Fatalf("a deny rule turned effect %d from %s into %s", i, a.Decision, b.Decision)
			}
		}

		allowing := p
		allowing.Rules = slices.Insert(slices.Clone(p.Rules), rapid.IntRange(0, len(p.Rules)).Draw(r, "at"), s.rule(r, Allow))
		now = Decide(allowing, name, effects, grants, advice)
		if strictness(now.Decision) > strictness(was.Decision) {
			r.Fatalf("an allow rule turned %s into %s", was.Decision, now.Decision)
		}
		for i := range now.PerEffect {
			a, b := was.PerEffect[i], now.PerEffect[i]
			// What the ladder refuses is what an allow rule is for.
			ladder := a.By == byMode && !p.Mode.fixed(a.level, effects[i].Kind)
			if a.Decision == Deny && b.Decision != Deny && !ladder {
				r.Fatalf("an allow rule turned effect %d from no (%s) into %s", i, a.Reason, b.Decision)
			}
			if a.By == byRule && a.Decision != Allow && (b.By != a.By || b.Decision != a.Decision) {
				r.Fatalf("an allow rule outranked a rule on effect %d: %s", i, a.Reason)
			}
		}
	})
}

func TestStrictestWinsInAnyOrder(t *testing.T) {
	t.Parallel()
	s := situations{newFixture(t)}
	rapid.Check(t, func(r *rapid.T) {
		p, name, groups, grants, advice := s.draw(r)
		v := Decide(p, name, slices.Concat(groups...), grants, advice)
		worst := Allow
		for _, d := range v.PerEffect {
			if strictness(d.Decision) > strictness(worst) {
				worst = d.Decision
			}
		}
		if len(v.PerEffect) > 0 && v.Decision != worst {
			r.Fatalf("%s of %+v", v.Decision, v.PerEffect)
		}
		p.Rules = rapid.Permutation(p.Rules).Draw(r, "rules in another order")
		w := Decide(p, name, slices.Concat(rapid.Permutation(groups).Draw(r, "in another order")...), grants, advice)
		if w.Decision != v.Decision || w.By != v.By || w.Class != v.Class {
			r.Fatalf("%s by %s, in another order %s by %s", v.Decision, v.By, w.Decision, w.By)
		}
	})
}

// Whatever else holds, these never pass unasked.
func TestNothingLifts(t *testing.T) {
	t.Parallel()
	s := situations{newFixture(t)}
	rapid.Check(t, func(r *rapid.T) {
		p, name, groups, grants, advice := s.draw(r)
		effects := slices.Concat(groups...)
		v := Decide(p, name, effects, grants, advice)
		for i, e := range effects {
			d := v.PerEffect[i]
			if d.Decision != Allow {
				continue
			}
			switch {
			case e.Kind == event.Exec && e.Class == event.Critical:
				r.Fatalf("critical passes: %+v", d)
			case (p.Mode == Plan || p.Mode == ReadOnly) && e.Kind == event.Write:
				r.Fatalf("%s writes: %+v", p.Mode, d)
			case p.Mode == Plan && e.Kind == event.Exec && d.level > readLevel:
				r.Fatalf("plan runs: %+v", d)
			case advice.Verdict != "" && advice.Verdict != tool.Allow:
				r.Fatalf("a hook said %s: %+v", advice.Verdict, d)
			case e.Kind == event.Exec && e.Target == "?" && p.Mode != FullAccess && advice.Verdict != tool.Allow:
				r.Fatalf("%s runs what could not be read: %+v", p.Mode, d)
			}
		}
		if v.Decision == Ask && p.Mode == DontAsk {
			r.Fatal("dont-ask asks")
		}
		// Every offered answer does what it says.
		if v.Decision != Ask {
			return
		}
		a := asked{p, name, effects, grants, advice, v}
		critical := slices.ContainsFunc(v.PerEffect, func(d Judgement) bool { return d.By == byCritical })
		for _, o := range a.choices(true) {
			switch {
			case critical && o.Choice != event.Once && o.Choice != event.No:
				r.Fatalf("%s is offered for what is critical", o.Choice)
			case o.Choice == event.Never:
				q := p
				q.Rules = slices.Concat(p.Rules, parsed(o.Rules, Deny, true))
				if w := Decide(q, name, effects, grants, advice); w.Decision != Deny {
					r.Fatalf("with %q the call is %s", o.Rules, w.Decision)
				}
			case len(o.Rules) > 0 && !a.carriesThrough(o):
				r.Fatalf("%s with %q does not carry the call through", o.Choice, o.Rules)
			}
		}
	})
}

func FuzzMayName(f *testing.F) {
	for _, seed := range [][2]string{{"rm:*", "sudo rm x"}, {"rm*", "/bin/RM x"}, {"git push:*", "git -C x push"}, {"LANG=C ls", "ls"}, {"'r'm", "rm"}, {"a/b c", "b c"}, {"x", "sh -c x"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, spec, target string) {
		if !mayName(spec, target) && shell.Catches(spec, target) {
			t.Fatalf("%q is about %q", spec, target)
		}
	})
}

func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{"Bash(npm run test:*)", "Read(//etc/**)", "Edit(~/x y)", "web_fetch(domain:*.example.com)", "mcp__a__*", "Read([!a-z]*)", `Edit(a\)`, "Read(/../..)", "Bash((()", "*", "Read(\xff)", "Read(**/**/**/a)"} {
		f.Add(seed, "/ws/a/b")
	}
	p := Policy{Root: "/ws", Home: "/home/x", Additional: []string{"/more"}}
	f.Fuzz(func(t *testing.T, text, path string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		if again, err := ParseRule(r.String()); err != nil || again != r {
			t.Fatalf("%q is written as %q and read as %+v, %v", text, r, again, err)
		}
		effects := []event.Effect{{Kind: event.Read, Target: path}, {Kind: event.Write, Target: path}, {Kind: event.Exec, Target: path}, {Kind: event.Net, Target: path}, {Kind: event.Tool, Target: path}}
		for _, e := range effects {
			r.Decision = Allow
			p.Rules = []Rule{r}
			allowed := Decide(p, "x", []event.Effect{e}, nil, tool.Advice{})
			r.Decision = Deny
			p.Rules = []Rule{r}
			denied := Decide(p, "x", []event.Effect{e}, nil, tool.Advice{})
			if allowed.By == byRule && denied.Decision != Deny {
				t.Fatalf("%s allows %v and does not deny it", r, e)
			}
		}
	})
}

// The rule that is offered for a file is about that file, and in each form
// of its letters.
func FuzzPathRule(f *testing.F) {
	for _, seed := range []string{"a", "a*b", "[x]", `back\slash`, "with space ", " lead", "é", "e\u0301", "**", "!x", "~", "-", ".", "..", "a(b", "a)b", "#c", "ſ"} {
		f.Add(seed, "sub")
	}
	base := Policy{Root: "/nowhere/ws", Home: "/nowhere/home"}
	f.Fuzz(func(t *testing.T, name, dir string) {
		if strings.ContainsAny(name+dir, "/\x00") || name == "" || name == "." || name == ".." || dir == "" || dir == "." || dir == ".." {
			return
		}
		for _, path := range []string{base.Root + "/" + dir + "/" + name, base.Home + "/" + name, "/nowhere/" + dir + "/" + name} {
			for _, here := range []bool{true, false} {
				text := "edit_file(" + base.pathSpec(path, here) + ")"
				r, err := ParseRule(text)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				for d, want := range map[Decision]Decision{Allow: Allow, Deny: Deny} {
					p := base
					r.Decision, r.Own = d, true
					p.Rules = []Rule{r}
					if v := Decide(p, "edit_file", []event.Effect{{Kind: event.Write, Target: path}}, nil, tool.Advice{}); v.Decision != want {
						t.Fatalf("%s %q on %q: %s, %s", d, text, path, v.Decision, v.Reason)
					}
					other := path + "x"
					if v := Decide(p, "edit_file", []event.Effect{{Kind: event.Write, Target: other}}, nil, tool.Advice{}); v.By == byRule {
						t.Fatalf("%s %q is about %q", d, text, other)
					}
				}
			}
		}
	})
}
