package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// normal is the fact as it will be read again: text is valid UTF-8, JSON
// values are as the encoder writes them. So a session that was reopened sends
// the same bytes as the one that was not. The slices are its own.
func normal(f event.Fact) event.Fact {
	switch f := f.(type) {
	case event.Opened:
		f.Format = event.Format
		f.Title, f.Mode, f.Model = valid(f.Title), valid(f.Mode), valid(f.Model)
		return f
	case event.Message:
		f.Message = normalMessage(f.Message)
		return f
	case event.Edited:
		f.Edits = slices.Clone(f.Edits)
		for i, e := range f.Edits {
			f.Edits[i].With = slices.Clone(e.With)
			for j, m := range e.With {
				f.Edits[i].With[j] = normalMessage(m)
			}
		}
		f.Error = valid(f.Error)
		return f
	case event.Decided:
		f.Title, f.Reason, f.Preview.Text = valid(f.Title), valid(f.Reason), valid(f.Preview.Text)
		f.Args, _ = normalJSON(f.Args)
		return f
	case event.Changed:
		f.Title, f.Mode, f.Model = valid(f.Title), valid(f.Mode), valid(f.Model)
		return f
	case event.Ended:
		f.Error = valid(f.Error)
		return f
	}
	return f
}

func normalMessage(m llm.Message) llm.Message {
	m.Parts, m.Stale = normalParts(m.Parts), ""
	return m
}

func normalParts(ps llm.Parts) llm.Parts {
	out := make(llm.Parts, 0, len(ps))
	for _, p := range ps {
		switch q := p.(type) {
		case nil:
			continue
		case llm.Text:
			q.Text = valid(q.Text)
			p = q
		case llm.Thinking:
			q.Text = valid(q.Text)
			q.Raw = verbatim(valid(string(q.Raw)))
			p = q
		case llm.ToolCall:
			if args, ok := normalJSON(q.Args); ok {
				q.Args = args
			} else {
				q.Args, q.Malformed = nil, string(q.Args)
			}
			q.Malformed = valid(q.Malformed)
			p = q
		case llm.ToolResult:
			q.Parts = normalParts(q.Parts)
			p = q
		case llm.Image:
			if q.Data != nil {
				q = llm.NewImage(q.Media, q.Data)
			}
			p = q
		}
		out = append(out, p)
	}
	return out
}

// valid is the text with every byte that is not of UTF-8 replaced, as JSON
// would replace it.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// normalJSON is the value as the encoder writes it inside of a line; false
// and nil when it is no JSON.
func normalJSON(raw json.RawMessage) (json.RawMessage, bool) {
	if len(raw) == 0 {
		return nil, true
	}
	b, err := json.Marshal(raw)
	if err != nil {
		return nil, false
	}
	return b, true
}

// encode is the record's line, and the record as the line has it: they differ
// from the one given where keys were redacted.
func encode(r event.Record, redact func([]byte) []byte) ([]byte, event.Record, error) {
	var b bytes.Buffer
	if err := event.Encode(&b, r); err != nil {
		return nil, r, err
	}
	line := b.Bytes()
	if redact == nil {
		return line, r, nil
	}
	env, _ := scanEnvelope(line[:len(line)-1])
	clean := redactStrings(line, env.body, redact)
	if clean == nil {
		return line, r, nil
	}
	read, err := event.Decode(clean)
	if err != nil {
		return nil, r, err
	}
	if m, ok := read.Event.(event.Message); ok {
		reload(m.Parts, r.Event.(event.Message).Parts)
	}
	return clean, read, nil
}

// reload takes the bytes of images, which no line holds, from the parts
// before they were written.
func reload(to, from llm.Parts) {
	for i := range min(len(to), len(from)) {
		switch p := to[i].(type) {
		case llm.Image:
			if q, ok := from[i].(llm.Image); ok && q.SHA256 == p.SHA256 {
				to[i] = q
			}
		case llm.ToolResult:
			if q, ok := from[i].(llm.ToolResult); ok {
				reload(p.Parts, q.Parts)
			}
		}
	}
}

// redactStrings applies redact to every string value of the line from an
// offset on, not to keys and not to the words that name types, kinds and
// roles. It works on the text itself, not on its spelling in JSON. nil means that
// nothing was to be redacted.
func redactStrings(line []byte, from int, redact func([]byte) []byte) []byte {
	var out []byte
	done := 0
	var key []byte
	for i := from; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		end := i + 1
		for plain := true; end < len(line) && (line[end] != '"' || !plain); end++ {
			plain = !plain || line[end] != '\\'
		}
		token := line[i:min(end+1, len(line))]
		if end+1 < len(line) && line[end+1] == ':' {
			key = token
		} else if fixed := redactToken(key, token, redact); fixed != nil {
			out = append(append(out, line[done:i]...), fixed...)
			done = end + 1
		}
		i = end
	}
	if out == nil {
		return nil
	}
	return append(out, line[done:]...)
}

func redactToken(key, token []byte, redact func([]byte) []byte) []byte {
	text := token[1 : len(token)-1]
	switch string(key) {
	case `"type"`, `"kind"`, `"role"`:
		if len(text) <= 16 && len(bytes.Trim(text, "abcdefghijklmnopqrstuvwxyz_")) == 0 {
			return nil
		}
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		var s string
		if json.Unmarshal(token, &s) != nil {
			return nil
		}
		text = []byte(s)
	}
	fixed := redact(bytes.Clone(text))
	if bytes.Equal(fixed, text) {
		return nil
	}
	return appendJSON(nil, string(fixed))
}
