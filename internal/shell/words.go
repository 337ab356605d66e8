package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	hole   = "\x00" // in a word's text: something that is not known before the run
	cut    = "\x01" // in a word's text, while it is decoded: a blank of an unquoted value
	braces = 64     // words that a brace expansion may make
)

// word is one word of a command as the program gets it: quotes, escapes and
// what is known of expansions taken out.
type word struct {
	text     string
	glob     bool   // text is a pattern: an unquoted * ? [
	multi    bool   // an unquoted expansion: it may become none or several words
	quoted   bool   // some of it is in quotes
	expanded bool   // not all of it stands in the command
	numeric  bool   // it can only be a number
	env      string // an environment variable whose value it has
	trick    string // why an expansion in it is never free
	proc     bool   // a process substitution
	mark     string // what its unknown pieces are written as, if they have a name ("{}")
	secret   bool   // it has the output of a command that reads secrets
	pos, end int    // in the text of the program
}

func (w word) known() bool { return !strings.Contains(w.text, hole) }

// prefix is what is known of how the word begins.
func (w word) prefix() string {
	before, _, _ := strings.Cut(w.text, hole)
	return before
}

// number reports whether the word can only be a number.
func (w word) number() bool { return w.numeric || isNumber(w.text) }

// exact reports whether the word is this and nothing else.
func (w word) exact() bool { return w.known() && !w.glob && w.trick == "" }

// decoder turns the words of a program into what programs get.
type decoder struct {
	a  *analyser
	st *state
}

// words decodes the words of a command, brace expansion included.
func (d decoder) words(list []*syntax.Word) []word {
	var out []word
	for _, w := range list {
		out = append(out, d.fields(w)...)
	}
	return out
}

// fields decodes one word, which may become several.
func (d decoder) fields(w *syntax.Word) []word {
	pos, end := int(w.Pos().Offset()), int(w.End().Offset())
	alternatives, ok := [][]syntax.WordPart{w.Parts}, true
	split := syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	braced := syntax.SplitBraces(&split) && hasBrace(split.Parts)
	if braced {
		alternatives, ok = expandBraces(split.Parts)
	}
	if !ok {
		return []word{{text: hole, multi: true, expanded: true, pos: pos, end: end, trick: "a brace expansion makes very many words"}}
	}
	var out []word
	for _, parts := range alternatives {
		one := word{pos: pos, end: end, expanded: braced}
		d.parts(&one, parts)
		one.unknown()
		out = append(out, cutWord(one)...)
	}
	return out
}

// cutWord divides a word at the blanks of unquoted values.
func cutWord(w word) []word {
	if w.text == "" && !w.quoted && w.expanded {
		return nil // nothing is left of an empty unquoted value
	}
	if !strings.Contains(w.text, cut) {
		return []word{w}
	}
	var out []word
	for piece := range strings.SplitSeq(w.text, cut) {
		if piece != "" {
			one := w
			one.text, one.glob = piece, w.glob && strings.ContainsAny(piece, "*?[")
			out = append(out, one)
		}
	}
	return out
}

// one decodes a word that is not divided: a value, a here-document, a target.
func (d decoder) one(w *syntax.Word) word {
	if w == nil {
		return word{}
	}
	out := word{pos: int(w.Pos().Offset()), end: int(w.End().Offset())}
	d.parts(&out, w.Parts)
	out.unknown()
	out.text = strings.ReplaceAll(out.text, cut, " ")
	return out
}

// unknown puts the unknown pieces of an outer text into the word.
func (w *word) unknown() {
	if strings.Contains(w.text, holeMask) {
		w.text = strings.ReplaceAll(w.text, holeMask, hole)
		w.expanded, w.multi = true, true
	}
}

func (d decoder) parts(out *word, parts []syntax.WordPart) {
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			d.literal(out, part.Value, i == 0)
		case *syntax.SglQuoted:
			out.quoted = true
			if part.Dollar {
				out.text += strings.ReplaceAll(ansi(part.Value), cut, cutMask)
			} else {
				out.text += part.Value
			}
		case *syntax.DblQuoted:
			out.quoted = true
			if part.Dollar {
				out.trick = "a translated string is not known before the run"
			}
			for _, inner := range part.Parts {
				d.inQuotes(out, inner)
			}
		case *syntax.ParamExp:
			d.param(out, part, false)
		case *syntax.CmdSubst:
			d.command(out, part, false)
		case *syntax.ArithmExp:
			d.arithmetic(out, part.X)
		case *syntax.ProcSubst:
			out.expanded = true
			if len(part.Stmts) == 0 {
				out.trick = "an empty process substitution is nothing at all"
				continue
			}
			out.text += "/dev/fd/63"
			out.proc = true
		case *syntax.ExtGlob:
			out.text += "*"
			out.glob, out.trick = true, "an extended pattern can be read in two ways"
		default:
			out.text += hole
			out.expanded, out.multi, out.trick = true, true, "an expansion is not known"
		}
	}
}

