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
	out := make([]round, 0, len(messages))
	for i := 0; i < len(messages); {
		r := round{from: i, to: i + 1}
		for messages[i].Role == llm.Assistant && r.to < len(messages) && messages[r.to].Role == llm.ToolRole {
			r.to++
		}
		calls, results := messages[i].Parts, messages[i+1:r.to]
		if messages[i].Role == llm.ToolRole {
			calls, results = nil, messages[i:r.to]
		}
		r.look(calls, results)
		out = append(out, r)
		i = r.to
	}
	return out
}

// look sees what became of the calls in the parts of an answer. It makes no
// tables, since it is done for all of a conversation before every request.
func (r *round) look(parts llm.Parts, results []llm.Message) {
	waiting := 0 // calls that have no result yet
	for i, p := range parts {
		if c, ok := p.(llm.ToolCall); ok && !calls(parts[:i], c.ID) {
			waiting++
		}
	}
	for i := range results {
		res, ok := results[i].Result()
		if !ok || !calls(parts, res.Call) || answered(results[:i], res.Call) {
			r.open = true
		} else {
			waiting--
		}
		r.wrote = r.wrote || len(res.Meta.Wrote) > 0
		r.failed = r.failed || res.Error
	}
	r.open = r.open || waiting > 0
}

// calls says whether there is a call of that id among the parts.
func calls(parts llm.Parts, id string) bool {
	for _, p := range parts {
		if c, ok := p.(llm.ToolCall); ok && c.ID == id {
			return true
		}
	}
	return false
}

// answered says whether the call of that id has a result among these.
func answered(results []llm.Message, id string) bool {
	for i := range results {
		if res, ok := results[i].Result(); ok && res.Call == id {
			return true
		}
	}
	return false
}

// messages of the round.
func (r round) of(messages []llm.Message) []llm.Message { return messages[r.from:r.to] }
