package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/demo"
	"github.com/minicode-go/minicode/internal/line"
)

// demoCommand runs the offline demo.
func demoCommand(stdin *os.File, stdout io.Writer) *cobra.Command {
	var drawn bool
	cmd := &cobra.Command{
		Use: "demo", Short: "See it work, offline: a failing test is repaired in a scratch project", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signals := make(chan os.Signal, 2)
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer signal.Stop(signals)
			o, err := surroundings()
			if err != nil {
				return err
			}
			if drawn {
				return startTour(cmd.Context(), o, stdin, stdout, signals)
			}
			color := false
			if f, ok := stdout.(*os.File); ok {
				color = term.IsTerminal(int(f.Fd())) && colors(o.Environ)
			}
			return exitError(line.Demo(cmd.Context(), o, line.Options{In: strings.NewReader(""), Out: stdout, Color: color, Signals: signals}))
		},
	}
	cmd.Flags().BoolVar(&drawn, "tui", false, "in the full terminal program, with questions for you")
	return cmd
}

// tourPause is the time between two words of the tour.
const tourPause = 25 * time.Millisecond

// startTour shows the terminal program at work, in a scratch project.
func startTour(ctx context.Context, o app.Options, stdin *os.File, stdout io.Writer, signals <-chan os.Signal) error {
	out, isFile := stdout.(*os.File)
	if !isFile || !drawable(stdin, out, o.Environ) {
		return usagef("demo --tui needs a terminal that can be drawn on; \"minicode demo\" does not")
	}
	loaded, err := app.LoadSettings(o)
	if err != nil {
		return &usageError{err}
	}
	dir, err := demo.Project(os.TempDir())
	if err != nil {
		return fmt.Errorf("the demo could not be prepared: %w", err)
	}
	o.Cwd, o.Model, o.Bare = dir, demo.Tour{Pause: tourPause}, true
	o.Flags = []config.Flag{
		{Name: "demo", Key: "mode", Value: "default"},
		{Name: "demo", Key: "permissions.allow", Value: []string{"run_command(go test:*)"}},
		{Name: "demo", Key: "permissions.deny", Value: []string{demo.Denied}},
	}
	err = startDrawn(ctx, o, loaded.Config.Terminal, demo.Prompt, stdin, out, signals)
	fmt.Fprintln(stdout, "\nThe scratch project is in "+dir)
	return err
}

// permissionsCommand explains what would be decided of a command.
func permissionsCommand(stdout io.Writer) *cobra.Command {
	parent := &cobra.Command{Use: "permissions", Short: "What may be done, and why", Args: cobra.NoArgs, RunE: needsSubcommand}
	var mode string
	var asJSON bool
	var allowed, disallowed []string
	explain := &cobra.Command{
		Use: "explain [flags] COMMAND", Short: "Say what would be decided of a shell command, part by part",
		Example: "  minicode permissions explain 'git log | head && rm x'\n  minicode permissions explain --permission-mode accept-edits -- go test ./... -run X",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("there is no command to explain; give it in quotes: minicode permissions explain 'git log | head'")
			}
			f := flags{mode: mode, allowed: allowed, disallowed: disallowed}
			o, err := f.options()
			if err != nil {
				return err
			}
			e, err := app.Explain(o, strings.Join(args, " "))
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(stdout).Encode(e)
			}
			_, err = io.WriteString(stdout, e.String())
			return err
		},
	}
	explain.Flags().StringVar(&mode, "permission-mode", "", "the permission mode; default: that of the settings")
	explain.Flags().StringVar(&mode, "mode", "", "the same")
	_ = explain.Flags().MarkHidden("mode") // it is there
	explain.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	explain.Flags().StringArrayVar(&allowed, "allowed-tools", nil, "rules for what needs no approval")
	explain.Flags().StringArrayVar(&disallowed, "disallowed-tools", nil, "rules for what is never done")
	explain.Flags().SetNormalizeFunc(kebab)
	explain.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; put the command in quotes, or -- before it", suggest(cmd, err))
	})
	parent.AddCommand(explain)
	return parent
}

func needsSubcommand(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usagef("%s needs one of: %s", cmd.CommandPath(), strings.Join(names, ", "))
}

// sessionsCommand lists and manages stored sessions.
func sessionsCommand(stdout io.Writer) *cobra.Command {
	parent := &cobra.Command{Use: "sessions", Short: "Stored conversations", Args: cobra.NoArgs, RunE: needsSubcommand}
	var all, asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "The sessions of this project, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := surroundings()
			if err != nil {
				return err
			}
			rows, err := stored(o, all)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "no sessions here yet; --all lists those of all projects")
			}
			for _, r := range rows {
				if asJSON {
					err = json.NewEncoder(stdout).Encode(r)
				} else {
					_, err = fmt.Fprintln(stdout, r)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	list.Flags().BoolVar(&all, "all", false, "of all projects")
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	remove := &cobra.Command{
		Use: "delete ID", Short: "Delete a session and its files", Args: cobra.ExactArgs(1), ValidArgsFunction: sessionIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			o, err := surroundings()
			if err != nil {
				return err
			}
			store, err := app.Stored(o)
			if err != nil {
				return err
			}
			info, err := store.Find(o.Cwd, args[0])
			if err != nil {
				return err
			}
			if err := store.Delete(info.Path); err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "deleted %s\n", info.ID)
			return err
		},
	}
	parent.AddCommand(list, remove, exportCommand(stdout))
	return parent
}

// stored lists the sessions of this project or of all, newest first.
func stored(o app.Options, all bool) ([]app.SessionInfo, error) {
	store, err := app.Stored(o)
	if err != nil {
		return nil, err
	}
	if all {
		return store.List("")
	}
	return store.List(o.Cwd)
}

// exportCommand writes a session out.
func exportCommand(stdout io.Writer) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "export [flags] ID", Short: "Write a whole session out, as Markdown, HTML or JSON", Args: cobra.ExactArgs(1), ValidArgsFunction: sessionIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			o, err := surroundings()
			if err != nil {
				return err
			}
			store, err := app.Stored(o)
			if err != nil {
				return err
			}
			info, err := store.Find(o.Cwd, args[0])
			if err != nil {
				return err
			}
			return store.Export(info.Path, stdout, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "markdown, html or json")
	return cmd
}

// configCommand prints the settings in force.
func configCommand(stdout io.Writer) *cobra.Command {
	parent := &cobra.Command{
		Use: "config", Short: "The settings in force, and where each comes from", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o, err := surroundings()
			if err != nil {
				return err
			}
			loaded, err := app.LoadSettings(o)
			if err != nil {
				return err
			}
			for _, s := range loaded.Effective() {
				if _, err := fmt.Fprintf(stdout, "%-44s %-30s %s\n", s.Key, s.Value, s.Origin); err != nil {
					return err
				}
			}
			for _, w := range loaded.Warnings {
				if _, err := fmt.Fprintln(stdout, "warning:", w); err != nil {
					return err
				}
			}
			return nil
		},
	}
	parent.AddCommand(&cobra.Command{
		Use: "schema", Short: "The JSON Schema of settings.json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "%s\n", config.Schema())
			return err
		},
	})
	return parent
}

func versionCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "The version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(stdout, "minicode", version)
			return err
		},
	}
}
