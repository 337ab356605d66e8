package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openEditor opens a text in the person's editor. When that is closed, then
// gets the file and what is in it, and says whether the file is to be kept.
func (m *model) openEditor(text, pattern string, then func(path, text string, err error) (cmd tea.Cmd, keep bool)) tea.Cmd {
	f, err := os.CreateTemp("", pattern)
	if err == nil {
		_, err = f.WriteString(text)
		err = firstError(err, f.Close())
	}
	if err != nil {
		cmd, _ := then("", "", fmt.Errorf("the text could not be given to the editor: %w", err))
		return cmd
	}
	words := append(strings.Fields(editorOf(m.o.Environ)), f.Name())
	cmd := exec.CommandContext(context.Background(), words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = m.o.In, m.o.Out, m.o.Out
	m.restore()
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return edited{f.Name(), err, then} })
}

// editorOf is the person's editor, with arguments.
func editorOf(environ []string) string {
	name := ""
	for _, pair := range environ {
		for _, variable := range []string{"EDITOR=", "VISUAL="} { // the second one counts more
			if v, ok := strings.CutPrefix(pair, variable); ok && strings.TrimSpace(v) != "" && (name == "" || variable == "VISUAL=") {
				name = v
			}
		}
	}
	if name == "" {
		return "vi"
	}
	return name
}

// edited takes what was written in the editor.
func (m *model) edited(msg edited) tea.Cmd {
	m.take()
	data, err := os.ReadFile(msg.path)
	if err = firstError(msg.err, err); err != nil {
		err = fmt.Errorf("what was written in the editor is not taken: %w", err)
	}
	cmd, keep := msg.then(msg.path, string(data), err)
	if !keep {
		_ = os.Remove(msg.path) // it is in the directory for what may go
	}
	return cmd
}

// editPrompt opens what is typed in the editor.
func (m *model) editPrompt() tea.Cmd {
	return m.openEditor(m.composer.buf.Text(), "minicode-*.md", func(_, text string, err error) (tea.Cmd, bool) {
		if err != nil {
			m.problem(err.Error())
			return nil, false
		}
		m.composer.buf.Rewrite(strings.TrimRight(text, "\n"))
		m.composer.menu = nil
		return nil, false
	})
}

// patternFor names the file that an editor is given, so that it knows the
// language.
func patternFor(path string) string {
	const longest = 100
	name := filepath.Base(path)
	if len(name) > longest {
		name = "text" + filepath.Ext(name)
	}
	if len(name) > longest || path == "" {
		name = "text"
	}
	return "minicode-*-" + name
}
