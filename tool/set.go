package tool

import (
	"fmt"
	"slices"
	"strings"
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
	type near struct {
		name string
		far  int
	}
	all := make([]near, 0, len(s))
	for _, t := range s {
		n := t.Spec().Name
		all = append(all, near{n, distance(strings.ToLower(name), n)})
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.far - b.far })
	names := make([]string, 0, 3)
	for _, n := range all[:min(3, len(all))] {
		names = append(names, n.name)
	}
	if len(names) == 0 {
		return fmt.Sprintf("Unknown tool: %s", name)
	}
	return fmt.Sprintf("Unknown tool: %s. The nearest are: %s", name, strings.Join(names, ", "))
}

// distance is how many runes must be put in, taken out or changed (Levenshtein).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		last := row[0]
		row[0] = i + 1
		for j := range y {
			change := last
			if x[i] != y[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
