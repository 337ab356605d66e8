package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxDepth bounds the nesting of a settings file, so that a hostile one cannot
// exhaust the stack of the parser.
const maxDepth = 100

// FileError says what is wrong with a settings file, and where.
type FileError struct {
	Path         string
	Line, Column int // from 1, in characters; 0 when the fault has no place
	What         string
	Err          error // what the system said, if it did
}

func (e *FileError) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
	}
	if e.Line > 0 {
		return where + ": " + e.What + "; correct it or move the file away (it was left as it is)"
	}
	return where + ": " + e.What
}

// Unwrap gives what the system said.
func (e *FileError) Unwrap() error { return e.Err }

// node is a parsed value that knows where it stood.
type node struct {
	kind    hujson.Kind // '{', '[', or that of a literal
	literal []byte      // of a literal, JSON
	members []member    // of an object, in order
	items   []*node     // of an array
	from    Origin
	column  int
}

type member struct {
	name  string
	value *node
}

func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set puts value under name, in place of what was there.
func (n *node) set(name string, value *node) {
	for i := range n.members {
		if n.members[i].name == name {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{name, value})
}

func (n *node) remove(name string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.name == name })
}

// text is the value of a string, else "".
func (n *node) text() string {
	var s string
	if n != nil && n.kind == '"' {
		_ = json.Unmarshal(n.literal, &s)
	}
	return s
}

// write appends the value as compact JSON.
func (n *node) write(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, hujson.String(m.name)...), ':')
			b = m.value.write(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.write(b)
		}
		return append(b, ']')
	}
	return append(b, n.literal...)
}

// parse reads JSON with comments and trailing commas. A blank file is an empty
// object. The value at the top must be an object, and no key may stand twice.
func parse(content []byte, from Origin) (*node, error) {
	v, body, err := syntax(content, from.File)
	if err != nil {
		return nil, err
	}
	c := converter{body: body, from: from}
	n := c.node(v)
	return n, c.err
}

// syntax parses content without its byte order mark and returns the text that
// the offsets of the value belong to; it may have one newline more at its end.
func syntax(content []byte, path string) (hujson.Value, []byte, error) {
	body := bytes.TrimPrefix(content, []byte("\ufeff"))
	fault := func(offset int, format string, args ...any) (hujson.Value, []byte, error) {
		line, column := position(body, offset)
		return hujson.Value{}, nil, &FileError{Path: path, Line: line, Column: column, What: fmt.Sprintf(format, args...)}
	}
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return fault(0, "the file is UTF-16; save it as UTF-8")
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return fault(i, "this byte is not UTF-8; save the file as UTF-8")
		}
		i += size
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = append(bytes.Clone(body), "{}"...)
	}
	if body[len(body)-1] != '\n' { // so that a comment may end the file
		body = append(bytes.Clone(body), '\n')
	}
	if at := tooDeep(body); at >= 0 {
		return fault(at, "nested more than %d levels deep", maxDepth)
	}
	v, err := hujson.Parse(body)
	if err != nil {
		line, column, what := plainWords(body, err)
		return v, nil, &FileError{Path: path, Line: line, Column: column, What: what}
	}
	if v.Value.Kind() != '{' {
		return fault(v.StartOffset, "settings are an object: { \"key\": value }, but %s stands here", cut(string(body[v.StartOffset:v.EndOffset])))
	}
	return v, body, nil
}

// position turns an offset into line and column, both from 1; a column is a
// character.
func position(body []byte, offset int) (line, column int) {
	before := body[:min(offset, len(body))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// tooDeep is the offset at which the nesting passes maxDepth, or -1.
func tooDeep(body []byte) int {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(body, i)
		}
	}
	return -1
}

// skipComment is the offset of the last byte of the comment that begins at i,
// or i when none does.
func skipComment(body []byte, i int) int {
	end := ""
	switch {
	case bytes.HasPrefix(body[i:], []byte("//")):
		end = "\n"
	case bytes.HasPrefix(body[i:], []byte("/*")):
		end = "*/"
	default:
		return i
	}
	n := bytes.Index(body[i+2:], []byte(end))
	if n < 0 {
		return len(body) - 1
	}
	return i + 2 + n + len(end) - 1
}

