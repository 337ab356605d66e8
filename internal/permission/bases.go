package permission

import (
	"path/filepath"
	"slices"
	"strings"
)

// bases are the directories that path patterns hang on: each as its names,
// as given and with symbolic links followed.
type bases struct {
	root, cwd, home, additional [][]string
	disk                        disk
}

func (p Policy) bases() bases {
	d := disk{map[string]entry{}}
	b := bases{root: d.ways(p.Root), home: d.ways(p.Home), disk: d}
	for _, dir := range p.Additional {
		b.additional = append(b.additional, d.ways(dir)...)
	}
	cwd := p.Cwd
	if cwd == "" {
		cwd = p.Root
	}
	rel, err := filepath.Rel(p.Root, cwd)
	if p.Root == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		b.cwd = d.ways(cwd)
		return b
	}
	// Below the workspace root no link is followed: a session may change them.
	for _, root := range b.root {
		b.cwd = append(b.cwd, slices.Concat(root, steps(rel)))
	}
	return b
}

// ways are the names of a directory as it is given and as it really is.
func (d disk) ways(dir string) [][]string {
	if dir == "" || dir == "." {
		return nil
	}
	at := d.trace(dir)
	out := [][]string{steps(filepath.Clean(dir))}
	if real := steps(at.real); at.known && !slices.Equal(real, out[0]) {
		out = append(out, real)
	}
	return out
}

// anchored gives the patterns that the spec stands for. Wide is for what
// narrows (deny, ask, the lists): a name at any depth then holds everywhere,
// dir/** at any depth, and links in the pattern itself are followed.
func (s spec) anchored(b bases, wide bool, n names) []pattern {
	var out []pattern
	deep := func() []part { return append([]part{{text: "**", kind: anyParts}}, s.parts...) }
	switch s.anchor {
	case filesystem:
		out = append(out, under(nil, s.parts, n))
	case home:
		for _, dir := range b.home {
			out = append(out, under(dir, s.parts, n))
		}
	case directory:
		for _, dir := range b.cwd {
			out = append(out, under(dir, s.parts, n))
		}
	case workspaceRoot:
		for _, dir := range b.root {
			out = append(out, under(dir, s.parts, n))
		}
		if wide && len(s.parts) == 2 && s.parts[0].kind == literalPart && s.parts[1].kind == anyParts {
			out = append(out, under(nil, deep(), n))
		}
	case anyDepth:
		if wide {
			return append(out, under(nil, deep(), n))
		}
		for _, dir := range slices.Concat(b.root, b.additional) {
			out = append(out, under(dir, deep(), n))
		}
	}
	for _, p := range out {
		if q, ok := p.followed(wide, n, b.disk); ok {
			out = append(out, q)
		}
	}
	return out
}

// followed is the pattern with the links in its leading names followed. Where
// it is to allow something, only a link in the root directory is, such as
// /tmp: others a session could have made itself.
func (p pattern) followed(wide bool, n names, d disk) (pattern, bool) {
	path, lead := p.lead()
	if lead == 0 {
		return nil, false
	}
	if !wide {
		lead = 1
		path = string(filepath.Separator) + p[0].name
	}
	at := d.trace(path)
	if !at.known || at.real == path {
		return nil, false
	}
	return under(steps(at.real), p[lead:], n), true
}
