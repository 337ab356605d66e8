package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
)

// Command is a prompt that the person sends by its name: a Markdown file.
type Command struct {
	Name        string   // without the slash; "git:commit" for git/commit.md
	Description string   // one line, at most 300 characters
	Hint        string   // what to type after it, such as "[issue]"
	Arguments   []string // names of its arguments, for $name in the text
	Tools       []string // permission rules for the turn that it starts, as written
	Model       string   // to use for the turn that it starts; "" for the one in use
	Text        string   // what Expand makes a prompt of
	File        string   // absolute
	Root        Root
	Faults      []string // what is wrong with it and was put up with
}

// Commands are the custom commands that were found.
type Commands struct {
	All     []Command // names are unique, whatever their case
	Trouble []string  // what could not be used and why, a line each, for the person
}

const (
	maxCommands    = 500       // of one root
	maxCommandText = 256 << 10 // bytes of one
)

// FindCommands looks for custom commands in the roots, of which the first wins
// where names collide. Directories are namespaces. What a root that is not
// trusted says of tools and models is left out. A root that does not exist has
// no commands.
func FindCommands(roots []Root) Commands {
	var out Commands
	taken := map[string]int{}
	for _, root := range roots {
		found := &finder{root: root}
		for _, c := range found.commands() {
			if !root.Trusted && (len(c.Tools) > 0 || c.Model != "") {
				c.Tools, c.Model = nil, ""
				found.tell("/%s: its allowed-tools and model are left out because the project is not trusted", c.Name)
			}
			key := strings.ToLower(c.Name)
			if first, ok := taken[key]; ok {
				found.tell("/%s in %s is hidden by %s", c.Name, c.File, out.All[first].File)
				continue
			}
			taken[key] = len(out.All)
			out.All = append(out.All, c)
		}
		out.Trouble = append(out.Trouble, found.told()...)
	}
	return out
}

// commands goes through the directories, those nearer to the root first.
func (f *finder) commands() []Command {
	base, err := f.root.openDirectory(f.root.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		f.tell("the commands in %s cannot be read: %v", f.root.Dir, err)
		return nil
	}
	defer base.close()
	var out []Command
	level := []string{"."}
	for depth := 0; depth <= maxDepth && len(level) > 0; depth++ {
		var next []string
		for _, rel := range level {
			if f.dirs++; f.dirs > maxDirs {
				f.tell("%s has too many directories: some are not looked at", f.root.Dir)
				return out
			}
			for _, e := range f.list(base, rel) {
				name := filepath.Join(rel, e.Name())
				if passedOver(e.Name()) {
					continue
				}
				if e.IsDir() {
					next = append(next, name)
					continue
				}
				if !strings.EqualFold(filepath.Ext(name), ".md") {
					continue
				}
				if len(out) == maxCommands {
					f.tell("%s has more than %d commands: the rest is left out", f.root.Dir, maxCommands)
					return out
				}
				c, err := newCommand(f.root, base, name)
				if err != nil {
					f.tell("the command in %s is left out: %v", filepath.Join(base.path, name), err)
					continue
				}
				out = append(out, c)
			}
		}
		level = next
	}
	return out
}

// newCommand reads the command in a file of the directory.
func newCommand(root Root, base directory, rel string) (Command, error) {
	c := Command{Root: root, File: filepath.Join(base.path, rel)}
	name := strings.TrimSuffix(filepath.ToSlash(rel), filepath.Ext(rel))
	for part := range strings.SplitSeq(name, "/") {
		if !usable(part) || strings.ContainsAny(part, ": ") {
			return c, fmt.Errorf("%s is no name to type after a slash: use letters, digits and hyphens", show(part))
		}
	}
	c.Name = strings.ReplaceAll(name, "/", ":")
	f, info, err := base.openFile(rel)
	if err != nil {
		return c, unwrapped(filepath.Base(rel), err)
	}
	defer f.Close()
	if info.Size() > maxCommandText {
		return c, fmt.Errorf("it has %d bytes, more than the %d of a prompt", info.Size(), maxCommandText)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxCommandText))
	if err != nil {
		return c, unwrapped(filepath.Base(rel), err)
	}
	doc, err := read(raw)
	if err != nil {
		return c, err
	}
	c.Text = strings.TrimSpace(doc.body)
	if c.Text == "" {
		return c, errors.New("there is nothing in it to send")
	}
	c.Description = doc.text("description")
	if c.Description == "" {
		c.Description = doc.summary()
	}
	c.Description = clip(c.Description, 300)
	hint := doc.fields["argument-hint"]
	if c.Hint = clip(doc.text("argument-hint"), 100); hint.list != nil {
		c.Hint = "[" + strings.Join(hint.list, "] [") + "]" // YAML takes [a] for a list
	}
	c.Model = clip(doc.text("model"), 200)
	if c.Model == "inherit" {
		c.Model = ""
	}
	c.Tools = doc.tools("allowed-tools")
	for _, arg := range strings.FieldsFunc(doc.text("arguments"), func(r rune) bool { return r == ' ' || r == ',' }) {
		if identifier(arg) == len(arg) {
			c.Arguments = append(c.Arguments, arg)
		}
	}
	c.Faults = doc.faults
	return c, nil
}

