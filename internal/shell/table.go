package shell

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// The table of commands; its head says what a line means.
//
//go:embed commands.txt
var commands string

// row is one line of the table, its fields trimmed.
type row struct {
	head  []string // what comes before the first "|", without the verb
	attrs []string
	rest  string // the last field
}

// table finds rows. The text is divided into lines when the first is asked
// for, and a line is parsed when it is about what is looked for.
type table struct {
	lines map[string][]string // by verb, what follows the verb
	found map[string][]row    // by verb and name
	specs map[string]*spec
	lists map[string][]string
}

// load divides the text into lines.
func (t *table) load() {
	if t.lines != nil {
		return
	}
	t.lines, t.found = map[string][]string{}, map[string][]row{}
	t.specs, t.lists = map[string]*spec{}, map[string][]string{}
	for rest := commands; rest != ""; {
		end := 0
		for { // to the line end that no blank follows
			n := strings.IndexByte(rest[end:], '\n')
			if end += n + 1; n < 0 || end == len(rest) {
				end = len(rest)
				break
			}
			if rest[end] != ' ' {
				break
			}
		}
		line := rest[:end]
		rest = rest[end:]
		if verb, body, ok := strings.Cut(line, " "); ok && verb != "" && verb[0] != '#' && verb[0] != '\n' {
			t.lines[verb] = append(t.lines[verb], body)
		}
	}
}

// rows returns the rows of a verb that are about a command.
func (t *table) rows(verb, name string) []row {
	t.load()
	key := verb + " " + name
	if rows, ok := t.found[key]; ok {
		return rows
	}
	var out []row
	for _, line := range t.lines[verb] {
		field, rest, _ := strings.Cut(line, "|")
		for _, head := range heads(verb, field, name) {
			r := row{head: head, rest: rest}
			if attrs, flags, ok := strings.Cut(rest, "|"); ok {
				r.attrs, r.rest = strings.Fields(attrs), flags
			}
			r.rest = strings.TrimSpace(r.rest)
			out = append(out, r)
		}
	}
	t.found[key] = out
	return out
}

// heads returns the words before the first "|" for each of the names there
// that fits. In the rows with conditions only the first word is a list of
// names; in the others each name may have subcommands.
func heads(verb, field, name string) [][]string {
	names, conditions := field, []string(nil)
	if verb == "danger" || verb == "critical" || verb == "decode" {
		end := 0
		for end < len(field) && (field[end] != ' ' && field[end] != '\n' || field[end-1] == ',' || field[end-1] == ' ' || field[end-1] == '\n') {
			end++
		}
		names = field[:end]
		for _, word := range strings.Fields(field[end:]) {
			if n := len(conditions); n > 0 && strings.HasSuffix(conditions[n-1], ",") {
				conditions[n-1] += word // the list goes on in the next line
				continue
			}
			conditions = append(conditions, word)
		}
	}
	if !strings.Contains(names, name) && !strings.Contains(names, "*") {
		return nil
	}
	var out [][]string
	for one := range strings.SplitSeq(names, ",") {
		words := strings.Fields(one)
		if len(words) > 0 && (words[0] == name || strings.HasSuffix(words[0], "*") && strings.HasPrefix(name, words[0][:len(words[0])-1])) {
			out = append(out, slices.Concat([]string{name}, words[1:], conditions))
		}
	}
	return out
}

// has reports whether a verb has a row about a command that holds for args.
func (t *table) has(verb, name string, args []string) bool {
	_, ok := t.first(verb, name, args)
	return ok
}

// first returns the first row of a verb about a command whose conditions hold.
func (t *table) first(verb, name string, args []string) (row, bool) {
	for _, r := range t.rows(verb, name) {
		if holds(r.head[1:], args) {
			return r, true
		}
	}
	return row{}, false
}

// list reports whether a word matches one of the patterns of a list: system,
// gitkey, or "var" with a class.
func (t *table) list(name, word string) bool {
	return slices.ContainsFunc(t.words(name), func(p string) bool { return glob(p, word) })
}

// words returns the words of a list.
func (t *table) words(name string) []string {
	t.load()
	if words, ok := t.lists[name]; ok {
		return words
	}
	verb, class, _ := strings.Cut(name, " ")
	var out []string
	for _, line := range t.lines[verb] {
		if words := strings.Fields(line); class == "" {
			out = append(out, words...)
		} else if words[0] == class {
			out = append(out, words[1:]...)
		}
	}
	t.lists[name] = out
	return out
}

// spec is the parsed form of a row of the verbs read, write and wrap.
type spec struct {
	operands string
	open     bool
	cwd      bool
	plain    bool
	vars     bool
	more     bool
	ask      bool
	text     bool
	max      int // -1: any number
	skip     int
	must     []string
	list     []string
	number   bool // -5 is a flag
	plus     bool // +5 is an operand
	flags    map[string]arity
}

// arity is what a flag takes.
type arity string

// The arities, as written in the table.
const (
	bare     arity = ""
	value    arity = "="
	attached arity = "[=]"
	source   arity = "<"
	target   arity = ">"
	two      arity = "=="
	twoRead  arity = "=<"
)

