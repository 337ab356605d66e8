package prompt

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

// Again reads all of it anew, for a model that no longer has what it was told:
// the text for the system prompt, and that for a note about the directories
// that were reached.
func (g *Guide) Again() (start, nested string) {
	reached := g.reached
	start = g.Start()
	return start, g.Reached(reached...)
}
