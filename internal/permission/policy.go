package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// Policy is everything that a decision depends on but the call itself.
type Policy struct {
	Mode  Mode
	Rules []Rule

	Root string // of the workspace, absolute
	Cwd  string // what "./" in a rule stands for; "" means Root
	Home string // what "~/" in a rule stands for

	Additional []string // directories that count as the workspace, absolute
	Free       []string // directories that may be read like the workspace: this session's results, loaded skills

	// Protected and Secrets are added to the built-in lists, as patterns in
	// the syntax of path rules. Directories of MiniCode's own that stand
	// elsewhere than at their usual place belong into Protected.
	Protected, Secrets []string

	ReadOnlyTools []string // MCP tools that the person lists as reading only: "server/name" or "mcp__server__name"
	Sandboxed     bool     // commands run inside a sandbox that is in force
	FoldCase      bool     // names that differ only in case are one file, also where the system usually tells them apart
}

// Verdict is what comes of judging a call.
type Verdict struct {
	Decision  Decision
	By        string      // what decided: mode, rule, grant, hook, critical, protected
	Reason    string      // for people and for the model
	Rule      string      // the rule or grant that decided, where one did
	Asking    []int       // which effects need an approval, where the decision is ask
	Class     event.Class // the worst of the effects
	PerEffect []Judgement // one for each effect, in their order
}

// Judgement is the verdict on one effect.
type Judgement struct {
	Decision Decision
	By       string
	Reason   string
	Rule     string
	Class    event.Class // of a command its own; of another effect, what it amounts to

	lift  lift
	level int
	place place
}

// lift says what would turn an ask into a yes.
type lift int

const (
	byNothing lift = iota
	byAny          // an allow rule or a grant
	bySpelled      // an allow rule of the person's own that spells it out
	byExact        // the same, of exactly that command, or a grant word for word
)

// The values of By.
const (
	byMode      = "mode"
	byRule      = "rule"
	byGrant     = "grant"
	byHook      = "hook"
	byUser      = "user"
	byCritical  = "critical"
	byProtected = "protected"
	byHeadless  = "headless"
)

// Decide judges a call of a tool by its effects. The grants are those in
// force, the advice is what hooks said. It looks at the file system only to
// follow symbolic links. Without effects the call itself is judged.
func Decide(p Policy, toolName string, effects []event.Effect, grants []event.Grant, advice tool.Advice) Verdict {
	j := newJudge(p, toolName, grants, advice)
	v := Verdict{PerEffect: make([]Judgement, len(effects)), Class: event.ReadOnly}
	all := v.PerEffect
	if len(effects) == 0 {
		all = []Judgement{j.judge(event.Effect{}, nil)}
	}
	var owner *Judgement
	for i, e := range effects {
		if e.Kind == event.Exec {
			owner = nil
		}
		all[i] = j.judge(e, owner)
		if e.Kind == event.Exec {
			owner = &all[i]
		}
		if classRank(all[i].Class) > classRank(v.Class) {
			v.Class = all[i].Class
		}
	}
	v.settle(all)
	for i := range v.PerEffect {
		if v.Decision == Ask && v.PerEffect[i].Decision == Ask {
			v.Asking = append(v.Asking, i)
		}
	}
	return v
}

// maxReasons is how many reasons of one verdict are told.
const maxReasons = 4

// settle takes the strictest answer, and of several the one that weighs most.
func (v *Verdict) settle(all []Judgement) {
	best := all[0]
	for _, d := range all[1:] {
		if weight(d) > weight(best) {
			best = d
		}
	}
	v.Decision, v.By, v.Rule = best.Decision, best.By, best.Rule
	var reasons []string
	more := 0
	for _, d := range all {
		switch {
		case d.Decision != best.Decision || d.Reason == "" || slices.Contains(reasons, d.Reason):
		case d.Decision == Allow && weight(d) != weight(best):
		case len(reasons) == maxReasons:
			more++
		default:
			reasons = append(reasons, d.Reason)
		}
	}
	v.Reason = strings.Join(reasons, "; ")
	if more > 0 {
		v.Reason += fmt.Sprintf("; and %d more", more)
	}
}

// weight orders judgements: the decision first, then what decided.
func weight(d Judgement) int {
	w := 0
	switch d.Decision {
	case Deny:
		w = 200
	case Ask:
		w = 100
	}
	switch d.By {
	case byCritical:
		return w + 6
	case byProtected:
		return w + 5
	case byRule:
		return w + 4
	case byGrant:
		return w + 3
	case byHook:
		return w + 2
	}
	return w + 1
}

func classRank(c event.Class) int {
	switch c {
	case event.ReadOnly:
		return 0
	case event.Dangerous:
		return 2
	case event.Critical:
		return 3
	}
	return 1
}

// Guards tell what asks in every mode: protected is changing a file, secret is
// reading or changing it. They look at every spelling of a path.
func (p Policy) Guards() (protected, secret func(path string) bool) {
	j := newJudge(p, "", nil, tool.Advice{})
	j.lookup()
	return func(path string) bool { return len(j.protectedIn(trace(path))) > 0 },
		func(path string) bool { return len(j.secretsIn(trace(path))) > 0 }
}

// Reader is whether the named tool may read a file unasked. A tool that walks
// a directory leaves out what it may not, and so does the completion of file
// names: the effect of such a walk is on the directory alone. It is safe for
// concurrent use.
func (p Policy) Reader(toolName string, grants []event.Grant) func(path string) bool {
	j := newJudge(p, toolName, grants, tool.Advice{})
	j.lookup()
	return func(path string) bool {
		return j.judge(event.Effect{Kind: event.Read, Target: path}, nil).Decision == Allow
	}
}
