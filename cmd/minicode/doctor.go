package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/mcp"
	"github.com/minicode-go/minicode/internal/provider"
	"github.com/minicode-go/minicode/internal/trust"
	"github.com/minicode-go/minicode/internal/visible"
)

// doctor looks at everything that a conversation needs.
type doctor struct {
	out      io.Writer
	problems int
}

func (d *doctor) good(what, how string) {
	fmt.Fprintf(d.out, "ok       %-12s %s\n", what, visible.Safe(how))
}

// hint is something that could be better and is no problem.
func (d *doctor) hint(what, how string) {
	fmt.Fprintf(d.out, "note     %-12s %s\n", what, visible.Safe(how))
}

func (d *doctor) bad(what, how string) {
	d.problems++
	fmt.Fprintf(d.out, "problem  %-12s %s\n", what, visible.Safe(how))
}

// doctorCommand says what works and what does not, with what to do.
func doctorCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "What works here, what does not, and what to do", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := surroundings()
			if err != nil {
				return err
			}
			d := &doctor{out: stdout}
			loaded, err := app.LoadSettings(o)
			if err != nil {
				d.bad("settings", err.Error())
				return exitError(1)
			}
			d.settings(loaded)
			d.model(o, loaded)
			d.programs()
			d.extensions(o, loaded)
			if err := connect(cmd.Context(), extension.Configs(loaded, o.Environ), mcpOptions(o, loaded), func(_ context.Context, servers *mcp.Servers) error {
				for _, st := range servers.States() {
					d.server(st)
				}
				return nil
			}); err != nil {
				return err
			}
			if d.problems > 0 {
				return exitError(1)
			}
			return nil
		},
	}
}

func (d *doctor) settings(loaded config.Loaded) {
	if len(loaded.Warnings) == 0 {
		d.good("settings", loaded.Dirs.Settings())
	}
	for _, w := range loaded.Warnings {
		d.hint("settings", w)
	}
}

func (d *doctor) model(o app.Options, loaded config.Loaded) {
	models := provider.Directory{Settings: loaded, Env: config.Environ(o.Environ)}
	m, err := models.Model(loaded.Config.Model)
	if err != nil {
		d.bad("model", err.Error())
		return
	}
	info := m.Info()
	d.good("model", fmt.Sprintf("%s, a window of %d tokens (no request was made)", info.ID(), info.Window))
}

func (d *doctor) programs() {
	for _, p := range [][2]string{{"git", "the model is not told of the state of repositories, and /diff does not work"}, {"rg", "searching is done by MiniCode itself, which takes longer in large repositories"}} {
		if path, err := exec.LookPath(p[0]); err == nil {
			d.good(p[0], path)
		} else {
			d.hint(p[0], "not found: "+p[1])
		}
	}
	d.hint("sandbox", "there is none yet: commands run with your rights once they are allowed")
}

func (d *doctor) extensions(o app.Options, loaded config.Loaded) {
	root := app.Root(o)
	items := extension.Items(root, o.Cwd, o.Home, loaded.Dirs, loaded.Brought)
	state, diff, err := extension.Trust(loaded.Dirs, time.Now).Check(root, items)
	switch {
	case err != nil:
		d.bad("trust", err.Error())
	case state == trust.Trusted && len(items) > 0:
		d.good("trust", fmt.Sprintf("this project is trusted for %s", counted(len(items), "thing")))
	case state != trust.Trusted:
		d.hint("trust", "this project is not trusted, so these have no effect (minicode trust add lets them):\n"+diff)
	}
	set := extension.Open(extension.Input{Settings: loaded, Root: root, Cwd: o.Cwd, Home: o.Home, Environ: o.Environ, Now: o.Now})
	d.good("skills", fmt.Sprintf("%s, %s, %s", counted(len(set.Skills.Skills), "skill"), counted(len(set.Commands.All), "command"), counted(len(set.Agents.All), "agent")))
	for _, t := range set.Trouble() {
		d.hint("skills", t)
	}
}

func (d *doctor) server(st mcp.State) {
	switch st.Status {
	case mcp.Connected:
		d.good("server", extension.StateLine(st))
	case mcp.Disabled:
		d.hint("server", extension.StateLine(st))
	default:
		d.bad("server", extension.StateLine(st))
	}
}
