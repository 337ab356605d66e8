package session

import (
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// What the model reads of a call that nobody saw the end of.
const (
	notRun  = "Interrupted before it ran: nothing was done."
	partRun = "Interrupted while it ran: it may be done in part. Look before you repeat it."
)

// closeCalls gives a result to each call of the newest answer that has none,
// if nothing but results came after it. Calls further back can only be open
// where lines were lost; a result for them would not stand after its call.
func (l *Log) closeCalls() (results []event.Record, err error) {
	allowed, answered := map[string]bool{}, map[string]bool{}
	var open []llm.ToolCall
walk:
	for _, i := range slices.Backward(l.chain) {
		n := &l.x.nodes[i]
		if n.form != decided && (n.form != message || n.said != llm.Resulted && !n.calls) {
			if n.form == message {
				break
			}
			continue
		}
		r, err := l.decode(i)
		if err != nil {
			continue
		}
		switch f := r.Event.(type) {
		case event.Decided:
			allowed[f.Call] = allowed[f.Call] || f.Allow
		case event.Message:
			if r, ok := f.Result(); ok {
				answered[r.Call] = true
				continue
			}
			open = f.Calls()
			break walk
		}
	}
	for _, c := range open {
		if answered[c.ID] {
			continue
		}
		text := notRun
		if allowed[c.ID] {
			text = partRun
		}
		result := llm.ToolResult{Call: c.ID, Name: c.Name, Parts: llm.Parts{llm.Text{Text: text}}, Error: true}
		m := llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{result}}
		r, err := l.append(event.Message{Message: m})
		if err != nil {
			return results, err
		}
		answered[c.ID] = true
		results = append(results, r)
	}
	return results, nil
}
