package llm

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/jsonscan"
)

// Mend makes any history one that the model named by to takes: each call has
// exactly one result directly after its message, no result is without a call,
// nothing is empty, arguments are JSON objects, call ids are unique, and
// thinking goes back only to the model that made it. Answers that were
// refused are left out. The messages given are not changed.
//
// What it makes of a history is a prefix of what it makes of that history
// with more whole rounds added, so that providers can cache the request.
func Mend(messages []Message, to Info) []Message {
	return (&Mender{To: to}).Add(messages)
}

// Mender does what [Mend] does to a history that grows, piece by piece.
type Mender struct {
	To      Info            // the model that is asked
	used    map[string]bool // call ids given so far
	begun   bool            // something was given
	out     []Message
	results []ToolResult // of the round
	owners  []Message    // the results' messages; one that was taken has no role
}

// Add gives what the next messages of the history become. They are whole
// rounds: an answer and all that follows it up to the next. Only the first
// time they may begin with something else.
func (m *Mender) Add(messages []Message) []Message {
	if m.used == nil {
		m.used = make(map[string]bool, len(messages)/2)
	}
	m.out = make([]Message, 0, len(messages))
	for len(messages) > 0 {
		n := 1
		for n < len(messages) && messages[n].Role != Assistant {
			n++
		}
		m.round(messages[:n])
		messages = messages[n:]
	}
	return m.out
}

// What stands for something that cannot be sent.
const (
	notRun    = "Interrupted before it ran: nothing was done."
	noImage   = "(an image that this model cannot take was left out)"
	goneImage = "(an image that is no longer there was left out)"
	cutBefore = "The conversation before this is not shown."
)

// round mends an answer and what follows it up to the next answer.
func (m *Mender) round(messages []Message) {
	m.results, m.owners = m.results[:0], m.owners[:0]
	rest := messages
	if messages[0].Role == Assistant {
		rest = messages[1:]
		for _, msg := range rest {
			for _, p := range msg.Parts {
				if r, ok := p.(ToolResult); ok && msg.Role == ToolRole {
					m.results, m.owners = append(m.results, r), append(m.owners, msg)
				}
			}
		}
		m.answer(messages[0])
	}
	for _, msg := range rest {
		if msg.Role == User {
			m.put(msg, m.content(msg.Parts))
		}
	}
}

func (m *Mender) put(msg Message, parts Parts) {
	if len(parts) == 0 {
		return
	}
	if msg.Role == Assistant && !m.begun {
		m.out = append(m.out, NewText(User, Note, cutBefore))
	}
	m.begun = true
	msg.Parts = parts
	m.out = append(m.out, msg)
}

func (m *Mender) answer(msg Message) {
	if msg.Stop == StopRefusal || msg.Stop == StopFilter {
		return
	}
	own := m.made(msg.Model)
	parts := make(Parts, 0, len(msg.Parts))
	said := false // something besides thinking
	var answers []Message
	for _, part := range msg.Parts {
		switch p := part.(type) {
		case Thinking:
			if own && (p.Text != "" || p.Signature != "" || len(p.Raw) > 0) {
				parts = append(parts, part)
			}
		case Text:
			if strings.TrimSpace(p.Text) != "" {
				parts, said = append(parts, part), true
			}
		case ToolCall:
			r, owner := m.result(p)
			if !own {
				p.Signature = ""
			}
			p.ID, p.Args, p.Malformed = m.id(p.ID), object(p.Args), ""
			if p.Name == "" {
				p.Name = "unknown"
			}
			r.Call, r.Name = p.ID, p.Name
			if r.Parts = m.content(r.Parts); len(r.Parts) == 0 {
				r.Parts = Parts{Text{Text: "(" + p.Name + " completed with no output)"}}
			}
			owner.Parts = Parts{r}
			parts, said = append(parts, p), true
			answers = append(answers, owner)
		}
	}
	if !said {
		return
	}
	m.put(msg, parts)
	m.out = append(m.out, answers...)
}

// result takes the call's first result out of the list, or makes one up.
func (m *Mender) result(call ToolCall) (ToolResult, Message) {
	for i, r := range m.results {
		if m.owners[i].Role == ToolRole && r.Call == call.ID {
			owner := m.owners[i]
			m.owners[i].Role = ""
			return r, owner
		}
	}
	return ToolResult{Parts: Parts{Text{Text: notRun}}, Error: true}, Message{Role: ToolRole, Kind: Resulted}
}

// content is what may stand in a user's message or a result.
func (m *Mender) content(parts Parts) Parts {
	out := make(Parts, 0, len(parts))
	for _, part := range parts {
		switch p := part.(type) {
		case Text:
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, part)
			}
		case Image:
			switch {
			case !m.To.Images:
				out = append(out, Text{Text: noImage})
			case len(p.Data) == 0:
				out = append(out, Text{Text: goneImage})
			default:
				out = append(out, part)
			}
		}
	}
	return out
}

// id gives the call an id that no earlier call has. It looks back only, so
// that an id never depends on what comes later.
func (m *Mender) id(id string) string {
	base := id
	if base == "" {
		base = "call"
	}
	for n := 1; id == "" || m.used[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	m.used[id] = true
	return id
}

// made says whether the model asked next is the one that made the message.
// Signatures are bound to a model, so its dated names count as one and
// nothing else does.
func (m *Mender) made(model string) bool {
	provider, name, _ := strings.Cut(model, "/")
	return provider == m.To.Provider && undated(name) == undated(m.To.Name)
}

// undated takes "-latest", "-20250929", "@20250929" or "-2025-08-07" off.
func undated(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), "-latest")
	for _, n := range []int{len("-20250929"), len("-2025-08-07")} {
		at := len(name) - n
		if at > 0 && strings.ContainsRune("-@", rune(name[at])) && strings.Trim(name[at+1:], "0123456789-") == "" {
			return name[:at]
		}
	}
	return name
}

// object is args if it is a JSON object, else the empty object.
func object(args json.RawMessage) json.RawMessage {
	if t := bytes.TrimSpace(args); len(t) > 0 && t[0] == '{' && jsonscan.Valid(t) {
		return args
	}
	return json.RawMessage("{}")
}
