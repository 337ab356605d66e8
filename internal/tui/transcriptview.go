package tui

import tea "charm.land/bubbletea/v2"

func (m *model) showTranscript() tea.Cmd { return nil }
