//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

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

// An interrupt while servers are looked at ends them with all that they have
// started.
func TestProbeInterrupted(t *testing.T) {
	w := newWorld(t, "")
	settings := filepath.Join(w.home, ".config", "minicode", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"mcpServers":{"mute":{"command":"sh","args":["-c","touch begun; sleep 300 & sleep 300"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("mcp", "probe", "mute")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.made("begun")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says it
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	w.alone()
}
