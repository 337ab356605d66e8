package session

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// decodeLine is [event.Decode], some ten times as fast for a message whose
// line has the shape that [event.Encode] gives it. Nothing in the record
// points into the line.
func decodeLine(line []byte) (event.Record, error) {
	env, ok := scanEnvelope(line)
	if !ok || string(env.typ) != "message" {
		return event.Decode(line)
	}
	s := scan{line: line, at: env.body}
	m := s.message()
	var err error
	m.ID = string(env.id)
	m.Time, err = time.Parse(time.RFC3339, string(env.time))
	if s.failed || s.at != len(line) || err != nil {
		return event.Decode(line)
	}
	return event.Record{Head: env.head(), Type: "message", Event: event.Message{Message: m}}, nil
}

func (s *scan) message() (m llm.Message) {
	m.Role = roleOf(s.word(`,"role":"`))
	m.Kind = kindOf(s.word(`,"kind":"`))
	m.Parts = s.parts(`,"parts":[`)
	m.Model = s.optional(`,"model":"`)
	m.Stop = llm.Stop(s.optional(`,"stop":"`))
	if bytes.HasPrefix(s.line[s.at:], []byte(`,"estimate":`)) {
		m.Estimate = s.number(`,"estimate":`)
	}
	if s.skip(`,"usage":`) {
		m.Usage = new(llm.Usage)
		s.object(m.Usage)
	}
	s.must(`}`)
	return m
}

func roleOf(b []byte) llm.Role {
	for _, r := range [...]llm.Role{llm.User, llm.Assistant, llm.ToolRole} {
		if string(b) == string(r) {
			return r
		}
	}
	return llm.Role(b)
}

func (s *scan) parts(literal string) llm.Parts {
	s.must(literal)
	ps := llm.Parts{}
	for !s.failed && !s.skip(`]`) {
		if len(ps) > 0 {
			s.must(`,`)
		}
		ps = append(ps, s.part())
	}
	return ps
}

func (s *scan) part() llm.Part {
	switch {
	case s.skip(`{"type":"text"`):
		p := llm.Text{Text: s.str(`,"text":"`)}
		s.must(`}`)
		return p
	case s.skip(`{"type":"tool_call"`):
		p := llm.ToolCall{ID: s.str(`,"id":"`), Name: s.str(`,"name":"`), Args: s.raw(`,"args":`)}
		p.Malformed = s.optional(`,"malformed":"`)
		p.Wire = s.optional(`,"wire":"`)
		p.Signature = s.optional(`,"signature":"`)
		s.must(`}`)
		return p
	case s.skip(`{"type":"tool_result"`):
		p := llm.ToolResult{Call: s.str(`,"call":"`), Name: s.str(`,"name":"`)}
		p.Parts = s.parts(`,"parts":[`)
		p.Error = s.skip(`,"error":true`)
		if s.skip(`,"meta":`) {
			s.object(&p.Meta)
		}
		s.must(`}`)
		return p
	case s.skip(`{"type":"thinking"`):
		p := llm.Thinking{Text: s.optional(`,"text":"`), Signature: s.optional(`,"signature":"`), Raw: verbatim(s.optional(`,"raw":"`))}
		s.must(`}`)
		return p
	case s.skip(`{"type":"image"`):
		p := llm.Image{Media: s.str(`,"media":"`), SHA256: s.str(`,"sha256":"`)}
		s.must(`}`)
		return p
	}
	s.failed = true
	return nil
}

func (s *scan) must(literal string) {
	if !s.skip(literal) {
		s.failed = true
	}
}

// str is the string after the literal.
func (s *scan) str(literal string) string {
	token := s.text(literal)
	if s.failed {
		return ""
	}
	text, ok := unescape(token)
	s.failed = !ok
	return text
}

// optional is the string after the literal, if that is there.
func (s *scan) optional(literal string) string {
	if s.failed || !bytes.HasPrefix(s.line[s.at:], []byte(literal)) {
		return ""
	}
	return s.str(literal)
}

// verbatim is nil for "", as the encoder leaves it out.
func verbatim(s string) llm.Verbatim {
	if s == "" {
		return nil
	}
	return llm.Verbatim(s)
}

// raw is a copy of the object or array after the literal, if that is there.
func (s *scan) raw(literal string) json.RawMessage {
	if !s.skip(literal) {
		return nil
	}
	value := s.value()
	if s.failed || !json.Valid(value) {
		s.failed = true
		return nil
	}
	return bytes.Clone(value)
}

// object parses the object that comes next.
func (s *scan) object(v any) {
	value := s.value()
	s.failed = s.failed || json.Unmarshal(value, v) != nil
}

// value steps over an object or array.
func (s *scan) value() []byte {
	from, depth := s.at, 0
	for ; !s.failed && s.at < len(s.line); s.at++ {
		switch s.line[s.at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.at++
				return s.line[from:s.at]
			}
		case '"':
			s.text(`"`)
			s.at--
		}
		if depth == 0 {
			break
		}
	}
	s.failed = true
	return nil
}

// unescape is the text of a JSON string, given without its quotes; false when
// it is not as the encoder writes them.
func unescape(b []byte) (string, bool) {
	next := bytes.IndexByte(b, '\\')
	if next < 0 {
		return string(b), utf8.Valid(b)
	}
	if !utf8.Valid(b) {
		return "", false
	}
	out := make([]byte, 0, len(b))
	for next >= 0 {
		out = append(out, b[:next]...)
		if b = b[next+1:]; len(b) == 0 {
			return "", false
		}
		c := b[0]
		b = b[1:]
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hex4(b)
			if !ok {
				return "", false
			}
			b = b[4:]
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
					low, _ = hex4(b[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					b = b[6:]
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", false
		}
		next = bytes.IndexByte(b, '\\')
	}
	return string(append(out, b...)), true
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return utf8.RuneError, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return utf8.RuneError, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
