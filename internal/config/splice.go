package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// editor changes single values of a settings text. It never prints the parsed
// tree: it cuts and inserts bytes, so that what it does not mean to change
// cannot change.
type editor struct {
	path string
	bom  bool
	text []byte // without the mark
	root hujson.Value
	eol  string
	unit string // one step of indentation
}

// newEditor reads the text; nil is a file that is not there.
func newEditor(path string, content []byte) (*editor, error) {
	e := &editor{path: path, text: bytes.TrimPrefix(content, []byte("\ufeff")), eol: "\n", unit: "  "}
	e.bom = len(e.text) < len(content)
	if i := bytes.IndexByte(e.text, '\n'); i > 0 && e.text[i-1] == '\r' {
		e.eol = "\r\n"
	}
	if len(bytes.TrimSpace(e.text)) == 0 {
		e.text = []byte("{" + e.eol + "}" + e.eol)
	}
	if err := e.read(); err != nil {
		return nil, err
	}
	if o := e.root.Value.(*hujson.Object); len(o.Members) > 0 {
		if indent := e.indentAt(o.Members[0].Name.StartOffset); indent != "" {
			e.unit = indent
		}
	}
	return e, nil
}

// read parses the text; duplicate keys are an error, since it would be unclear
// which one to change.
func (e *editor) read() error {
	v, body, err := syntax(e.text, e.path)
	if err != nil {
		return err
	}
	c := converter{body: body, from: Origin{File: e.path}}
	c.node(v)
	e.root = v
	return c.err
}

// bytes is the whole file.
func (e *editor) bytes() []byte {
	if e.bom {
		return append([]byte("\ufeff"), e.text...)
	}
	return e.text
}

// find walks keys down from the top. It returns the value at the last key that
// is there, and how many keys led to it.
func (e *editor) find(keys []string) (v hujson.Value, depth int, err error) {
	v = e.root
	for depth < len(keys) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return v, depth, fmt.Errorf("%s: %s is not an object, so %s cannot be set in it", e.path, strings.Join(keys[:depth], "."), cut(keys[depth]))
		}
		m := memberOf(o, keys[depth])
		if m == nil {
			return v, depth, nil
		}
		v, depth = m.Value, depth+1
	}
	return v, depth, nil
}

func memberOf(o *hujson.Object, name string) *hujson.ObjectMember {
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			return &o.Members[i]
		}
	}
	return nil
}

// set puts value under the keys, making the objects on the way.
func (e *editor) set(keys []string, value any) error {
	v, depth, err := e.find(keys)
	if err != nil {
		return err
	}
	if depth == len(keys) {
		body, err := e.format(value, e.indentAt(v.StartOffset), !e.multiline(v))
		if err != nil {
			return err
		}
		return e.splice(v.StartOffset, v.EndOffset, body)
	}
	for i := len(keys) - 1; i > depth; i-- {
		value = map[string]any{keys[i]: value}
	}
	return e.insert(v, hujson.String(keys[depth]), value)
}

// push appends value to the list under the keys unless it is there.
func (e *editor) push(keys []string, value string) error {
	v, depth, err := e.find(keys)
	if err != nil {
		return err
	}
	if depth < len(keys) || v.Value.Kind() == 'n' {
		return e.set(keys, []string{value})
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("%s: %s is not a list, so nothing can be added to it", e.path, strings.Join(keys, "."))
	}
	if indexOf(a, value) >= 0 {
		return nil
	}
	return e.insert(v, nil, value)
}

func indexOf(a *hujson.Array, value string) int {
	for i := range a.Elements {
		if l, ok := a.Elements[i].Value.(hujson.Literal); ok && l.Kind() == '"' && l.String() == value {
			return i
		}
	}
	return -1
}

