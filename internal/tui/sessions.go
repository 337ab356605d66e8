package tui

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/compose"
	"github.com/minicode-go/minicode/internal/summary"
)

// sessions is the picker of sessions, with the end of the selected one.
type sessions struct {
	m      *model
	picker *picker
	all    bool // of all projects

	wanted atomic.Int64 // the newest preview that was asked for
	shown  string       // whose preview lines is
	lines  []string
	width  int
}

// pickSession shows the sessions, to go on with one.
func (m *model) pickSession() tea.Cmd {
	p := &picker{title: "Sessions", k: m.look, loads: true, tab: "all projects", verb: "opens", more: []string{"Ctrl+R renames", "Ctrl+X deletes"}}
	s := &sessions{m: m, picker: p}
	p.choose = func(e entry) tea.Cmd { return m.send("/resume " + e.value) }
	p.other = func() tea.Cmd {
		s.all = !s.all
		p.tab = "all projects"
		if s.all {
			p.tab = "this project"
		}
		return s.read()
	}
	p.act, p.moved, p.detail = s.act, s.preview, s.detail
	m.whole = p
	m.dirty = true
	return s.read()
}

// read lists the sessions, away from the loop.
func (s *sessions) read() tea.Cmd {
	conv, all := s.m.conv, s.all
	return func() tea.Msg { return s.list(conv, all) }
}

func (s *sessions) list(conv *app.Conversation, all bool) tea.Msg {
	of := conv.Info().Cwd
	if all {
		of = ""
	}
	list, err := conv.Store().List(of)
	now := conv.Now()
	var entries []entry
	for _, i := range list {
		if i.ID != conv.Info().Session {
			entries = append(entries, sessionEntry(i, now, all))
		}
	}
	return result(func(m *model) tea.Cmd {
		if err != nil {
			s.picker.fault = "the sessions cannot be listed: " + err.Error()
		}
		at := s.picker.at
		s.picker.set(entries)
		s.picker.at = max(0, min(at, len(s.picker.shown)-1))
		return s.picker.look()
	})
}

func sessionEntry(s app.SessionInfo, now time.Time, all bool) entry {
	text := s.Name()
	if all {
		text += "  " + s.Cwd
	}
	return entry{text: text, value: s.ID, path: s.Path, size: s.Size, aside: fmt.Sprintf("%9s  %8s", summary.Count(s.Turns, "turn"), ago(now.Sub(s.Modified)))}
}

// act renames and deletes.
func (s *sessions) act(key string, e entry) tea.Cmd {
	store := s.m.conv.Store()
	switch key {
	case "ctrl+r":
		s.picker.asks = &asks{label: "new title:", buf: &compose.Buffer{}, done: func(title string) tea.Cmd {
			if title = strings.Join(strings.Fields(title), " "); title == "" {
				return nil
			}
			return s.do(func() error { return store.Rename(e.path, title) })
		}}
	case "ctrl+x":
		s.picker.asks = &asks{label: "Delete this session and its files for ever? y deletes, any other key keeps it", done: func(string) tea.Cmd {
			return s.do(func() error { return store.Delete(e.path) })
		}}
	}
	return nil
}

// do changes something and reads the sessions again.
func (s *sessions) do(change func() error) tea.Cmd {
	again := s.read()
	return func() tea.Msg {
		if err := change(); err != nil {
			return result(func(*model) tea.Cmd {
				s.picker.fault = err.Error()
				return nil
			})
		}
		return again()
	}
}

const (
	previewAfter   = 80 * time.Millisecond // of rest on an entry
	previewRecords = 60
	mostPreviewed  = 32 << 20 // bytes of a session that is read for it
)

// preview reads the end of a session, unless the person has gone on.
func (s *sessions) preview(e entry) tea.Cmd {
	if s.shown == e.value && s.width == s.m.width() {
		return nil
	}
	wanted := s.wanted.Add(1)
	store, k, width := s.m.conv.Store(), s.m.look.Theme, s.m.width()
	return func() tea.Msg {
		time.Sleep(previewAfter)
		if s.wanted.Load() != wanted {
			return nil
		}
		l := newLook(k)
		lines := []string{l.Dim.Paint(clip(fmt.Sprintf("  its %d MB are not read for a preview", e.size>>20), width))}
		if e.size <= mostPreviewed {
			records, err := store.Last(e.path, previewRecords)
			if lines = fold(newTranscript(l), records, width); err != nil {
				lines = []string{l.Error.Paint(clip("  it cannot be read: "+safe(err.Error()), width))}
			}
		}
		return result(func(*model) tea.Cmd {
			s.shown, s.lines, s.width = e.value, lines, width
			return nil
		})
	}
}

// detail is the end of the session that is selected.
func (s *sessions) detail(e entry, width, height int) []string {
	if s.shown != e.value || s.width != width {
		return []string{s.m.look.Dim.Paint("  …")}
	}
	return s.lines[max(0, len(s.lines)-max(1, height)):]
}

// ago is how long something is past, in the biggest unit.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
