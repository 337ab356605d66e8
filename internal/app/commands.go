package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/internal/permission"
)

var (
	// ErrNoCommand is given for a line that names no command.
	ErrNoCommand = errors.New("there is no such command; /help lists them")
	// ErrExit asks the front end to end.
	ErrExit = errors.New("exit")
)

// Command is one slash command. Commands are data: every front end reads the
// same list.
type Command struct {
	Name  string // without the slash
	Alias string // what other programs call it; "" if nothing else
	Args  string // what may follow, for the help
	Help  string

	run func(ctx context.Context, c *Conversation, args string) (string, error)
}

// Commands is every slash command, in the order of the help.
func Commands() []Command {
	return []Command{
		{Name: "help", Help: "what can be typed", run: help},
		{Name: "status", Help: "session, model, mode, usage and cost", run: status},
		{Name: "model", Args: "[NAME]", Help: "show or change the model", run: model},
		{Name: "mode", Args: "[NAME]", Help: "show or change the permission mode", run: mode},
		{Name: "permissions", Help: "the rules in force, and where each comes from", run: permissions},
		{Name: "tools", Help: "what the model can use", run: tools},
		{Name: "resume", Args: "[ID|TITLE]", Help: "list sessions, or go on with one", run: resume},
		{Name: "new", Alias: "clear", Help: "begin a new conversation", run: newConversation},
		{Name: "rename", Args: "TITLE", Help: "name this conversation", run: rename},
		{Name: "fork", Help: "go on in a copy of this conversation", run: fork},
		{Name: "exit", Alias: "quit", Help: "leave", run: exit},
	}
}

// Run runs a line that begins with a slash and returns what it prints. A line
// whose first word is no command gives [ErrNoCommand].
func (c *Conversation) Run(ctx context.Context, line string) (string, error) {
	name, args, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "/"), " ")
	for _, cmd := range Commands() {
		if name == cmd.Name || name != "" && name == cmd.Alias {
			return cmd.run(ctx, c, strings.TrimSpace(args))
		}
	}
	return "", fmt.Errorf("/%s: %w", name, ErrNoCommand)
}

func help(context.Context, *Conversation, string) (string, error) {
	var b strings.Builder
	for _, c := range Commands() {
		fmt.Fprintf(&b, "%-24s %s\n", strings.TrimSpace("/"+c.Name+" "+c.Args), c.Help)
	}
	b.WriteString("\nAnything else is said to the model. What you type while it works is queued.\nCtrl+C interrupts, twice leaves.")
	return b.String(), nil
}

func status(_ context.Context, c *Conversation, _ string) (string, error) {
	i := c.Info()
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	row("session", i.Session)
	row("title", i.Title)
	row("file", i.Path)
	row("directory", i.Cwd)
	row("model", i.Model)
	row("mode", i.Mode)
	row("usage", fmt.Sprintf("%d tokens in, %d from the cache, %d out", i.Usage.Input+i.Usage.CacheWrite, i.Usage.CacheRead, i.Usage.Output))
	if cost, known := i.Price(i.Model).Cost(i.Usage); known {
		row("cost", fmt.Sprintf("$%.4f", cost))
	} else {
		row("cost", "unknown: no price for this model")
	}
	if !i.Saved {
		row("saved", "NO: the session file cannot be written; what is said now is kept in memory only")
	}
	for _, t := range i.Tasks {
		row("running", t.ID+" "+t.Command)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func model(_ context.Context, c *Conversation, name string) (string, error) {
	if name != "" {
		if err := c.SetModel(name); err != nil {
			return "", err
		}
	}
	return "model: " + c.Info().Model, nil
}

func mode(_ context.Context, c *Conversation, name string) (string, error) {
	if name == "" {
		return "mode: " + c.Info().Mode + "\nmodes: " + permission.ModeNames(), nil
	}
	if err := c.SetMode(name); err != nil {
		return "", err
	}
	return "mode: " + c.Info().Mode, nil
}

func permissions(_ context.Context, c *Conversation, _ string) (string, error) {
	p := c.policy()
	var b strings.Builder
	fmt.Fprintf(&b, "mode %s in %s\n", p.Mode, p.Root)
	for _, r := range p.Rules {
		fmt.Fprintf(&b, "%-6s %-40s %s\n", r.Decision, r.String(), r.Origin)
	}
	for _, g := range c.log.Grants() {
		fmt.Fprintf(&b, "%-6s %-40s granted for this %s\n", "allow", strings.Join(g.Rules, ", "), g.Scope)
	}
	if len(p.Rules) == 0 {
		b.WriteString("no rules are set")
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func tools(_ context.Context, c *Conversation, _ string) (string, error) {
	var b strings.Builder
	for _, t := range c.tools() {
		spec := t.Spec()
		first, _, _ := strings.Cut(spec.Description, ". ")
		fmt.Fprintf(&b, "%-16s %s\n", spec.Name, strings.TrimSuffix(strings.TrimSpace(first), "."))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func resume(_ context.Context, c *Conversation, ref string) (string, error) {
	if ref != "" {
		info, err := c.store.Find(c.o.Cwd, ref)
		if err != nil {
			return "", err
		}
		if info.ID == c.Info().Session {
			return "this is that session already", nil
		}
		if err := c.switchTo(func() error { return c.reopen(info.Path) }); err != nil {
			return "", err
		}
		return strings.TrimSpace("resumed " + info.ID + " " + c.Info().Title), nil
	}
	list, err := c.Sessions(false)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range list[:min(len(list), 20)] {
		b.WriteString(s.String() + "\n")
	}
	if len(list) == 0 {
		return "there are no sessions here yet", nil
	}
	b.WriteString("/resume ID goes on with one; the beginning of an id or a title is enough")
	return b.String(), nil
}

func newConversation(_ context.Context, c *Conversation, _ string) (string, error) {
	if err := c.switchTo(c.create); err != nil {
		return "", err
	}
	return "new session " + c.Info().Session, nil
}

func rename(_ context.Context, c *Conversation, title string) (string, error) {
	if err := c.SetTitle(title); err != nil {
		return "", err
	}
	return "renamed to " + c.Info().Title, nil
}

func fork(_ context.Context, c *Conversation, _ string) (string, error) {
	from := c.Info()
	if from.Path == "" || c.log.Turn() == 0 {
		return "", errors.New("there is no file to copy: nothing has been said yet, or the conversation is kept in memory only")
	}
	if err := c.switchTo(func() error { return c.copyOf(from.Path) }); err != nil {
		return "", err
	}
	return fmt.Sprintf("forked %s as %s (%s)", from.Session, c.Info().Session, c.Info().Title), nil
}

func exit(context.Context, *Conversation, string) (string, error) { return "", ErrExit }
