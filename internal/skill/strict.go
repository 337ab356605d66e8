package skill

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// This file reads YAML as js-yaml does, which skills-ref is built on: with
// another parser, but that one's idea of what plain values mean, what may stand
// in a document, and what text a value has. What remains is odd: js-yaml takes
// a mapping on the line of an anchor or tag ("a: &x b: c"), anchors with signs
// in them, keys of more than 1,024 characters or of several lines, and missing
// keys in braces.

// strictFields is the fields of a front matter.
func strictFields(front string) (map[string]*yaml.Node, error) {
	front = strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(front, "\ufeff"), "\r\n", "\n"), "\r", "\n")
	front = withoutTabs(hidden(front))
	root, err := strictRoot(front)
	if err != nil || root == nil {
		return nil, err
	}
	c := checker{text: front}
	for line := range strings.Lines(front) {
		c.lines = append(c.lines, len(line))
		if n := len(c.lines); n > 1 {
			c.lines[n-1] += c.lines[n-2]
		}
	}
	if err := c.check(root, 1); err != nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		if kind, _ := resolve(root); kind == nullKind && root.Kind == yaml.ScalarNode {
			return nil, nil
		}
		return nil, errors.New("it has no fields")
	}
	return c.fields(root)
}

// strictRoot parses the only document of a text; nil if there is none.
func strictRoot(front string) (*yaml.Node, error) {
	d := yaml.NewDecoder(strings.NewReader(front))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has a second document")
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// hidden puts private characters in the place of those that YAML 1.1 takes for
// line breaks or refuses, and 1.2 takes for text.
func hidden(s string) string {
	return strings.NewReplacer("\u0085", "\uf885", "\u2028", "\uf828", "\u2029", "\uf829", "\ufeff", "\uf8ff").Replace(s)
}

func shown(s string) string {
	return strings.NewReplacer("\uf885", "\u0085", "\uf828", "\u2028", "\uf829", "\u2029", "\uf8ff", "\ufeff", "\uf809", "\t").Replace(s)
}

// withoutTabs empties blank lines, and takes away the tabs after a hyphen and
// before the text of a block scalar: the parser takes all these for
// indentation.
func withoutTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	block := false
	for line := range strings.Lines(s) {
		text := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimLeft(text, "\t \r\n") == "":
			line = strings.TrimLeft(text, "\t ")
		case block && text[0] == '\t' && len(text) < len(line):
			line = line[:len(line)-len(text)] + "\uf809" + text[1:]
			block = false
		case strings.HasPrefix(text, "-\t"):
			line = line[:len(line)-len(text)] + "- " + text[2:]
			block = beginsBlock(line)
		default:
			block = beginsBlock(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// beginsBlock is whether the line ends with the sign of a block scalar.
func beginsBlock(line string) bool {
	words := strings.Fields(line)
	last := words[len(words)-1]
	return (last[0] == '|' || last[0] == '>') && strings.Trim(last[1:], "+-123456789") == "" &&
		(len(words) == 1 || strings.HasSuffix(words[len(words)-2], ":") || words[len(words)-2] == "-")
}

// maxNesting is how deep a document may be.
const maxNesting = 100

// checker holds a document against what js-yaml refuses.
type checker struct {
	text             string
	lines            []int // where each line ends
	line, column, at int   // where from was last
	merged           int   // mappings and keys
}

func (c *checker) check(n *yaml.Node, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("line %d: it is nested too deeply", n.Line)
	}
	if n.Kind == yaml.AliasNode {
		return nil
	}
	if err := checkTag(n); err != nil {
		return err
	}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		if n.Column == 1 && depth > 1 {
			return fmt.Errorf("line %d: a block of text must be indented", n.Line)
		}
		if sign := strings.TrimLeft(c.from(n), "|>+-0123456789"); strings.HasPrefix(sign, "#") {
			return fmt.Errorf("line %d: a comment must stand apart from what is before it", n.Line)
		}
	}
	if n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0 && c.escapesApostrophe(n) {
		return fmt.Errorf(`line %d: there is no \' in double quotes; write the apostrophe alone`, n.Line)
	}
	for _, child := range n.Content {
		if err := c.check(child, depth+1); err != nil {
			return err
		}
	}
	if n.Kind == yaml.MappingNode {
		_, err := c.fields(n)
		return err
	}
	return nil
}

// from is the text from the beginning of a node on. Nodes come mostly in their
// order, so that it goes on where it was.
func (c *checker) from(n *yaml.Node) string {
	if c.line != n.Line || c.column > n.Column {
		c.line, c.column, c.at = n.Line, 1, 0
		if i := n.Line - 2; i >= 0 && i < len(c.lines) {
			c.at = c.lines[i]
		}
	}
	for ; c.column < n.Column && c.at < len(c.text); c.column++ {
		_, size := utf8.DecodeRuneInString(c.text[c.at:])
		c.at += size
	}
	return c.text[c.at:]
}

// escapesApostrophe is whether a value in double quotes has \' in it, which the
// parser lets pass.
func (c *checker) escapesApostrophe(n *yaml.Node) bool {
	text := c.from(n)
	for i := strings.IndexByte(text, '"') + 1; i > 0 && i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			if i++; i < len(text) && text[i] == '\'' {
				return true
			}
		}
	}
	return false
}

