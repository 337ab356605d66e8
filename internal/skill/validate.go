package skill

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"
)

// Problem is a thing that is wrong with a skill.
type Problem struct {
	Field string // of the front matter; "" for the skill as a whole
	Text  string // what is wrong, and what would be right
	// Warning is whether the skill is valid all the same: the specification, or
	// a program that reads the skill, would have it otherwise.
	Warning bool

	kind string // what the problem is, for comparison with skills-ref
}

// String is the problem in one line.
func (p Problem) String() string {
	if p.Field == "" {
		return p.Text
	}
	return p.Field + ": " + p.Text
}

// Valid is whether there are no problems but warnings.
func Valid(problems []Problem) bool {
	return !slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning })
}

const (
	maxCompatibility = 500
	maxFront         = 128 << 10 // bytes in which the front matter must end
)

// Validate holds the skill in a directory, or with that SKILL.md, against the
// Agent Skills specification, in the way of its reference program skills-ref:
// a skill is valid for one exactly if it is for the other. Where that program
// is milder than the specification there is a warning.
func Validate(path string) []Problem {
	path, err := filepath.Abs(path)
	if err != nil {
		return fail("path", "%v", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fail("path", "%s does not exist", path)
	}
	if info.Mode().IsRegular() && strings.EqualFold(filepath.Base(path), skillFile) {
		path = filepath.Dir(path)
	} else if !info.IsDir() {
		return fail("path", "%s is no directory; give the directory of a skill", path)
	}
	file := filepath.Join(path, skillFile)
	if _, err := os.Stat(file); err != nil {
		file = filepath.Join(path, strings.ToLower(skillFile))
		if _, err := os.Stat(file); err != nil {
			return fail("file", "there is no %s in %s", skillFile, path)
		}
	}
	raw, err := frontOf(file)
	if err != nil {
		return fail("read", "%v", unwrapped(file, err))
	}
	problems := validate(filepath.Base(path), raw)
	if filepath.Base(file) != skillFile {
		problems = append(problems, Problem{Text: "the file is called " + filepath.Base(file) + ", which not every program finds: call it " + skillFile, Warning: true})
	}
	return problems
}

func fail(kind, format string, args ...any) []Problem {
	return []Problem{{Text: fmt.Sprintf(format, args...), kind: kind}}
}

// frontOf reads as much of a file as a front matter may take.
func frontOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFront))
	return string(raw), err
}

// validate judges the text of a skill file in a directory of that name.
func validate(dir, text string) []Problem {
	front, rest, problems := strictFront(decoded(text))
	if problems != nil {
		return problems
	}
	fields, err := strictFields(front)
	if err != nil {
		return []Problem{{Text: "the front matter is no YAML mapping: " + err.Error(), kind: "yaml"}}
	}
	add := func(field, kind, format string, args ...any) {
		problems = append(problems, Problem{Field: field, Text: fmt.Sprintf(format, args...), kind: kind})
	}
	known := []string{"allowed-tools", "compatibility", "description", "license", "metadata", "name"}
	var unknown []string
	for key := range fields {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if slices.Sort(unknown); len(unknown) > 0 {
		add("", "fields", "the front matter has fields that are not in the specification: %s; it may have %s. Put others below metadata",
			clip(plain(strings.Join(unknown, ", ")), 300), strings.Join(known, ", "))
	}
	if name, ok := fields["name"]; !ok {
		add("name", "name missing", "it is missing; add the name of the directory")
	} else {
		checkName(jsString(name), dir, add)
	}
	if description, ok := fields["description"]; !ok {
		add("description", "description missing", "it is missing; say what the skill does and when to use it")
	} else if text := jsString(description); jsTrim(text) == "" {
		add("description", "description empty", "it is empty; say what the skill does and when to use it")
	} else if n := jsLength(text); n > maxDescription {
		add("description", "description length", "it has %d characters, more than %d", n, maxDescription)
	}
	if compatibility, ok := fields["compatibility"]; ok {
		if kind, text := resolve(compatibility); kind != stringKind {
			add("compatibility", "compatibility type", "it is no text; put it in quotes")
		} else if n := jsLength(text); n > maxCompatibility {
			add("compatibility", "compatibility length", "it has %d characters, more than %d", n, maxCompatibility)
		}
	}
	return append(problems, warnings(fields, rest)...)
}

func checkName(name, dir string, add func(field, kind, format string, args ...any)) {
	name = norm.NFKC.String(jsTrim(name))
	if name == "" {
		add("name", "name empty", "it is empty; it must be the name of the directory")
		return
	}
	if n := jsLength(name); n > maxName {
		add("name", "name length", "it has %d characters, more than %d", n, maxName)
	}
	if name != strings.ToLower(name) {
		add("name", "name case", "%s has capital letters; use small ones", show(name))
	}
	if name[0] == '-' || name[len(name)-1] == '-' {
		add("name", "name hyphen", "%s begins or ends with a hyphen", show(name))
	}
	if strings.Contains(name, "--") {
		add("name", "name hyphens", "%s has two hyphens in a row", show(name))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) }) {
		add("name", "name characters", "%s has other characters than letters, digits and hyphens", show(name))
	}
	if norm.NFKC.String(dir) != name {
		add("name", "name directory", "%s is not the name of the directory, %s", show(name), show(dir))
	}
}

