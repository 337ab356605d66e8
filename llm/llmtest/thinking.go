package llmtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/minicode-go/minicode/llm"
)

// memory is the thinking that a server has sent, to hold against what comes
// back.
type memory struct {
	mu     sync.Mutex
	blocks map[string]bool       // every block sent, by its key
	before map[string][][]string // by call id: what was thought before the call, in each answer that used the id
}

// sign gives thinking without a signature one that [signed] recognises, so
// that a conversation can go on against another server.
func sign(text string) string {
	sum := sha256.Sum256([]byte("llmtest thinking\n" + text))
	return "llmtest" + base64.StdEncoding.EncodeToString(sum[:])
}

func signed(text, signature string) bool { return signature == sign(text) }

func thinkingKey(text, signature string) string { return "thinking\x00" + text + "\x00" + signature }
func redactedKey(data string) string            { return "redacted\x00" + data }

// withSignatures signs what is not signed.
func withSignatures(a Answer) Answer {
	a = slices.Clone(a)
	for i, s := range a {
		if t, ok := s.part.(llm.Thinking); ok && t.Raw == nil && t.Signature == "" {
			t.Signature = sign(t.Text)
			a[i].part = t
		}
	}
	return a
}

// remember notes the thinking of an answer that is about to be sent.
func (m *memory) remember(a Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blocks == nil {
		m.blocks, m.before = map[string]bool{}, map[string][][]string{}
	}
	var thought []string
	for _, s := range a {
		switch p := s.part.(type) {
		case llm.Thinking:
			key := thinkingKey(p.Text, p.Signature)
			if s.op == opRedacted {
				key = redactedKey(s.text)
			}
			m.blocks[key] = true
			thought = append(thought, key)
		case llm.ToolCall:
			m.before[p.ID] = append(m.before[p.ID], slices.Clone(thought))
		}
	}
}

// check is what the Messages API refuses of the thinking in a request that is
// well formed otherwise: blocks that it never sent, and, in an assistant turn
// with calls, blocks that are not those of the answer. Only in the turn that
// is going on, and only while thinking is on, must they be there at all.
func (m *memory) check(body []byte) []fault {
	var req struct {
		Thinking struct{ Type string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.Unmarshal(body, &req) != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	wanted := req.Thinking.Type == "enabled" || req.Thinking.Type == "adaptive"
	begin := 0 // of the turn that is going on
	turns := make([][]block, len(req.Messages))
	for i, msg := range req.Messages {
		_ = json.Unmarshal(msg.Content, &turns[i]) // plain text has no blocks
		if msg.Role == "user" && !slices.ContainsFunc(turns[i], func(b block) bool { return b.Type == "tool_result" }) {
			begin = i
		}
	}
	var faults []fault
	for i, blocks := range turns {
		faults = append(faults, m.turn(fmt.Sprintf("messages.%d", i), blocks, wanted && i > begin)...)
	}
	return faults
}

type block struct{ Type, ID, Thinking, Signature, Data string }

// turn looks at the blocks of one message.
func (m *memory) turn(path string, blocks []block, wanted bool) []fault {
	var faults []fault
	var thought []string
	for j, b := range blocks {
		at := fmt.Sprintf("%s.content.%d", path, j)
		switch b.Type {
		case "thinking":
			key := thinkingKey(b.Thinking, b.Signature)
			if !m.blocks[key] && !signed(b.Thinking, b.Signature) {
				faults = append(faults, fault{path: at, text: "Invalid `signature` in `thinking` block"})
			}
			thought = append(thought, key)
		case "redacted_thinking":
			if !m.blocks[redactedKey(b.Data)] {
				faults = append(faults, fault{path: at, text: "Invalid `data` in `redacted_thinking` block"})
			}
			thought = append(thought, redactedKey(b.Data))
		case "tool_use":
			sent := m.before[b.ID]
			same := func(s []string) bool { return slices.Equal(s, thought) }
			switch {
			case len(sent) == 0 || slices.ContainsFunc(sent, same):
			case len(thought) > 0:
				faults = append(faults, fault{path: at, text: "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. " +
					"These blocks must remain as they were in the original response."})
			case wanted:
				faults = append(faults, fault{path: at + ".type", text: "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, " +
					"a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."})
			}
		}
	}
	return faults
}

// joinFaults is all of them in one line.
func joinFaults(faults []fault) string {
	all := make([]string, 0, len(faults))
	for _, f := range faults {
		all = append(all, f.String())
	}
	return strings.Join(all, "; ")
}