// fields is a mapping by the text of its keys, with what is merged into it.
func (c *checker) fields(n *yaml.Node) (map[string]*yaml.Node, error) {
	fields, merged := map[string]*yaml.Node{}, map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := target(n.Content[i]), target(n.Content[i+1])
		if isMerge(key) {
			sources := []*yaml.Node{v}
			if v.Kind == yaml.SequenceNode {
				sources = v.Content
			}
			if err := c.merge(fields, merged, sources); err != nil {
				return nil, err
			}
			continue
		}
		if key.Kind == yaml.SequenceNode {
			for _, item := range key.Content {
				if target(item).Kind == yaml.SequenceNode {
					return nil, fmt.Errorf("line %d: a key is a list of lists", key.Line)
				}
			}
		}
		name := jsString(key)
		if _, ok := fields[name]; ok && !merged[name] {
			return nil, fmt.Errorf("line %d: there is more than one %s", key.Line, show(name))
		}
		fields[name] = v
		delete(merged, name)
	}
	return fields, nil
}

const (
	maxSources = 100    // of one merge
	maxMerged  = 10_000 // mappings and keys in all
)

// merge puts in what is not there yet.
func (c *checker) merge(fields map[string]*yaml.Node, merged map[string]bool, sources []*yaml.Node) error {
	if len(sources) > maxSources {
		return errors.New("it merges too many mappings")
	}
	for _, source := range sources {
		source = target(source)
		if source.Kind != yaml.MappingNode {
			return fmt.Errorf("line %d: only mappings can be merged", source.Line)
		}
		if c.merged += 1 + len(source.Content)/2; c.merged > maxMerged {
			return errors.New("it merges too many mappings")
		}
		from, err := c.fields(source)
		if err != nil {
			return err
		}
		for name, v := range from {
			if fields[name] == nil {
				fields[name] = v
				merged[name] = true
			}
		}
	}
	return nil
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && isPlain(key) && key.Value == "<<"
}

func isPlain(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&(quoted|yaml.TaggedStyle) == 0
}

// checkTag refuses tags that have no meaning, or another one than the value.
func checkTag(n *yaml.Node) error {
	if n.Style&yaml.TaggedStyle == 0 {
		return nil
	}
	tag, kind := n.ShortTag(), n.Kind
	ok := false
	switch tag {
	case "!", "!!str":
		ok = kind == yaml.ScalarNode
	case "!!map", "!!set":
		ok = kind == yaml.MappingNode
	case "!!seq", "!!omap", "!!pairs":
		ok = kind == yaml.SequenceNode
	case "!!null", "!!bool", "!!int", "!!float", "!!timestamp", "!!binary":
		ok = kind == yaml.ScalarNode
		if want := kindOfTag(tag); ok && want != "" {
			got := kindOf(shown(n.Value))
			ok = got == want || want == floatKind && got == intKind
		}
	}
	if !ok {
		return fmt.Errorf("line %d: the tag %s does not fit", n.Line, show(tag))
	}
	return nil
}

