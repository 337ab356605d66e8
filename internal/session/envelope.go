package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
)

// envelope is the first seven keys of a line, found without parsing the rest.
// The values are as written, without their quotes.
type envelope struct {
	typ, id, parent, time, session, cwd []byte
	turn                                int
	body                                int // where the event's own fields begin: a comma, or the closing brace
}

// scanEnvelope reads the envelope of a line whose keys stand in the order of
// the format. ok is false for every other line, which may still be a record.
func scanEnvelope(line []byte) (e envelope, ok bool) {
	s := scan{line: line}
	e.typ = s.word(`{"type":"`)
	e.id = s.word(`,"id":"`)
	if !s.skip(`,"parent":null`) {
		e.parent = s.word(`,"parent":"`)
	}
	e.turn = s.number(`,"turn":`)
	e.time = s.word(`,"time":"`)
	e.session = s.word(`,"session":"`)
	e.cwd = s.text(`,"cwd":"`)
	e.body = s.at
	if s.failed || s.at >= len(line) || len(e.typ) == 0 || len(e.id) == 0 {
		return envelope{}, false
	}
	return e, line[s.at] == ',' || line[s.at] == '}'
}

// when is the record's time, zero when it cannot be read.
func (e envelope) when() time.Time {
	t, _ := time.Parse(time.RFC3339, string(e.time))
	return t
}

// head is the envelope for a caller that wants all of it.
func (e envelope) head() event.Head {
	cwd, ok := unescape(e.cwd)
	if !ok && json.Unmarshal(quoted(e.cwd), &cwd) != nil {
		cwd = string(e.cwd)
	}
	return event.Head{ID: string(e.id), Parent: string(e.parent), Turn: e.turn, Time: e.when(), Session: string(e.session), Cwd: cwd}
}

func quoted(b []byte) []byte { return append(append([]byte{'"'}, b...), '"') }

// scan steps through a line of known shape. After a miss it stays failed.
type scan struct {
	line   []byte
	at     int
	failed bool
}

func (s *scan) skip(literal string) bool {
	if s.failed || len(s.line)-s.at < len(literal) || string(s.line[s.at:s.at+len(literal)]) != literal {
		return false
	}
	s.at += len(literal)
	return true
}

// word is a string of plain characters after the literal: no escapes, no
// blanks, nothing outside ASCII. Ids, types and times are such.
func (s *scan) word(literal string) []byte {
	from := s.begin(literal)
	for ; !s.failed; s.at++ {
		if s.at >= len(s.line) {
			break
		}
		switch c := s.line[s.at]; {
		case c == '"':
			s.at++
			return s.line[from : s.at-1]
		case c <= ' ' || c >= 0x7f || c == '\\':
			s.failed = true
		}
	}
	s.failed = true
	return nil
}

// text is any string after the literal, escapes left as they are.
func (s *scan) text(literal string) []byte {
	from := s.begin(literal)
	for ; !s.failed && s.at < len(s.line); s.at++ {
		switch c := s.line[s.at]; {
		case c == '"':
			s.at++
			return s.line[from : s.at-1]
		case c == '\\':
			s.at++
		case c < ' ':
			s.failed = true
		}
	}
	s.failed = true
	return nil
}

func (s *scan) number(literal string) int {
	from := s.begin(literal)
	n := 0
	for ; !s.failed && s.at < len(s.line) && s.line[s.at] >= '0' && s.line[s.at] <= '9'; s.at++ {
		n = n*10 + int(s.line[s.at]-'0')
	}
	if n := s.at - from; n == 0 || n > 9 || n > 1 && s.line[from] == '0' {
		s.failed = true
	}
	return n
}

func (s *scan) begin(literal string) int {
	if !s.skip(literal) {
		s.failed = true
	}
	return s.at
}

// errEnvelope is given for a line that is no record at all.
var errEnvelope = errors.New("not a record")

// looseEnvelope reads the envelope of a line whose keys may stand in any
// order.
func looseEnvelope(line []byte) (event.Envelope, error) {
	var env event.Envelope
	if err := json.Unmarshal(line, &env); err != nil {
		return env, err
	}
	if env.ID == "" || env.Type == "" {
		return env, errEnvelope
	}
	return env, nil
}

// rewrite is the line with another parent and another session, everything
// else as it was.
func rewrite(line []byte, parent, session string) ([]byte, error) {
	e, ok := scanEnvelope(line)
	if !ok {
		return rewriteLoose(line, parent, session)
	}
	out := make([]byte, 0, len(line)+len(session)+len(parent))
	out = appendEnvelope(out, e, parent, session)
	return append(append(out, line[e.body:]...), '\n'), nil
}

func appendEnvelope(out []byte, e envelope, parent, session string) []byte {
	out = append(append(append(out, `{"type":"`...), e.typ...), `","id":"`...)
	out = append(append(out, e.id...), `","parent":`...)
	if parent == "" {
		out = append(out, "null"...)
	} else {
		out = appendJSON(out, parent)
	}
	out = append(out, `,"turn":`...)
	out = appendJSON(out, e.turn)
	out = append(append(append(out, `,"time":"`...), e.time...), `","session":`...)
	out = appendJSON(out, session)
	return append(append(append(out, `,"cwd":"`...), e.cwd...), '"')
}

func appendJSON(out []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(out, b...)
}

// rewriteLoose puts the envelope of a line in other order in front and keeps
// the other fields as they are.
func rewriteLoose(line []byte, parent, session string) ([]byte, error) {
	env, err := looseEnvelope(line)
	if err != nil {
		return nil, err
	}
	e := envelope{turn: env.Turn, time: []byte(env.Time.UTC().Format("2006-01-02T15:04:05.000Z07:00"))}
	inner := func(s string) []byte { b := appendJSON(nil, s); return b[1 : len(b)-1] }
	e.typ, e.id, e.cwd = inner(env.Type), inner(env.ID), inner(env.Cwd)
	out := appendEnvelope(nil, e, parent, session)
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		switch strings.ToLower(name) { // as the decoder of Go compares them
		case "type", "id", "parent", "turn", "time", "session", "cwd":
			continue
		}
		out = append(out, ',')
		out = append(appendJSON(out, key), ':')
		out = append(out, value...)
	}
	return append(out, '}', '\n'), nil
}
