package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/mcp"
	"github.com/minicode-go/minicode/internal/skill"
	"github.com/minicode-go/minicode/internal/stack"
)

// servers shows how MCP servers stand, or changes one.
func servers(ctx context.Context, conv *app.Conversation, args string, _ func(event.Signal)) (Result, error) {
	set := conv.Extensions()
	word, name, _ := strings.Cut(args, " ")
	name = strings.TrimSpace(name)
	var err error
	switch {
	case args == "":
		return Result{Text: set.ServersReport()}, nil
	case name == "":
		return Result{}, fmt.Errorf("write /mcp, or /mcp tools|reconnect|enable|disable NAME")
	case word == "reconnect" || word == "enable":
		err = set.Servers.Reconnect(ctx, name)
	case word == "disable":
		err = set.Servers.Disable(name)
	case word == "tools":
		return serverTools(set, name)
	default:
		return Result{}, fmt.Errorf("/mcp %s: write /mcp, or /mcp tools|reconnect|enable|disable NAME", word)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Text: set.ServersReport()}, nil
}

func serverTools(set *extension.Set, name string) (Result, error) {
	states := set.Servers.States()
	at := slices.IndexFunc(states, func(s mcp.State) bool { return s.Name == name })
	if at < 0 {
		return Result{}, fmt.Errorf("there is no MCP server %q; there are %s", name, strings.Join(set.Servers.Names(), ", "))
	}
	var b strings.Builder
	b.WriteString(extension.StateLine(states[at]) + "\n")
	for _, t := range states[at].Tools {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		mark := ""
		if t.ReadOnly {
			mark = " (says that it only reads)"
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", t.Own, first, mark)
	}
	for _, out := range states[at].LeftOut {
		fmt.Fprintf(&b, "  left out: %s\n", out)
	}
	for _, said := range states[at].Said {
		fmt.Fprintf(&b, "  it said: %s\n", said)
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

func skills(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	set := conv.Extensions()
	var b strings.Builder
	b.WriteString(set.Skills.Report())
	if len(set.Commands.All) > 0 {
		b.WriteString("\n\ncommands of yours:\n")
		for _, c := range set.Commands.All {
			fmt.Fprintf(&b, "%-24s %s\n", strings.TrimSpace("/"+c.Name+" "+c.Hint), c.Description)
		}
	}
	for _, t := range set.Trouble() {
		b.WriteString("\n" + t)
	}
	return strings.TrimSpace(b.String()), nil
}

func hooks(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	return conv.Extensions().HooksReport(), nil
}

func agents(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	var b strings.Builder
	for _, k := range conv.Extensions().Kinds(func(name string) string { return name }) {
		fmt.Fprintf(&b, "%-16s %s\n", k.Name, k.Description)
	}
	b.WriteString("\nOthers: Markdown files in agents/ beside your settings, or in .minicode/agents of a trusted project.")
	return b.String(), nil
}

// initialize writes a first page of instructions from what stands in the
// repository; with wishes it has the model do it.
func initialize(_ context.Context, conv *app.Conversation, wishes string, _ func(event.Signal)) (Result, error) {
	if wishes != "" {
		return Result{
			Text:   "The model is asked to study the repository and to write or mend AGENTS.md.",
			Prompt: initPrompt + "\n\nThe user adds: " + wishes,
		}, nil
	}
	report, err := stack.Init(conv.Info().Root)
	report = append(report, "/init WISHES has the model study the repository and write it, or mend it")
	return Result{Text: strings.Join(report, "\n")}, err
}

// Theirs is the commands that the person has besides: files in commands/,
// skills by name, and prompts of MCP servers.
func Theirs(conv *app.Conversation) (all []Command) {
	set := conv.Extensions()
	taken := func(name string) bool {
		_, known := find(name)
		return known || slices.ContainsFunc(all, func(c Command) bool { return strings.EqualFold(c.Name, name) })
	}
	for _, c := range set.Commands.All {
		if !taken(c.Name) {
			all = append(all, Command{Name: c.Name, Args: optional(c.Hint), Help: c.Description, full: custom(c)})
		}
	}
	for _, s := range set.Skills.Skills {
		if !taken(s.Name) {
			all = append(all, Command{Name: s.Name, Args: "[WORDS]", Help: s.Description, full: bySkill(s)})
		}
	}
	for _, p := range set.Servers.Prompts() {
		if !taken(p.Command) {
			var args []string
			for _, a := range p.Arguments {
				args = append(args, a.Name)
			}
			all = append(all, Command{Name: p.Command, Args: optional(strings.Join(args, " ")), Help: p.Description, Slow: true, full: byServer(p)})
		}
	}
	return all
}

func optional(args string) string {
	if args == "" || strings.HasPrefix(args, "[") {
		return args
	}
	return "[" + args + "]"
}

func custom(c skill.Command) func(context.Context, *app.Conversation, string, func(event.Signal)) (Result, error) {
	return func(_ context.Context, _ *app.Conversation, args string, _ func(event.Signal)) (Result, error) {
		return Result{Prompt: c.Expand(args)}, nil
	}
}

func bySkill(s skill.Skill) func(context.Context, *app.Conversation, string, func(event.Signal)) (Result, error) {
	return func(_ context.Context, conv *app.Conversation, args string, _ func(event.Signal)) (Result, error) {
		conv.ChooseSkill(s.Name)
		return Result{Prompt: s.Prompt(args)}, nil
	}
}

// byServer gets a prompt of a server: the words go to its arguments in order,
// all that are left to the last.
func byServer(p mcp.Prompt) func(context.Context, *app.Conversation, string, func(event.Signal)) (Result, error) {
	return func(ctx context.Context, conv *app.Conversation, typed string, _ func(event.Signal)) (Result, error) {
		words, args := skill.Fields(typed), map[string]string{}
		for i, a := range p.Arguments {
			switch {
			case i >= len(words) && a.Required:
				return Result{}, fmt.Errorf("/%s needs %s", p.Command, a.Name)
			case i >= len(words):
			case i == len(p.Arguments)-1:
				args[a.Name] = strings.Join(words[i:], " ")
			default:
				args[a.Name] = words[i]
			}
		}
		text, err := conv.Extensions().Servers.Prompt(ctx, p.Server, p.Own, args)
		return Result{Prompt: text}, err
	}
}
