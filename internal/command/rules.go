package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/permission"
)

// permissions lists the rules, or changes them.
func permissions(_ context.Context, conv *app.Conversation, args string) (string, error) {
	word, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
		return rules(conv), nil
	case "add":
		return addRule(conv, rest)
	case "remove":
		return removeRule(conv, rest)
	}
	return "", fmt.Errorf("/permissions takes nothing, add or remove, not %q", word)
}

func rules(conv *app.Conversation) string {
	i, rules := conv.Info(), conv.Rules()
	var b strings.Builder
	fmt.Fprintf(&b, "mode %s in %s\n", i.Mode, i.Root)
	for _, r := range rules {
		fmt.Fprintf(&b, "%-6s %-40s %s\n", r.Decision, r.String(), r.Origin)
	}
	for _, g := range conv.Grants() {
		fmt.Fprintf(&b, "%-6s %-40s granted for this %s\n", "allow", strings.Join(g.Rules, ", "), g.Scope)
	}
	if len(rules) == 0 {
		b.WriteString("no rules are set")
	}
	return strings.TrimRight(b.String(), "\n")
}

var errAddRule = errors.New("write /permissions add allow|ask|deny RULE [user|project], such as /permissions add allow run_command(make test) user")

// addRule keeps a rule for this project, unless it is for all.
func addRule(conv *app.Conversation, args string) (string, error) {
	decision, rule, _ := strings.Cut(args, " ")
	rule = strings.TrimSpace(rule)
	scope, where := event.AlwaysProject, "in this project"
	if cut, ok := strings.CutSuffix(rule, " project"); ok {
		rule = cut
	} else if cut, ok := strings.CutSuffix(rule, " user"); ok {
		rule, scope, where = cut, event.AlwaysUser, "in all projects"
	}
	rule = strings.TrimSpace(rule)
	if !isDecision(decision) || rule == "" {
		return "", errAddRule
	}
	if err := conv.AddRule(scope, decision, rule); err != nil {
		return "", err
	}
	return fmt.Sprintf("from now on, %s: %s %s", where, decision, rule), nil
}

func isDecision(word string) bool {
	return slices.Contains([]permission.Decision{permission.Allow, permission.Ask, permission.Deny}, permission.Decision(word))
}

// removeRule takes a rule out of the person's own settings, wherever it stands
// there.
func removeRule(conv *app.Conversation, args string) (string, error) {
	decision, text, _ := strings.Cut(args, " ")
	if text = strings.TrimSpace(text); !isDecision(decision) || text == "" {
		decision, text = "", args
	}
	if text == "" {
		return "", errors.New("write /permissions remove RULE, with a rule as /permissions lists it")
	}
	var found []permission.Rule
	for _, r := range conv.Rules() {
		if r.String() == text && (decision == "" || string(r.Decision) == decision) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("there is no rule %q; /permissions lists them", args)
	}
	if slices.ContainsFunc(found, func(r permission.Rule) bool { return r.Decision != found[0].Decision }) {
		return "", fmt.Errorf("there are several rules %s; write which is meant, such as /permissions remove %s %s", text, found[0].Decision, text)
	}
	var out []string
	var fault error
	for _, r := range found {
		// The one before may have taken this one with it.
		if !slices.Contains(conv.Rules(), r) && len(out) > 0 {
			continue
		}
		if err := conv.DropRule(r); err != nil {
			fault = errors.Join(fault, err)
			continue
		}
		out = append(out, fmt.Sprintf("removed: %s %s (%s)", r.Decision, r, r.Origin))
	}
	if len(out) == 0 {
		return "", fault
	}
	if fault != nil {
		out = append(out, "still in force: "+fault.Error())
	}
	return strings.Join(out, "\n"), nil
}
