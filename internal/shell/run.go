package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/minicode-go/minicode/event"
)

// run judges a simple command and follows what it runs.
func (a *analyser) run(c command) ends {
	stay := both(c.st.dirs)
	c.f.name = ""
	if c.sc.depth > maxDepth {
		c.f.raise(event.NeedsAsk, "the command is nested too deep")
		a.anywhere(c)
		return stay
	}
	if len(c.words) == 0 {
		c.f.raise(event.NeedsAsk, "the command's name is not known before the run")
		return stay
	}
	if !a.named(c) {
		return stay
	}
	for _, w := range c.words {
		if w.trick != "" {
			c.f.raise(event.NeedsAsk, w.trick)
			a.guess(c)
		}
	}
	if fn, ok := c.st.funcs[c.name()]; ok && !c.outer {
		return a.function(c, fn)
	}
	c = a.locate(c)
	c.f.name = c.name()
	a.taint(c)
	if e, ok := a.builtin(c); ok {
		return e
	}
	a.judge(c)
	a.mentions(c)
	return stay
}

// named judges a command whose name comes from an expansion. False: there is
// nothing more to say.
func (a *analyser) named(c command) bool {
	w := c.words[0]
	switch {
	case w.known() && !w.expanded && !w.glob:
		return true
	case w.known() && !w.glob:
		c.f.raise(event.NeedsAsk, "the command's name comes from an expansion")
		return w.text != "" && !w.proc
	}
	class, why := event.NeedsAsk, "the command's name is not known before the run"
	if len(c.subs) > 0 && within(c, w) {
		class, why = event.Dangerous, "the command's name comes from the output of a command"
	}
	if w.glob {
		why = "the command's name comes from a pattern"
	}
	c.f.raise(class, why)
	a.guess(c)
	return false
}

// within reports whether a word holds a command substitution.
func within(c command, w word) bool {
	if w.pos < 0 || w.end > len(c.sc.src) || w.pos > w.end {
		return false
	}
	src := c.sc.src[w.pos:w.end]
	return strings.Contains(src, "$(") || strings.Contains(src, "`") || strings.Contains(src, "<(")
}

// guess looks whether a command would be one of the worst if everything that
// is not known were empty, or if its unknown name were rm.
func (a *analyser) guess(c command) {
	var words []word
	for i, w := range c.words {
		w.text = strings.ReplaceAll(w.text, hole, "")
		if base := path.Base(w.text); i == 0 && (w.text == "" || w.glob && glob(base, "rm")) {
			w.text = "rm"
		}
		if w.text != "" {
			w.trick, w.expanded, w.multi, w.glob = "", false, false, w.glob && i > 0
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return
	}
	trial := *c.f
	trial.class, trial.reads, trial.writes = event.ReadOnly, map[string]bool{}, map[string]bool{}
	t := c
	t.words, t.f = words, &trial
	t = a.locate(t)
	a.worst(t)
	switch t.name() {
	case "rm":
		a.remove(t)
	case "git":
		a.git(t)
	}
	if rank(trial.class) >= rank(event.Dangerous) {
		c.f.raise(event.Dangerous, "may be more than it seems: "+trial.reason)
	}
}

// locate takes the directory off the name of a program. A program of any
// directory but the system's own is nobody's reader; by its name it may still
// be one of the worst.
func (a *analyser) locate(c command) command {
	name := c.name()
	if !strings.Contains(name, "/") {
		return c
	}
	c.path = name
	if !systemBin(path.Dir(name)) {
		c.f.raise(event.NeedsAsk, "runs the program "+name)
		a.worst(c)
		paths, _ := resolve(c.words[0], c.st.dirs)
		for _, p := range paths {
			a.read(c.f, p)
			if a.fetched[p] {
				c.f.raise(event.Dangerous, "runs what was downloaded")
			}
		}
	}
	c.words = slices.Clone(c.words)
	c.words[0].text = path.Base(name)
	return c
}

// systemBin reports whether a directory is one that programs are installed in.
func systemBin(dir string) bool {
	switch dir {
	case "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin":
		return true
	}
	return false
}

// function follows the call of a function of the program.
func (a *analyser) function(c command, fn function) ends {
	name := c.name()
	if slices.Contains(c.sc.calls, name) {
		c.f.raise(event.NeedsAsk, "the function "+name+" calls itself")
		if forks(fn.decl) {
			c.f.raise(event.Dangerous, "the function "+name+" starts itself over and over")
		}
		return both(c.st.dirs)
	}
	if a.steps > maxSteps {
		c.f.raise(event.NeedsAsk, "the program is too long to be followed")
		return both(dirs{unknown: true})
	}
	sc := c.sc
	sc.src, sc.base = fn.src, fn.base
	sc.calls = append(slices.Clip(sc.calls), name)
	sc.depth++
	sc.in = c.in
	return a.body(fn.decl, c.st, sc)
}

// forks reports whether a body starts processes beside itself.
func forks(body *syntax.FuncDecl) bool {
	out := false
	syntax.Walk(body.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			out = out || n.Background
		case *syntax.BinaryCmd:
			out = out || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return !out
	})
	return out
}

