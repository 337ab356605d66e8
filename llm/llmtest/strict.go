package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fault is one thing that a provider refuses a request for.
type fault struct {
	path string // "" for the request as a whole
	text string
	code string // the provider's own word for it, where it has one
}

// String is the fault as the Messages API words it.
func (f fault) String() string {
	if f.path == "" {
		return f.text
	}
	return f.path + ": " + f.text
}

// checker collects the faults of one request. Its methods take the path and
// value of one place and give back what is usable of it.
type checker struct {
	brackets bool // paths as messages[0].content, else as messages.0.content
	faults   []fault
}

func (c *checker) bad(path, format string, args ...any) {
	c.faults = append(c.faults, fault{path: path, text: fmt.Sprintf(format, args...)})
}

// index is the path of an array's element.
func (c *checker) index(path string, i int) string {
	if c.brackets {
		return path + "[" + strconv.Itoa(i) + "]"
	}
	return path + "." + strconv.Itoa(i)
}

func dot(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// object takes an object that has no fields but these, and those that end in
// "!" for certain. A field "*" allows any.
func (c *checker) object(path string, v any, fields string) (map[string]any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		c.bad(path, "Input should be a valid dictionary")
		return nil, false
	}
	known := map[string]bool{}
	for f := range strings.FieldsSeq(fields) {
		name, required := strings.CutSuffix(f, "!")
		known[name] = true
		if _, there := m[name]; required && !there {
			c.bad(dot(path, name), "Field required")
			ok = false
		}
	}
	for _, k := range sortedKeys(m) {
		if !known[k] && !known["*"] {
			c.extra(path, k)
			ok = false
		}
	}
	return m, ok
}

func (c *checker) extra(path, key string) {
	switch {
	case !c.brackets:
		c.bad(dot(path, key), "Extra inputs are not permitted")
	case path == "":
		c.bad("", "Unrecognized request argument supplied: %s", key)
	default:
		c.faults = append(c.faults, fault{dot(path, key), fmt.Sprintf("Unknown parameter: '%s'.", dot(path, key)), "unknown_parameter"})
	}
}

// list takes an array; where the field is not there it is empty.
func (c *checker) list(path string, m map[string]any, key string) []any {
	v, there := m[key]
	if !there {
		return nil
	}
	l, ok := v.([]any)
	if !ok {
		c.bad(dot(path, key), "Input should be a valid list")
	}
	return l
}

// text takes a string; where the field is not there it is empty.
func (c *checker) text(path string, m map[string]any, key string) string {
	v, there := m[key]
	if !there {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		c.bad(dot(path, key), "Input should be a valid string")
	}
	return s
}

// word takes a string that is one of these.
func (c *checker) word(path string, m map[string]any, key, words string) string {
	s := c.text(path, m, key)
	if _, there := m[key]; there && !contains(words, s) {
		c.bad(dot(path, key), "Input should be one of %s, not %q", words, s)
	}
	return s
}

func contains(words, s string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == s {
			return true
		}
	}
	return false
}

// whole takes an integer that is not below least; where the field is not
// there it is 0.
func (c *checker) whole(path string, m map[string]any, key string, least int) int {
	v, there := m[key]
	if !there {
		return 0
	}
	n, err := strconv.Atoi(fmt.Sprint(v))
	if _, ok := v.(json.Number); !ok || err != nil {
		c.bad(dot(path, key), "Input should be a valid integer")
		return 0
	}
	if n < least {
		c.bad(dot(path, key), "Input should be greater than or equal to %d", least)
	}
	return n
}

// number takes a number between these.
func (c *checker) number(path string, m map[string]any, key string, least, most float64) {
	v, there := m[key]
	if !there {
		return
	}
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil || math.IsNaN(f) || f < least || f > most {
		c.bad(dot(path, key), "Input should be a number from %g to %g", least, most)
	}
}

// flag takes a boolean.
func (c *checker) flag(path string, m map[string]any, key string) bool {
	v, there := m[key]
	b, ok := v.(bool)
	if there && !ok {
		c.bad(dot(path, key), "Input should be a valid boolean")
	}
	return b
}

// decodeBody reads a body as strictly as the providers do: one JSON value, in
// UTF-8, without lone surrogates.
func decodeBody(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not UTF-8")
	}
	if err := loneSurrogate(body); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the JSON value")
	}
	return v, nil
}

// loneSurrogate finds an escaped half of a surrogate pair in JSON text.
func loneSurrogate(body []byte) error {
	for i := 0; i+1 < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		high := escaped(body[i:])
		switch {
		case high >= 0xdc00 && high < 0xe000:
			return fmt.Errorf("no high surrogate in string at byte %d", i)
		case high >= 0xd800 && high < 0xdc00:
			if low := escaped(body[i+6:]); low < 0xdc00 || low >= 0xe000 {
				return fmt.Errorf("no low surrogate in string at byte %d", i)
			}
			i += 11
		default:
			i++
		}
	}
	return nil
}

// escaped is the value of a \uXXXX at the beginning, or 0.
func escaped(b []byte) uint64 {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	if err != nil {
		return 0
	}
	return n
}

// isName says whether the text is letters, digits, "_" and "-", 1 to most of
// them.
func isName(s string, most int) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// image takes a picture as base64 text and says what is wrong with it.
func image(media, data string) string {
	if !contains("image/jpeg image/png image/gif image/webp", media) {
		return fmt.Sprintf("Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp', not %q", media)
	}
	if len(data) > 5<<20 {
		return fmt.Sprintf("image exceeds 5 MB maximum: %d bytes > %d bytes", len(data), 5<<20)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(raw) == 0 {
		return "invalid base64 data"
	}
	if is := http.DetectContentType(raw); is != media {
		return fmt.Sprintf("Image does not match the provided media type %s: it is %s", media, is)
	}
	return ""
}

// schema takes the schema of a tool's arguments, an object at its top.
func (c *checker) schema(path string, v any) {
	m, ok := v.(map[string]any)
	if !ok || m["type"] != "object" {
		c.bad(path, `the schema must be an object with "type": "object"`)
		return
	}
	for _, k := range []string{"oneOf", "anyOf", "allOf"} {
		if _, there := m[k]; there {
			c.bad(path, "input_schema does not support oneOf, allOf, or anyOf at the top level")
		}
	}
	c.subschema(path, v)
}

func (c *checker) subschema(path string, v any) {
	if _, ok := v.(bool); ok {
		return
	}
	m, ok := v.(map[string]any)
	if !ok {
		c.bad(path, "a schema must be an object or a boolean")
		return
	}
	if m["type"] == "array" && m["items"] == nil && c.brackets {
		c.bad(path, "array schema missing items")
	}
	if p, there := m["properties"]; there {
		properties, ok := p.(map[string]any)
		if !ok {
			c.bad(path+".properties", "must be an object")
		}
		for _, k := range sortedKeys(properties) {
			if !isName(strings.ReplaceAll(k, ".", "_"), 64) {
				c.bad(path+".properties", "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$': %q", k)
			}
			c.subschema(path+".properties."+k, properties[k])
		}
	}
	if items, there := m["items"]; there {
		c.subschema(path+".items", items)
	}
	if r, there := m["required"]; there {
		list, ok := r.([]any)
		if !ok {
			c.bad(path+".required", "must be an array")
		}
		for _, name := range list {
			if _, ok := name.(string); !ok {
				c.bad(path+".required", "must hold strings only")
			}
		}
	}
}
