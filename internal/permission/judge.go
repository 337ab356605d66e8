package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// judge holds what the effects of one call are judged by.
type judge struct {
	Policy
	names     names
	bases     bases
	call      caller
	deny, ask []compiled
	allow     []compiled
	grants    []compiled
	advice    tool.Advice
	lists     *lists
}

// lists are compiled at the first path that is looked up.
type lists struct{ protected, secrets list }

// newJudge compiles the rules for one call.
func newJudge(p Policy, toolName string, grants []event.Grant, advice tool.Advice) *judge {
	j := &judge{Policy: p, names: names{fold: p.FoldCase || foldsCase()}, bases: p.bases(), advice: advice}
	j.call = newCaller(toolName)
	for _, r := range p.Rules {
		switch r.Decision {
		case Deny:
			j.deny = append(j.deny, j.compile(r))
		case Ask:
			j.ask = append(j.ask, j.compile(r))
		case Allow:
			j.allow = append(j.allow, j.compile(r))
		}
	}
	for _, g := range grants {
		for _, text := range g.Rules {
			if r, err := ParseRule(text); err == nil {
				r.Decision, r.Origin = Allow, "granted"
				j.grants = append(j.grants, j.compile(r))
			}
		}
	}
	return j
}

// facts are what is known of an effect before any rule is asked.
type facts struct {
	event.Effect
	place     place
	protected []found // of a write
	secret    []found // of a read or a write
	level     int
}

// found is an element of one of the lists in one spelling of a path.
type found struct {
	element
	spelling []string // as rules compare it
}

func (j *judge) facts(e event.Effect) facts {
	f := facts{Effect: e}
	if e.Kind == event.Read || e.Kind == event.Write {
		f.place = trace(e.Target)
		f.secret = j.secretsIn(f.place)
	}
	if e.Kind == event.Write {
		f.protected = j.protectedIn(f.place)
	}
	f.level = j.levelOf(f)
	return f
}

func (j *judge) protectedIn(p place) []found { return j.find(j.lookup().protected, p) }
func (j *judge) secretsIn(p place) []found   { return j.find(j.lookup().secrets, p) }

func (j *judge) lookup() *lists {
	if j.lists == nil {
		j.lists = &lists{newList(protectedText, j.Protected, j.bases), newList(secretsText, j.Secrets, j.bases)}
	}
	return j.lists
}

func (j *judge) find(l list, p place) []found {
	var out []found
	seen := map[string]bool{}
	for _, s := range p.spellings {
		if seen[s] {
			continue
		}
		seen[s] = true
		for _, e := range l.find(listPath(s)) {
			out = append(out, found{e, j.names.split(s)})
		}
	}
	return out
}

// levelOf is the level that the effect needs.
func (j *judge) levelOf(f facts) int {
	switch f.Kind {
	case "", event.Spawn:
		return readLevel
	case event.Read:
		if j.inWorkspace(f.place.real, f.place.known) || j.inAny(j.Free, f.place) {
			return readLevel
		}
	case event.Write:
		inside := j.inWorkspace(f.place.real, f.place.known) && j.inWorkspace(f.place.entry, f.place.known)
		if inside && len(f.protected) == 0 && len(f.secret) == 0 {
			return writeLevel
		}
	case event.Exec:
		if f.Target != "?" && (f.Class == event.ReadOnly || f.Plain && f.Class == event.NeedsAsk) {
			return readLevel
		}
	case event.Tool:
		if slices.Contains(j.ReadOnlyTools, f.Target) || slices.Contains(j.ReadOnlyTools, j.call.name) {
			return readLevel
		}
	}
	return fullLevel
}

func (j *judge) inWorkspace(path string, known bool) bool {
	if !known {
		return false
	}
	names := j.names.split(path)
	for _, dir := range slices.Concat(j.bases.root, j.bases.additional) {
		if within(names, j.keys(dir)) {
			return true
		}
	}
	return false
}

func (j *judge) inAny(dirs []string, p place) bool {
	if !p.known {
		return false
	}
	for _, dir := range dirs {
		for _, way := range (disk{}).ways(dir) {
			if within(j.names.split(p.real), j.keys(way)) {
				return true
			}
		}
	}
	return false
}

func (j *judge) keys(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = j.names.key(n)
	}
	return out
}

