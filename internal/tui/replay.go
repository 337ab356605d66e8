package tui

import (
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
)

// replayed is how many records are looked at for what is shown of a
// conversation that is gone on with.
const replayed = 200

// replay shows where a conversation stands: its last turns.
func (m *model) replay() {
	records, cut, err := tail(m.conv, replayed)
	if err != nil {
		m.problem(err.Error())
		return
	}
	if cut {
		m.tell(m.look.Dim, "… what was said before is left out; Ctrl+O shows more")
	}
	m.transcript = newTranscript(m.look)
	m.transcript.last = remarks
	m.print(fold(m.transcript, records, m.width()))
}

// tail is the last records of a conversation, from the beginning of a turn on
// if there is one among them.
func tail(conv *app.Conversation, n int) (records []event.Record, cut bool, err error) {
	for r, err := range conv.Tail(n) {
		if err != nil {
			return nil, false, err
		}
		records = append(records, r)
	}
	if len(records) < n {
		return records, false, nil
	}
	first := records[0].Turn
	if at := slices.IndexFunc(records, func(r event.Record) bool { return r.Turn != first }); at > 0 {
		records = records[at:]
	}
	return records, true, nil
}

// fold is the lines of records that are complete.
func fold(t *transcript, records []event.Record, width int) (lines []string) {
	for _, r := range records {
		lines = append(lines, t.add(r, width)...)
	}
	return append(lines, t.flush(width)...)
}