// plainWords turns the parser's error into a place and a sentence.
func plainWords(body []byte, err error) (line, column int, what string) {
	var byteColumn int
	what = err.Error()
	if _, scanErr := fmt.Sscanf(what, "hujson: line %d, column %d:", &line, &byteColumn); scanErr != nil {
		return 0, 0, what
	}
	lines := bytes.SplitAfterN(body, []byte("\n"), line+1)
	at := body[len(body):]
	if line <= len(lines) && byteColumn-1 <= len(lines[line-1]) {
		column = utf8.RuneCount(lines[line-1][:byteColumn-1]) + 1
		at = bytes.Join(lines[line-1:], nil)[byteColumn-1:]
	}
	_, what, _ = strings.Cut(what[len("hujson: "):], ": ")
	char := "the end of the file"
	if r, _ := utf8.DecodeRune(at); len(bytes.TrimSpace(at)) > 0 {
		char = show(string(r))
	}
	switch {
	case strings.Contains(what, "after object value"):
		what = `a comma (or "}") is missing before ` + char
	case strings.Contains(what, "after array value"):
		what = `a comma (or "]") is missing before ` + char
	case char == "'":
		what = "single quotes do not count; use double quotes"
	case strings.Contains(what, "at start of object name"):
		what = "a key in double quotes should stand here, not " + char
	case strings.Contains(what, "after object name"):
		what = `a ":" is missing after the key, before ` + char
	case strings.Contains(what, "at start of value"):
		what = "a value is missing before " + char
	case strings.Contains(what, "after top-level value"):
		what = "nothing may follow the closing \"}\", but here stands " + char
	case strings.Contains(what, "invalid literal: \""):
		what = "this text has a wrong escape (write \\\\ for a backslash), or its closing quote is missing"
	case strings.Contains(what, "invalid literal: "):
		_, word, _ := strings.Cut(what, "invalid literal: ")
		if after := bytes.TrimLeft(bytes.TrimPrefix(at, []byte(word)), " \t"); bytes.HasPrefix(after, []byte(":")) {
			what = "a key needs double quotes: \"" + cut(word) + "\""
			break
		}
		what = cut(word) + " is no value; text needs double quotes, the only words are true, false and null"
	case strings.Contains(what, "parsing string"):
		what = "the file ends inside a text; its closing quote is missing"
	case strings.Contains(what, "parsing comment"):
		what = `a comment is not closed; "*/" is missing`
	case strings.Contains(what, "unexpected EOF"):
		what = `the file ends too early; a closing "}" or "]" is missing`
	}
	return line, column, what
}

// show makes text safe and visible in a message: quoted when it holds
// anything but ordinary characters.
func show(s string) string {
	plain := func(r rune) bool { return r != '"' && r != utf8.RuneError && unicode.IsGraphic(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) >= 0 {
		return strconv.Quote(s)
	}
	return s
}

// cut is show for what may be long.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return show(string(r[:40])) + "…"
	}
	return show(s)
}

// converter turns the parser's values into nodes.
type converter struct {
	body   []byte
	from   Origin
	line   int // of the value read last
	offset int // where that line begins
	err    error
}

// place is [position] for offsets that only grow, in one pass over the text.
func (c *converter) place(offset int) (line, column int) {
	for {
		n := bytes.IndexByte(c.body[c.offset:offset], '\n')
		if n < 0 {
			return c.line + 1, utf8.RuneCount(c.body[c.offset:offset]) + 1
		}
		c.line, c.offset = c.line+1, c.offset+n+1
	}
}

func (c *converter) node(v hujson.Value) *node {
	n := &node{kind: v.Value.Kind(), from: c.from}
	n.from.Line, n.column = c.place(v.StartOffset)
	switch value := v.Value.(type) {
	case *hujson.Object:
		seen := map[string]int{}
		for _, m := range value.Members {
			name := m.Name.Value.(hujson.Literal).String()
			line, column := c.place(m.Name.StartOffset)
			if first := seen[name]; first > 0 && c.err == nil {
				c.err = &FileError{
					Path: c.from.File, Line: line, Column: column,
					What: fmt.Sprintf("the key %s stands twice in one object, first on line %d", cut(name), first),
				}
			}
			seen[name] = line
			n.members = append(n.members, member{name, c.node(m.Value)})
		}
	case *hujson.Array:
		for _, item := range value.Elements {
			n.items = append(n.items, c.node(item))
		}
	case hujson.Literal:
		n.literal = value
	}
	return n
}
