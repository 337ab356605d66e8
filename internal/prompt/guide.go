package prompt

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Guide is the instruction files of one conversation: those of its start, and
// those of directories that the model comes to later. It is not safe for
// concurrent use.
type Guide struct {
	Places Places

	have    []File
	reached []string // files read that led to instructions of their own
}

// Start reads the files for the system prompt, anew each time.
func (g *Guide) Start() string {
	g.have, g.reached = Instructions(g.Places), nil
	return Render(g.have)
}

// Reached is the text for a note about instruction files between the root and
// the files that were read, as far as they are not known yet; "" when there
// are none.
func (g *Guide) Reached(paths ...string) string {
	var found []File
	for _, path := range paths {
		files := Nested(g.Places, path, g.have)
		if len(files) > 0 {
			g.reached = append(g.reached, path)
		}
		g.have = append(g.have, files...)
		found = append(found, files...)
	}
	return Render(found)
}

// Told takes over from an earlier run of the conversation: a note that the
// model has. One that [Guide.Reached] gave names the directories.
func (g *Guide) Told(note string) {
	if !strings.HasPrefix(note, heading) {
		return
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
			g.Reached(filepath.Join(scope, "any file"))
		}
	}
}

// Again reads all of it anew, for a model that no longer has what it was told:
// the text for the system prompt, and that for a note about the directories
// that were reached.
func (g *Guide) Again() (start, nested string) {
	reached := g.reached
	start = g.Start()
	return start, g.Reached(reached...)
}

// IsInstructions says whether the text of a note is that of instruction files.
func IsInstructions(note string) bool { return strings.HasPrefix(note, heading) }
