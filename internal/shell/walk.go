package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/minicode-go/minicode/event"
)

const (
	maxSteps  = 4000 // commands looked at; then loops are followed once, with nothing known
	maxDepth  = 20   // shell texts within shell texts, and calls of functions
	maxVars   = 200  // variables that are kept
	maxRounds = 16   // values of a loop variable that are followed one by one
)

// analyser follows one program.
type analyser struct {
	env   Env
	table *table

	parts   []*found
	byKey   map[key]*found
	seen    []*found // each command each time it is come to
	writes  []redirection
	written map[*syntax.Redirect]bool
	loose   []event.Effect

	files   map[fileKey]*parsed
	fetched map[string]bool // paths that the program itself downloads or decodes
	steps   int
}

// key is what makes two visits (of a loop, a function) the same command.
type key struct {
	node  syntax.Node
	at    int // which of the commands that the node holds
	depth int // of the wrappers round it
}

type fileKey struct {
	key
	text string
}

// parsed is a shell text and its tree.
type parsed struct {
	src  string
	file *syntax.File
	err  string
}

// found is what is known of one simple command.
type found struct {
	at     []int // where, for the order
	text   string
	args   []string
	sets   string
	class  event.Class
	reason string
	reads  map[string]bool
	writes map[string]bool
	plain  bool
	other  bool // it does more than plain ones

	name    string  // the program
	fetches bool    // its output is what it downloaded or decoded
	leaks   bool    // its output may be secret
	prints  *string // its output, where it is known
	copies  bool    // its output is that of files
}

// raise makes the class stricter.
func (f *found) raise(class event.Class, reason string) {
	f.other = f.other || class != event.ReadOnly
	f.plain = f.plain && !f.other
	if rank(class) > rank(f.class) {
		f.class, f.reason = class, reason
	}
}

// plainly notes that the command changes only what it names.
func (f *found) plainly(reason string) {
	if f.class == event.ReadOnly {
		f.class, f.reason = event.NeedsAsk, reason
	}
	f.plain = !f.other
}

// redirection is a redirection to a file.
type redirection struct {
	at   []int
	text string
}

// state is what is known at a point of a program.
type state struct {
	dirs  dirs
	start string // where the whole program started
	vars  map[string]word
	funcs map[string]function
	args  bool // there may be positional parameters
	bare  bool // commands get less of the environment than they were to get
}

// function is a function of the program and the text that it stands in.
type function struct {
	decl *syntax.FuncDecl
	src  string
	base []int
}

func (s *state) fork() *state {
	out := *s
	out.vars, out.funcs = maps.Clone(s.vars), maps.Clone(s.funcs)
	return &out
}

func (s *state) set(name string, v word) {
	if s.vars == nil {
		s.vars = map[string]word{}
	}
	if _, ok := s.vars[name]; ok || len(s.vars) < maxVars { // what is not kept counts as not known
		s.vars[name] = v
	}
}

// merge keeps what holds on both of two ways.
func (s *state) merge(t *state) {
	for name, v := range t.vars {
		old, ok := s.vars[name]
		if ok && old == v {
			continue
		}
		s.set(name, word{text: hole, env: v.env, secret: v.secret || old.secret, numeric: v.number() && ok && old.number()})
	}
	for name := range s.vars {
		if _, ok := t.vars[name]; !ok {
			s.set(name, word{text: hole, env: name})
		}
	}
	for name, f := range t.funcs {
		if s.funcs == nil {
			s.funcs = map[string]function{}
		}
		s.funcs[name] = f
	}
	s.dirs = s.dirs.or(t.dirs)
}

// scope is where a command stands.
type scope struct {
	src   string // the text that positions are in
	base  []int  // where that text stands in the whole program
	mark  string // what stands for the unknown in it
	in    input
	calls []string // the functions that are running
	depth int
}

func (sc scope) at(offset int) []int { return append(slices.Clip(sc.base), offset) }

