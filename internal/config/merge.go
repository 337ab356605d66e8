package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/minicode-go/minicode/internal/nearest"
)

// Layer is a kind of place that settings come from.
type Layer string

// The layers, weakest first.
const (
	LayerDefault     Layer = "default"
	LayerUser        Layer = "user"    // the person's own files
	LayerProject     Layer = "project" // files that may come with a repository
	LayerEnvironment Layer = "environment"
	LayerFlag        Layer = "flag" // flags and the files of --settings
)

// Origin is where one setting came from.
type Origin struct {
	Layer Layer
	File  string // the path of the file, if it was one
	Line  int    // in File, from 1
	Name  string // the flag or the variable, if it was one
}

// String is "default", "path:line", "$VARIABLE" or "--flag".
func (o Origin) String() string {
	switch {
	case o.File != "" && o.Line > 0:
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	case o.File != "":
		return o.File
	case o.Layer == LayerEnvironment:
		return "$" + o.Name
	case o.Name != "":
		return o.Name
	}
	return string(o.Layer)
}

// checker compares a parsed file with the description of the settings.
type checker struct {
	unknown []string // keys that are not known, with line and nearest name
	more    int      // how many besides
	err     error    // the first fault
}

func (c *checker) fault(n *node, path, format string, args ...any) {
	if c.err != nil {
		return
	}
	where := n.from.File
	if where == "" {
		where = n.from.String()
	}
	c.err = &FileError{Path: where, Line: n.from.Line, Column: n.column, What: path + ": " + fmt.Sprintf(format, args...)}
}

// check takes unknown and unset (null) members out of n and notes the faults.
func (c *checker) check(n *node, f *field, path string) {
	if !f.kind.fits(n) {
		c.fault(n, path, "%s should stand here, not %s", f.kind, cut(string(n.write(nil))))
		return
	}
	switch f.kind {
	case object:
		n.members = slices.DeleteFunc(n.members, func(m member) bool {
			sub := f.member(m.name)
			if sub == nil {
				c.strange(m, f, path)
				return true
			}
			if m.value.kind == 'n' {
				return true
			}
			c.check(m.value, sub, dotted(path, m.name))
			return false
		})
	case table:
		n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.value.kind == 'n' })
		for _, m := range n.members {
			c.check(m.value, f.elem, dotted(path, m.name))
		}
	case list:
		for i, item := range n.items {
			c.check(item, f.elem, fmt.Sprintf("%s[%d]", path, i))
		}
	case text:
		if len(f.enum) > 0 && !slices.Contains(f.enum, n.text()) {
			words := slices.DeleteFunc(slices.Clone(f.enum), func(w string) bool { return w == "" })
			c.fault(n, path, "%s is not one of %s", cut(n.text()), strings.Join(words, ", "))
		}
	case integer, number:
		c.number(n, f, path)
	}
}

func (c *checker) number(n *node, f *field, path string) {
	v, err := strconv.ParseFloat(string(n.literal), 64)
	switch {
	case err != nil || math.Abs(v) > 1<<53:
		c.fault(n, path, "the number is too big")
	case f.kind == integer && v != math.Trunc(v):
		c.fault(n, path, "%s should stand here, not %s", f.kind, n.literal)
	case f.min != nil && v < *f.min:
		c.fault(n, path, "must be at least %v", *f.min)
	case f.max != nil && v > *f.max:
		c.fault(n, path, "must be at most %v", *f.max)
	case f.kind == integer:
		n.literal = strconv.AppendInt(nil, int64(v), 10) // 2e5 is a whole number too
	}
}

// fits says that n has the shape that k asks for.
func (k kind) fits(n *node) bool {
	switch k {
	case object, table:
		return n.kind == '{'
	case list:
		return n.kind == '['
	case text:
		return n.kind == '"'
	case integer, number:
		return n.kind == '0'
	case boolean:
		return n.kind == 't' || n.kind == 'f'
	case key:
		command := n.get("command")
		return n.kind == '"' || n.kind == '{' && len(n.members) == 1 && command != nil && command.kind == '[' &&
			len(command.items) > 0 && command.items[0].text() != "" &&
			!slices.ContainsFunc(command.items, func(i *node) bool { return i.kind != '"' })
	}
	return true
}

