package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/tool"
)

// asked is a call that needs an approval, with all that an answer's rules are
// made from.
type asked struct {
	policy  Policy
	tool    string
	effects []event.Effect
	grants  []event.Grant
	advice  tool.Advice
	verdict Verdict
}

// choices are the answers that apply, each with the exact rules that it
// grants or saves. A choice that would not carry the call through by itself
// is not among them.
func (a asked) choices(canSave bool) []event.Option {
	once := event.Option{Choice: event.Once, Label: "Yes, this once"}
	no := event.Option{Choice: event.No, Label: "No"}
	if a.verdict.By == byCritical || slices.ContainsFunc(a.judgements(), func(d Judgement) bool { return d.By == byCritical }) {
		return []event.Option{once, no}
	}
	out := []event.Option{once}
	what := a.noun()
	for _, o := range []event.Option{
		{Choice: event.ThisTurn, Label: "Yes, " + what + " for this turn", Rules: a.rules(event.ThisTurn, true)},
		{Choice: event.EditsThisTurn, Label: "Yes, all edits in the workspace for this turn", Rules: a.edits()},
		{Choice: event.ThisSession, Label: "Yes, for this session", Rules: a.rules(event.ThisSession, true)},
		{Choice: event.AlwaysProject, Label: "Yes, always in this project", Rules: a.rules(event.AlwaysProject, true)},
		{Choice: event.AlwaysUser, Label: "Yes, always", Rules: a.rules(event.AlwaysUser, false)},
	} {
		saved := o.Choice == event.AlwaysProject || o.Choice == event.AlwaysUser
		if len(o.Rules) > 0 && (canSave || !saved) && a.carriesThrough(o) {
			out = append(out, o)
		}
	}
	out = append(out, no, event.Option{Choice: event.NoWithGuidance, Label: "No, and say what to do instead"})
	if rules := a.denials(); canSave && len(rules) > 0 {
		out = append(out, event.Option{Choice: event.Never, Label: "No, never", Rules: rules})
	}
	return append(out, event.Option{Choice: event.NoAndStop, Label: "No, and stop"})
}

func (a asked) judgements() []Judgement {
	out := make([]Judgement, len(a.verdict.Asking))
	for i, at := range a.verdict.Asking {
		out[i] = a.verdict.PerEffect[at]
	}
	return out
}

// carriesThrough is whether the call would pass with the option's rules.
func (a asked) carriesThrough(o event.Option) bool {
	p, grants := a.policy, a.grants
	switch o.Choice {
	case event.AlwaysProject, event.AlwaysUser:
		p.Rules = slices.Concat(p.Rules, parsed(o.Rules, Allow, o.Choice == event.AlwaysUser))
	default:
		grants = slices.Concat(grants, []event.Grant{{Rules: o.Rules}})
	}
	return Decide(p, a.tool, a.effects, grants, a.advice).Decision == Allow
}

func parsed(texts []string, d Decision, own bool) []Rule {
	var out []Rule
	for _, text := range texts {
		if r, err := ParseRule(text); err == nil {
			r.Decision, r.Own = d, own
			out = append(out, r)
		}
	}
	return out
}

// rules are the allow rules that the choice stands for; none where some
// effect would still ask. Here is whether paths are spelled from the
// workspace, where they can be.
func (a asked) rules(c event.Choice, here bool) []string {
	var out []string
	owner := -1
	asking := a.verdict.Asking
	for i, e := range a.effects {
		if e.Kind == event.Exec {
			owner = i
		}
		d := a.verdict.PerEffect[i]
		switch {
		case d.Decision != Ask:
			continue
		case !liftedBy(d.lift, c, e):
			return nil
		case owner >= 0 && owner != i && slices.Contains(asking, owner) && d.lift == byAny && (e.Kind == event.Read || d.level == writeLevel):
			continue // covered by its command's rule
		}
		if r := a.rule(e, d, c, here); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// liftedBy is whether a rule saved or granted by the choice can lift the ask.
func liftedBy(l lift, c event.Choice, e event.Effect) bool {
	switch l {
	case byAny:
		return true
	case bySpelled:
		return c == event.AlwaysUser
	case byExact:
		return c == event.ThisTurn || c == event.ThisSession || c == event.AlwaysUser && !strings.Contains(e.Target, "*")
	}
	return false
}

// rule spells the effect out as a rule.
func (a asked) rule(e event.Effect, d Judgement, c event.Choice, here bool) string {
	call := newCaller(a.tool)
	switch e.Kind {
	case event.Read:
		return "read_file(" + a.policy.pathSpec(d.place.real, here) + ")"
	case event.Write:
		return "edit_file(" + a.policy.pathSpec(d.place.real, here) + ")"
	case event.Exec:
		if d.lift == byExact || c == event.ThisTurn || c == event.Never {
			return "run_command(" + shell.Exact(e.Target) + ")"
		}
		return "run_command(" + broader(e.Target) + ")"
	case event.Net:
		if _, err := domainOf(e.Target); err == nil && call.family == fetching {
			return "web_fetch(domain:" + e.Target + ")"
		}
	case event.Spawn:
		return "spawn_agent(" + e.Target + ")"
	}
	return a.tool
}

// edits are the rules for all edits, where edits are all that is asked for.
func (a asked) edits() []string {
	for _, i := range a.verdict.Asking {
		if d := a.verdict.PerEffect[i]; a.effects[i].Kind != event.Write || d.level != writeLevel || d.lift != byAny {
			return nil
		}
	}
	if len(a.verdict.Asking) == 0 {
		return nil
	}
	return []string{"edit_file(**)"}
}

// denials are the deny rules of "never".
func (a asked) denials() []string {
	var out []string
	for _, i := range a.verdict.Asking {
		e := a.effects[i]
		if e.Kind == event.Exec && e.Target == "?" || (e.Kind == event.Read || e.Kind == event.Write) && !a.verdict.PerEffect[i].place.known {
			continue
		}
		r := a.rule(e, a.verdict.PerEffect[i], event.Never, false)
		if _, err := ParseRule(r); err == nil && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	if len(a.effects) == 0 {
		out = []string{a.tool}
	}
	return out
}

// noun is what is asked for, in a word or two.
func (a asked) noun() string {
	kinds := map[string]int{}
	for _, i := range a.verdict.Asking {
		switch a.effects[i].Kind {
		case event.Read, event.Write:
			kinds["file"]++
		case event.Exec:
			kinds["command"]++
		case event.Net:
			kinds["host"]++
		case event.Tool:
			kinds["tool"]++
		}
	}
	if len(kinds) != 1 {
		return "this"
	}
	for kind, n := range kinds {
		if n > 1 {
			return "these " + kind + "s"
		}
		return "this " + kind
	}
	return "this"
}

// pathSpec is the spec of a rule for just this path. What is kept for one
// project hangs on the workspace; what the person keeps for all does not.
func (p Policy) pathSpec(path string, here bool) string {
	names := steps(path)
	anchors := []struct {
		prefix string
		dirs   [][]string
	}{{"/", disk{}.ways(p.Root)}, {"~/", disk{}.ways(p.Home)}}
	if !here {
		anchors = anchors[1:]
	}
	for _, a := range anchors {
		for _, dir := range a.dirs {
			if len(dir) > 0 && within(names, dir) {
				return a.prefix + escaped(names[len(dir):])
			}
		}
	}
	return "//" + escaped(names)
}

func escaped(names []string) string {
	out := make([]string, len(names))
	r := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
	for i, n := range names {
		out[i] = r.Replace(n)
	}
	return filepath.ToSlash(strings.Join(out, "/"))
}
