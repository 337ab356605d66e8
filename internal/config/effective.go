package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// masked stands in for what must not be seen.
const masked = "***"

// Setting is one line of `minicode config`.
type Setting struct {
	Key    string // dotted
	Value  string // JSON; secrets as "***"
	Origin Origin
	Help   string
}

// Effective lists every setting in force, in the order of [Config], each entry
// of a joined list by itself, since each has its own origin.
func (l Loaded) Effective() []Setting {
	var out []Setting
	if l.tree != nil {
		list := lister{out: &out}
		list.walk(l.tree, describe(), "")
	}
	return out
}

type lister struct{ out *[]Setting }

func (l lister) walk(n *node, f *field, path string) {
	if n == nil {
		return
	}
	switch {
	case f.kind == object:
		for _, m := range f.members {
			if m.name != "$schema" {
				l.walk(n.get(m.name), m, dotted(path, m.name))
			}
		}
	case f.kind == table && len(n.members) > 0:
		for _, m := range n.members {
			sub := *f.elem
			sub.help = f.help
			sub.secret = f.secret || f.elem.kind == text && secretName(m.name)
			l.walk(m.value, &sub, dotted(path, m.name))
		}
	case f.kind == list && f.join && len(n.items) > 0:
		for i, item := range n.items {
			l.row(item, f, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		l.row(n, f, path)
	}
}

func (l lister) row(n *node, f *field, path string) {
	*l.out = append(*l.out, Setting{Key: path, Value: visible(n, f), Origin: n.from, Help: f.help})
}

// visible is the value as JSON, without what is secret in it.
func visible(n *node, f *field) string {
	s := n.text()
	switch {
	case f.kind == key && n.kind == '"' && s != "" && variableName(s) == "", f.secret && f.kind != key && s != "":
		s = masked
	case strings.Contains(s, "@") && strings.Contains(s, "://"):
		s = withoutPassword(s)
	default:
		return string(hideHeaders(n).write(nil))
	}
	quoted, _ := json.Marshal(s)
	return string(quoted)
}

// hideHeaders masks the headers inside hooks, whose groups are shown whole.
func hideHeaders(n *node) *node {
	if n.kind != '{' && n.kind != '[' {
		return n
	}
	out := &node{kind: n.kind, from: n.from}
	for _, item := range n.items {
		out.items = append(out.items, hideHeaders(item))
	}
	for _, m := range n.members {
		value := hideHeaders(m.value)
		if m.name == "headers" {
			value = &node{kind: '{'}
			for _, h := range m.value.members {
				value.members = append(value.members, member{h.name, &node{kind: '"', literal: []byte(`"` + masked + `"`)}})
			}
		}
		out.members = append(out.members, member{m.name, value})
	}
	return out
}

func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return masked
	}
	if _, set := u.User.Password(); !set {
		return address
	}
	u.User = url.UserPassword(u.User.Username(), masked)
	return strings.ReplaceAll(u.String(), url.QueryEscape(masked), masked)
}
