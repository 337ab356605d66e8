package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/mcp"
	"github.com/minicode-go/minicode/internal/visible"
)

// probeTime is how long the servers have when they are only looked at.
const probeTime = 40 * time.Second

// configured is the servers of the settings here.
func configured() (app.Options, config.Loaded, []mcp.Config, error) {
	o, err := surroundings()
	if err != nil {
		return o, config.Loaded{}, nil, err
	}
	loaded, err := app.LoadSettings(o)
	if err != nil {
		return o, loaded, nil, &usageError{err}
	}
	return o, loaded, extension.Configs(loaded, o.Environ), nil
}

// oneServer is the server of that name, or at that address.
func oneServer(name string) (app.Options, config.Loaded, mcp.Config, error) {
	o, loaded, all, err := configured()
	if err != nil {
		return o, loaded, mcp.Config{}, err
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return o, loaded, mcp.Config{Name: "probe", URL: name}, nil
	}
	var names []string
	for _, c := range all {
		if c.Name == name {
			return o, loaded, c, nil
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return o, loaded, mcp.Config{}, usagef("there is no MCP server %q; none is set", name)
	}
	return o, loaded, mcp.Config{}, usagef("there is no MCP server %q; there are %s", name, strings.Join(names, ", "))
}

func mcpOptions(o app.Options, loaded config.Loaded) mcp.Options {
	return mcp.Options{
		Version: version, Root: app.Root(o), Now: o.Now, Tokens: extension.Tokens(loaded.Dirs),
		Env: func() []string { return loaded.CommandEnv(o.Environ) },
	}
}

// mcpCommand is all about MCP servers.
func mcpCommand(stdout, stderr io.Writer) *cobra.Command {
	parent := &cobra.Command{Use: "mcp", Short: "MCP servers: other people's tools"}
	parent.AddCommand(mcpList(stdout), mcpGet(stdout), mcpAdd(stdout), mcpRemove(stdout), mcpLogin(stdout, stderr), mcpLogout(stdout), mcpProbe(stdout))
	return parent
}

func mcpList(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The servers that are set, and whether they work", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, loaded, all, err := configured()
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(stdout, "There are no MCP servers. To add one: minicode mcp add NAME -- COMMAND ARGUMENTS, or minicode mcp add NAME --url ADDRESS")
				return nil
			}
			return connect(cmd.Context(), all, mcpOptions(o, loaded), func(_ context.Context, servers *mcp.Servers) error {
				for _, st := range servers.States() {
					fmt.Fprintln(stdout, visible.Safe(extension.StateLine(st)))
				}
				return nil
			})
		},
	}
}

// connect connects to the servers, for use. An interrupt ends that, and in any
// case the servers are ended.
func connect(ctx context.Context, all []mcp.Config, o mcp.Options, use func(context.Context, *mcp.Servers) error) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	servers := mcp.New(all, o)
	defer servers.Close()
	servers.Start() //nolint:contextcheck // Close ends them
	waiting, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	servers.Wait(waiting)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return use(ctx, servers)
}

func mcpGet(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "One server, as it is set", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, loaded, _, err := oneServer(args[0])
			if err != nil {
				return err
			}
			for _, s := range loaded.Effective() {
				if rest, ok := strings.CutPrefix(s.Key, "mcpServers."+args[0]+"."); ok && s.Origin.Layer != config.LayerDefault {
					fmt.Fprintf(stdout, "%-16s %-40s %s\n", rest, visible.Safe(s.Value), s.Origin)
				}
			}
			return nil
		},
	}
}

func mcpAdd(stdout io.Writer) *cobra.Command {
	var address, transport string
	var headers, env []string
	var inProject bool
	c := &cobra.Command{
		Use: "add NAME [--url ADDRESS | -- COMMAND ARGUMENTS...]", Short: "Set a server", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name, command := args[0], args[1:]
			if (address == "") == (len(command) == 0) {
				return usagef("give either --url ADDRESS or a command after --")
			}
			if strings.ContainsAny(name, " ./\\") || strings.Contains(name, "__") {
				return usagef("%q is no name for a server: use letters, digits, - and _", name)
			}
			value := map[string]any{}
			if address != "" {
				value["url"] = address
			} else {
				value["command"] = command[0]
				if len(command) > 1 {
					value["args"] = command[1:]
				}
			}
			if transport != "" {
				value["type"] = transport
			}
			for key, pairs := range map[string][]string{"headers": headers, "env": env} {
				if len(pairs) == 0 {
					continue
				}
				m, err := pairsOf(pairs)
				if err != nil {
					return err
				}
				value[key] = m
			}
			file, err := serversFile(inProject)
			if err != nil {
				return err
			}
			if err := file.Patch([]string{"mcpServers", name}, value); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s was set in %s\n", name, file.Path)
			return nil
		},
	}
	c.Flags().StringVar(&address, "url", "", "the address of a server that runs")
	c.Flags().StringVar(&transport, "transport", "", "stdio, http or sse")
	c.Flags().StringArrayVar(&headers, "header", nil, "NAME=VALUE to send to it; ${VARIABLE} is filled in")
	c.Flags().StringArrayVar(&env, "env", nil, "NAME=VALUE for its environment; ${VARIABLE} is filled in")
	c.Flags().BoolVar(&inProject, "project", false, "in the project's .mcp.json instead of your own settings")
	return c
}

