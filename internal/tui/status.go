package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/llm"
)

// status is the line below the prompt.
type status struct {
	info   app.Info
	used   llm.Count
	queued []string

	servers string // how MCP servers stand
	broken  bool   // one of them does not work
}

// part is a piece of the line; what matters least is left out first.
type part struct {
	text   string // with its style
	weight int    // the lightest goes first
}

// roomyStatus is from which width on the badge has its bar.
const roomyStatus = 100

func (s *status) render(m *model, width int) string {
	k := m.look
	var parts []part
	add := func(weight int, style theme.Style, text string) {
		if text != "" {
			parts = append(parts, part{style.Paint(text), weight})
		}
	}
	add(7, s.modeStyle(k), safe(s.info.Mode))
	add(5, k.Dim, safe(shortModel(s.info.Model)))
	if s.used.Tokens > 0 && s.info.Usage.Total() > 0 {
		share := s.used.Share()
		badge := fmt.Sprintf("ctx %d%%", int(min(max(share, 0), 1)*100+0.5))
		if width >= roomyStatus {
			badge, _ = strings.CutSuffix(account.Badge(s.used), " "+s.used.Source)
		}
		add(6, levelStyle(k, account.LevelOf(share)), badge)
	}
	if price := s.info.Price; price != nil {
		if dollars, known := price(s.info.Model).Cost(s.info.Usage); known && dollars >= 0.00005 {
			add(3, k.Dim, money(dollars))
		}
	}
	if n := len(s.info.Tasks); n > 0 {
		add(4, k.Accent, fmt.Sprintf("%d in background", n))
	}
	if s.broken {
		add(4, k.Warn, s.servers)
	} else {
		add(1, k.Dim, s.servers)
	}
	if !s.info.Saved {
		add(8, k.Error, "not saved")
	}
	h := hint{forms: m.hints(), style: k.Dim, weight: 2, close: m.screen.pushes}
	if m.busy() {
		h.weight = 6
	}
	if own := m.ownHints(); own != nil {
		h.forms = own
	}
	if time.Now().Before(m.back) {
		h.forms, h.style, h.weight = []string{"Esc again goes back", "Esc: back"}, k.Accent, 9
	}
	if time.Now().Before(m.armed) {
		h.forms, h.style, h.weight = []string{"Ctrl+C again leaves", "Ctrl+C leaves"}, k.Warn, 9
	}
	return assemble(parts, h, k.Dim.Paint(" · "), width)
}

// hint is what to press, at the end of the line.
type hint struct {
	forms  []string // the longest first
	style  theme.Style
	weight int
	close  bool // stand beside the parts, not at the edge
}

// assemble puts the parts to the left and the hint to the right. Where there is
// little room, the hint gets shorter; what does not fit then is left out by
// weight.
func assemble(parts []part, h hint, between string, width int) string {
	for {
		var texts []string
		lightest := 0
		for i, p := range parts {
			texts = append(texts, p.text)
			if p.weight < parts[lightest].weight {
				lightest = i
			}
		}
		left := "  " + strings.Join(texts, between)
		w := ansi.StringWidth(left)
		for _, form := range h.forms {
			if space := width - 1 - w - ansi.StringWidth(form); space >= 2 {
				if h.close {
					space = min(space, 4)
				}
				return left + strings.Repeat(" ", space) + h.style.Paint(form)
			}
		}
		switch {
		case len(h.forms) > 0 && (len(parts) <= 1 || h.weight <= parts[lightest].weight):
			h.forms = nil
		case w <= width && len(h.forms) == 0 || len(parts) <= 1:
			return clip(left, width)
		default:
			parts = append(parts[:lightest:lightest], parts[lightest+1:]...)
		}
	}
}

// hints is what to press now, in words and in fewer.
func (m *model) hints() []string {
	switch {
	case m.composer.search != nil:
		return []string{"Enter takes · Esc closes", "Enter takes"}
	case m.composer.menu != nil:
		return []string{"Tab completes · Esc closes", "Tab completes"}
	case m.busy() && !m.composer.buf.Empty():
		return []string{"Enter queues · Esc interrupts", "Enter queues", "Esc stops"}
	case m.busy():
		return []string{"Esc interrupts", "Esc stops"}
	case len(m.status.queued) > 0:
		return []string{"Enter sends · ↑ edits", "Enter sends"}
	case m.composer.buf.Empty():
		return []string{"/ commands · ? keys", "? keys"}
	}
	return []string{"Enter sends"}
}

func (s *status) modeStyle(k *look) theme.Style {
	switch s.info.Mode {
	case "plan", "read-only":
		return k.Accent
	case "accept-edits", "auto":
		return k.Ok
	case "full-access":
		return k.Error
	}
	return k.Dim
}

func levelStyle(k *look, l account.Level) theme.Style {
	switch l {
	case account.Warning:
		return k.Warn
	case account.Critical:
		return k.Error
	case account.Blocked:
		return k.Critical
	}
	return k.Dim
}

// shortModel is the model's name without its provider.
func shortModel(id string) string {
	if _, name, ok := strings.Cut(id, "/"); ok {
		return name
	}
	return id
}

func money(dollars float64) string {
	if dollars < 1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// tilde writes the home directory short.
func tilde(path string, environ []string) string {
	for _, pair := range environ {
		if home, ok := strings.CutPrefix(pair, "HOME="); ok && len(home) > 1 {
			if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == '/') {
				return "~" + rest
			}
		}
	}
	return path
}