// remove takes out the setting under the keys; it is no error when there is
// none.
func (e *editor) remove(keys []string) error {
	v, depth, err := e.find(keys[:len(keys)-1])
	if err != nil || depth < len(keys)-1 {
		return nil //nolint:nilerr // what is not an object holds no such key
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	m := memberOf(o, keys[len(keys)-1])
	if m == nil {
		return nil
	}
	return e.cutItem(v, m.Name.StartOffset, m.Value.EndOffset)
}

// pull takes value out of the list under the keys.
func (e *editor) pull(keys []string, value string) error {
	v, depth, err := e.find(keys)
	if err != nil || depth < len(keys) {
		return err
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	i := indexOf(a, value)
	if i < 0 {
		return nil
	}
	return e.cutItem(v, a.Elements[i].StartOffset, a.Elements[i].EndOffset)
}

// insert puts one more item at the end of an object or array.
func (e *editor) insert(container hujson.Value, name []byte, value any) error {
	first, last := -1, -1 // where the first item begins and the last one ends
	switch c := container.Value.(type) {
	case *hujson.Object:
		if n := len(c.Members); n > 0 {
			first, last = c.Members[0].Name.StartOffset, c.Members[n-1].Value.EndOffset
		}
	case *hujson.Array:
		if n := len(c.Elements); n > 0 {
			first, last = c.Elements[0].StartOffset, c.Elements[n-1].EndOffset
		}
	}
	closing := container.EndOffset - 1
	inline := first >= 0 && !e.multiline(container)
	outer := e.indentAt(container.StartOffset)
	indent := outer + e.unit
	if first >= 0 {
		if own, alone := e.lineIndent(first); alone {
			indent = own
		}
	}
	body, err := e.format(value, indent, inline)
	if err != nil {
		return err
	}
	if name != nil {
		colon := ": "
		if inline && !bytes.Contains(e.text[container.StartOffset:closing], []byte(": ")) {
			colon = ":"
		}
		body = append(append(bytes.Clone(name), colon...), body...)
	}
	if first < 0 {
		return e.insertFirst(container, body, indent, outer)
	}
	comma, trailing := last, false
	if at := e.skipBlank(last); e.text[at] == ',' {
		comma, trailing = at+1, true
	}
	at := comma
	lead, tail := " ", ""
	if !inline {
		at = e.endOfItem(comma, closing)
		lead = e.eol + indent
	}
	if trailing {
		tail = ","
	}
	piece := append(append([]byte(lead), body...), tail...)
	if trailing {
		return e.splice(at, at, piece)
	}
	// The comma goes right behind the value, before a comment on its line.
	between := bytes.Clone(e.text[last:at])
	return e.splice(last, at, append(append([]byte(","), between...), piece...))
}

// insertFirst puts an item into an empty container, after its comments.
func (e *editor) insertFirst(container hujson.Value, body []byte, indent, outer string) error {
	closing := container.EndOffset - 1
	inside := e.text[container.StartOffset+1 : closing]
	at := container.StartOffset + 1 + len(bytes.TrimRight(inside, " \t\r\n"))
	piece := append([]byte(e.eol+indent), body...)
	return e.splice(at, closing, append(piece, e.eol+outer...))
}

// endOfItem is where a line may be added after the item that ends (with its
// comma) at i: behind the comments on the same line.
func (e *editor) endOfItem(i, closing int) int {
	end := i
	for i < closing {
		switch c := e.text[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '/':
			next := skipComment(e.text, i) + 1
			if e.text[next-1] == '\n' {
				next--
				if e.text[next-1] == '\r' {
					next--
				}
				return next
			}
			i, end = next, next
		default:
			return end
		}
	}
	return end
}

// cutItem takes out the item between start and end with its comma, the comment
// behind it, and the line if nothing else is left on it.
func (e *editor) cutItem(container hujson.Value, start, end int) error {
	closing := container.EndOffset - 1
	comma := -1 // the one before the item, which goes when the item is the last
	if at := e.skipBlank(end); e.text[at] == ',' {
		end = e.endOfItem(at+1, closing)
	} else {
		comma = e.commaBefore(container, start)
		end = e.endOfItem(end, closing)
	}
	if indent, alone := e.lineIndent(start); alone {
		rest := e.text[end:]
		blank := len(rest) - len(bytes.TrimLeft(rest, " \t\r"))
		if blank < len(rest) && rest[blank] == '\n' {
			start -= len(indent)
			end += blank + 1
		}
	} else if comma >= 0 {
		start = comma + 1 + len(bytes.TrimRight(e.text[comma+1:start], " \t"))
	} else if e.text[start-1] == ' ' && e.text[end] == ' ' {
		end++
	}
	if comma < 0 {
		return e.splice(start, end, nil)
	}
	return e.splice(comma, end, e.text[comma+1:start])
}

// commaBefore is the offset of the comma that stands before the item at start,
// or -1 for the first item.
func (e *editor) commaBefore(container hujson.Value, start int) int {
	prev := -1
	switch c := container.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			if end := c.Members[i].Value.EndOffset; end <= start {
				prev = end
			}
		}
	case *hujson.Array:
		for i := range c.Elements {
			if end := c.Elements[i].EndOffset; end <= start {
				prev = end
			}
		}
	}
	if prev < 0 {
		return -1
	}
	return e.skipBlank(prev)
}

// skipBlank passes over white space and comments.
func (e *editor) skipBlank(i int) int {
	for i < len(e.text) {
		switch e.text[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '/':
			i = skipComment(e.text, i) + 1
		default:
			return i
		}
	}
	return i
}

// indentAt is the white space at the beginning of the line that offset is on.
func (e *editor) indentAt(offset int) string {
	start := bytes.LastIndexByte(e.text[:offset], '\n') + 1
	line := e.text[start:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// lineIndent is that white space, and whether nothing else stands before
// offset on its line.
func (e *editor) lineIndent(offset int) (string, bool) {
	start := bytes.LastIndexByte(e.text[:offset], '\n') + 1
	before := e.text[start:offset]
	return string(before), start > 0 && len(bytes.Trim(before, " \t")) == 0
}

func (e *editor) multiline(v hujson.Value) bool {
	return bytes.IndexByte(e.text[v.StartOffset:v.EndOffset], '\n') >= 0
}

// format writes a value as it is written in this file.
func (e *editor) format(value any, indent string, inline bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if !inline {
		enc.SetIndent(indent, e.unit)
	}
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n"), []byte(e.eol)), nil
}

// splice replaces text[start:end] and reads the whole again.
func (e *editor) splice(start, end int, with []byte) error {
	e.text = append(append(bytes.Clone(e.text[:start]), with...), e.text[end:]...)
	if err := e.read(); err != nil {
		return fmt.Errorf("%s: the change would break the file, so it was not made: %w", e.path, err)
	}
	return nil
}
