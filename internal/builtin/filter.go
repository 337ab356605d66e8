package builtin

import (
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// fileTypes is one type of file a line: its name and the globs of its files.
//
//go:embed filetypes.txt
var fileTypes string

// filter says which files a search is about. It is the same for both
// searchers, so it is not left to either.
type filter struct {
	want, not []string // globs
	types     []string // globs of names
}

func newFilter(globs, typeName string) (filter, error) {
	var f filter
	for _, g := range splitGlobs(globs) {
		list := &f.want
		if rest, ok := strings.CutPrefix(g, "!"); ok {
			list, g = &f.not, rest
		}
		g = strings.TrimPrefix(g, "./")
		if strings.HasSuffix(g, "/") {
			g += "**"
		}
		if g == "" || !doublestar.ValidatePattern(g) {
			return f, fmt.Errorf("glob %q is not valid: check its brackets and braces", globs)
		}
		*list = append(*list, g)
	}
	if typeName == "" {
		return f, nil
	}
	var known []string
	for line := range strings.Lines(fileTypes) {
		words := strings.Fields(line)
		if words[0] == longName(typeName) {
			f.types = words[1:]
			return f, nil
		}
		known = append(known, words[0])
	}
	return f, fmt.Errorf("type %q is not known: use glob, or one of %s", typeName, strings.Join(known, ", "))
}

// longName is a type by the name that the list has for it.
func longName(name string) string {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	switch name {
	case "python":
		return "py"
	case "javascript", "jsx", "node":
		return "js"
	case "typescript", "tsx":
		return "ts"
	case "golang":
		return "go"
	case "rs":
		return "rust"
	case "rb":
		return "ruby"
	case "csharp":
		return "cs"
	case "markdown":
		return "md"
	case "yml":
		return "yaml"
	case "shell", "bash":
		return "sh"
	case "c++", "cxx":
		return "cpp"
	case "kt":
		return "kotlin"
	case "hs":
		return "haskell"
	case "terraform":
		return "tf"
	}
	return name
}

// splitGlobs parts globs at blanks and at commas outside braces.
func splitGlobs(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ' ', '\t', '\n':
			return true
		case ',':
			return depth == 0
		}
		return false
	})
}

// ok says whether the file, given by its absolute path, is searched. A glob
// without a slash is about names; one with a slash is about the path below
// the searched directory.
func (f filter) ok(q query, file string) bool {
	if len(f.want)+len(f.not)+len(f.types) == 0 {
		return true
	}
	root := q.path
	if q.single {
		root = filepath.Dir(q.path)
	}
	rel, inside := below(root, file)
	if !inside {
		rel = filepath.Base(file)
	}
	rel = filepath.ToSlash(rel)
	name := path.Base(rel)
	for _, g := range f.not {
		if matchesPath(g, rel) || !strings.Contains(g, "/") && anyElement(g, rel) {
			return false
		}
	}
	return (len(f.want) == 0 || anyGlob(f.want, func(g string) bool { return matchesPath(g, rel) })) &&
		(len(f.types) == 0 || anyGlob(f.types, func(g string) bool { return matches(g, name) }))
}

func anyGlob(globs []string, ok func(string) bool) bool {
	for _, g := range globs {
		if ok(g) {
			return true
		}
	}
	return false
}

func matchesPath(glob, rel string) bool {
	if !strings.Contains(glob, "/") {
		return matches(glob, path.Base(rel))
	}
	return matches(strings.TrimPrefix(glob, "/"), rel)
}

// anyElement says whether a glob matches the name of a directory in rel.
func anyElement(glob, rel string) bool {
	for element := range strings.SplitSeq(rel, "/") {
		if matches(glob, element) {
			return true
		}
	}
	return false
}

func matches(glob, text string) bool {
	ok, err := doublestar.Match(glob, text)
	return err == nil && ok
}
