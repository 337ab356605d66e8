package extension

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/skill"
	"github.com/minicode-go/minicode/internal/trust"
)

// Trust is where trust in directories is kept: beside the settings, which no
// tool writes without being asked about.
func Trust(dirs config.Dirs, now func() time.Time) trust.Store {
	return trust.Store{Path: dirs.In("trust.json"), Now: now}
}

// Items is what a project brings that needs trust: what its settings would
// set, its skills that would allow tools, its agents.
func Items(root, cwd, home string, dirs config.Dirs, brought []config.Brought) []trust.Item {
	places := skill.Places{Project: root, Cwd: cwd, Home: home, Config: dirs.Config}
	return itemsOf(root, brought, skill.Find(places.Skills()).Withheld, projectAgents(places))
}

// projectAgents is the agents of the project, trusted or not.
func projectAgents(places skill.Places) []skill.Agent {
	places.Trusted = true
	return slices.DeleteFunc(skill.FindAgents(places.Agents()).All, func(a skill.Agent) bool { return a.Root.Scope != skill.Project })
}

func itemsOf(root string, brought []config.Brought, withheld []skill.Skill, agents []skill.Agent) (items []trust.Item) {
	for _, b := range brought {
		items = append(items, trust.Item{Kind: b.Kind, Name: b.Name, Text: b.Text, From: b.From})
	}
	relative := func(path string) string {
		if rel, err := filepath.Rel(root, path); err == nil {
			return filepath.ToSlash(rel)
		}
		return path
	}
	for _, s := range withheld {
		items = append(items, trust.Item{Kind: "skill", Name: s.Name, Text: fmt.Sprintf("may use %v", s.Tools), From: relative(s.File)})
	}
	for _, a := range agents {
		items = append(items, trust.Item{Kind: "agent", Name: a.Name, Text: a.Text, From: relative(a.File)})
	}
	return items
}

// Trusts says, for [config.Load], whether a project is trusted for what it
// brings; warn is told what is in the way of knowing.
func Trusts(root, cwd, home string, dirs config.Dirs, now func() time.Time, warn func(string)) func([]config.Brought) bool {
	return func(brought []config.Brought) bool {
		state, _, err := Trust(dirs, now).Check(root, Items(root, cwd, home, dirs, brought))
		if err != nil {
			warn(err.Error())
		}
		return state == trust.Trusted
	}
}
