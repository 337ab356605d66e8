package wire

import "github.com/minicode-go/minicode/llm"

// Seen is the messages of the last request. As a rule the next one begins with
// them, and then an adapter writes only what is new and copies the rest: a
// step must not cost more the longer the conversation is.
type Seen []llm.Message

// Rest is what comes after the messages that were seen; false when the history
// does not begin with them, or goes on in the middle of a round. Messages are
// the same when they are the same values, not only equal: their parts are
// never changed.
func (s Seen) Rest(messages []llm.Message) ([]llm.Message, bool) {
	if len(messages) < len(s) || len(s) == 0 {
		return nil, false
	}
	for i := range s {
		if !same(&s[i], &messages[i]) {
			return nil, false
		}
	}
	rest := messages[len(s):]
	return rest, len(rest) == 0 || rest[0].Role == llm.Assistant
}

func same(a, b *llm.Message) bool {
	if a.ID != b.ID || a.Role != b.Role || a.Kind != b.Kind || a.Model != b.Model || a.Stop != b.Stop || len(a.Parts) != len(b.Parts) {
		return false
	}
	return len(a.Parts) == 0 || &a.Parts[0] == &b.Parts[0]
}

// Room is about how many bytes messages take in a request.
func Room(messages []llm.Message) (n int) {
	for _, m := range messages {
		n += 200 + room(m.Parts)*9/8 // the eighth is for what is escaped
	}
	return n
}

func room(parts llm.Parts) (n int) {
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			n += len(p.Text)
		case llm.Thinking:
			n += max(len(p.Raw), len(p.Text)+len(p.Signature))
		case llm.Image:
			n += len(p.Data) * 4 / 3
		case llm.ToolCall:
			n += len(p.Args) + 100
		case llm.ToolResult:
			n += room(p.Parts)
		}
	}
	return n
}
