package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/minicode-go/minicode/event"
)

// source of a command's standard input.
type inputKind int

const (
	empty  inputKind = iota // the null device, or not known to matter
	piped                   // the output of commands
	file                    // a file
	inline                  // a here-document or here-string
)

type input struct {
	kind inputKind
	from []*found // piped
	text word     // inline
	pos  int      // inline: where the text stands
}

// command is a simple command with what it gets.
type command struct {
	words []word
	f     *found
	st    *state
	sc    scope
	node  syntax.Node
	in    input
	subs  []*found // the commands in its own substitutions
	more  bool     // unknown words follow (xargs)
	outer bool     // a wrapper runs it
	path  string   // of the program if it was given with a directory
}

func (c command) name() string { return c.words[0].text }

// args are the decoded words after the name.
func (c command) args() []string {
	var out []string
	for _, w := range c.words[1:] {
		out = append(out, w.text)
	}
	return out
}

// call follows a simple command with its assignments and redirections.
func (a *analyser) call(call *syntax.CallExpr, redirs []*syntax.Redirect, st *state, sc scope) ends {
	if len(call.Args) == 0 {
		a.assign(call, st, sc)
		a.redirects(redirs, nil, st, sc)
		return both(st.dirs)
	}
	if strings.Trim(text(sc.src, call.Args), holeMask+" ") == "" {
		return both(dirs{unknown: true}) // nothing is known of it, which the outer command answers for
	}
	d := decoder{a, st}
	words := d.words(call.Args)
	first := int(call.Args[0].Pos().Offset())
	f := a.part(sc, key{node: call}, text(sc.src, call.Args), first)
	if f.args == nil {
		for _, w := range words {
			f.args = append(f.args, shown(w, sc))
		}
	}
	c := command{words: words, f: f, st: st, sc: sc, node: call}
	c.subs = a.collect(func() {
		for _, w := range call.Args {
			a.substitutions(w, st, sc)
		}
	})
	a.sets(call.Assigns, f, st, sc)
	if c.in = a.redirects(redirs, f, st, sc); c.in.kind == empty {
		c.in = sc.in
	}
	return a.run(c)
}

// shown is a word for people: decoded where that can be done.
func shown(w word, sc scope) string {
	if !w.known() && w.end <= len(sc.src) && w.pos <= w.end {
		return sc.unmask(sc.src[w.pos:w.end])
	}
	return sc.unmask(w.text)
}

// text is the source of some words that stand after one another, without the
// redirections between them.
func text(src string, words []*syntax.Word) string {
	var b strings.Builder
	end := -1
	for _, w := range words {
		pos := int(w.Pos().Offset())
		if end >= 0 {
			if gap := src[end:pos]; strings.Trim(strings.ReplaceAll(gap, "\\\n", ""), " \t") == "" {
				b.WriteString(gap)
			} else {
				b.WriteByte(' ')
			}
		}
		end = int(w.End().Offset())
		b.WriteString(src[pos:end])
	}
	return b.String()
}

// substitutions follows the commands that expansions in a node run.
func (a *analyser) substitutions(n syntax.Node, st *state, sc scope) {
	if n == nil {
		return
	}
	sc.in = input{}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			a.stmts(n.Stmts, st.fork(), sc)
			return false
		case *syntax.ProcSubst:
			a.stmts(n.Stmts, st.fork(), sc)
			return false
		case *syntax.ExtGlob:
			a.negated(n, st, sc)
		case *syntax.ParamExp:
			if text := slice(sc.src, n); strings.Contains(text, "<(") || strings.Contains(text, ">(") {
				a.unclear(event.NeedsAsk, "a process substitution within an expansion, which the parser takes for text")
			}
		}
		return true
	})
}

// negated follows "!(...)", which is a negated subshell to a bash without
// extended patterns.
func (a *analyser) negated(n *syntax.ExtGlob, st *state, sc scope) {
	if n.Op != syntax.GlobExcept {
		return
	}
	p := a.parse(fileKey{key{node: n}, n.Pattern.Value})
	if p.err != "" {
		return
	}
	sc.src, sc.base = p.src, append(slices.Clip(sc.base), int(n.Pattern.Pos().Offset()))
	if sc.depth++; sc.depth <= maxDepth {
		a.stmts(p.file.Stmts, st.fork(), sc)
	}
}

// sets judges the assignments before a command.
func (a *analyser) sets(list []*syntax.Assign, f *found, st *state, sc scope) {
	var spelled []string
	odd := false
	for _, as := range list {
		a.substitutions(as, st, sc)
		spelled = append(spelled, slice(sc.src, as))
		v := a.value(as, st)
		if class, why := a.variable(as.Name.Value, v, false); class != event.ReadOnly {
			f.raise(class, why)
			odd = true
		}
	}
	if odd {
		f.sets = sc.unmask(strings.ReplaceAll(strings.Join(spelled, " "), "\\\n", ""))
	}
}

