package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/nearest"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/visible"
)

var (
	// ErrNoCommand is given for a line that names no command.
	ErrNoCommand = errors.New("there is no such command")
	// ErrExit asks the front end to end.
	ErrExit = errors.New("exit")
)

// Command is one slash command.
type Command struct {
	Name  string // without the slash
	Alias string // what other programs call it; "" if nothing else
	Args  string // what may follow, for the help
	Help  string
	Asks  bool // it asks a model
	Slow  bool // it may take a while in another way, and can be stopped

	run  func(ctx context.Context, conv *app.Conversation, args string) (string, error)
	full func(ctx context.Context, conv *app.Conversation, args string, show func(event.Signal)) (Result, error) // in its place
}

// Result is what came of a command.
type Result struct {
	Text   string // to be shown; harmless for a terminal, whatever a model or a tool said
	Prompt string // to be sent to the model next
	Draft  string // to be put into the prompt, for editing
}

// All is every slash command, in the order of the help.
func All() []Command {
	return []Command{
		{Name: "help", Help: "what can be typed", run: help},
		{Name: "status", Help: "session, model, mode, usage and cost", run: status},
		{Name: "model", Args: "[NAME]", Help: "show or change the model", run: model},
		{Name: "effort", Args: "[LEVEL]", Help: "show or change how hard the model thinks: low, medium, high, default", run: effort},
		{Name: "mode", Args: "[NAME]", Help: "show or change the permission mode", run: mode},
		{Name: "context", Help: "how full the model's window is, and with what", run: showContext},
		{Name: "compact", Args: "[FOCUS]", Help: "replace the older conversation by a summary", Asks: true, run: summarize},
		{Name: "snip", Help: "take a middle part out of the model's view", run: snip},
		{Name: "collapse", Help: "replace older parts by digests", Asks: true, run: collapse},
		{Name: "expand", Args: "[N]", Help: "show what was taken out of the model's view", run: expand},
		{Name: "cost", Help: "what was used in this session, and its price", run: cost},
		{Name: "permissions", Args: "[WORDS]", Help: "the rules in force, and where each comes from; add allow|ask|deny RULE [user|project], remove RULE", run: permissions},
		{Name: "tools", Help: "what the model can use", run: tools},
		{Name: "memory", Help: "the instruction files in use", run: memory},
		{Name: "config", Args: "[WORD]", Help: "the settings in force, and where each comes from", run: settings},
		{Name: "theme", Args: "[NAME]", Help: "show or change the colours of the terminal program", run: setTheme},
		{Name: "tasks", Args: "[stop ID]", Help: "what runs in the background, with its newest output", run: tasks},
		{Name: "todos", Help: "the todo list", run: todos},
		{Name: "diff", Help: "what is changed in the workspace, by git", run: diff},
		{Name: "copy", Help: "the last answer; a terminal takes it to its clipboard", run: lastAnswer},
		{Name: "resume", Args: "[ID|TITLE]", Help: "list sessions, or go on with one", run: resume},
		{Name: "rewind", Args: "[N]", Help: "list what you said, or go back to before it", full: rewind},
		{Name: "new", Alias: "clear", Help: "begin a new conversation", run: newConversation},
		{Name: "rename", Args: "TITLE", Help: "name this conversation", run: rename},
		{Name: "fork", Help: "go on in a copy of this conversation", run: fork},
		{Name: "export", Args: "[FILE]", Help: "write the whole conversation to a .md, .html or .json file", run: export},
		{Name: "init", Args: "[WISHES]", Help: "begin AGENTS.md from the files here; with wishes the model writes or mends it", full: initialize},
		{Name: "skills", Help: "skills and commands of yours, and what is wrong with any", run: skills},
		{Name: "mcp", Args: "[WORDS]", Help: "MCP servers and how they stand; tools, reconnect, enable or disable NAME", Slow: true, full: servers},
		{Name: "hooks", Help: "the hooks in force", run: hooks},
		{Name: "agents", Help: "the sub-agents that the model can start", run: agents},
		{Name: "ls", Args: "[PATH]", Help: "list a directory; the model is not told", Slow: true, full: list},
		{Name: "grep", Args: "PATTERN [PATH]", Help: "search in files (also PATTERN::PATH); the model is not told", Slow: true, full: search},
		{Name: "read", Args: "PATH [FROM-TO]", Help: "show a file; the model is not told", Slow: true, full: read},
		{Name: "cmd", Args: "COMMAND", Help: "run a command; the model is not told", Slow: true, full: shellCommand},
		{Name: "exit", Alias: "quit", Help: "leave", run: exit},
	}
}

// Is says whether the line is for this package and not for the model: it begins
// with a slash and the name of a command, known or unknown, or with an
// exclamation mark. A path is no command.
func Is(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return strings.HasPrefix(word, "!") || strings.HasPrefix(word, "/") && len(word) > 1 && !strings.ContainsAny(word[1:], "/.\n")
}

