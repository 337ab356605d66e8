package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/diffview"
	"github.com/minicode-go/minicode/internal/summary"
	"github.com/minicode-go/minicode/internal/theme"
)

// result is what came of work that was done away from the loop: the loop runs
// it.
type result func(*model) tea.Cmd

// apply takes a result.
func (m *model) apply(r result) tea.Cmd {
	m.dirty = true
	return r(m)
}

// local answers commands without arguments on the screen, where there is more
// to do than to print.
func (m *model) local(text string) (cmd tea.Cmd, ok bool) {
	switch strings.TrimSpace(text) {
	case "/resume":
		if m.turn == nil {
			return m.pickSession(), true
		}
	case "/model":
		return m.pickModel(), true
	case "/theme":
		return m.pickTheme(), true
	case "/rewind":
		return m.pickPrompt(), true
	case "/permissions":
		return m.editPermissions(), true
	case "/tasks":
		return m.showTasks(), true
	}
	return nil, false
}

// present shows what a command has printed in another way than as text, and
// says whether it did.
func (m *model) present(line, out string) bool {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case name == "/copy":
		m.out.write(ansi.SetSystemClipboard(out))
		m.tell(m.look.Dim, "copied, if the terminal allows it: "+summary.Count(strings.Count(out, "\n")+1, "line"))
	case name == "/diff" && strings.HasPrefix(out, "diff "):
		m.showDiff(out)
	case name == "/theme" && args != "":
		m.changeTheme(strings.TrimSpace(args))
		m.tell(m.look.Dim, out)
	default:
		return false
	}
	return true
}

// showDiff shows changes on the whole screen.
func (m *model) showDiff(text string) {
	k := m.look
	p := &pager{title: "Changes", k: k}
	diff, after, _ := strings.Cut(text, "\n\nnew, and not known")
	p.set(func(width int) (lines []string) {
		lines = diffview.Render(diff, width, k.Theme, diffview.Options{LineNumbers: true})
		if after != "" {
			lines = append(lines, "")
			for line := range strings.Lines("New, and not known" + after) {
				lines = append(lines, k.Dim.Paint(clip(safe(strings.TrimRight(line, "\n")), width)))
			}
		}
		return lines
	})
	m.whole = p
}

// pickModel shows the models that can be chosen.
func (m *model) pickModel() tea.Cmd {
	i := m.conv.Info()
	p := &picker{title: "Models", k: m.look, free: true}
	var entries []entry
	for _, id := range m.conv.Models() {
		info := i.ModelInfo(id)
		price, inUse := "", ""
		if id == i.Model {
			inUse = "in use"
		}
		if info.Price.Known {
			price = fmt.Sprintf("$%.4g / $%.4g", info.Price.Input, info.Price.Output)
		}
		entries = append(entries, entry{text: id, value: id, aside: fmt.Sprintf("%6s  %13s  %s", count(info.Window), price, inUse)})
	}
	p.set(entries)
	p.at = max(0, slices.IndexFunc(entries, func(e entry) bool { return e.value == i.Model }))
	p.choose = func(e entry) tea.Cmd { return m.send("/model " + e.value) }
	m.whole, m.dirty = p, true
	return nil
}

// pickTheme shows the themes.
func (m *model) pickTheme() tea.Cmd {
	p := &picker{title: "Themes", k: m.look, free: true}
	p.set([]entry{
		{value: "auto", text: "auto: dark or light, as the terminal says"},
		{value: "dark", text: "dark"},
		{value: "light", text: "light"},
		{value: "16", text: "16: the terminal's own colours"},
		{value: "none", text: "none: no colours"},
	})
	p.choose = func(e entry) tea.Cmd { return m.send("/theme " + e.value) }
	m.whole, m.dirty = p, true
	return nil
}

// changeTheme changes the looks of what is printed from now on. What must have
// no colours stays so.
func (m *model) changeTheme(name string) {
	t, err := command.ThemeNamed(name, m.conv.Settings().Dirs)
	switch {
	case err != nil:
		m.problem(err.Error())
		return
	case m.look.Name == theme.Plain().Name && noColor(m.o.Environ):
		m.problem("NO_COLOR is set: there are no colours")
		return
	}
	m.wantsTheme = name == "auto"
	if m.wantsTheme {
		m.out.write(ansi.RequestBackgroundColor)
	}
	m.setTheme(t)
}

func noColor(environ []string) bool {
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, "NO_COLOR="); ok && value != "" {
			return true
		}
	}
	return false
}