// assign judges assignments that stand alone: they change what follows.
func (a *analyser) assign(call *syntax.CallExpr, st *state, sc scope) {
	for _, as := range call.Assigns {
		from := a.collect(func() { a.substitutions(as, st, sc) })
		name, v := as.Name.Value, a.value(as, st)
		v.secret = v.secret || slices.ContainsFunc(from, a.secret)
		if class, why := a.variable(name, v, true); class != event.ReadOnly {
			a.unclear(class, why)
		}
		st.set(name, v)
	}
}

// secret reports whether a command's output may hold secrets.
func (a *analyser) secret(f *found) bool {
	if f.leaks {
		return true
	}
	for p := range f.reads {
		if a.env.Secrets != nil && a.env.Secrets(p) {
			return true
		}
	}
	return false
}

// value is what an assignment sets.
func (a *analyser) value(as *syntax.Assign, st *state) word {
	d := decoder{a, st}
	switch {
	case as.Array != nil || as.Index != nil:
		v := word{text: hole}
		if as.Index != nil && !d.harmless(as.Index) {
			v.trick = "a subscript may run commands"
		}
		return v
	case as.Append:
		return word{text: hole}
	}
	v := d.one(as.Value)
	v.glob, v.multi, v.quoted, v.pos, v.end = false, false, false, 0, 0
	return v
}

// variable is the class of setting a variable; alone when it is no command's
// environment for certain.
func (a *analyser) variable(name string, v word, alone bool) (event.Class, string) {
	switch {
	case a.table.list("var danger", name):
		return event.Dangerous, "sets " + name + ", which loads foreign code into programs"
	case v.trick != "":
		return event.NeedsAsk, v.trick
	case a.table.list("var harmless", name), v.known() && a.table.list("var harmless", name+"="+v.text):
		return event.ReadOnly, ""
	case a.table.list("var ask", name):
		return event.NeedsAsk, "sets " + name + ", which can change what programs do"
	case !alone:
		return event.NeedsAsk, "sets " + name + ", which may change what the command does"
	}
	return event.ReadOnly, ""
}

// declare judges export, declare, local, readonly, typeset.
func (a *analyser) declare(cmd *syntax.DeclClause, st *state, sc scope) {
	f := a.part(sc, key{node: cmd}, slice(sc.src, cmd), int(cmd.Pos().Offset()))
	variant := cmd.Variant.Value
	names := 0
	for _, as := range cmd.Args {
		a.substitutions(as, st, sc)
		if as.Name == nil { // a flag, or a word that is not known
			w := (decoder{a, st}).one(as.Value)
			if !w.exact() || !strings.HasPrefix(w.text, "-") || strings.Trim(w.text, "-raAxgl") != "" {
				f.raise(event.NeedsAsk, variant+" with this flag can change what programs do")
			}
			if strings.Contains(w.text, "x") {
				variant = "export"
			}
			continue
		}
		names++
		name := as.Name.Value
		v := a.value(as, st)
		if class, why := a.variable(name, v, variant != "export"); class != event.ReadOnly {
			f.raise(class, why)
		}
		if !as.Naked {
			st.set(name, v)
		}
	}
	if names == 0 {
		f.raise(event.NeedsAsk, "prints variables, and so the secrets in them")
	}
}

// redirects judges redirections, of a command f or of something else, and
// returns what standard input becomes.
func (a *analyser) redirects(list []*syntax.Redirect, f *found, st *state, sc scope) input {
	in := input{}
	if f == nil {
		in = sc.in
	}
	for _, r := range list {
		from := a.collect(func() {
			a.substitutions(r.Word, st, sc)
			if r.Hdoc != nil {
				a.substitutions(r.Hdoc, st, sc)
			}
		})
		if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
			a.refuse(f, event.NeedsAsk, "a redirection sets the variable "+r.N.Value)
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if !a.closed(r, st, sc) {
				a.unclear(event.NeedsAsk, "where the here-document ends can be read in two ways")
			}
			in = input{kind: inline, text: a.document(r, st), pos: int(r.End().Offset())}
			a.printed(in.text, f)
		case syntax.WordHdoc:
			in = input{kind: inline, text: (decoder{a, st}).one(r.Word), pos: int(r.End().Offset())}
			a.printed(in.text, f)
		case syntax.RdrIn:
			in = a.readFrom(r, f, st, from)
		case syntax.DplIn:
			if w := (decoder{a, st}).one(r.Word); !descriptor(w) {
				a.refuse(f, event.NeedsAsk, "reads from something that is not known before the run")
			}
		case syntax.DplOut:
			if w := (decoder{a, st}).one(r.Word); !descriptor(w) {
				a.writeTo(r, f, st, sc)
			}
		case syntax.RdrInOut:
			a.readFrom(r, f, st, from)
			a.writeTo(r, f, st, sc)
		default:
			a.writeTo(r, f, st, sc)
		}
	}
	return in
}