// Run runs a line that begins with a slash, or with an exclamation mark, which
// runs the rest of it in the shell and tells the model of that with the next
// prompt. Show, which may be nil, gets the signals of what runs: see
// [app.Conversation.Direct]. A line whose first word is no command gives
// [ErrNoCommand], and the command that leaves gives [ErrExit]. With the error
// of a command that was interrupted comes what there was.
func Run(ctx context.Context, conv *app.Conversation, line string, show func(event.Signal)) (Result, error) {
	line = strings.TrimSpace(line)
	if typed, ok := strings.CutPrefix(line, "!"); ok {
		return safe(aloud(ctx, conv, strings.TrimSpace(typed), show))
	}
	name, args := split(line)
	c, ok := find(name)
	switch {
	case ok && c.full != nil:
		return safe(c.full(ctx, conv, args, show))
	case ok:
		out, err := c.run(ctx, conv, args)
		return safe(Result{Text: out}, err)
	}
	for _, c := range Theirs(conv) {
		if strings.EqualFold(name, c.Name) {
			return safe(c.full(ctx, conv, args, show))
		}
	}
	if meant := misspelled(name); meant != "" {
		return Result{}, fmt.Errorf("/%s: %w; did you mean /%s? /help lists them", name, ErrNoCommand, meant)
	}
	return Result{}, fmt.Errorf("/%s: %w; /help lists them", name, ErrNoCommand)
}

// safe makes the text harmless. What the person said stays as it is.
func safe(r Result, err error) (Result, error) {
	r.Text = visible.Safe(r.Text)
	return r, err
}

func split(line string) (name, args string) {
	name, args, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "/"), " ")
	return name, strings.TrimSpace(args)
}

func find(name string) (Command, bool) {
	all := All()
	at := slices.IndexFunc(all, func(c Command) bool { return name == c.Name || name != "" && name == c.Alias })
	if at < 0 {
		return Command{}, false
	}
	return all[at], true
}

// Slow says whether the line is a command that may take a while, and whether
// that is for asking a model.
func Slow(line string) (slow, asks bool) {
	if strings.HasPrefix(strings.TrimSpace(line), "!") {
		return true, false
	}
	name, _ := split(line)
	c, _ := find(name)
	return c.Slow || c.Asks, c.Asks
}

// misspelled is the command that was surely meant, "" if there is none.
func misspelled(name string) string {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
		if c.Alias != "" {
			names = append(names, c.Alias)
		}
	}
	return nearest.Close(name, names)
}

func help(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	var b strings.Builder
	for _, c := range append(All(), Theirs(conv)...) {
		fmt.Fprintf(&b, "%-24s %s\n", strings.TrimSpace("/"+c.Name+" "+c.Args), c.Help)
	}
	fmt.Fprintf(&b, "%-24s %s\n", "!COMMAND", "run a command; the model is told with your next prompt")
	b.WriteString("\nAnything else is said to the model. What you type while it works is queued.\nCtrl+C interrupts, twice leaves.")
	return b.String(), nil
}

func status(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	i := conv.Info()
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
	row("context", account.Badge(conv.Used()))
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

func model(_ context.Context, conv *app.Conversation, name string) (string, error) {
	if name != "" {
		if err := conv.SetModel(name); err != nil {
			return "", err
		}
	}
	return "model: " + conv.Info().Model, nil
}

func mode(_ context.Context, conv *app.Conversation, name string) (string, error) {
	if name == "" {
		return "mode: " + conv.Info().Mode + "\nmodes: " + permission.ModeNames(), nil
	}
	if err := conv.SetMode(name); err != nil {
		return "", err
	}
	return "mode: " + conv.Info().Mode, nil
}

func tools(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	var b strings.Builder
	for _, t := range conv.ToolSpecs() {
		first, _, _ := strings.Cut(t.Description, ". ")
		fmt.Fprintf(&b, "%-16s %s\n", t.Name, strings.TrimSuffix(strings.TrimSpace(first), "."))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func resume(_ context.Context, conv *app.Conversation, ref string) (string, error) {
	if ref != "" {
		before := conv.Info().Session
		found, err := conv.Resume(ref)
		if err != nil {
			return "", err
		}
		if found.ID == before {
			return "this is that session already", nil
		}
		return strings.TrimSpace("resumed " + found.ID + " " + conv.Info().Title), nil
	}
	list, err := conv.Store().List(conv.Info().Cwd)
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

func newConversation(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	if err := conv.New(); err != nil {
		return "", err
	}
	return "new session " + conv.Info().Session, nil
}

func rename(_ context.Context, conv *app.Conversation, title string) (string, error) {
	if err := conv.SetTitle(title); err != nil {
		return "", err
	}
	return "renamed to " + conv.Info().Title, nil
}

func fork(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	from := conv.Info().Session
	if err := conv.Fork(); err != nil {
		return "", err
	}
	i := conv.Info()
	return fmt.Sprintf("forked %s as %s (%s)", from, i.Session, i.Title), nil
}

func exit(context.Context, *app.Conversation, string) (string, error) { return "", ErrExit }