func (d decoder) inQuotes(out *word, part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
		out.text += unescape(part.Value, `$`+"`"+`"\`)
	case *syntax.ParamExp:
		d.param(out, part, true)
	case *syntax.CmdSubst:
		d.command(out, part, true)
	case *syntax.ArithmExp:
		d.arithmetic(out, part.X)
	default:
		out.text += hole
		out.expanded, out.trick = true, "an expansion is not known"
	}
}

// literal decodes unquoted text.
func (d decoder) literal(out *word, text string, first bool) {
	if first && strings.HasPrefix(text, "~") {
		user, _, _ := strings.Cut(text[1:], "/")
		rest := text[1+len(user):]
		if user == "" {
			out.text += d.home()
		} else if user == "+" {
			d.variable(out, "PWD", true)
		} else {
			out.text += "/home/" + user
		}
		text, out.expanded = rest, true
	}
	if name, value, ok := strings.Cut(text, "=~"); first && ok && isName(name) && (value == "" || value[0] == '/') {
		out.text += name + "=" + d.home() // bash does so in words that look like assignments
		text, out.expanded = value, true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case '*', '?', '[':
			out.glob = out.glob || c != '[' || strings.Contains(text[i:], "]")
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	out.text += b.String()
}

// home is the directory that "~" stands for.
func (d decoder) home() string {
	if v, ok := d.st.vars["HOME"]; ok {
		return v.text
	}
	if d.a.env.Home == "" {
		return hole
	}
	return d.a.env.Home
}

// param decodes a parameter expansion.
func (d decoder) param(out *word, p *syntax.ParamExp, quoted bool) {
	out.expanded = true
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	switch {
	case p.Excl || p.Names != 0:
		out.trick = "an indirect expansion is not known before the run"
	case p.Width || p.IsSet || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0:
		out.trick = "an expansion of another shell"
	case p.Length:
		out.text += hole
		out.multi = out.multi || !quoted
		return
	}
	plain := p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && out.trick == ""
	if plain {
		d.variable(out, name, quoted)
		return
	}
	if p.Index != nil && !d.harmless(p.Index) && !allElements(p.Index) {
		out.trick = "a subscript may run commands"
	}
	if p.Slice != nil && !(d.harmless(p.Slice.Offset) && d.harmless(p.Slice.Length)) {
		out.trick = "an offset may run commands"
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.OtherParamOps:
			out.trick = "a transformed expansion can run commands"
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			out.trick = "an expansion sets a variable"
		}
	}
	value := word{}
	d.variable(&value, name, quoted)
	out.env, out.secret = value.env, out.secret || value.secret
	out.text += hole
	out.multi = out.multi || !quoted
}

func allElements(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// variable adds the value of a variable.
func (d decoder) variable(out *word, name string, quoted bool) {
	out.expanded = true
	v, set := d.st.vars[name]
	switch {
	case set:
	case name == "IFS" && !quoted:
		out.text += cut
		out.trick = "$IFS makes the words"
		return
	case name == "HOME" && d.a.env.Home != "":
		v = word{text: d.a.env.Home}
	case name == "PWD" && len(d.st.dirs.list) == 1 && !d.st.dirs.unknown:
		v = word{text: d.st.dirs.list[0]}
	case (name == "@" || name == "*") && !d.st.args:
		v = word{multi: true} // a program given as text has no arguments
	case len(name) == 1 && strings.Contains("?#$!-0", name):
		v = word{text: hole, numeric: name != "0" && name != "-"}
	case len(name) > 0 && strings.Trim(name, "0123456789") == "", name == "@", name == "*", name == "_":
		v = word{text: hole}
	default:
		v = word{text: hole}
		if !d.a.table.list("var shown", name) {
			v.env = name
		}
	}
	out.numeric = v.numeric && out.text == ""
	out.env += v.env
	out.glob = out.glob || v.glob
	out.secret = out.secret || v.secret
	if v.trick != "" {
		out.trick = v.trick
	}
	if quoted {
		out.text += v.text
		return
	}
	out.multi = out.multi || !v.known()
	out.glob = out.glob || strings.ContainsAny(v.text, "*?[")
	if v.text != "" && isBlank(rune(v.text[0])) {
		out.text += cut
	}
	out.text += strings.Join(strings.FieldsFunc(v.text, isBlank), cut)
	if v.text != "" && isBlank(rune(v.text[len(v.text)-1])) {
		out.text += cut
	}
}

func isBlank(c rune) bool { return c == ' ' || c == '\t' || c == '\n' }

// command decodes a command substitution, of which only "pwd" is known.
func (d decoder) command(out *word, c *syntax.CmdSubst, quoted bool) {
	out.expanded = true
	if len(c.Stmts) == 1 && len(d.st.dirs.list) == 1 && !d.st.dirs.unknown {
		call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
		if ok && len(call.Args) == 1 && len(call.Assigns) == 0 && call.Args[0].Lit() == "pwd" && len(c.Stmts[0].Redirs) == 0 {
			out.text += d.st.dirs.list[0]
			return
		}
	}
	out.text += hole
	out.multi = out.multi || !quoted
}

// arithmetic decodes an arithmetic expansion.
func (d decoder) arithmetic(out *word, x syntax.ArithmExpr) {
	out.expanded = true
	if !d.harmless(x) {
		out.trick = "arithmetic on a value that is not known can run commands"
	}
	out.numeric = out.text == "" && out.trick == ""
	out.text += hole
}

// harmless reports whether an arithmetic expression has only numbers and
// variables that hold numbers: the value of any other name is evaluated
// again, and can run commands in a subscript.
func (d decoder) harmless(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.BinaryArithm:
		if assigns(x.Op) {
			name, ok := x.X.(*syntax.Word)
			if !ok || !isName(name.Lit()) || !d.harmless(x.Y) {
				return false
			}
			if x.Op != syntax.Assgn && !d.harmless(x.X) {
				return false
			}
			return d.number(name.Lit())
		}
		return d.harmless(x.X) && d.harmless(x.Y)
	case *syntax.UnaryArithm:
		if !d.harmless(x.X) {
			return false
		}
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			name, ok := x.X.(*syntax.Word)
			return ok && d.number(name.Lit())
		}
		return true
	case *syntax.ParenArithm:
		return d.harmless(x.X)
	case *syntax.Word:
		lit := x.Lit()
		if v, set := d.st.vars[lit]; set {
			return v.number()
		}
		if lit != "" {
			return isNumber(lit)
		}
		w := word{}
		d.parts(&w, x.Parts)
		return w.trick == "" && w.number()
	}
	return false
}

// number notes that a variable now holds some number.
func (d decoder) number(name string) bool {
	if !isName(name) || d.a.table.list("var ask", name) || d.a.table.list("var danger", name) {
		return false
	}
	d.st.set(name, word{text: hole, numeric: true})
	return true
}

func assigns(op syntax.BinAritOperator) bool {
	s := op.String()
	return strings.HasSuffix(s, "=") && s != "==" && s != "!=" && s != "<=" && s != ">="
}

func isNumber(s string) bool {
	if s == "" {
		return false
	}
	for _, base := range []int{10, 0} {
		if _, err := strconv.ParseInt(s, base, 64); err == nil {
			return true
		}
	}
	return false
}

func isName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// unescape takes out the backslashes before the characters of set, and line
// continuations.
func unescape(text, set string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(set, text[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// ansi decodes the text of a $'...' string.
func ansi(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)])
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'x', 'u', 'U', '0', '1', '2', '3', '4', '5', '6', '7':
			n, size := numbered(text[i:])
			if n == 0 {
				return b.String() // bash ends the string at a NUL
			}
			if (c == 'u' || c == 'U') && n >= utf8.RuneSelf {
				b.WriteRune(rune(n))
			} else {
				b.WriteByte(byte(n))
			}
			i += size - 1
		case 'c':
			if i+1 < len(text) {
				i++
				b.WriteByte(text[i] & 0x1f)
			}
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// numbered reads the number of an escape such as x72, 162 or u0072, and how
// many bytes it takes. Without a digit it is the letter itself.
func numbered(text string) (int, int) {
	start, base, most := 1, 16, 2
	switch text[0] {
	case 'x':
	case 'u':
		most = 4
	case 'U':
		most = 8
	default:
		start, base, most = 0, 8, 3
	}
	end := start
	for end < len(text) && end-start < most && strings.IndexByte("0123456789abcdefABCDEF", text[end]) >= 0 {
		if base == 8 && text[end] > '7' {
			break
		}
		end++
	}
	if end == start {
		return int(text[0]), 1
	}
	n, err := strconv.ParseInt(text[start:end], base, 32)
	if err != nil {
		return '?', end
	}
	return int(n), end
}