// spec parses the attributes and flags of a row.
func (t *table) spec(verb string, r row) *spec {
	key := verb + " " + strings.Join(r.head, " ") + "|" + strings.Join(r.attrs, " ") + "|" + r.rest
	if s := t.specs[key]; s != nil {
		return s
	}
	s := &spec{max: -1, flags: map[string]arity{}}
	for i, attr := range r.attrs {
		name, val, has := strings.Cut(attr, "=")
		switch {
		case i == 0 && verb != "wrap":
			s.operands = attr
		case name == "max" && has:
			s.max, _ = strconv.Atoi(val)
		case name == "skip" && has:
			s.skip, _ = strconv.Atoi(val)
		case name == "must":
			s.must = strings.Split(val, ",")
		case name == "list":
			s.list = strings.Split(val, ",")
		default:
			s.attribute(name)
		}
	}
	t.addFlags(s, r.rest)
	t.specs[key] = s
	return s
}

func (s *spec) attribute(name string) {
	switch name {
	case "open":
		s.open = true
	case "cwd":
		s.cwd = true
	case "plain":
		s.plain = true
	case "vars":
		s.vars = true
	case "more":
		s.more = true
	case "ask":
		s.ask = true
	case "text":
		s.text = true
	}
}

func (t *table) addFlags(s *spec, text string) {
	for token := range strings.FieldsSeq(text) {
		switch {
		case token == "-#":
			s.number = true
		case token == "+":
			s.plus = true
		case token[0] == '@':
			if rows := t.rows("flags", token); len(rows) > 0 {
				t.addFlags(s, rows[0].rest)
			}
		default:
			name, kind := split(token)
			if word, ok := strings.CutSuffix(name, "~"); ok {
				s.flags[word] = bare
				continue
			}
			if strings.HasPrefix(name, "--") || kind != bare || len(name) == 2 {
				s.flags[name] = kind
				continue
			}
			for _, c := range name[1:] {
				if _, known := s.flags["-"+string(c)]; !known {
					s.flags["-"+string(c)] = bare
				}
			}
		}
	}
}

// split divides a flag of the table from what it takes.
func split(token string) (string, arity) {
	for _, kind := range []arity{attached, twoRead, two, value, source, target} {
		if name, ok := strings.CutSuffix(token, string(kind)); ok {
			return name, kind
		}
	}
	return token, bare
}

// holds reports whether all conditions of a row hold for the arguments of a
// command.
func holds(conditions, args []string) bool {
	rest := args
	for _, c := range conditions {
		switch {
		case c == "--":
			if i := slices.Index(args, "--"); i < 0 || i == len(args)-1 {
				return false
			}
		case c[0] == '=':
			globs := strings.Split(c, ",")
			if !slices.ContainsFunc(args, func(arg string) bool {
				return slices.ContainsFunc(globs, func(g string) bool { return glob(g[1:], arg) })
			}) {
				return false
			}
		case c[0] == '!':
			if hasFlag(args, strings.Split(c[1:], ",")) {
				return false
			}
		case c[0] == '-':
			if !hasFlag(args, strings.Split(c, ",")) {
				return false
			}
		default:
			i := subcommand(rest, strings.Split(c, ","))
			if i < 0 {
				return false
			}
			rest = rest[i+1:]
		}
	}
	return true
}

// subcommand finds the first of names that may be the subcommand: only flags,
// and words that may be the argument of a flag, come before it.
func subcommand(args, names []string) int {
	for i, arg := range args {
		switch {
		case slices.Contains(names, arg):
			return i
		case strings.HasPrefix(arg, "-"):
		case i > 0 && strings.HasPrefix(args[i-1], "-"):
		default:
			return -1
		}
	}
	return -1
}

// hasFlag reports whether one of flags is among the arguments: as it is, in a
// cluster of short ones, abbreviated, or with a value.
func hasFlag(args, flags []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if slices.ContainsFunc(flags, func(flag string) bool { return isFlag(arg, flag) }) {
			return true
		}
	}
	return false
}

func isFlag(arg, flag string) bool {
	if arg == flag {
		return true
	}
	if len(flag) == 2 { // a short one
		return len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && strings.ContainsRune(arg[1:], rune(flag[1]))
	}
	name, want, hasWant := strings.Cut(flag, "=")
	given, val, hasVal := strings.Cut(arg, "=")
	if hasWant && (!hasVal || val != want) {
		return false
	}
	return len(given) > 3 && strings.HasPrefix(name, given)
}

// glob matches a whole word against a pattern of "*", "?", "[set]" and "\c".
func glob(pattern, word string) bool {
	rest, back := "", -1 // the pattern after the last star, and how much of word that star may still take
	p, w := pattern, 0
	for {
		if p != "" && p[0] == '*' {
			p = p[1:]
			rest, back = p, w
			continue
		}
		if w == len(word) && p == "" {
			return true
		}
		if w < len(word) {
			if n := one(p, word[w]); n > 0 {
				p, w = p[n:], w+1
				continue
			}
		}
		if back < 0 || back >= len(word) {
			return false
		}
		back++
		p, w = rest, back
	}
}

// one returns the length of the piece at the start of pattern if it matches c.
func one(pattern string, c byte) int {
	switch {
	case pattern == "":
		return 0
	case pattern[0] == '?':
		return 1
	case pattern[0] == '[' && strings.Contains(pattern, "]"):
		if end := strings.IndexByte(pattern, ']'); inSet(pattern[1:end], c) {
			return end + 1
		}
		return 0
	case pattern[0] == '\\' && len(pattern) > 1:
		if pattern[1] == c {
			return 2
		}
		return 0
	case pattern[0] == c:
		return 1
	}
	return 0
}

func inSet(set string, c byte) bool {
	negated := strings.HasPrefix(set, "!") || strings.HasPrefix(set, "^")
	if negated {
		set = set[1:]
	}
	found := false
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			found = found || set[i] <= c && c <= set[i+2]
			i += 2
			continue
		}
		found = found || set[i] == c
	}
	return found != negated
}
