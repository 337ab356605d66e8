package skill

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document is a Markdown file with front matter, read as leniently as makes
// sense of it.
type document struct {
	fields map[string]value
	body   string
	line   int      // of the file, from 1, at which body begins
	faults []string // what was wrong with it
}

// value is a field of the front matter: a scalar or a list of scalars.
type value struct {
	text string
	list []string
}

// errNotText says that a file holds something else than text.
var errNotText = errors.New("it is not UTF-8 text")

// read takes a file apart. Only what is no text at all is an error.
func read(raw []byte) (document, error) {
	if bytes.IndexByte(raw, 0) >= 0 {
		return document{}, errNotText
	}
	d := document{line: 1}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	if !utf8.ValidString(text) {
		d.faults = append(d.faults, "it has bytes that are not UTF-8, which are shown as \ufffd")
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	front, body, found := d.split(text)
	if found {
		// Blank lines stand for what precedes it, so that errors name the right line.
		d.parse(strings.Repeat("\n", strings.Count(text[:strings.Index(text, front)], "\n")) + front)
	}
	d.body = body
	return d, nil
}

// split parts the front matter from the body.
func (d *document) split(text string) (front, body string, found bool) {
	rest := text
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			break
		}
		rest = rest[len(line):]
		d.line++
	}
	first, after, _ := strings.Cut(rest, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", rest, false
	}
	d.line++
	size, unclosed := 0, -1
	start := d.line
	for line := range strings.Lines(after) {
		d.line++
		if mark := strings.TrimRight(line, " \t\n"); mark == "---" || mark == "..." {
			return after[:size], after[size+len(line):], true
		} else if mark == "" && unclosed < 0 && size > 0 {
			unclosed = size
			start = d.line
		}
		size += len(line)
	}
	// Nothing closes it: it ends at the first blank line.
	d.faults = append(d.faults, "its front matter is not closed by a line with ---")
	if unclosed < 0 {
		return after, "", true
	}
	d.line = start - 1
	return after[:unclosed], after[unclosed:], true
}

// parse reads the front matter as YAML, or else line by line.
func (d *document) parse(front string) {
	d.fields = map[string]value{}
	root, err := parseYAML(front)
	switch {
	case err != nil:
		d.faults = append(d.faults, "its front matter is not valid YAML and was read line by line: "+err.Error())
		d.parseLines(front)
	case root == nil:
	case root.Kind != yaml.MappingNode:
		d.faults = append(d.faults, "its front matter has no fields")
		d.parseLines(front)
	default:
		for i := 0; i+1 < len(root.Content); i += 2 {
			d.set(root.Content[i].Value, valueOf(root.Content[i+1]))
		}
	}
}

// set keeps the first value of a field.
func (d *document) set(key string, v value) {
	key = strings.ToLower(strings.TrimSpace(key))
	if _, ok := d.fields[key]; ok {
		d.faults = append(d.faults, fmt.Sprintf("its front matter has more than one %s; the first counts", show(key)))
		return
	}
	d.fields[key] = v
}

