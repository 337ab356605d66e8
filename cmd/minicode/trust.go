package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/trust"
	"github.com/minicode-go/minicode/internal/visible"
)

// project is what a directory brings, and where trust in it is kept.
type project struct {
	root  string
	items []trust.Item
	store trust.Store
}

func projectOf(o app.Options) (project, error) {
	loaded, err := app.LoadSettings(o)
	if err != nil {
		return project{}, &usageError{err}
	}
	return broughtBy(o, loaded), nil
}

func broughtBy(o app.Options, loaded config.Loaded) project {
	root := app.Root(o)
	return project{root, extension.Items(root, o.Cwd, o.Home, loaded.Dirs, loaded.Brought), extension.Trust(loaded.Dirs, time.Now)}
}

// projectAt is the project at the first argument, or here.
func projectAt(args []string) (project, error) {
	o, err := surroundings()
	if err != nil {
		return project{}, err
	}
	if len(args) > 0 {
		if o.Cwd, err = filepath.Abs(args[0]); err != nil {
			return project{}, &usageError{err}
		}
		if info, err := os.Stat(o.Cwd); err != nil || !info.IsDir() {
			return project{}, usagef("%s is no directory", args[0])
		}
	}
	return projectOf(o)
}

// trustCommand keeps which directories may bring settings that act.
func trustCommand(stdout io.Writer) *cobra.Command {
	parent := &cobra.Command{Use: "trust", Short: "Which projects may bring settings that run programs or widen rights"}
	parent.AddCommand(&cobra.Command{
		Use: "list", Short: "The projects that are trusted", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := projectAt(nil)
			if err != nil {
				return err
			}
			entries, err := p.store.List()
			for _, e := range entries {
				if !e.Refused {
					fmt.Fprintf(stdout, "%s  since %s, for %s\n", e.Dir, e.When.Local().Format(time.DateOnly), counted(len(e.Items), "thing"))
				}
			}
			return err
		},
	}, &cobra.Command{
		Use: "add [DIRECTORY]", Short: "Trust a project for what it brings now", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := projectAt(args)
			if err != nil {
				return err
			}
			state, diff, err := p.store.Check(p.root, p.items)
			if err != nil {
				return err
			}
			if state == trust.Trusted {
				fmt.Fprintf(stdout, "%s is trusted for all that it brings (%s).\n", p.root, counted(len(p.items), "thing"))
				return nil
			}
			if err := p.store.Add(p.root, p.items); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s is trusted from now on, for exactly this:\n%s\n", p.root, visible.Safe(diff))
			return nil
		},
	}, &cobra.Command{
		Use: "revoke [DIRECTORY]", Short: "Trust a project no longer", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := projectAt(args)
			if err != nil {
				return err
			}
			had, err := p.store.Revoke(p.root)
			if err == nil && !had {
				return usagef("%s was not trusted", p.root)
			}
			if err == nil {
				fmt.Fprintf(stdout, "%s is not trusted any more.\n", p.root)
			}
			return err
		},
	})
	return parent
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// askTrust asks the person, on a terminal, whether they trust what the project
// brings, where that is new or has changed. What goes wrong trusts nothing.
func askTrust(o app.Options, loaded config.Loaded, in *os.File, out io.Writer) {
	p := broughtBy(o, loaded)
	state, diff, err := p.store.Check(p.root, p.items)
	if err != nil || state == trust.Trusted || state == trust.Refused {
		return
	}
	lead := "This project brings settings that can run programs or widen rights:"
	if state == trust.Changed {
		lead = "What this project brings has changed since you trusted it:"
	}
	fmt.Fprintf(out, "%s\n\n%s\n\n%s\n", p.root, lead, visible.Safe(diff))
	fmt.Fprint(out, "\nTrust it for exactly this?\n[y] yes   [n] not now   [d] no, and ask again only when it changes: ")
	switch strings.ToLower(strings.TrimSpace(readLine(in))) {
	case "y", "yes":
		err = p.store.Add(p.root, p.items)
	case "d":
		err = p.store.Refuse(p.root, p.items)
	}
	if err != nil {
		fmt.Fprintf(out, "This could not be kept: %v\n", err)
	}
	fmt.Fprintln(out)
}

// readLine reads one line and nothing behind it, which is for who reads next.
func readLine(in io.Reader) string {
	var line []byte
	one := make([]byte, 1)
	for len(line) < 1000 {
		n, err := in.Read(one)
		if n == 0 || err != nil || one[0] == '\n' {
			break
		}
		line = append(line, one[0])
	}
	return string(line)
}
