package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/skill"
	"github.com/minicode-go/minicode/internal/visible"
)

// skillPlaces is where skills are looked for from here.
func skillPlaces() (skill.Places, error) {
	o, err := surroundings()
	if err != nil {
		return skill.Places{}, err
	}
	loaded, err := app.LoadSettings(o)
	if err != nil {
		return skill.Places{}, &usageError{err}
	}
	set := extension.Open(extension.Input{Settings: loaded, Root: app.Root(o), Cwd: o.Cwd, Home: o.Home, Environ: o.Environ, Now: o.Now})
	return skill.Places{Project: app.Root(o), Cwd: o.Cwd, Home: o.Home, Config: loaded.Dirs.Config, Trusted: set.Trusted}, nil
}

// skillsCommand lists, checks, adds and removes skills.
func skillsCommand(stdout io.Writer) *cobra.Command {
	parent := &cobra.Command{Use: "skills", Short: "Skills: what the model can load when it needs it"}
	var inProject bool
	scope := func() skill.Scope {
		if inProject {
			return skill.Project
		}
		return skill.User
	}
	list := &cobra.Command{
		Use: "list", Short: "The skills that are found here", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			places, err := skillPlaces()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(stdout, visible.Safe(skill.Find(places.Skills()).Report()))
			return err
		},
	}
	add := &cobra.Command{
		Use: "add DIRECTORY [NAME]", Short: "Copy a skill to where it is found", Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			places, err := skillPlaces()
			if err != nil {
				return err
			}
			name := ""
			if len(args) > 1 {
				name = args[1]
			}
			s, err := skill.Add(args[0], places.Target(scope()), name)
			if err != nil {
				return &usageError{err}
			}
			_, err = fmt.Fprintf(stdout, "added %s: %s\n", s.Name, s.File)
			return err
		},
	}
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Delete a skill that was added", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			places, err := skillPlaces()
			if err != nil {
				return err
			}
			if err := skill.Remove(args[0], places.Target(scope())); err != nil {
				return &usageError{err}
			}
			_, err = fmt.Fprintf(stdout, "removed %s\n", args[0])
			return err
		},
	}
	for _, c := range []*cobra.Command{add, remove} {
		c.Flags().BoolVar(&inProject, "project", false, "in the project instead of for all of yours")
	}
	parent.AddCommand(list, validateCommand(stdout), add, remove)
	return parent
}

func validateCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "validate DIRECTORY...", Short: "Check skills strictly, as the Agent Skills specification says", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			failed := false
			for _, dir := range args {
				problems := skill.Validate(dir)
				for _, p := range problems {
					kind := "error"
					if p.Warning {
						kind = "warning"
					}
					fmt.Fprintf(stdout, "%s: %s: %s\n", dir, kind, visible.Safe(p.String()))
				}
				if skill.Valid(problems) {
					fmt.Fprintf(stdout, "%s: valid\n", dir)
				} else {
					failed = true
				}
			}
			if failed {
				return exitError(1)
			}
			return nil
		},
	}
}
