package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compose"
)

// permissions shows the rules in force, on the whole screen, and changes the
// person's own.
type permissions struct {
	m     *model
	rules []rule
	at    int
	drops int // the rule, from 1, that the next d removes
	adds  *newRule
	said  string // what came of it
	wrong bool   // it did not work
}

// rule is what is in force.
type rule struct {
	decision, text, from string
	drop                 func() error // nil for what ends by itself
}

// newRule is a rule that is being written.
type newRule struct {
	buf      compose.Buffer
	decision string
	scope    event.Choice
	saving   bool
}

// editPermissions shows the rules.
func (m *model) editPermissions() tea.Cmd {
	p := &permissions{m: m}
	p.read()
	m.whole, m.dirty = p, true
	return nil
}

// read takes the rules as they are now.
func (p *permissions) read() {
	conv := p.m.conv
	p.rules = nil
	for _, r := range conv.Rules() {
		p.rules = append(p.rules, rule{string(r.Decision), r.String(), r.Origin, func() error { return conv.DropRule(r) }})
	}
	for _, g := range conv.Grants() {
		for _, text := range g.Rules {
			p.rules = append(p.rules, rule{"allow", text, "granted for this " + string(g.Scope), nil})
		}
	}
	p.at = max(0, min(p.at, len(p.rules)-1))
}

// Key selects, removes, and adds.
func (p *permissions) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.adds != nil {
		return p.adds.key(p, k), false
	}
	drops := p.drops
	p.drops, p.said = 0, ""
	switch nameOf(k) {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "up", "k", "ctrl+p":
		p.at = max(0, p.at-1)
	case "down", "j", "ctrl+n":
		p.at = max(0, min(p.at+1, len(p.rules)-1))
	case "pgup":
		p.at = max(0, p.at-10)
	case "pgdown":
		p.at = max(0, min(p.at+10, len(p.rules)-1))
	case "home", "g":
		p.at = 0
	case "end", "shift+g":
		p.at = max(0, len(p.rules)-1)
	case "a":
		p.adds = &newRule{decision: "allow", scope: event.AlwaysProject}
	case "d":
		return p.remove(drops, k.IsRepeat), false
	}
	return nil, false
}

// remove takes the selected rule out at the second press.
func (p *permissions) remove(drops int, held bool) tea.Cmd {
	if len(p.rules) == 0 || held {
		return nil
	}
	r := p.rules[p.at]
	switch {
	case r.drop == nil:
		p.tell(fmt.Sprintf("%s is %s and ends with it", r.text, r.from), true)
	case drops != p.at+1:
		p.drops = p.at + 1
	default:
		return p.change(r.drop, fmt.Sprintf("removed: %s %s", r.decision, r.text), nil)
	}
	return nil
}

func (p *permissions) tell(text string, wrong bool) { p.said, p.wrong = text, wrong }

// change changes a settings file, away from the loop, and reads the rules
// again.
func (p *permissions) change(do func() error, told string, then func(error)) tea.Cmd {
	return func() tea.Msg {
		err := do()
		return result(func(*model) tea.Cmd {
			if p.tell(told, false); err != nil {
				p.tell(err.Error(), true)
			}
			p.read()
			if then != nil {
				then(err)
			}
			return nil
		})
	}
}

// key writes the rule.
func (n *newRule) key(p *permissions, k tea.KeyPressMsg) tea.Cmd {
	text, name := textOf(k), nameOf(k)
	if name == "esc" || name == "ctrl+c" {
		p.adds = nil
		return nil
	}
	if n.saving {
		return nil
	}
	p.said = ""
	switch {
	case name == "tab":
		n.decision = map[string]string{"allow": "ask", "ask": "deny", "deny": "allow"}[n.decision]
	case name == "shift+tab" && n.scope == event.AlwaysProject:
		n.scope = event.AlwaysUser
	case name == "shift+tab":
		n.scope = event.AlwaysProject
	case name == "enter":
		return n.save(p)
	case text != "":
		n.buf.Insert(text)
	default:
		editLine(&n.buf, name)
	}
	return nil
}

// save keeps the rule. What is wrong with it is told, and it can be mended.
func (n *newRule) save(p *permissions) tea.Cmd {
	text, conv := strings.TrimSpace(n.buf.Text()), p.m.conv
	if text == "" {
		p.adds = nil
		return nil
	}
	n.saving = true
	scope, decision := n.scope, n.decision
	add := func() error { return conv.AddRule(scope, decision, text) }
	return p.change(add, fmt.Sprintf("added for %s: %s %s", n.where(), decision, text), func(err error) {
		n.saving = false
		if err == nil && p.adds == n {
			p.adds = nil
			p.at = max(0, slices.IndexFunc(p.rules, func(r rule) bool { return r.decision == decision && r.text == text }))
		}
	})
}

func (n *newRule) where() string {
	if n.scope == event.AlwaysUser {
		return "all projects"
	}
	return "this project"
}

