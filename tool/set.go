package tool

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/internal/nearest"
)

// Set is the tools of a turn, in the order the model is told of them.
type Set []Tool

// Find is the tool of that name or alias.
func (s Set) Find(name string) (Tool, bool) {
	for _, t := range s {
		if t.Spec().Name == name {
			return t, true
		}
	}
	for _, t := range s {
		if slices.Contains(t.Spec().Aliases, name) {
			return t, true
		}
	}
	return nil, false
}

// Unknown is what the model is told of a name that is not in the set: the
// name, and up to three that are nearest to it.
func (s Set) Unknown(name string) string {
	var names []string
	for _, t := range s {
		names = append(names, t.Spec().Name)
	}
	if len(names) == 0 {
		return "Unknown tool: " + name
	}
	return "Unknown tool: " + name + ". The nearest are: " + strings.Join(nearest.Names(name, names, 3), ", ")
}