// closed reports whether the parser found the end of a here-document where
// bash finds it: at the first line that is the delimiter and nothing else.
func (a *analyser) closed(r *syntax.Redirect, st *state, sc scope) bool {
	delimiter := (decoder{a, st}).one(r.Word)
	if r.Hdoc == nil {
		return delimiter.known()
	}
	lines := strings.Split(slice(sc.src, r.Hdoc), "\n")
	for i, line := range lines {
		if r.Op == syntax.DashHdoc {
			line = strings.TrimLeft(line, "\t")
		}
		if line == delimiter.text {
			return i == len(lines)-1 && delimiter.known()
		}
	}
	return false
}

// descriptor reports whether a word is what >& takes besides a file.
func descriptor(w word) bool {
	return w.exact() && (w.text == "-" || strings.Trim(w.text, "0123456789") == "" || strings.Trim(w.text, "0123456789") == "-")
}

// document decodes a here-document.
func (a *analyser) document(r *syntax.Redirect, st *state) word {
	if r.Hdoc == nil {
		return word{}
	}
	w := word{}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok && quotedDelimiter(r.Word) {
			w.text += lit.Value
			continue
		}
		(decoder{a, st}).inQuotes(&w, part)
	}
	if r.Op == syntax.DashHdoc {
		w.text = strings.ReplaceAll("\n"+w.text, "\n\t", "\n")[1:]
	}
	return w
}

func quotedDelimiter(w *syntax.Word) bool { return w.Lit() == "" || strings.Contains(w.Lit(), `\`) }

// printed judges text that a command gets, and most likely prints.
func (a *analyser) printed(w word, f *found) {
	switch {
	case w.trick != "":
		a.refuse(f, event.NeedsAsk, w.trick)
	case w.env != "":
		a.refuse(f, event.NeedsAsk, "uses the value of $"+w.env)
		if f != nil {
			f.leaks = f.leaks || secretName(w.env)
		}
	}
}

// refuse raises the class of a command, or of what has no command.
func (a *analyser) refuse(f *found, class event.Class, why string) {
	if f == nil {
		a.unclear(class, why)
		return
	}
	f.raise(class, why)
}

// readFrom judges "< file".
func (a *analyser) readFrom(r *syntax.Redirect, f *found, st *state, from []*found) input {
	w := (decoder{a, st}).one(r.Word)
	if w.proc {
		return input{kind: piped, from: from}
	}
	if network(w.prefix()) {
		a.refuse(f, event.Dangerous, "opens a connection to another machine")
		return input{kind: piped}
	}
	paths, ok := resolve(w, st.dirs)
	if !ok {
		a.refuse(f, event.NeedsAsk, "reads a file whose name is not known before the run")
	}
	for _, p := range paths {
		a.read(f, p)
	}
	return input{kind: file}
}

// writeTo judges a redirection that opens a file for writing.
func (a *analyser) writeTo(r *syntax.Redirect, f *found, st *state, sc scope) {
	w := (decoder{a, st}).one(r.Word)
	paths, ok := resolve(w, st.dirs)
	if ok && !w.glob && !slices.ContainsFunc(paths, func(p string) bool { return !device(p) }) && !w.proc {
		return
	}
	spelled := sc.unmask(r.Op.String() + " " + strings.ReplaceAll(slice(sc.src, r.Word), "\\\n", ""))
	if !a.written[r] {
		a.written[r] = true
		a.writes = append(a.writes, redirection{at: sc.at(int(r.OpPos.Offset())), text: spelled})
	}
	switch {
	case network(w.prefix()):
		a.refuse(f, event.Dangerous, "opens a connection to another machine")
		return
	case w.proc:
		return
	case !ok || w.glob:
		a.refuse(f, event.NeedsAsk, "writes a file whose name is not known before the run: "+spelled)
	}
	for _, p := range paths {
		a.write(f, p)
	}
}

// read notes that a path is read.
func (a *analyser) read(f *found, path string) {
	switch {
	case device(path):
	case f == nil:
		a.loosePath(event.Read, path)
	default:
		f.reads[path] = true
	}
}

// write notes that a path is written.
func (a *analyser) write(f *found, path string) {
	switch {
	case device(path):
	case f == nil:
		a.loosePath(event.Write, path)
	default:
		f.writes[path] = true
		if a.system(path) {
			f.raise(event.Dangerous, "writes "+path+", which belongs to the system")
		}
	}
}

func (a *analyser) loosePath(kind event.EffectKind, path string) {
	e := event.Effect{Kind: kind, Target: filepath.Clean(path)}
	if !slices.Contains(a.loose, e) {
		a.loose = append(a.loose, e)
	}
}

// secretName reports whether a variable of that name most likely holds a
// secret.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS", "CRED", "AUTH", "PRIVATE", "COOKIE", "SESSION", "DSN", "DATABASE_URL"},
		func(s string) bool { return strings.Contains(upper, s) })
}
