package extension

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/hook"
	"github.com/minicode-go/minicode/internal/mcp"
	"github.com/minicode-go/minicode/internal/skill"
	"github.com/minicode-go/minicode/internal/subagent"
	"github.com/minicode-go/minicode/internal/trust"
	"github.com/minicode-go/minicode/tool"
)

// Input is what a set is made from.
type Input struct {
	Settings        config.Loaded
	Root, Cwd, Home string   // absolute
	Environ         []string // of this process
	Version         string
	Now             func() time.Time
	Client          *http.Client // nil is one of its own
	Bare            bool         // no skills, commands, hooks and agents

	// Session is what hooks are told.
	Session func() hook.Session

	// Ask puts what a server wants to know to the person; nil declines.
	Ask func(context.Context, mcp.Elicitation) (mcp.Reply, error)

	// Tell tells the person. It may be called from any goroutine.
	Tell func(string)
}

// Set is what plugs into a conversation.
type Set struct {
	in       Input
	Trusted  bool // the project is, for all that it brings
	Skills   skill.Catalog
	Commands skill.Commands
	Agents   skill.Agents
	Hooks    *hook.Runner
	Servers  *mcp.Servers
}

// Open looks for all of it. Nothing is started. What cannot be used is in
// Trouble.
func Open(in Input) *Set {
	s := &Set{in: in}
	places := skill.Places{Project: in.Root, Cwd: in.Cwd, Home: in.Home, Config: in.Settings.Dirs.Config}
	s.Skills = skill.Find(places.Skills())
	items := itemsOf(in.Root, in.Settings.Brought, s.Skills.Withheld, projectAgents(places))
	state, _, _ := Trust(in.Settings.Dirs, in.Now).Check(in.Root, items) // loading the settings has told the trouble
	s.Trusted = state == trust.Trusted
	places.Trusted = s.Trusted
	s.Servers = mcp.New(s.servers(), mcp.Options{
		Version: in.Version, Root: in.Root, Env: s.env, Client: in.Client, Now: in.Now, Ask: in.Ask, Tell: in.Tell, Tokens: Tokens(in.Settings.Dirs),
	})
	if in.Bare {
		s.Hooks, s.Skills = &hook.Runner{Groups: func(string) []hook.Group { return nil }}, skill.Catalog{}
		return s
	}
	if s.Trusted && len(s.Skills.Withheld) > 0 {
		s.Skills = skill.Find(places.Skills())
	}
	s.Commands = skill.FindCommands(places.Commands())
	s.Agents = skill.FindAgents(places.Agents())
	s.Hooks = &hook.Runner{Groups: s.groups, Session: in.Session, Env: s.env, Tell: in.Tell, Client: in.Client}
	if s.Hooks.Client == nil {
		s.Hooks.Client = &http.Client{}
	}
	return s
}

// Tokens is where the logins of MCP servers are kept.
func Tokens(dirs config.Dirs) *mcp.Tokens { return &mcp.Tokens{Path: dirs.In("mcp-tokens.json")} }

// env is what programs of extensions get.
func (s *Set) env() []string { return s.in.Settings.CommandEnv(s.in.Environ) }

// Start begins to connect to the servers, and returns at once.
func (s *Set) Start() { s.Servers.Start() }

// Close ends what was started.
func (s *Set) Close() {
	s.Servers.Close()
	s.Hooks.Close()
}

// Trouble is what could not be used, a line each.
func (s *Set) Trouble() []string {
	return slices.Concat(s.Skills.Trouble, s.Commands.Trouble, s.Agents.Trouble)
}

// Notice is one line about the trouble, "" where there is none.
func (s *Set) Notice() string {
	if n := len(s.Trouble()); n > 0 {
		return fmt.Sprintf("%d things about skills, commands and agents need a look: /skills", n)
	}
	return ""
}

// Tools is the tools of the servers that are there by now.
func (s *Set) Tools() []tool.Tool { return s.Servers.Tools() }

// Configs is the servers of the settings, by their names.
func Configs(settings config.Loaded, environ []string) []mcp.Config {
	s := &Set{in: Input{Settings: settings, Environ: environ}}
	return s.servers()
}

func (s *Set) servers() (out []mcp.Config) {
	vars := config.Environ(s.env())
	expand := func(text string) string { return expand(text, vars) }
	for _, name := range slices.Sorted(maps.Keys(s.in.Settings.Config.MCPServers)) {
		c := s.in.Settings.Config.MCPServers[name]
		one := mcp.Config{
			Name: name, Command: expand(c.Command), Cwd: expand(c.Cwd), URL: expand(c.URL), SSE: c.Type == "sse", Disabled: !c.Enabled,
			Timeout: time.Duration(c.TimeoutMs) * time.Millisecond, StartTimeout: time.Duration(c.StartTimeoutMs) * time.Millisecond,
			Env: map[string]string{}, Headers: map[string]string{},
		}
		for _, a := range c.Args {
			one.Args = append(one.Args, expand(a))
		}
		for k, v := range c.Env {
			one.Env[k] = expand(v)
		}
		for k, v := range c.Headers {
			one.Headers[k] = expand(v)
		}
		out = append(out, one)
	}
	return out
}