func pairsOf(pairs []string) (map[string]string, error) {
	m := map[string]string{}
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, usagef("%q is not NAME=VALUE", p)
		}
		m[name] = value
	}
	return m, nil
}

// serversFile is the file to change.
func serversFile(inProject bool) (config.File, error) {
	o, err := surroundings()
	if err != nil {
		return config.File{}, err
	}
	if inProject {
		return config.File{Path: filepath.Join(app.Root(o), ".mcp.json"), Within: app.Root(o)}, nil
	}
	loaded, err := app.LoadSettings(o)
	if err != nil {
		return config.File{}, &usageError{err}
	}
	return config.File{Path: loaded.Dirs.Settings()}, nil
}

func mcpRemove(stdout io.Writer) *cobra.Command {
	var inProject bool
	c := &cobra.Command{
		Use: "remove NAME", Short: "Take a server out of the settings", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := serversFile(inProject)
			if err != nil {
				return err
			}
			if data, err := os.ReadFile(file.Path); err != nil || !strings.Contains(string(data), args[0]) {
				return usagef("%s does not set an MCP server %q; minicode mcp get %s says where it stands", file.Path, args[0], args[0])
			}
			if err := file.Remove([]string{"mcpServers", args[0]}); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s was removed from %s\n", args[0], file.Path)
			return nil
		},
	}
	c.Flags().BoolVar(&inProject, "project", false, "from the project's .mcp.json instead of your own settings")
	return c
}

func mcpLogin(stdout, stderr io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "login NAME", Short: "Log in at a server, with a browser", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, loaded, c, err := oneServer(args[0])
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 10*time.Minute)
			defer cancel()
			if err := mcp.Login(ctx, c, mcpOptions(o, loaded), func(url string) error { return browse(ctx, o.Environ, url, stderr) }); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "You are logged in at %s.\n", c.URL)
			return nil
		},
	}
}

// browse shows an address to the person: in a browser where there is one, and
// in any case in words. No shell sees it.
func browse(ctx context.Context, environ []string, url string, stderr io.Writer) error {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return fmt.Errorf("the server wants a login at %q, which is no web address", url)
	}
	fmt.Fprintf(stderr, "Visit this address to log in:\n%s\n", url)
	var command []string
	switch browser := config.Environ(environ)["BROWSER"]; {
	case browser != "":
		command = strings.Fields(browser)
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		command = []string{"xdg-open"}
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], url)...)
	if err := cmd.Start(); err == nil {
		go func() { _ = cmd.Wait() }() // the person has the address in any case
	}
	return nil
}

func mcpLogout(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME", Short: "Forget the login at a server", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, loaded, c, err := oneServer(args[0])
			if err != nil {
				return err
			}
			had, err := extension.Tokens(loaded.Dirs).Logout(c.URL)
			if err == nil && !had {
				return usagef("there is no login at %s", args[0])
			}
			if err == nil {
				fmt.Fprintf(stdout, "The login at %s is forgotten.\n", c.URL)
			}
			return err
		},
	}
}

func mcpProbe(stdout io.Writer) *cobra.Command {
	var call, arguments string
	c := &cobra.Command{
		Use: "probe NAME|ADDRESS", Short: "Connect to a server, list what it has, and call a tool", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, loaded, c, err := oneServer(args[0])
			if err != nil {
				return err
			}
			return connect(cmd.Context(), []mcp.Config{c}, mcpOptions(o, loaded), func(ctx context.Context, servers *mcp.Servers) error {
				return probe(ctx, servers, call, arguments, stdout)
			})
		},
	}
	c.Flags().StringVar(&call, "call", "", "a tool to call")
	c.Flags().StringVar(&arguments, "arguments", "{}", "its arguments, as JSON")
	return c
}

// probe tells what a server has, and calls a tool of it.
func probe(ctx context.Context, servers *mcp.Servers, call, arguments string, stdout io.Writer) error {
	st := servers.States()[0]
	fmt.Fprintln(stdout, visible.Safe(extension.StateLine(st)))
	for _, t := range st.Tools {
		fmt.Fprintf(stdout, "    %s: %s\n", t.Own, visible.Safe(firstLine(t.Description)))
	}
	for _, out := range st.LeftOut {
		fmt.Fprintf(stdout, "    left out: %s\n", visible.Safe(out))
	}
	switch {
	case st.Status != mcp.Connected:
		return exitError(1)
	case call == "":
		return nil
	}
	return probeCall(ctx, servers, call, arguments, stdout)
}

func probeCall(ctx context.Context, servers *mcp.Servers, name, arguments string, stdout io.Writer) error {
	for _, t := range servers.Tools() {
		if !strings.HasSuffix(t.Spec().Name, "__"+name) && t.Spec().Name != name {
			continue
		}
		a, err := t.Prepare(ctx, json.RawMessage(arguments))
		if err != nil {
			return &usageError{err}
		}
		r, err := a.Run(ctx, nil)
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, visible.Safe(r.Parts.Text()))
		if r.Error {
			return exitError(1)
		}
		return nil
	}
	return usagef("there is no tool %q", name)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
