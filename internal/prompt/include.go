package prompt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxIncludes = 64 // of one instruction file, all levels counted
	maxNesting  = 8
)

// includer puts the files that an instruction file names in their places.
type includer struct {
	places Places
	base   string // what is included must lie in it
	limit  int    // characters after which nothing more is put in
	count  int
	size   int
}

// expand replaces every line that is only @path, outside of code, by that
// file. path is the file that text is of; stack are the real paths of the
// files that are being read, outermost first.
func (x *includer) expand(text, path string, stack []string) string {
	var out []string
	fence := ""
	for l := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(l)
		if mark := fenceOf(trimmed); mark != "" && fence == "" {
			fence = mark
		} else if fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
			fence = ""
		}
		name, found := strings.CutPrefix(trimmed, "@")
		if found && fence == "" && name != "" && !strings.ContainsAny(name, " \t@") {
			l = x.include(name, path, stack)
		}
		x.size += len(l)
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// fenceOf is the mark that opens a block of code, or "".
func fenceOf(l string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(l) - len(strings.TrimLeft(l, c)); n >= 3 {
			return l[:n]
		}
	}
	return ""
}

func (x *includer) include(name, path string, stack []string) string {
	skip := func(why string) string { return fmt.Sprintf(skipIncluded, why, name) }
	slashed := strings.ReplaceAll(name, `\`, "/")
	if filepath.IsAbs(name) || strings.HasPrefix(slashed, "/") || strings.HasPrefix(slashed, "~") || slices.Contains(strings.Split(slashed, "/"), "..") {
		return skip("unsafe path")
	}
	target := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
	if real, err := filepath.EvalSymlinks(target); err == nil {
		if base, err := filepath.EvalSymlinks(x.base); err != nil || !within(base, real) {
			return skip("unsafe path")
		}
		if slices.Contains(stack, real) {
			return skip("cycle detected")
		}
	}
	if x.count++; x.count > maxIncludes || len(stack) > maxNesting || x.size > x.limit {
		return skip("too many includes")
	}
	text, real, err := x.places.text(target)
	if err != nil {
		return skip("not found")
	}
	inner := strings.Trim(x.expand(text, target, append(slices.Clone(stack), real)), "\n")
	return fmt.Sprintf("<!-- included from %s -->\n%s\n<!-- end include %s -->", name, inner, name)
}