// strange notes a key that is not known; after a dozen it only counts.
func (c *checker) strange(m member, f *field, path string) {
	if len(c.unknown) == 12 {
		c.more++
		return
	}
	name := m.name
	if r := []rune(name); len(r) > 40 {
		name = string(r[:40]) + "…"
	}
	note := fmt.Sprintf("%s (line %d", dotted(path, name), m.value.from.Line)
	if near := nearestMember(name, f); near != "" {
		note += "; did you mean " + dotted(path, near) + "?"
	}
	c.unknown = append(c.unknown, note+")")
}

// merge lays src over dst, which it changes and returns.
func merge(dst, src *node, f *field) *node {
	if dst == nil || src == nil {
		if dst == nil {
			return src
		}
		return dst
	}
	switch {
	case f.kind == object:
		for _, m := range src.members {
			dst.set(m.name, merge(dst.get(m.name), m.value, f.member(m.name)))
		}
		return dst
	case f.kind == table:
		for _, m := range src.members {
			dst.set(m.name, merge(dst.get(m.name), m.value, f.elem))
		}
		return dst
	case f.kind == list && f.join:
		seen := map[string]bool{}
		for _, item := range dst.items {
			seen[string(item.write(nil))] = true
		}
		for _, item := range src.items {
			if s := string(item.write(nil)); !seen[s] {
				seen[s] = true
				dst.items = append(dst.items, item)
			}
		}
		return dst
	}
	return src
}

// withDefaults fills in what n, which may be nil, does not set.
func withDefaults(f *field, n *node) *node {
	switch {
	case n == nil && f.def == "null":
		return nil // unset is not the same as all zeros
	case f.kind == object:
		if n == nil {
			n = &node{kind: '{', from: Origin{Layer: LayerDefault}}
		}
		for _, m := range f.members {
			if v := withDefaults(m, n.get(m.name)); v != nil {
				n.set(m.name, v)
			}
		}
	case n == nil:
		return defaultNode(f.def)
	case f.kind == table:
		for i := range n.members {
			n.members[i].value = withDefaults(f.elem, n.members[i].value)
		}
	case f.kind == list:
		for i := range n.items {
			n.items[i] = withDefaults(f.elem, n.items[i])
		}
	}
	return n
}

// defaultNode is the value of a default tag; null leaves a setting unset.
func defaultNode(def string) *node {
	n := &node{from: Origin{Layer: LayerDefault}}
	switch def {
	case "null", "":
		return nil
	case "{}":
		n.kind = '{'
	case "[]":
		n.kind = '['
	default:
		n.literal = []byte(def)
		n.kind = hujson.Literal(def).Kind()
	}
	return n
}

// valueNode makes a node of a Go value.
func valueNode(value any, from Origin) (*node, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(body)
	if err != nil {
		return nil, err
	}
	c := converter{body: bytes.Clone(body), from: from}
	n := c.node(v)
	n.unplaced()
	return n, c.err
}

// unplaced takes out line numbers, which mean nothing outside a file.
func (n *node) unplaced() {
	n.from.Line, n.column = 0, 0
	for _, m := range n.members {
		m.value.unplaced()
	}
	for _, item := range n.items {
		item.unplaced()
	}
}

// nest is an object that holds value under a path of keys.
func nest(value *node, path ...string) *node {
	for _, name := range slices.Backward(path) {
		value = &node{kind: '{', from: value.from, members: []member{{name, value}}}
	}
	return value
}

func decode(n *node, c *Config) error { return json.Unmarshal(n.write(nil), c) }

// nearestMember is the member of f that name was probably meant to be.
func nearestMember(name string, f *field) string {
	var names []string
	for _, m := range f.members {
		names = append(names, m.name)
	}
	return nearest.Close(name, names)
}