// judge goes through the steps. Owner is the judgement of the command that
// the effect belongs to, if any.
func (j *judge) judge(e event.Effect, owner *Judgement) Judgement {
	f := j.facts(e)
	d := j.steps(f, owner)
	d.level, d.place, d.Class = f.level, f.place, j.classOf(f)
	if d.Decision == Ask && j.Mode == DontAsk {
		d.Decision, d.By = Deny, byMode
		d.Reason = "dont-ask mode refuses what would be asked: " + d.Reason
	}
	return d
}

func (j *judge) steps(f facts, owner *Judgement) Judgement {
	// 1: what is denied.
	if r := first(j.deny, j.call, f); r != nil {
		return Judgement{Decision: Deny, By: byRule, Rule: r.String(), Reason: "denied by the rule " + r.named()}
	}
	if j.advice.Verdict == tool.Deny {
		return Judgement{Decision: Deny, By: byHook, Reason: reasonOr(j.advice.Reason, "a hook denied it")}
	}
	// 2: what plan and read-only do not let be lifted.
	if j.Mode.fixed(f.level, f.Kind) {
		return j.byLadder(f, byNothing)
	}
	// 3: what is asked whatever else is said.
	if f.Class == event.Critical {
		return Judgement{Decision: Ask, By: byCritical, Reason: "critical: " + reasonOr(f.Reason, "what it would destroy cannot be brought back")}
	}
	// 4: what is to be asked.
	if r := first(j.ask, j.call, f); r != nil {
		return Judgement{Decision: Ask, By: byRule, Rule: r.String(), Reason: "asked by the rule " + r.named()}
	}
	if j.advice.Verdict != "" && j.advice.Verdict != tool.Allow {
		return Judgement{Decision: Ask, By: byHook, Reason: reasonOr(j.advice.Reason, "a hook asks")}
	}
	// 5: what only its own name lifts.
	if d := j.guarded(f); d.Decision != "" {
		return d
	}
	// 6: what is allowed.
	if d := j.allowed(f, owner); d.Decision != "" {
		return d
	}
	// 7: the rest.
	return j.byLadder(f, byAny)
}

// guarded judges protected paths, secrets and dangerous commands. It gives
// no decision where they are lifted, and yes where the exact command is.
func (j *judge) guarded(f facts) Judgement {
	if j.unspelled(f.protected, f) {
		return Judgement{Decision: Ask, By: byProtected, lift: bySpelled, Reason: "changes " + f.place.through() + ", a protected file"}
	}
	if j.unspelled(f.secret, f) {
		what := "reads "
		if f.Kind == event.Write {
			what = "changes "
		}
		return Judgement{Decision: Ask, By: byProtected, lift: bySpelled, Reason: what + f.place.through() + ", which may hold secrets"}
	}
	if f.Kind != event.Exec || f.Class != event.Dangerous || j.Mode == FullAccess {
		return Judgement{}
	}
	for i := range j.allow {
		if r := &j.allow[i]; r.Own && r.family == command && exactly(r.Spec, f.Target) && !strings.Contains(r.Spec, "*") {
			return Judgement{Decision: Allow, By: byRule, Rule: r.String(), Reason: "allowed by the rule " + r.named()}
		}
	}
	for i := range j.grants {
		if r := &j.grants[i]; r.family == command && exactly(r.Spec, f.Target) {
			return Judgement{Decision: Allow, By: byGrant, Rule: r.String(), Reason: "granted: " + r.String()}
		}
	}
	return Judgement{Decision: Ask, By: byMode, lift: byExact, Reason: "dangerous: " + reasonOr(f.Reason, f.Target)}
}

// unspelled is whether some element is not spelled out by an allow rule of
// the person's own.
func (j *judge) unspelled(all []found, f facts) bool {
	for _, e := range all {
		spelled := slices.ContainsFunc(j.allow, func(r compiled) bool {
			return r.Own && r.covers(f.Kind, false) && r.fits(e.spelling) && e.spelledBy(r.spec.parts)
		})
		if !spelled {
			return true
		}
	}
	return false
}