// parseYAML is the root of a YAML document, nil where there is nothing in it.
func parseYAML(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

func valueOf(n *yaml.Node) value {
	n = target(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return value{text: scalarOf(n)}
	case yaml.SequenceNode:
		v := value{list: []string{}}
		for _, item := range n.Content {
			if item = target(item); item.Kind == yaml.ScalarNode {
				v.list = append(v.list, scalarOf(item))
			}
		}
		return v
	}
	return value{}
}

func scalarOf(n *yaml.Node) string {
	if n.ShortTag() == "!!null" {
		return ""
	}
	return n.Value
}

// target is what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// parseLines reads "key: rest of the line", with whatever is indented below
// it. It is for what people write and YAML does not take, such as values with
// a colon in them.
func (d *document) parseLines(front string) {
	key, indent := "", ""
	var v value
	flush := func() {
		if key != "" {
			d.set(key, v)
		}
		key, v = "", value{}
	}
	for line := range strings.Lines(front) {
		trimmed := strings.TrimSpace(line)
		if key == "" && trimmed != "" {
			indent = line[:strings.Index(line, trimmed)]
		}
		line = strings.TrimPrefix(line, indent)
		switch name, rest, ok := keyLine(line); {
		case trimmed == "" || trimmed[0] == '#':
		case ok:
			flush()
			key, v = name, lineValue(rest)
		case key == "":
		case strings.HasPrefix(trimmed, "- ") && v.text == "":
			v.list = append(v.list, unquoted(strings.TrimSpace(trimmed[2:])))
		default:
			v.text = strings.TrimSpace(v.text + " " + trimmed)
		}
	}
	flush()
}

// keyLine takes "key: value" apart.
func keyLine(line string) (key, rest string, ok bool) {
	key, rest, ok = strings.Cut(line, ":")
	key = unquoted(strings.TrimRight(key, " \t"))
	if !ok || key == "" || rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\n' {
		return "", "", false
	}
	for _, r := range key {
		if r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return "", "", false
		}
	}
	return key, strings.TrimSpace(rest), key[0] != '-'
}

func lineValue(rest string) value {
	switch {
	case rest == "" || strings.Trim(rest, "|>-+0123456789") == "" && (rest[0] == '|' || rest[0] == '>'):
		return value{}
	case rest[0] == '[' && rest[len(rest)-1] == ']':
		v := value{list: []string{}}
		for _, item := range splitTools(rest[1:len(rest)-1], ",") {
			v.list = append(v.list, unquoted(item))
		}
		return v
	}
	return value{text: unquoted(rest)}
}

// unquoted is s without the quotes around it.
func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// text is a field in one line; a list is joined.
func (d document) text(key string) string {
	v := d.fields[key]
	if v.list != nil {
		return plain(strings.Join(v.list, ", "))
	}
	return plain(v.text)
}

// is is whether a field is set to yes.
func (d document) is(key string) bool {
	switch strings.ToLower(d.text(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// plain is one line without anything that cannot be seen.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// show is a text for a message: in quotes and not long.
func show(s string) string { return fmt.Sprintf("%q", clip(s, 80)) }

// clip cuts a text to at most limit characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if r := []rune(s); len(r) > limit {
		return string(r[:max(0, limit-1)]) + "…"
	}
	return s
}

// summary is what the body says first: its first paragraph, headings, marks
// and code left out.
func (d document) summary() string {
	var words []string
	fenced := false
	for line := range strings.Lines(d.body) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		skip := fenced || line == "" || line[0] == '#' || strings.HasPrefix(line, "<!--") || strings.Trim(line, "-*_=") == ""
		if skip && len(words) > 0 {
			break
		}
		if !skip {
			words = append(words, line)
		}
		if len(words) == 20 {
			break
		}
	}
	return plain(strings.ReplaceAll(strings.Join(words, " "), "`", ""))
}

// maxTools is how many entries of one allowed-tools are taken, and maxTool how
// many characters one may have.
const (
	maxTools = 100
	maxTool  = 500
)

// tools is a field that holds permission rules: a list, or a text in which
// they are separated by commas or blanks.
func (d *document) tools(key string) []string {
	v := d.fields[key]
	texts := v.list
	if v.text != "" {
		texts = []string{v.text}
	}
	var out []string
	for _, text := range texts {
		for _, rule := range splitTools(text, ", \t\n") {
			if len(out) == maxTools || utf8.RuneCountInString(rule) > maxTool {
				d.faults = append(d.faults, fmt.Sprintf("%s has more than %d entries or one of more than %d characters, which are left out", key, maxTools, maxTool))
				return out
			}
			out = append(out, rule)
		}
	}
	return out
}

// splitTools parts a text at the separators that stand outside parentheses.
func splitTools(text, separators string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || depth == 0 && strings.IndexByte(separators, text[i]) >= 0:
			if s := strings.TrimSpace(text[start:i]); s != "" {
				out = append(out, s)
			}
			start = i + 1
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth = max(0, depth-1)
		}
	}
	return out
}
