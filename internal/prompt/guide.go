package prompt

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Guide is the instruction files of one conversation: those of its start, and
// those of directories that the model comes to later. What the model was told
// of the latter stands in the notes that it has, so that a conversation which
// is taken up again goes on as if it had never been left. It is not safe for
// concurrent use.
type Guide struct {
	Places Places

	start []File
}

// Start reads the files for the system prompt, anew each time.
func (g *Guide) Start() string {
	g.start = Instructions(g.Places)
	return Render(g.start)
}

// Reached is the text for a note about instruction files between the root and
// the files that were read, as far as none of the notes that the model has
// tells of them; "" when there are none.
func (g *Guide) Reached(notes []string, paths ...string) string {
	have := slices.Clone(g.start)
	var found []File
	for _, path := range paths {
		files := Nested(g.Places, path, have)
		have = append(have, files...)
		for _, f := range files {
			if !slices.ContainsFunc(notes, func(note string) bool { return IsInstructions(note) && strings.Contains(note, "\n"+f.title()+"\n") }) {
				found = append(found, f)
			}
		}
	}
	return Render(found)
}

// Again reads all of it anew, for a model that is about to lose these notes:
// the text for the system prompt, and that for a note about the directories
// that they tell of.
func (g *Guide) Again(notes []string) (start, nested string) {
	var reached []string
	for _, note := range notes {
		if !IsInstructions(note) {
			continue
		}
		for line := range strings.Lines(note) {
			name, scope, ok := strings.Cut(strings.TrimSuffix(line, ")\n"), " (scope: ")
			if !ok || !strings.HasPrefix(name, "## ") {
				continue
			}
			if plain, err := strconv.Unquote(scope); err == nil {
				scope = plain
			}
			if filepath.IsAbs(scope) {
				reached = append(reached, filepath.Join(scope, "any file"))
			}
		}
	}
	start = g.Start()
	return start, g.Reached(nil, reached...)
}

// IsInstructions says whether the text of a note is that of instruction files.
func IsInstructions(note string) bool { return strings.HasPrefix(note, heading) }
