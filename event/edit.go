package event

import "github.com/minicode-go/minicode/llm"

// Edit puts other messages in the place of a run of messages, in the model's
// view.
type Edit struct {
	From string        `json:"from"` // message id, inclusive
	To   string        `json:"to"`   // message id, inclusive
	With []llm.Message `json:"with,omitempty"`
}

// View is what a compaction looks at: what would be sent, to whom, and how
// much of the window it takes.
type View struct {
	Request llm.Request
	Model   llm.Model
	Used    llm.Count
	Why     Why // what it is looked at for, when a smaller one is wanted
}

// Apply gives the messages with the edits carried out in order. An edit whose
// ends are not there, or stand the wrong way round, changes nothing. The
// slice given is not changed.
func Apply(messages []llm.Message, edits []Edit) []llm.Message {
	for _, e := range edits {
		from, to := index(messages, e.From), index(messages, e.To)
		if from < 0 || to < from {
			continue
		}
		out := make([]llm.Message, 0, len(messages)-(to-from+1)+len(e.With))
		out = append(out, messages[:from]...)
		out = append(out, e.With...)
		messages = append(out, messages[to+1:]...)
	}
	return messages
}

func index(messages []llm.Message, id string) int {
	for i := range messages {
		if messages[i].ID == id {
			return i
		}
	}
	return -1
}