// allowed judges by allow rules, grants and hooks.
func (j *judge) allowed(f facts, owner *Judgement) Judgement {
	if f.Kind == event.Exec && f.Target == "?" && j.advice.Verdict != tool.Allow {
		return Judgement{}
	}
	if r := first(j.allow, j.call, f); r != nil {
		return Judgement{Decision: Allow, By: byRule, Rule: r.String(), Reason: "allowed by the rule " + r.named()}
	}
	if r := first(j.grants, j.call, f); r != nil {
		return Judgement{Decision: Allow, By: byGrant, Rule: r.String(), Reason: "granted: " + r.String()}
	}
	if j.advice.Verdict == tool.Allow {
		return Judgement{Decision: Allow, By: byHook, Reason: reasonOr(j.advice.Reason, "a hook allowed it")}
	}
	// A command that is allowed by name may do to ordinary files what it says.
	if owner != nil && owner.Decision == Allow && owner.By != byMode && f.place.known &&
		(f.Kind == event.Read || f.Kind == event.Write && f.level == writeLevel) {
		return Judgement{Decision: Allow, By: owner.By, Rule: owner.Rule, Reason: owner.Reason}
	}
	return Judgement{}
}

func (j *judge) byLadder(f facts, l lift) Judgement {
	decision := j.Mode.ladder(f.level, f.Kind)
	if j.Mode == Auto && j.Sandboxed && f.Kind == event.Exec && f.Target != "?" {
		decision = Allow
	}
	if f.Kind == event.Exec && f.Target == "?" {
		l = byNothing
	}
	d := Judgement{Decision: decision, By: byMode, lift: l, Reason: j.describe(f)}
	switch {
	case decision == Allow:
		d.Reason = string(j.mode()) + " mode allows it"
	case decision == Deny:
		d.Reason = string(j.mode()) + " mode refuses it: " + d.Reason + instead(j.Mode)
	case l == byNothing && j.Mode.fixed(f.level, f.Kind):
		d.Reason = string(j.mode()) + " mode asks: " + d.Reason
	}
	return d
}

// instead says what a mode that refuses would let pass.
func instead(m Mode) string {
	switch m {
	case Plan:
		return ". Reading is allowed; nothing is changed before a plan is approved"
	case ReadOnly:
		return ". Reading is allowed, and edits in the workspace can be approved"
	}
	return ""
}

func (j *judge) mode() Mode {
	if j.Mode == "" {
		return Default
	}
	return j.Mode
}

// describe says what the effect does, as the reason for asking.
func (j *judge) describe(f facts) string {
	outside := ""
	if !j.inWorkspace(f.place.real, f.place.known) {
		outside = ", outside the workspace"
	}
	switch f.Kind {
	case event.Read:
		return "reads " + f.place.through() + outside
	case event.Write:
		return "changes " + f.place.through() + outside
	case event.Exec:
		if f.Target == "?" {
			return "runs a command that could not be read for certain" + after(": ", f.Reason)
		}
		return "runs " + oneLine(f.Target) + after(": ", f.Reason)
	case event.Net:
		return "reaches " + f.Target
	case event.Tool:
		return "calls " + f.Target
	case event.Spawn:
		return "starts the sub-agent " + f.Target
	case "":
		return "calls " + j.call.name
	}
	return fmt.Sprintf("has an effect of a kind that is not known: %s %s", f.Kind, f.Target)
}

// classOf is how far the effect can be trusted, in the words for commands.
func (j *judge) classOf(f facts) event.Class {
	switch f.Kind {
	case event.Exec:
		if f.Class == "" {
			return event.NeedsAsk
		}
		return f.Class
	case event.Write:
		if len(f.protected) > 0 || !j.inWorkspace(f.place.real, f.place.known) && j.isSystem(f.place) {
			return event.Dangerous
		}
	case event.Read:
		if f.level == readLevel && len(f.secret) == 0 {
			return event.ReadOnly
		}
	default:
		if f.level == readLevel {
			return event.ReadOnly
		}
	}
	return event.NeedsAsk
}

// isSystem is whether the path is the system's and no person's.
func (j *judge) isSystem(p place) bool {
	if j.inAny([]string{j.Home}, p) {
		return false
	}
	names := listPath(cmp.Or(p.real, p.path))
	if len(names) > 1 && names[0] == "private" {
		names = names[1:]
	}
	if len(names) == 0 {
		return true
	}
	switch names[0] {
	case "dev":
		return len(names) < 2 || names[1] != "null" && names[1] != "shm"
	case "var":
		return len(names) < 2 || names[1] != "tmp" && names[1] != "folders"
	case "bin", "boot", "etc", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin", "sys", "usr", "system", "library", "applications":
		return true
	}
	return false
}
