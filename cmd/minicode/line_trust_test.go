//go:build linux || darwin

package main

import "testing"

// What a project brings is asked about before anything begins. Ctrl+C leaves
// there and decides nothing; what was answered is not asked again.
func TestLineTrust(t *testing.T) {
	w := newWorld(t, "say One.\n\nsay Two.\n\nsay Three.\n")
	w.write(".claude/settings.json", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"echo > ran"}]}]}}`)
	question := `ask again only when it changes: $`

	p := w.sit("hi")
	p.sees(question)
	p.types("\x03")
	p.leaves(-1) // ended by the signal
	w.asked(0)

	p = w.sit("hi")
	p.sees(question)
	p.types("n\n")
	p.sees(`One\.`)
	p.exits()
	if w.has("ran") {
		t.Error("a hook ran that nobody trusted")
	}

	p = w.sit("hi")
	p.sees(question)
	p.types("y\n")
	p.sees(`Two\.`)
	p.exits()
	w.made("ran")

	p = w.sit("hi")
	p.sees(`Three\.`)
	p.exits()
	p.harmless()
}
