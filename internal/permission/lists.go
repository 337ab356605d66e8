package permission

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed protected.txt
var protectedText string

//go:embed secrets.txt
var secretsText string

// list is a list of path patterns that a path is looked up in.
type list struct {
	plain   map[string]part // names without wildcards, at any depth
	yes, no []listed
	roots   [][]string // what a name at any depth is looked for below
}

type listed struct {
	pattern pattern
	deep    bool // at any depth
	last    part // the last name of the pattern that says something
}

// element is the name in a path for which the path is in the list.
type element struct {
	last part
	name string
}

// listNames compares names for the lists: the mildest reading of what two
// file systems could take for the same name.
func listNames() names { return names{fold: true} }

func listPath(path string) []string {
	parts := listNames().split(path)
	for i, p := range parts {
		if kept := strings.TrimRight(shown(p), ". "); kept != "" {
			parts[i] = kept
		}
	}
	return parts
}

func shown(name string) string {
	if ascii(name) {
		return name
	}
	return strings.Map(visible, name)
}

// visible drops the characters that some file systems overlook in names.
func visible(r rune) rune {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

// newList compiles a built-in list and what the settings add to it. What is
// added can only add.
func newList(text string, added []string, b bases) list {
	l := list{plain: map[string]part{}}
	for _, r := range b.root {
		l.roots = append(l.roots, listPath(strings.Join(r, "/")))
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '!':
			l.no = append(l.no, compileListed(line[1:], b)...)
		case !strings.ContainsAny(line, `/~*?[\`):
			key := listNames().key(line)
			l.plain[key] = part{text: key, kind: literalPart}
		default:
			l.yes = append(l.yes, compileListed(line, b)...)
		}
	}
	for _, line := range added {
		l.yes = append(l.yes, compileListed(line, b)...)
		// A single slash is the workspace's; who wrote the path of a file
		// meant that file.
		if strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "//") {
			l.yes = append(l.yes, compileListed("/"+line, b)...)
		}
		if strings.HasPrefix(line, "/") && strings.ContainsAny(strings.TrimSuffix(line, "/**"), `*?[\`) {
			l.yes = append(l.yes, literally(strings.TrimSuffix(line, "/**")))
		}
	}
	return l
}

// literally is the path as it stands: a directory may have a name that reads
// like a pattern.
func literally(path string) listed {
	n := listNames()
	y := listed{}
	for _, name := range steps(path) {
		y.last = part{text: n.key(name), kind: literalPart, name: name}
		y.pattern = append(y.pattern, y.last)
	}
	return y
}

func compileListed(text string, b bases) []listed {
	s, err := parseSpec(text)
	if err != nil {
		// A line that cannot be read stands for itself rather than for nothing.
		s = spec{anchor: anyDepth, parts: []part{{text: text, kind: literalPart}}}
	}
	last := part{}
	for _, p := range s.parts {
		if p.literalText() != "" {
			last = p
		}
	}
	last.text = listNames().key(last.text)
	var out []listed
	for _, p := range s.anchored(b, true, listNames()) {
		out = append(out, listed{pattern: p, deep: s.anchor == anyDepth, last: last})
	}
	return out
}

// find gives every element for which the path, as listPath gives it, is in
// the list. Names that the workspace itself lies below do not count: a
// workspace in a directory called .vscode is still one to work in.
func (l list) find(path []string) []element {
	above := 0
	for _, r := range l.roots {
		if within(path, r) {
			above = max(above, len(r))
		}
	}
	var out []element
	for i := above; i < len(path); i++ {
		if p, ok := l.plain[path[i]]; ok && !l.excepts(path, i+1) {
			out = append(out, element{p, path[i]})
		}
	}
	for _, y := range l.yes {
		if y.last.kind == literalPart && !slices.Contains(path, y.last.text) {
			continue
		}
		for k, fits := range y.pattern.reach(path) {
			if !fits || k == 0 || y.deep && k <= above {
				continue
			}
			if !l.excepts(path, k) {
				out = append(out, element{y.last, path[k-1]})
			}
		}
	}
	return out
}

func (l list) excepts(path []string, k int) bool {
	for _, n := range l.no {
		if n.pattern.reach(path[:k])[k] {
			return true
		}
	}
	return false
}

// spelledBy is whether one of the names of a rule's pattern spells out the
// element: by the very name, or by as much of it as the list says. A wildcard
// alone does not.
func (e element) spelledBy(parts []part) bool {
	want := e.last.literalText()
	for _, p := range parts {
		p.text = listNames().key(p.text)
		said := p.literalText()
		switch {
		case said == "":
		case p.kind == literalPart && said == e.name:
			return true
		case want == "":
		case e.last.kind == literalPart && said == want:
			return true
		case e.last.kind == globPart && strings.Contains(said, want):
			return true
		}
	}
	return false
}
