package permission

import (
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// Help names what would let a refused call run: rules for --allowed-tools, a
// mode for --permission-mode, or that nothing would. It is for a verdict that
// asks, and for one that dont-ask refuses; for others it is "".
func Help(p Policy, toolName string, effects []event.Effect, grants []event.Grant, advice tool.Advice) string {
	if p.Mode == DontAsk {
		p.Mode = Default
	}
	v := Decide(p, toolName, effects, grants, advice)
	if v.Decision != Ask {
		return ""
	}
	return asked{p, toolName, effects, grants, advice, v}.help()
}

func (a asked) help() string {
	switch a.verdict.By {
	case byCritical:
		return "No rule or mode allows it: a person must approve it, or do it."
	case byHook:
		return "A hook asks for the approval: a person must give it, or the hook must be changed."
	}
	for _, d := range a.judgements() {
		if d.By == byRule {
			return fmt.Sprintf("The ask rule %s would have to go.", d.Rule)
		}
	}
	if a.verdict.By == byRule {
		return fmt.Sprintf("The ask rule %s would have to go.", a.verdict.Rule)
	}
	var ways []string
	if o := (event.Option{Choice: event.AlwaysUser, Rules: a.rules(event.AlwaysUser, true)}); len(o.Rules) > 0 && a.carriesThrough(o) {
		flags := make([]string, len(o.Rules))
		for i, r := range o.Rules {
			flags[i] = "--allowed-tools " + quoted(r)
		}
		ways = append(ways, strings.Join(flags, " "))
	}
	for _, m := range []Mode{AcceptEdits, FullAccess} {
		p := a.policy
		p.Mode = m
		if Decide(p, a.tool, a.effects, a.grants, a.advice).Decision == Allow {
			ways = append(ways, "--permission-mode "+string(m))
			break
		}
	}
	if len(ways) == 0 {
		return "No rule or mode allows it: a person must approve it."
	}
	return "It would be allowed by " + strings.Join(ways, ", or by ") + "."
}

// quoted is the text as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
