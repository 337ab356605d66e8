package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/minicode-go/minicode/llm"
)

// Object is a JSON object that is being written, key by key, so that its
// bytes are the same every time. The zero value is an empty one.
type Object []byte

// key begins a member whose value has about n bytes.
func (o Object) key(k string, n int) Object {
	o = slices.Grow(o, len(k)+n+8)
	if len(o) == 0 {
		o = append(o, '{')
	} else {
		o = append(o, ',')
	}
	o = AppendString(o, k)
	return append(o, ':')
}

// Str adds a string.
func (o Object) Str(k, v string) Object { return AppendString(o.key(k, len(v)+len(v)/16), v) }

// Int adds a number.
func (o Object) Int(k string, v int) Object { return strconv.AppendInt(o.key(k, 20), int64(v), 10) }

// Bool adds a truth value.
func (o Object) Bool(k string, v bool) Object { return strconv.AppendBool(o.key(k, 5), v) }

// Raw adds a value that is JSON already.
func (o Object) Raw(k string, v []byte) Object { return append(o.key(k, len(v)), v...) }

// End closes the object.
func (o Object) End() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return append(o, '}')
}

// Array is the JSON array of the values, which are JSON already.
func Array(values ...[]byte) []byte {
	n := 2
	for _, v := range values {
		n += len(v) + 1
	}
	return AppendArray(make([]byte, 0, n), values...)
}

// AppendArray appends what [Array] is.
func AppendArray(dst []byte, values ...[]byte) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD; nothing is escaped that need not be.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// AppendArgs appends a call's arguments in the one form that they have
// whether they came from the provider or from a session file: without blanks
// between values and without the escapes that encoding/json adds for HTML.
func AppendArgs(dst []byte, args json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, args) != nil {
		return append(dst, "{}"...)
	}
	s := b.Bytes()
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if char := htmlEscape(s[i:]); char != "" {
			dst = append(append(dst, s[from:i]...), char...)
			from = i + 6
			i += 5
			continue
		}
		i++ // an escaped backslash begins nothing
	}
	return append(dst, s[from:]...)
}

func htmlEscape(s []byte) string {
	if len(s) < 6 {
		return ""
	}
	switch string(s[:6]) {
	case `\u003c`:
		return "<"
	case `\u003e`:
		return ">"
	case `\u0026`:
		return "&"
	case `\u2028`:
		return "\u2028"
	case `\u2029`:
		return "\u2029"
	}
	return ""
}

// Said is what a user's message says to the model: its parts, with the text
// of a note in note tags.
func Said(m llm.Message) llm.Parts {
	if m.Kind != llm.Note {
		return m.Parts
	}
	out := llm.Parts{llm.Text{Text: "<note>\n" + m.Text() + "\n</note>"}}
	for _, p := range m.Parts {
		if _, ok := p.(llm.Text); !ok {
			out = append(out, p)
		}
	}
	return out
}

// Call is a call as it came. Nothing counts as the empty object; what is not
// a JSON object is kept as malformed.
func Call(id, name, args string) llm.ToolCall {
	call := llm.ToolCall{ID: id, Name: name}
	t := bytes.TrimSpace([]byte(args))
	switch {
	case len(t) == 0 || string(t) == "null":
		call.Args = json.RawMessage("{}")
	case t[0] == '{' && json.Valid(t):
		call.Args = t
	default:
		call.Malformed = args
	}
	return call
}

// Broken says whether err of [json.Unmarshal] means that the text is not JSON.
// A member of an unexpected type is no reason to lose an answer.
func Broken(err error) bool {
	var mismatch *json.UnmarshalTypeError
	return err != nil && !errors.As(err, &mismatch)
}