// Allowances are the rules that the command asks for, for the turn that it
// starts.
func (c Command) Allowances() []Allowance {
	var out []Allowance
	for _, rule := range c.Tools {
		out = append(out, Allowance{Rule: rule, Origin: fmt.Sprintf("the command /%s (%s)", c.Name, c.File)})
	}
	return out
}

// Expand is the prompt for what was typed after the command's name; see
// [Expand].
func (c Command) Expand(arguments string) string { return Expand(c.Text, c.Arguments, arguments) }

// Expand puts arguments into a text:
//
//	$ARGUMENTS     all of them, as they were typed
//	$ARGUMENTS[0]  the first, counted from 0
//	$1, $2, …      the first, the second; in a text that has $0, that is the first
//	$name          the one of that place in names
//	\$             a dollar sign
//
// Arguments are parted by blanks; quotes hold one together. One that was not
// given is empty. A text that takes none has them added at its end. What was
// put in is not looked at again.
func Expand(text string, names []string, arguments string) string {
	arguments = strings.TrimSpace(arguments)
	e := expansion{names: names, all: arguments, each: Fields(arguments), first: 1}
	if e.zero(text) {
		e.first = 0
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n, put := e.at(text[i:])
		b.WriteString(put)
		i += n
	}
	if !e.used && arguments != "" {
		return strings.TrimRight(b.String(), "\n") + "\n\nARGUMENTS: " + arguments
	}
	return b.String()
}

type expansion struct {
	names []string
	all   string
	each  []string
	first int  // the number of the first argument
	used  bool // a placeholder was met
}

// zero is whether the text has $0.
func (e *expansion) zero(text string) bool {
	for i := 0; i < len(text); {
		if text[i] == '$' {
			if n := digits(text[i+1:]); n > 0 && strings.Trim(text[i+1:i+1+n], "0") == "" {
				return true
			}
		}
		n, _ := (&expansion{}).at(text[i:])
		i += n
	}
	return false
}

// at is how many bytes are taken at the start of a text that is not empty,
// and what is put in their place.
func (e *expansion) at(text string) (n int, put string) {
	const all = "ARGUMENTS"
	switch {
	case strings.HasPrefix(text, `\$`):
		return 2, "$"
	case text[0] != '$':
		n := strings.IndexAny(text[1:], `\$`) + 1
		if n == 0 {
			n = len(text)
		}
		return n, text[:n]
	}
	rest := text[1:]
	if n := digits(rest); n > 0 {
		e.used = true
		return 1 + n, e.number(rest[:n], e.first)
	}
	word := rest[:identifier(rest)]
	if word == all {
		e.used = true
		after := rest[len(all):]
		if strings.HasPrefix(after, "[") {
			if n := digits(after[1:]); n > 0 && strings.HasPrefix(after[1+n:], "]") {
				return 1 + len(all) + n + 2, e.number(after[1:1+n], 0)
			}
		}
		return 1 + len(all), e.all
	}
	for i, name := range e.names {
		if word == name {
			e.used = true
			return 1 + len(word), e.nth(i)
		}
	}
	return 1, "$"
}

// number is the argument that digits stand for.
func (e *expansion) number(digits string, first int) string {
	n := 0
	for _, d := range digits {
		if n = n*10 + int(d-'0'); n > len(e.each)+1 {
			return ""
		}
	}
	return e.nth(n - first)
}

func (e *expansion) nth(i int) string {
	if i < 0 || i >= len(e.each) {
		return ""
	}
	return e.each[i]
}

// digits is how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// identifier is the length of the name that a text begins with.
func identifier(s string) int {
	for i, r := range s {
		if r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r)) && (i == 0 || r < '0' || r > '9') {
			return i
		}
	}
	return len(s)
}

// Fields parts arguments at blanks. Single and double quotes hold together
// what is between them and go away; in double quotes and outside, a backslash
// takes the meaning from a quote, a blank and itself. A quote that is not closed
// stands for itself.
func Fields(arguments string) []string {
	var out []string
	var word strings.Builder
	open := false // a word has begun, though it may be empty
	flush := func() {
		if open {
			out = append(out, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(arguments); i++ {
		c := arguments[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			flush()
			continue
		case c == '\\' && i+1 < len(arguments) && strings.IndexByte(`'"\ `, arguments[i+1]) >= 0:
			i++
			word.WriteByte(arguments[i])
		case c == '\'' || c == '"':
			text, n := quoted(arguments[i:])
			word.WriteString(text)
			i += n - 1
		default:
			word.WriteByte(c)
		}
		open = true
	}
	flush()
	return out
}

// quoted is what stands between the quotes that a text begins with, and how
// many bytes that takes with them.
func quoted(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[0] == '"' && s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return s[:1], 1
}