// expand puts variables in the place of ${NAME}, ${NAME:-otherwise} and $NAME.
// What is not set stays as it was written, so that it is seen to be missing.
func expand(text string, vars map[string]string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	re := regexp.MustCompile(`\$\{([A-Za-z_]\w*)(:-([^}]*))?\}|\$([A-Za-z_]\w*)`)
	return re.ReplaceAllStringFunc(text, func(found string) string {
		m := re.FindStringSubmatch(found)
		value, set := vars[m[1]+m[4]]
		switch {
		case value != "" || set && m[2] == "":
			return value
		case m[2] != "":
			return m[3]
		}
		return found
	})
}

// usualTimeout is what the settings have where nothing was said.
const usualTimeout = 600

// groups is the hooks of an event as the settings have them.
func (s *Set) groups(event string) (out []hook.Group) {
	for _, g := range s.in.Settings.Config.Hooks.For(event) {
		group := hook.Group{Matcher: g.Matcher, Own: g.Names == "own"}
		for _, h := range g.Hooks {
			one := hook.Hook{
				Type: h.Type, Command: h.Command, Args: h.Args, Shell: h.Shell, If: h.If, Status: h.StatusMessage, Async: h.Async, URL: h.URL, Headers: h.Headers,
			}
			if h.Timeout != usualTimeout {
				one.Timeout = time.Duration(h.Timeout * float64(time.Second))
			}
			group.Hooks = append(group.Hooks, one)
		}
		out = append(out, group)
	}
	return out
}

// Kinds is the sub-agents that can be started; own gives our name for a tool.
func (s *Set) Kinds(own func(string) string) []subagent.Kind {
	out := subagent.BuiltIn()
	for _, a := range s.Agents.All {
		k := subagent.Kind{
			Name: a.Name, Description: a.Description, Model: a.Model, Mode: a.Mode, Effort: a.Effort, MaxSteps: a.MaxSteps, Prompt: a.Text,
			Tools: names(a.Tools, own), Not: names(a.Not, own),
		}
		at := slices.IndexFunc(out, func(other subagent.Kind) bool { return strings.EqualFold(other.Name, k.Name) })
		if at >= 0 {
			out[at] = k
			continue
		}
		out = append(out, k)
	}
	return out
}

// names is our names for tools; what a rule says besides the name is left out.
func names(tools []string, own func(string) string) (out []string) {
	for _, t := range tools {
		name, _, _ := strings.Cut(t, "(")
		out = append(out, own(strings.TrimSpace(name)))
	}
	return out
}

// HooksReport is the hooks in force, for a person.
func (s *Set) HooksReport() string {
	var b strings.Builder
	for _, event := range Events() {
		for _, g := range s.Hooks.Groups(event) {
			for _, h := range g.Hooks {
				what := h.Command
				if h.URL != "" {
					what = h.URL
				}
				matcher := g.Matcher
				if matcher == "" {
					matcher = "*"
				}
				fmt.Fprintf(&b, "%-20s %-16s %s\n", event, matcher, strings.Join(append([]string{what}, h.Args...), " "))
			}
		}
	}
	if b.Len() == 0 {
		return "There are no hooks. They are set under \"hooks\" in " + s.in.Settings.Dirs.Settings() + "."
	}
	return strings.TrimRight(b.String(), "\n")
}

// Events is the events at which hooks run.
func Events() []string {
	return []string{
		hook.SessionStart, hook.UserPromptSubmit, hook.PreToolUse, hook.PermissionRequest, hook.PostToolUse, hook.PostToolUseFailure, hook.Notification,
		hook.PreCompact, hook.PostCompact, hook.Stop, hook.SubagentStop, hook.SessionEnd,
	}
}

// ServersReport is how the servers stand, for a person.
func (s *Set) ServersReport() string {
	states := s.Servers.States()
	if len(states) == 0 {
		return "There are no MCP servers. They are set under \"mcpServers\" in " + s.in.Settings.Dirs.Settings() + ", or in .mcp.json of a trusted project: minicode mcp add NAME -- COMMAND"
	}
	var b strings.Builder
	for _, st := range states {
		b.WriteString(StateLine(st) + "\n")
		for _, out := range st.LeftOut {
			b.WriteString("    left out: " + out + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Badge is how the servers stand in a few characters, "" where there are none;
// bad says whether one does not work.
func (s *Set) Badge() (text string, bad bool) {
	states := s.Servers.States()
	there, wanted := 0, 0
	for _, st := range states {
		switch st.Status {
		case mcp.Disabled:
			continue
		case mcp.Connected:
			there++
		case mcp.Failed, mcp.NeedsLogin:
			bad = true
		}
		wanted++
	}
	if wanted == 0 {
		return "", false
	}
	return fmt.Sprintf("mcp %d/%d", there, wanted), bad
}

// StateLine is how a server stands, in a line.
func StateLine(st mcp.State) string {
	line := fmt.Sprintf("%-16s %-10s", st.Name, st.Status)
	if st.Status == mcp.Connected {
		line += fmt.Sprintf(" tools %d", len(st.Tools))
		if st.Prompts > 0 {
			line += fmt.Sprintf(", prompts %d", st.Prompts)
		}
		if st.Resources > 0 {
			line += fmt.Sprintf(", resources %d", st.Resources)
		}
		if st.Protocol != "" {
			line += ", protocol " + st.Protocol
		}
	}
	if st.Fault != "" {
		line += " " + st.Fault
	}
	return strings.TrimRight(line, " ") + "\n    " + st.Endpoint
}
