package permission

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Where a path pattern is anchored.
type anchor int

const (
	anyDepth      anchor = iota // a name, at any depth
	workspaceRoot               // "/x" or "x/y"
	filesystem                  // "//x"
	home                        // "~/x"
	directory                   // "./x", "../x"
)

type partKind int

const (
	literalPart partKind = iota
	globPart             // holds wildcards, within one name
	anyParts             // "**": any number of names, none too
)

// part is one name of a path pattern.
type part struct {
	text string // of a literal, what it stands for; else the pattern as path.Match takes it
	kind partKind
	name string // of a literal in a pattern, as it was written; text is then as it is compared
}

// spec is a path pattern as it was written, before it is anchored.
type spec struct {
	anchor anchor
	parts  []part
}

// parseSpec reads a gitignore pattern.
func parseSpec(text string) (spec, error) {
	s := spec{}
	rest := text
	switch {
	case strings.HasPrefix(rest, "!"):
		return s, errors.New("a pattern cannot be negated; write a rule of its own")
	case strings.HasPrefix(rest, "//"):
		s.anchor, rest = filesystem, rest[2:]
	case rest == "~" || strings.HasPrefix(rest, "~/"):
		s.anchor, rest = home, rest[1:]
	case strings.HasPrefix(rest, "/"):
		s.anchor = workspaceRoot
	case rest == "." || rest == ".." || strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "../"):
		s.anchor = directory
	case strings.Contains(strings.TrimSuffix(rest, "/"), "/"):
		s.anchor = workspaceRoot
	}
	for name := range strings.SplitSeq(rest, "/") {
		if name == "" || name == "." {
			continue
		}
		p, err := parsePart(name)
		if err != nil {
			return s, err
		}
		s.parts = append(s.parts, p)
	}
	for i, p := range s.parts {
		if isUp(p) && i > 0 && s.parts[i-1].kind != literalPart {
			return s, errors.New("\"..\" cannot follow a wildcard")
		}
	}
	if s.anchor == workspaceRoot && len(s.parts) > 1 && s.parts[0].kind == anyParts && !strings.HasPrefix(text, "/") {
		s.anchor = anyDepth
	}
	return s, nil
}

func isUp(p part) bool { return p.kind == literalPart && p.text == ".." }

func parsePart(name string) (part, error) {
	if name == "**" {
		return part{text: name, kind: anyParts}, nil
	}
	if !strings.ContainsAny(name, `*?[\`) {
		return part{text: name, kind: literalPart}, nil
	}
	var glob, plain strings.Builder
	wild := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '\\' && i+1 < len(name):
			i++
			glob.WriteByte('\\')
			glob.WriteByte(name[i])
			plain.WriteByte(name[i])
			continue
		case c == '[' && i+1 < len(name) && name[i+1] == '!':
			glob.WriteString("[^")
			i++
			wild = true
			continue
		case c == '*' || c == '?' || c == '[':
			wild = true
		}
		glob.WriteByte(c)
		plain.WriteByte(c)
	}
	if _, err := path.Match(glob.String(), ""); err != nil {
		return part{}, fmt.Errorf("%q is no pattern: write a backslash before a special character that stands for itself", name)
	}
	if !wild {
		return part{text: plain.String(), kind: literalPart}, nil
	}
	return part{text: glob.String(), kind: globPart}, nil
}

// literalText is what the part says without its wildcards.
func (p part) literalText() string {
	switch p.kind {
	case literalPart:
		return p.text
	case anyParts:
		return ""
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text):
			i++
			if !class {
				b.WriteByte(p.text[i])
			}
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c != '*' && c != '?':
			b.WriteByte(c)
		}
	}
	return b.String()
}

// pattern is an anchored path pattern: every name from the root on.
type pattern []part

// under puts the names of a directory, which stand for themselves, before the
// parts; each ".." takes back one name.
func under(base []string, parts []part, n names) pattern {
	out := make(pattern, 0, len(base)+len(parts))
	for _, b := range base {
		out = append(out, part{text: n.key(b), kind: literalPart, name: b})
	}
	for _, p := range parts {
		if isUp(p) {
			out = out[:max(0, len(out)-1)]
			continue
		}
		p.name, p.text = p.text, n.key(p.text)
		out = append(out, p)
	}
	return out
}

// reach tells of each number of leading names of the path whether the pattern
// fits just those.
func (p pattern) reach(path []string) []bool {
	now := make([]bool, len(path)+1)
	now[0] = true
	for _, part := range p {
		next := make([]bool, len(path)+1)
		some := false
		for j := range now {
			switch {
			case part.kind == anyParts:
				some = some || now[j]
				next[j] = some
			case j > 0 && now[j-1]:
				next[j] = part.fits(path[j-1])
			}
		}
		now = next
	}
	return now
}

// matches is whether the pattern fits the path or a directory that it is in.
func (p pattern) matches(path []string) bool { return slices.Contains(p.reach(path), true) }

func (p part) fits(name string) bool {
	if p.kind == literalPart {
		return p.text == name
	}
	ok, err := path.Match(p.text, name)
	return ok && err == nil
}

// lead is the path of the leading names that stand for themselves, and how
// many they are.
func (p pattern) lead() (string, int) {
	n := 0
	for n < len(p) && p[n].kind == literalPart {
		n++
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = p[i].name
	}
	return string(filepath.Separator) + filepath.Join(texts...), n
}