// taint notes what a command's output is worth to those who read it.
func (a *analyser) taint(c command) {
	f, name, args := c.f, c.name(), c.args()
	if a.table.has("fetch", name, args) || a.table.has("decode", name, args) {
		f.fetches = true
	}
	for _, up := range append(slices.Clip(c.subs), c.in.from...) {
		f.leaks = f.leaks || up.leaks
	}
	for _, w := range c.words {
		f.leaks = f.leaks || w.secret || w.env != "" && secretName(w.env)
	}
	switch name {
	case "env", "printenv", "set", "export", "declare":
		f.leaks = true
	case "cat", "head", "tail":
		f.copies = true
	case "echo":
		f.prints = literal(c.words[1:], " ")
	case "printf":
		if len(c.words) > 1 && strings.Trim(c.words[1].text, "%s\\n ") == "" && len(c.words) == 3 {
			f.prints = literal(c.words[2:], " ")
		} else if len(c.words) == 2 && !strings.ContainsAny(c.words[1].text, `%\`) {
			f.prints = literal(c.words[1:], " ")
		}
	}
}

// literal joins words that are fully known.
func literal(words []word, sep string) *string {
	var texts []string
	for i, w := range words {
		if !w.exact() || strings.Contains(w.text, `\`) || i == 0 && strings.HasPrefix(w.text, "-") {
			return nil
		}
		texts = append(texts, w.text)
	}
	out := strings.Join(texts, sep)
	return &out
}

// judge is for programs: it looks them up.
func (a *analyser) judge(c command) {
	a.worst(c)
	a.exposes(c)
	name := c.name()
	switch {
	case name == "git":
		a.git(c)
		return
	case name == "find" || name == "gfind":
		a.find(c)
		return
	case a.wrapper(c):
		return
	case a.readOnly(c, subcommands(c)):
		return
	case a.table.has("run", name, nil):
		a.interpreter(c)
		return
	case slices.Contains([]string{"rm", "rimraf", "shred", "unlink", "trash", "trash-put", "rmdir"}, name):
		a.remove(c)
		return
	}
	a.changes(c)
}

// subcommands is the name of a command and the words after it that may be
// subcommands.
func subcommands(c command) []string {
	out := []string{c.name()}
	for _, w := range c.words[1:min(3, len(c.words))] {
		if !w.exact() {
			break
		}
		out = append(out, w.text)
	}
	return out
}

// worst looks a command up among the dangerous and critical ones.
func (a *analyser) worst(c command) {
	name, args := c.name(), c.args()
	if name == "git" {
		return // global options come first
	}
	a.worstOf(c.f, name, args, name)
	switch name {
	case "kill":
		a.kill(c)
	case "mv", "dd", "chmod", "chown", "chgrp":
		a.far(c)
	}
}

func (a *analyser) worstOf(f *found, name string, args []string, label string) {
	if r, ok := a.table.first("critical", name, args); ok {
		f.raise(event.Critical, r.rest)
	}
	if r, ok := a.table.first("danger", name, args); ok {
		f.raise(event.Dangerous, label+" "+r.rest)
	}
}

// kill is dangerous when it ends every process.
func (a *analyser) kill(c command) {
	args := c.args()
	for i, arg := range args {
		signal := i == 0 && strings.HasPrefix(arg, "-") && len(args) > 1
		if arg == "-1" && !signal || arg == "1" && (i == 0 || !strings.HasPrefix(args[i-1], "-s") && !strings.HasPrefix(args[i-1], "-n")) {
			c.f.raise(event.Dangerous, "ends every process")
		}
	}
}

// exposes finds secrets that a command sends away.
func (a *analyser) exposes(c command) {
	if !a.table.has("send", c.name(), nil) {
		return
	}
	const why = "sends what may be a secret to another machine"
	if a.secret(c.f) || slices.ContainsFunc(append(slices.Clip(c.subs), c.in.from...), a.secret) {
		c.f.raise(event.Dangerous, why)
	}
	if a.env.Secrets == nil {
		return
	}
	for _, w := range c.words[1:] {
		for _, text := range []string{w.text, after(w.text, "@"), after(w.text, "="), after(w.text, "<"), strings.TrimPrefix(w.text, "-T")} {
			if text == "" || strings.Contains(text, hole) || strings.Contains(text, "://") {
				continue
			}
			paths, _ := resolve(word{text: text}, c.st.dirs)
			for _, p := range paths {
				if a.env.Secrets(p) {
					a.read(c.f, p)
					c.f.raise(event.Dangerous, why)
				}
			}
		}
	}
}

// after is what follows the last sep, "" without one.
func after(text, sep string) string {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[i+1:]
	}
	return ""
}
