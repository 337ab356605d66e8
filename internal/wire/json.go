package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/jsonscan"
	"github.com/minicode-go/minicode/llm"
)

// Object is JSON that is being written, key by key, so that its bytes are the
// same every time. The zero value is an object without members, or a list
// without its brackets. Whatever is nested goes straight into its place:
// requests are megabytes, and nothing in them is copied more often than need
// be.
//
//	o = o.Str("role", "user").List("content")
//	o = o.Item().Str("type", "text").Str("text", "hi").Close()
//	body := o.EndList().Close()
type Object []byte

// next makes room for a value of about n bytes, and puts the comma before it.
func (o Object) next(n int) Object {
	o = slices.Grow(o, n+8)
	if end := len(o) - 1; end >= 0 && o[end] != '{' && o[end] != '[' {
		o = append(o, ',')
	}
	return o
}

// key begins a member whose value has about n bytes.
func (o Object) key(k string, n int) Object {
	if len(o) == 0 {
		o = append(o, '{')
	}
	return append(AppendString(o.next(len(k)+n), k), ':')
}

// Str adds a string.
func (o Object) Str(k, v string) Object { return AppendString(o.key(k, len(v)+len(v)/16), v) }

// Int adds a number.
func (o Object) Int(k string, v int) Object { return strconv.AppendInt(o.key(k, 20), int64(v), 10) }

// Bool adds a truth value.
func (o Object) Bool(k string, v bool) Object { return strconv.AppendBool(o.key(k, 5), v) }

// Raw adds a value that is JSON already.
func (o Object) Raw(k, v string) Object { return append(o.key(k, len(v)), v...) }

// Args adds a call's arguments, as [AppendArgs] writes them.
func (o Object) Args(k string, v json.RawMessage) Object { return AppendArgs(o.key(k, len(v)), v) }

// Base64 adds the data as a string, after a prefix.
func (o Object) Base64(k, prefix string, data []byte) Object {
	o = append(o.key(k, len(prefix)+len(data)*4/3+4), '"')
	return append(base64.StdEncoding.AppendEncode(append(o, prefix...), data), '"')
}

// Open begins a member that is an object, which [Object.Close] ends.
func (o Object) Open(k string) Object { return append(o.key(k, 0), '{') }

// List begins a member that is a list, which [Object.EndList] ends.
func (o Object) List(k string) Object { return append(o.key(k, 0), '[') }

// Item begins an object in a list, which [Object.Close] ends.
func (o Object) Item() Object { return append(o.next(0), '{') }

// RawItem adds an element that is JSON already.
func (o Object) RawItem(v []byte) Object { return append(o.next(len(v)), v...) }

// Close ends an object.
func (o Object) Close() Object {
	if len(o) == 0 {
		o = append(o, '{')
	}
	return append(o, '}')
}

// EndList ends a list.
func (o Object) EndList() Object { return append(o, ']') }

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD; nothing is escaped that need not be.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	dst = append(dst, '"')
	for from := 0; ; {
		at := jsonscan.Plain(s, from)
		dst = append(dst, s[from:at]...)
		if at == len(s) {
			return append(dst, '"')
		}
		switch c := s[at]; c {
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
		from = at + 1
	}
}

// AppendArgs appends a call's arguments, which must be JSON, in the one form
// that they have whether they came from the provider or from a session file:
// without blanks between values and without the escapes that encoding/json
// adds for HTML. The escape of half a surrogate pair becomes that of U+FFFD:
// providers refuse a request with one in it, even where it is their own.
func AppendArgs(dst []byte, args json.RawMessage) []byte {
	from, inside := 0, false
	for i := 0; i < len(args); i++ {
		if inside {
			if i = jsonscan.Plain([]byte(args), i); i == len(args) {
				break
			}
		}
		switch c := args[i]; {
		case c == '"':
			inside = !inside
		case !inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			dst = append(dst, args[from:i]...)
			from = i + 1
		case c == '\\':
			char, n := htmlEscape(args[i:]), 6
			if char == "" {
				char, n = surrogate(args[i:])
			}
			if char != "" {
				dst = append(append(dst, args[from:i]...), char...)
				from = i + n
			}
			if n > 0 {
				i += n - 2
			}
			i++ // what is escaped begins and ends nothing
		}
	}
	return append(dst, args[from:]...)
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

// surrogate looks at an escape: one of half a pair is to be replaced by char.
// n is how many bytes it has, and 0 for an escape of another kind.
func surrogate(s []byte) (char string, n int) {
	first, ok := unit(s)
	if !ok || !utf16.IsSurrogate(first) {
		return "", 0
	}
	if second, ok := unit(s[6:]); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
		return "", 12
	}
	return `\ufffd`, 6
}

// unit reads an escape such as \u00e9.
func unit(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
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
