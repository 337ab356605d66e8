package compact

import "github.com/minicode-go/minicode/llm"

// round is a run of messages that no edit may part: an answer with the results
// of its calls, or one other message.
type round struct {
	from, to int  // of the messages; to is the first after it
	open     bool // a call has no result in it, or a result no call
	wrote    bool // a file was written
	failed   bool // a result is an error
}

// rounds parts the messages into rounds, which cover all of them in order.
func rounds(messages []llm.Message) []round {
	var out []round
	for i := 0; i < len(messages); {
		r := round{from: i, to: i + 1}
		calls := map[string]bool{}
		for _, c := range messages[i].Calls() {
			calls[c.ID] = true
		}
		if messages[i].Role == llm.ToolRole {
			r.add(messages[i], calls)
		}
		for messages[i].Role == llm.Assistant && r.to < len(messages) && messages[r.to].Role == llm.ToolRole {
			r.add(messages[r.to], calls)
			r.to++
		}
		r.open = r.open || len(calls) > 0
		out = append(out, r)
		i = r.to
	}
	return out
}

// add takes a result into the round, and its call off those that are open.
func (r *round) add(m llm.Message, calls map[string]bool) {
	res, ok := m.Result()
	if !ok || !calls[res.Call] {
		r.open = true
	}
	delete(calls, res.Call)
	r.wrote = r.wrote || len(res.Meta.Wrote) > 0
	r.failed = r.failed || res.Error
}

// messages of the round.
func (r round) of(messages []llm.Message) []llm.Message { return messages[r.from:r.to] }