// ends is where a command leaves the shell if it succeeds and if it fails.
type ends struct{ ok, bad dirs }

func both(d dirs) ends { return ends{d, d} }

// program parses and follows the whole text; it says why it could not.
func (a *analyser) program(text string) string {
	p := a.parse(fileKey{text: text})
	if p.err != "" {
		return "the command could not be parsed: " + p.err
	}
	if len(p.file.Stmts) == 0 {
		a.unclear(event.NeedsAsk, "the command runs nothing")
	}
	st := &state{dirs: dirs{list: []string{a.env.Cwd}}, start: a.env.Cwd}
	a.stmts(p.file.Stmts, st, scope{src: p.src})
	return ""
}

// parse parses a shell text once. A carriage return is a part of a word to
// bash, but a line end to the parser.
func (a *analyser) parse(k fileKey) *parsed {
	if p := a.files[k]; p != nil {
		return p
	}
	p := &parsed{}
	odd := false
	if p.src, odd = continued(mask(k.text)); odd {
		a.unclear(event.NeedsAsk, "a backslash at the end of a line can be read in two ways")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(p.src), "")
	if p.file = file; err != nil {
		p.err = err.Error()
	}
	a.files[k] = p
	return p
}

// continued undoes the line continuations on which bash and the parser differ:
// at the end of a comment, where there is none to bash, and after a "$". It
// reports whether there were any.
func continued(text string) (string, bool) {
	if !strings.Contains(text, "\\\n") {
		return text, false
	}
	odd := false
	for strings.Contains(text, "$\\\n") {
		text, odd = strings.ReplaceAll(text, "$\\\n", "$"), true
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		n := len(line) - len(strings.TrimRight(line, `\`))
		if n%2 == 1 && strings.Contains(line, "#") {
			lines[i], odd = line[:len(line)-1]+" ", true
		}
	}
	return strings.Join(lines, "\n"), odd
}

// Characters that stand for others while a text is parsed: those that the
// parser would drop, and what is not known of the text.
const (
	crMask   = "\uf8f0"
	nulMask  = "\uf8f1"
	holeMask = "\uf8f2"
	cutMask  = "\uf8f3"
)

func mask(s string) string {
	return strings.NewReplacer("\r", crMask, hole, nulMask, cut, cutMask).Replace(s)
}

// unmask is for people: it shows a text as it was written.
func (sc scope) unmask(s string) string {
	mark := sc.mark
	if mark == "" {
		mark = "…"
	}
	return strings.NewReplacer(crMask, "\r", nulMask, hole, cutMask, cut, holeMask, mark, hole, mark).Replace(s)
}

// part returns the record of a command that stands at an offset, a new one if
// it was not come to yet.
func (a *analyser) part(sc scope, k key, text string, offset int) *found {
	f := a.byKey[k]
	if f == nil {
		f = &found{
			at: append(slices.Clip(sc.base), offset), text: sc.unmask(strings.ReplaceAll(text, "\\\n", "")),
			class: event.ReadOnly, reads: map[string]bool{}, writes: map[string]bool{},
		}
		a.byKey[k] = f
		a.parts = append(a.parts, f)
	}
	a.seen = append(a.seen, f)
	a.steps++
	return f
}

// collect returns the commands that do comes to.
func (a *analyser) collect(do func()) []*found {
	mark := len(a.seen)
	do()
	return slices.Clip(a.seen[mark:])
}

func (a *analyser) stmts(list []*syntax.Stmt, st *state, sc scope) ends {
	e := both(st.dirs)
	for _, s := range list {
		if st.dirs.none() {
			st.dirs.unknown = true // after an exit: it is not come to
		}
		e = a.stmt(s, st, sc)
		st.dirs = e.ok.or(e.bad)
	}
	return e
}

// stmt follows one statement; st.dirs is left to the caller.
func (a *analyser) stmt(s *syntax.Stmt, st *state, sc scope) ends {
	run := st
	if s.Background || s.Coprocess || s.Disown {
		run = st.fork()
	}
	var e ends
	switch call, ok := s.Cmd.(*syntax.CallExpr); {
	case ok:
		e = a.call(call, s.Redirs, run, sc)
	case s.Cmd == nil:
		a.redirects(s.Redirs, nil, run, sc)
		e = both(run.dirs)
	default:
		inner := sc
		inner.in = a.redirects(s.Redirs, nil, run, sc)
		e = a.command(s.Cmd, run, inner)
	}
	if s.Negated {
		e.ok, e.bad = e.bad, e.ok
	}
	if run != st {
		return both(st.dirs)
	}
	return e
}

// command follows everything that is not a simple command.
func (a *analyser) command(cmd syntax.Command, st *state, sc scope) ends {
	switch cmd := cmd.(type) {
	case *syntax.BinaryCmd:
		return a.binary(cmd, st, sc)
	case *syntax.Subshell:
		a.stmts(cmd.Stmts, st.fork(), sc)
	case *syntax.Block:
		return a.stmts(cmd.Stmts, st, sc)
	case *syntax.IfClause:
		return a.ifClause(cmd, st, sc)
	case *syntax.WhileClause:
		return a.while(cmd, st, sc)
	case *syntax.ForClause:
		return a.forClause(cmd, st, sc)
	case *syntax.CaseClause:
		return a.caseClause(cmd, st, sc)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return a.stmt(cmd.Stmt, st, sc)
		}
	case *syntax.CoprocClause:
		if cmd.Name != nil {
			a.substitutions(cmd.Name, st, sc)
		}
		if twofold(cmd, sc) {
			a.unclear(event.NeedsAsk, "the words after coproc can be read in two ways")
		}
		for _, f := range a.collect(func() { a.stmt(cmd.Stmt, st.fork(), sc) }) {
			f.raise(event.NeedsAsk, "runs on beside the shell")
		}
	case *syntax.FuncDecl:
		a.define(cmd, st, sc)
	case *syntax.DeclClause:
		a.declare(cmd, st, sc)
	case *syntax.LetClause:
		f := a.part(sc, key{node: cmd}, slice(sc.src, cmd), int(cmd.Pos().Offset()))
		for _, x := range cmd.Exprs {
			a.expression(x, f, st, sc)
		}
	case *syntax.ArithmCmd:
		f := a.part(sc, key{node: cmd}, slice(sc.src, cmd), int(cmd.Pos().Offset()))
		a.expression(cmd.X, f, st, sc)
	case *syntax.TestClause:
		a.testClause(cmd, st, sc)
	default:
		a.unclear(event.NeedsAsk, "the command holds something of another shell")
	}
	return both(st.dirs)
}

// twofold reports whether the parser may take a command of a coprocess for its
// name, or the other way round: to bash only a compound command has a name.
func twofold(cmd *syntax.CoprocClause, sc scope) bool {
	switch inner := cmd.Stmt.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		return cmd.Name != nil && !isName(cmd.Name.Lit())
	case *syntax.CallExpr:
		return cmd.Name != nil || len(inner.Args) == 0 || strings.Contains(slice(sc.src, inner.Args[0]), "=")
	}
	return true
}

func slice(src string, n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(src) || from > to {
		return ""
	}
	return src[from:to]
}

// expression judges arithmetic that stands alone.
func (a *analyser) expression(x syntax.ArithmExpr, f *found, st *state, sc scope) {
	if x == nil {
		return
	}
	a.substitutions(x, st, sc)
	if !(decoder{a, st}).harmless(x) {
		f.raise(event.NeedsAsk, "arithmetic on a value that is not known can run commands")
	}
}

// binary follows lists and pipes.
func (a *analyser) binary(cmd *syntax.BinaryCmd, st *state, sc scope) ends {
	switch cmd.Op {
	case syntax.AndStmt:
		x := a.stmt(cmd.X, st, sc)
		if st.dirs = x.ok; st.dirs.none() {
			st.dirs.unknown = true
		}
		before := st.fork()
		y := a.stmt(cmd.Y, st, sc)
		st.merge(before)
		return ends{y.ok, x.bad.or(y.bad)}
	case syntax.OrStmt:
		x := a.stmt(cmd.X, st, sc)
		if st.dirs = x.bad; st.dirs.none() {
			st.dirs.unknown = true
		}
		before := st.fork()
		y := a.stmt(cmd.Y, st, sc)
		st.merge(before)
		return ends{x.ok.or(y.ok), y.bad}
	}
	from := a.collect(func() { a.stmt(cmd.X, st.fork(), sc) })
	sc.in = input{kind: piped, from: from}
	a.stmt(cmd.Y, st.fork(), sc)
	return both(st.dirs)
}

func (a *analyser) ifClause(cmd *syntax.IfClause, st *state, sc scope) ends {
	if cmd.ThenPos.IsValid() || len(cmd.Cond) > 0 {
		cond := a.stmts(cmd.Cond, st, sc)
		other := st.fork()
		st.dirs, other.dirs = cond.ok, cond.bad
		e := a.stmts(cmd.Then, st, sc)
		f := both(other.dirs)
		if cmd.Else != nil {
			f = a.ifClause(cmd.Else, other, sc)
		}
		st.merge(other)
		return ends{e.ok.or(f.ok), e.bad.or(f.bad)}
	}
	return a.stmts(cmd.Then, st, sc)
}

func (a *analyser) caseClause(cmd *syntax.CaseClause, st *state, sc scope) ends {
	a.substitutions(cmd.Word, st, sc)
	e := both(st.dirs)
	start := st.fork()
	for _, item := range cmd.Items {
		for _, p := range item.Patterns {
			a.substitutions(p, st, sc)
		}
		way := start.fork()
		f := a.stmts(item.Stmts, way, sc)
		if item.Op != syntax.Break {
			start.merge(way)
		}
		st.merge(way)
		e.ok, e.bad = e.ok.or(f.ok), e.bad.or(f.bad)
	}
	return e
}

// while follows a loop that a command ends.
func (a *analyser) while(cmd *syntax.WhileClause, st *state, sc scope) ends {
	var first *found
	round := func(st *state) {
		from := a.collect(func() {
			e := a.stmts(cmd.Cond, st, sc)
			if st.dirs = e.ok; cmd.Until {
				st.dirs = e.bad
			}
		})
		if first == nil && len(from) > 0 {
			first = from[0]
		}
		a.stmts(cmd.Do, st, sc)
	}
	a.forget(cmd, st)
	a.loop(st, round)
	if endless(cmd) {
		a.never(first)
	}
	return both(st.dirs)
}

// never notes that a loop does not end by itself.
func (a *analyser) never(first *found) {
	const why = "the loop never ends"
	if first == nil {
		a.unclear(event.NeedsAsk, why)
		return
	}
	first.raise(event.NeedsAsk, why)
}

// endless reports whether nothing can end a loop.
func endless(cmd *syntax.WhileClause) bool {
	if len(cmd.Cond) != 1 {
		return false
	}
	text := ""
	switch cond := cmd.Cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		for _, w := range cond.Args {
			text += " " + w.Lit()
		}
	case *syntax.ArithmCmd:
		if w, ok := cond.X.(*syntax.Word); ok && w.Lit() != "0" && isNumber(w.Lit()) {
			text = " true"
		}
	}
	switch strings.TrimSpace(text) {
	case "true", ":", "[ 1 ]", "test 1", "[ true ]", "test true":
		return !cmd.Until && !leaves(cmd.Do)
	case "false":
		return cmd.Until && !leaves(cmd.Do)
	}
	return false
}

// leaves reports whether statements hold a way out of a loop.
func leaves(list []*syntax.Stmt) bool {
	out := false
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				out = out || slices.Contains([]string{"break", "exit", "return", "exec"}, call.Args[0].Lit())
			}
			return !out
		})
	}
	return out
}

// loop follows the rounds of a loop until the directories stay the same.
func (a *analyser) loop(st *state, round func(*state)) {
	for range 3 {
		if a.steps > maxSteps {
			break
		}
		before := st.fork()
		round(st)
		st.merge(before)
		if st.dirs.equal(before.dirs) {
			return
		}
	}
	st.dirs.unknown = true
	round(st)
	st.dirs.unknown = true
}

// forget drops what is known of the variables that a loop sets.
func (a *analyser) forget(body syntax.Node, st *state) {
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				old := st.vars[n.Name.Value]
				st.set(n.Name.Value, word{text: hole, numeric: old.number() && n.Value != nil && arithmeticOnly(n.Value)})
			}
		case *syntax.CmdSubst, *syntax.Subshell, *syntax.ProcSubst:
			return false
		}
		return true
	})
}

func arithmeticOnly(w *syntax.Word) bool {
	if len(w.Parts) == 1 {
		_, ok := w.Parts[0].(*syntax.ArithmExp)
		return ok || isNumber(w.Lit())
	}
	return false
}

func (a *analyser) forClause(cmd *syntax.ForClause, st *state, sc scope) ends {
	body := func(st *state) { a.stmts(cmd.Do, st, sc) }
	if loop, ok := cmd.Loop.(*syntax.CStyleLoop); ok {
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x == nil {
				continue
			}
			a.substitutions(x, st, sc)
			if !(decoder{a, st}).harmless(x) {
				a.unclear(event.NeedsAsk, "arithmetic on a value that is not known can run commands")
			}
		}
		a.forget(cmd, st)
		from := a.collect(func() { a.loop(st, body) })
		if loop.Cond == nil && !leaves(cmd.Do) {
			a.never(append(from, nil)[0])
		}
		return both(st.dirs)
	}
	loop := cmd.Loop.(*syntax.WordIter)
	for _, w := range loop.Items {
		a.substitutions(w, st, sc)
	}
	name := loop.Name.Value
	if a.table.list("var ask", name) || a.table.list("var danger", name) {
		a.unclear(event.NeedsAsk, "the loop sets "+name+", which can change what programs do")
	}
	values := decoder{a, st}.words(loop.Items)
	a.forget(cmd, st)
	if cmd.Select || !loop.InPos.IsValid() || len(values) > maxRounds || a.steps > maxSteps {
		values = []word{{text: hole}}
	}
	if cmd.Select {
		a.unclear(event.NeedsAsk, "the command asks the terminal")
	}
	a.loop(st, func(st *state) {
		for _, v := range values {
			v.multi = false
			st.set(name, v)
			body(st)
		}
	})
	return both(st.dirs)
}

// define notes a function, and judges its body where it stands.
func (a *analyser) define(cmd *syntax.FuncDecl, st *state, sc scope) {
	if cmd.Name == nil {
		a.unclear(event.NeedsAsk, "the command holds something of another shell")
		return
	}
	if st.funcs == nil {
		st.funcs = map[string]function{}
	}
	st.funcs[cmd.Name.Value] = function{cmd, sc.src, sc.base}
	sc.calls = append(slices.Clip(sc.calls), cmd.Name.Value)
	a.body(cmd, st, sc)
}

// body follows the body of a function in the state of a caller.
func (a *analyser) body(cmd *syntax.FuncDecl, st *state, sc scope) ends {
	inner := st.fork()
	inner.args = true
	e := a.stmt(cmd.Body, inner, sc)
	for name, v := range inner.vars {
		if old, ok := st.vars[name]; !ok || old != v {
			st.set(name, word{text: hole, env: v.env})
		}
	}
	return e
}