// editLine does what the usual keys do in a line of text.
func editLine(b *compose.Buffer, name string) {
	switch name {
	case "backspace", "ctrl+h":
		b.Backspace()
	case "delete":
		b.Delete()
	case "left", "ctrl+b":
		b.Left()
	case "right", "ctrl+f":
		b.Right()
	case "home", "ctrl+a":
		b.Home()
	case "end", "ctrl+e":
		b.End()
	case "ctrl+u":
		b.KillToStart()
	case "ctrl+k":
		b.KillToEnd()
	case "ctrl+w":
		b.DeleteToBlank()
	case "ctrl+y":
		b.Yank()
	}
}

// Paste pastes into the rule that is being written.
func (p *permissions) Paste(text string) {
	if p.adds != nil && !p.adds.saving {
		p.adds.buf.Insert(strings.Join(strings.Fields(text), " "))
	}
}

// leastRules is how many rows the list has at least.
const leastRules = 3

// Render is the screen: the rules, the selected one whole, and the line that
// is written.
func (p *permissions) Render(width, height int) (lines []string, row, col int) {
	k := p.m.look
	i := p.m.conv.Info()
	lines = append(lines, ruled(k, "Permissions · mode "+safe(i.Mode), width))
	detail := p.detail(width, max(1, (height-leastRules-2)/3))
	room := max(1, height-2-len(detail))
	lines = append(lines, p.list(width, room)...)
	for len(lines) < height-1-len(detail) {
		lines = append(lines, "")
	}
	lines = append(lines, detail...)
	if p.adds != nil {
		lead := indent + p.adds.decision + " for " + p.adds.where() + ": "
		rows, r, c := p.adds.buf.Layout(max(4, width-ansi.StringWidth(lead)))
		return append(lines, k.Accent.Paint(lead)+rows[r]), len(lines), min(width-1, ansi.StringWidth(lead)+c)
	}
	return append(lines, p.foot(width)), -1, 0
}

// detail is the selected rule whole and where it stands, or how a rule is
// written.
func (p *permissions) detail(width, most int) (lines []string) {
	k := p.m.look
	lines = []string{k.Border.Paint(strings.Repeat("─", width))}
	switch {
	case p.said != "" && p.wrong:
		lines = append(lines, paint(k.Error, oneLine(p.said), indent, indent, width)...)
	case p.said != "":
		lines = append(lines, paint(k.Ok, oneLine(p.said), indent, indent, width)...)
	case p.adds != nil:
		for _, help := range []string{
			"Tab: allow, ask, deny · Shift+Tab: this project, all projects · Enter adds · Esc goes back",
			"such as run_command(go test:*), edit_file(/docs/**), read_file(~/notes/**), web_fetch(domain:example.com)",
		} {
			lines = append(lines, paint(k.Dim, help, indent, indent, width)...)
		}
	case len(p.rules) > 0:
		r := p.rules[p.at]
		lines = append(lines, paint(k.Text, r.decision+" "+k.exact(r.text), indent, indent, width)...)
		lines = append(lines, paint(k.Dim, k.exact(tilde(r.from, p.m.o.Environ)), indent, indent, width)...)
	}
	return lines[:min(len(lines), most+1)]
}

func (p *permissions) list(width, room int) (lines []string) {
	k := p.m.look
	if len(p.rules) == 0 {
		return []string{"", k.Dim.Paint(clip(indent+"No rules are set: the mode alone decides. a adds one.", width))}
	}
	wide := 0
	for _, r := range p.rules {
		wide = max(wide, ansi.StringWidth(oneLine(r.text)))
	}
	const decision = 7 // cells of the first column
	wide = min(wide, max(leastText, (width-decision)*2/3))
	first := max(0, min(p.at-room/2, len(p.rules)-room))
	for i := first; i < min(len(p.rules), first+room); i++ {
		r := p.rules[i]
		text := clip(oneLine(r.text), wide)
		behind := strings.Repeat(" ", max(0, wide-ansi.StringWidth(text))) + indent + safe(tilde(r.from, p.m.o.Environ))
		if i == p.at {
			lines = append(lines, chosen(k, pad(r.decision, decision)+text+behind, width))
			continue
		}
		style := k.Ok
		switch r.decision {
		case "ask":
			style = k.Warn
		case "deny":
			style = k.Error
		}
		lines = append(lines, clip(indent+style.Paint(pad(r.decision, decision))+text+k.Dim.Paint(behind), width))
	}
	return lines
}

func (p *permissions) foot(width int) string {
	k := p.m.look
	if p.drops > 0 {
		return k.Warn.Paint(clip(indent+"d again removes it", width))
	}
	keys, where := []string{"a adds"}, ""
	if len(p.rules) > 0 {
		keys, where = []string{"↑ ↓ select", "a adds", "d removes"}, fmt.Sprintf("%d of %d", p.at+1, len(p.rules))
	}
	return foot(k, append(keys, "Esc closes"), where, width)
}