// valueKind is what a scalar is.
type valueKind string

const (
	stringKind valueKind = "string"
	nullKind   valueKind = "null"
	boolKind   valueKind = "bool"
	intKind    valueKind = "int"
	floatKind  valueKind = "float"
	dateKind   valueKind = "date"
	otherKind  valueKind = "" // no scalar
)

func kindOfTag(tag string) valueKind {
	switch tag {
	case "!!null":
		return nullKind
	case "!!bool":
		return boolKind
	case "!!int":
		return intKind
	case "!!float":
		return floatKind
	case "!!timestamp":
		return dateKind
	}
	return otherKind
}

// kindOf is what a plain scalar is, by YAML 1.2 and dates.
func kindOf(s string) valueKind {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nullKind
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return boolKind
	}
	if c := s[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return stringKind
	}
	match := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(s) }
	switch {
	case match(`^[-+]?(0|0b[01]+|0x[0-9a-fA-F]+|0o[0-7]+|[0-9]+)$`):
		if !math.IsInf(number(s), 0) {
			return intKind
		}
	case match(`^([-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|\.[0-9]+([eE][-+]?[0-9]+)?)$`):
		if !math.IsInf(number(s), 0) {
			return floatKind
		}
	case match(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`):
		return floatKind
	case match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`),
		match(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?$`):
		return dateKind
	}
	return stringKind
}

// number is the value of an integer or a decimal.
func number(s string) float64 {
	sign := 1.0
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	for prefix, base := range map[string]int{"0b": 2, "0o": 8, "0x": 16} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			i, _ := new(big.Int).SetString(rest, base)
			f, _ := new(big.Float).SetInt(i).Float64()
			return sign * f
		}
	}
	f, _ := strconv.ParseFloat(strings.ToLower(s), 64)
	return sign * f
}

// resolve is what a value is, and its text where it is a scalar.
func resolve(n *yaml.Node) (valueKind, string) {
	if n.Kind != yaml.ScalarNode {
		return otherKind, ""
	}
	text := shown(n.Value)
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		if n.ShortTag() == "!!binary" {
			return otherKind, text
		}
		if kind := kindOfTag(n.ShortTag()); kind != otherKind {
			return kind, text
		}
	case isPlain(n):
		return kindOf(text), text
	}
	return stringKind, text
}

// jsString is the text that JavaScript makes of a value.
func jsString(n *yaml.Node) string {
	left := maxMerged
	return jsText(n, &left)
}

// jsText makes the text of at most as many values as are left: a list may
// stand for itself many times.
func jsText(n *yaml.Node, left *int) string {
	if *left--; *left < 0 {
		return ""
	}
	n = target(n)
	switch n.Kind {
	case yaml.MappingNode:
		return "[object Object]"
	case yaml.SequenceNode:
		var items []string
		for _, item := range n.Content {
			text := ""
			if kind, _ := resolve(target(item)); kind != nullKind {
				text = jsText(item, left)
			}
			if items = append(items, text); *left < 0 {
				break
			}
		}
		return strings.Join(items, ",")
	}
	kind, text := resolve(n)
	switch kind {
	case nullKind:
		return "null"
	case boolKind:
		return strings.ToLower(text)
	case dateKind:
		return "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)" // any date: none can be a name
	case intKind, floatKind:
		return jsNumber(text)
	}
	return text
}

// jsNumber is the text that JavaScript makes of a number.
func jsNumber(text string) string {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf":
		if text[0] == '-' {
			return "-Infinity"
		}
		return "Infinity"
	case ".nan":
		return "NaN"
	}
	f := number(text)
	if f == 0 {
		return "0"
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	return digits + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

// runeAt is the character at the start of a text and its length; of bytes that
// make none, U+FFFD and how many of them could have begun one.
func runeAt(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || n != 1 {
		return r, n
	}
	low, high, more := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		more = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		more = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	for n = 1; n < len(s) && n <= more && s[n] >= low && s[n] <= high; n++ {
		low, high = 0x80, 0xbf
	}
	return utf8.RuneError, n
}
