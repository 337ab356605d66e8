package builtin

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ignoreRule is one line of a .gitignore, with the meaning that git gives
// it.
type ignoreRule struct {
	glob     string
	negate   bool // what it matches is not ignored after all
	dirOnly  bool
	anchored bool // matched against the whole path below the file's directory, else against the name
	literal  bool // glob has no wildcards
}

// parseIgnore reads the lines of a .gitignore.
func parseIgnore(data []byte) []ignoreRule {
	var rules []ignoreRule
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	for line := range strings.SplitSeq(string(data), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (ignoreRule, bool) {
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	var r ignoreRule
	if line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, line[:len(line)-1]
	}
	r.anchored = strings.Contains(line, "/")
	r.glob = strings.TrimPrefix(line, "/")
	r.literal = !strings.ContainsAny(r.glob, `*?[\`)
	return r, r.glob != ""
}

// trimBlanks takes off the blanks at the end that no backslash keeps.
func trimBlanks(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

func (r ignoreRule) match(rel string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if !r.anchored {
		rel = path.Base(rel)
	}
	if r.literal {
		return rel == r.glob
	}
	return wildmatch(r.glob, rel)
}

// verdict is what rules say of a path.
type verdict int

const (
	silent verdict = iota
	ignored
	kept
)

// judge is the verdict of the last rule that matches.
func judge(rules []ignoreRule, rel string, isDir bool) verdict {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(rel, isDir) {
			if rules[i].negate {
				return kept
			}
			return ignored
		}
	}
	return silent
}

// wildmatch says whether a glob of a .gitignore matches a path: * and ? stop
// at slashes, ** between slashes does not, [classes] are as in a shell. A
// glob that is not complete matches nothing.
func wildmatch(glob, text string) bool { return wildmatchAt(glob, text, true) == globHit }

// globResult is what became of matching a glob. The last two end the search
// of stars further left as well, so that the work stays small for any glob.
type globResult int

const (
	globMiss     globResult = iota
	globHit                 //
	globTextEnds            // the text ended first: no star to the left can help
	globDirEnds             // an element ended first: only ** to the left can help
)

// wildmatchAt is wildmatch for a rest of a glob; start says that it begins
// at the start of a path element.
func wildmatchAt(glob, text string, start bool) globResult {
	for glob != "" {
		c := glob[0]
		if c == '*' {
			return matchStar(glob, text, start)
		}
		if text == "" {
			return globTextEnds
		}
		ok, size := c == text[0], 1
		switch c {
		case '?':
			ok = text[0] != '/'
		case '[':
			var rest string
			rest, ok = matchClass(glob[1:], text[0])
			ok = ok && text[0] != '/'
			size = len(glob) - len(rest)
		case '\\':
			ok = len(glob) > 1 && glob[1] == text[0]
			size = 2
		}
		if !ok {
			return globMiss
		}
		glob = glob[size:]
		start = text[0] == '/'
		text = text[1:]
	}
	if text != "" {
		return globMiss
	}
	return globHit
}

// matchStar matches a glob that begins with one or more stars.
func matchStar(glob, text string, start bool) globResult {
	rest := strings.TrimLeft(glob, "*")
	deep := len(glob)-len(rest) >= 2 && start && (rest == "" || rest[0] == '/')
	if rest == "" {
		if deep || !strings.Contains(text, "/") {
			return globHit
		}
		return globDirEnds
	}
	if deep {
		if r := wildmatchAt(rest[1:], text, true); r == globHit {
			return globHit // no directory at all between the slashes
		}
	}
	for i := range len(text) {
		r := wildmatchAt(rest, text[i:], i > 0 && text[i-1] == '/')
		switch {
		case r == globHit, r == globTextEnds, r == globDirEnds && !deep:
			return r
		case !deep && text[i] == '/':
			return globDirEnds
		}
	}
	return globTextEnds
}

// matchClass matches a character against a class, given without its "[", and
// gives what follows it. It is false for one that does not end.
func matchClass(class string, c byte) (rest string, ok bool) {
	negate := false
	if class != "" && (class[0] == '!' || class[0] == '^') {
		negate, class = true, class[1:]
	}
	matched := false
	for first := true; ; first = false {
		if class == "" {
			return "", false
		}
		if class[0] == ']' && !first {
			return class[1:], matched != negate
		}
		if name, after, found := strings.Cut(strings.TrimPrefix(class, "[:"), ":]"); found && strings.HasPrefix(class, "[:") && !strings.ContainsAny(name, "]") {
			in, known := inPosixClass(name, c)
			if !known {
				return "", false
			}
			matched = matched || in
			class = after
			continue
		}
		low, after, ok := classChar(class)
		if !ok {
			return "", false
		}
		class = after
		high := low
		if len(class) >= 2 && class[0] == '-' && class[1] != ']' {
			if high, class, ok = classChar(class[1:]); !ok {
				return "", false
			}
		}
		matched = matched || low <= c && c <= high
	}
}

// classChar is the first character of a class's rest, which a backslash may
// stand before.
func classChar(class string) (c byte, rest string, ok bool) {
	if class[0] != '\\' {
		return class[0], class[1:], true
	}
	if len(class) < 2 {
		return 0, "", false
	}
	return class[1], class[2:], true
}

func inPosixClass(name string, c byte) (in, known bool) {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7F
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7F, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}

// ignoring is the rules that hold in a directory: its own files' and those of
// the directories above it.
type ignoring struct {
	above *ignoring
	dir   string // absolute, with slashes, without one at its end
	repo  bool   // a git work tree begins here: rules of git from above end

	rgIgnore, ignore, gitIgnore, exclude []ignoreRule
}

// ignoringAt reads the rules of a directory and of all above it.
func ignoringAt(dir string) *ignoring {
	var above *ignoring
	if parent := filepath.Dir(dir); parent != dir {
		above = ignoringAt(parent)
	}
	return above.enter(dir, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// enter is the rules in a directory below, in which has tells of names.
func (g *ignoring) enter(dir string, has func(name string) bool) *ignoring {
	read := func(name string) []ignoreRule {
		if !has(strings.SplitN(name, "/", 2)[0]) {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil
		}
		return parseIgnore(data)
	}
	level := &ignoring{above: g, dir: strings.TrimSuffix(filepath.ToSlash(dir), "/"), repo: has(".git")}
	level.rgIgnore, level.ignore, level.gitIgnore = read(".rgignore"), read(".ignore"), read(".gitignore")
	if level.repo {
		level.exclude = read(".git/info/exclude")
	}
	if !level.repo && g != nil && level.rgIgnore == nil && level.ignore == nil && level.gitIgnore == nil {
		return g // nothing new
	}
	return level
}

// ignores judges a path: absolute, with slashes. A kind of file that says
// anything settles it before the next kind; the deepest file of a kind does
// before those above it.
func (g *ignoring) ignores(path string, isDir bool) bool {
	for kind := range 4 {
		for level := g; level != nil; level = level.above {
			var rules []ignoreRule
			switch kind {
			case 0:
				rules = level.rgIgnore
			case 1:
				rules = level.ignore
			case 2:
				rules = level.gitIgnore
			case 3:
				rules = level.exclude
			}
			if len(rules) > 0 {
				if v := judge(rules, path[len(level.dir)+1:], isDir); v != silent {
					return v == ignored
				}
			}
			if level.repo && kind >= 2 {
				break
			}
		}
	}
	return false
}