// nameRune is whether skills-ref takes a character in a name: a digit, a
// hyphen, or a Latin, Cyrillic or Chinese letter or a mark on one.
func nameRune(r rune) bool {
	switch {
	case r == '-', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z',
		r >= 0x00c0 && r <= 0x024f, r >= 0x0300 && r <= 0x036f, r >= 0x0400 && r <= 0x04ff,
		r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff:
		return true
	}
	return false
}

// warnings are what the specification or other readers would have otherwise.
func warnings(fields map[string]*yaml.Node, rest string) (out []Problem) {
	warn := func(field, text string) { out = append(out, Problem{Field: field, Text: text, Warning: true}) }
	for _, field := range []string{"name", "description"} {
		if n, ok := fields[field]; !ok {
			continue
		} else if kind, _ := resolve(n); kind == nullKind {
			warn(field, "it has no value")
		} else if kind != stringKind {
			warn(field, "it is no text; put it in quotes")
		}
	}
	if n, ok := fields["compatibility"]; ok {
		if kind, text := resolve(n); kind == stringKind && jsTrim(text) == "" {
			warn("compatibility", "it is empty; leave it out")
		}
	}
	if n, ok := fields["metadata"]; ok && n.Kind != yaml.MappingNode {
		warn("metadata", "it is no mapping")
	}
	if line, _, _ := strings.Cut(rest, "\n"); strings.TrimRight(line, " \t\r") != "" {
		warn("", "three hyphens inside the front matter end it for some programs: no value may have them")
	} else if strings.TrimSpace(rest) == "" {
		warn("", "there are no instructions after the front matter")
	}
	return out
}

// strictFront is what stands between the first two "---" of a text, wherever
// they are, and what follows them.
func strictFront(text string) (front, rest string, problems []Problem) {
	after, ok := strings.CutPrefix(text, "---")
	if !ok {
		hint := ""
		if strings.HasPrefix(text, "\ufeff") {
			hint = ", not with a byte order mark"
		}
		return "", "", fail("front", "the file must begin with --- and the front matter%s", hint)
	}
	front, rest, ok = strings.Cut(after, "---")
	if !ok {
		return "", "", fail("closed", "the front matter is not closed: put a line with --- after it")
	}
	return front, rest, nil
}

// decoded is the text with every run of bytes that cannot begin or go on a
// character as one U+FFFD, as browsers do it.
func decoded(s string) string {
	out := make([]rune, 0, len(s))
	for i := 0; i < len(s); {
		r, n := runeAt(s[i:])
		out = append(out, r)
		i += n
	}
	return string(out)
}

func jsLength(s string) int { return len(utf16.Encode([]rune(s))) }

// jsTrim takes off what JavaScript holds for blank.
func jsTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch r {
		case '\t', '\n', '\v', '\f', '\r', ' ', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
			return true
		}
		return r >= 0x2000 && r <= 0x200a
	})
}
