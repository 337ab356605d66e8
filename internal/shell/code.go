package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// text follows a word that a command runs as a shell program; at tells the
// texts of one command apart.
func (a *analyser) text(c command, w word, st *state, at int) ends {
	lost := both(dirs{unknown: true})
	if !w.known() || w.trick != "" {
		c.f.raise(event.Dangerous, "runs text that is not known before the run")
	}
	if why := hidden(strings.NewReplacer(crMask, "", nulMask, "", hole, "").Replace(w.text)); why != "" {
		c.f.raise(event.NeedsAsk, why)
	}
	p := a.parse(fileKey{key{c.node, at, c.sc.depth}, strings.ReplaceAll(w.text, hole, holeMask)})
	if p.err != "" {
		c.f.raise(event.NeedsAsk, "the text that is run could not be parsed: "+p.err)
		a.unclear(event.NeedsAsk, c.f.name+" runs text that could not be parsed: "+p.err)
		return lost
	}
	sc := c.sc
	sc.src, sc.base, sc.mark = p.src, append(slices.Clip(c.sc.base), w.pos), w.mark
	if sc.depth++; sc.depth > maxDepth {
		c.f.raise(event.NeedsAsk, "the command is nested too deep")
		return lost
	}
	sc.in = c.in
	return a.stmts(p.file.Stmts, st, sc)
}

// eval runs its words as a text in this shell.
func (a *analyser) eval(c command) ends {
	words := c.words[1:]
	if len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return both(c.st.dirs)
	}
	c.f.raise(event.NeedsAsk, "the text is parsed again before it runs")
	w := words[0]
	for _, next := range words[1:] {
		w.text += " " + next.text
		if next.trick != "" {
			w.trick = next.trick
		}
	}
	w.glob = false
	return a.text(c, w, c.st, 1)
}

// sourced judges a file that runs in this shell.
func (a *analyser) sourced(c command) {
	c.f.raise(event.NeedsAsk, "runs a file in this shell")
	if len(c.words) < 2 {
		return
	}
	w := c.words[1]
	switch {
	case w.proc:
		a.fed(c, input{kind: piped, from: c.subs})
	case w.text == "/dev/stdin" || w.text == "-":
		a.fed(c, c.in)
	default:
		a.script(c, w)
	}
}

// script judges a file of code that is run.
func (a *analyser) script(c command, w word) {
	if strings.Contains(w.text, "://") {
		c.f.raise(event.Dangerous, "runs what is downloaded from "+w.text)
		return
	}
	paths, _ := resolve(w, c.st.dirs)
	for _, p := range paths {
		a.read(c.f, p)
		if a.fetched[p] {
			c.f.raise(event.Dangerous, "runs what was downloaded")
		}
	}
}

// fed judges code that comes from standard input.
func (a *analyser) fed(c command, in input) {
	shell := posix(c.name()) || c.name() == "source" || c.name() == "."
	switch in.kind {
	case file, empty:
		c.f.raise(event.NeedsAsk, "runs code")
	case inline:
		c.f.raise(event.NeedsAsk, "runs code")
		if shell {
			w := in.text
			w.pos = in.pos
			a.text(c, w, c.st.fork(), 2)
		}
	case piped:
		a.fedBy(c, in.from, shell)
	}
}

// fedBy judges code that commands print.
func (a *analyser) fedBy(c command, from []*found, shell bool) {
	if slices.ContainsFunc(from, func(f *found) bool { return f.fetches }) {
		c.f.raise(event.Dangerous, "runs what was downloaded or decoded")
		return
	}
	c.f.raise(event.NeedsAsk, "runs code")
	if !shell {
		return
	}
	switch {
	case len(from) == 1 && from[0].prints != nil:
		c.in = input{}
		a.text(c, word{text: mask(*from[0].prints), pos: c.words[0].pos}, c.st.fork(), 2)
	case slices.ContainsFunc(from, func(f *found) bool { return !f.copies }) || len(from) == 0:
		c.f.raise(event.Dangerous, "runs text that is not known before the run")
	}
}

// posix reports whether a shell reads the language that is parsed here.
func posix(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash"}, name)
}

// interpreter judges a program that runs code.
func (a *analyser) interpreter(c command) {
	if posix(c.name()) {
		a.shell(c)
		return
	}
	c.f.raise(event.NeedsAsk, c.name()+" runs code")
	if slices.ContainsFunc(c.subs, func(f *found) bool { return f.fetches }) {
		c.f.raise(event.Dangerous, "runs what was downloaded or decoded")
	}
	for _, w := range c.words[1:] {
		if w.exact() && strings.HasPrefix(w.text, "-") && w.text != "-" {
			if strings.ContainsAny(strings.TrimLeft(w.text, "-"), "cemp") {
				return // code, or a module, in an argument
			}
			continue
		}
		if w.proc {
			a.fed(c, input{kind: piped, from: c.subs})
			return
		}
		if w.text != "-" && w.text != "/dev/stdin" {
			a.script(c, w)
			return
		}
		break
	}
	a.fed(c, c.in)
}

// shell judges sh, bash and their kin.
func (a *analyser) shell(c command) {
	words := c.words[1:]
	if c.name() != "sh" && c.name() != "bash" && c.name() != "dash" && c.name() != "ash" {
		c.f.raise(event.NeedsAsk, c.name()+" is another shell than the one that is understood here")
	}
	text, stdin := false, false
	i := 0
	for ; i < len(words); i++ {
		w := words[i]
		if !w.known() || len(w.text) < 2 || w.text[0] != '-' && w.text[0] != '+' || w.proc {
			break
		}
		switch {
		case w.text == "--":
			i++
		case w.text == "--norc" || w.text == "--noprofile" || w.text == "--posix":
			continue
		case strings.HasPrefix(w.text, "--"):
			c.f.raise(event.NeedsAsk, "the flag "+w.text+" can run other files")
			if w.text == "--rcfile" || w.text == "--init-file" {
				i++
			}
			continue
		default:
			text = text || strings.Contains(w.text, "c")
			stdin = stdin || strings.Contains(w.text, "s")
			if strings.Trim(w.text[1:], "cexuofsnv") != "" {
				c.f.raise(event.NeedsAsk, "the shell also runs its start files")
			}
			if strings.HasSuffix(w.text, "o") || strings.HasSuffix(w.text, "O") {
				i++
			}
			continue
		}
		break
	}
	i = min(i, len(words))
	switch {
	case text && i < len(words):
		a.textOf(c, words[i:], i)
	case text:
		c.f.raise(event.NeedsAsk, "runs text that is not known before the run")
		if c.more {
			c.f.raise(event.Dangerous, "runs text that is not known before the run")
		}
	case stdin || i == len(words) || words[i].text == "-" || words[i].text == "/dev/stdin":
		if c.more && i == len(words) {
			c.f.raise(event.NeedsAsk, "runs files that are not known before the run")
			return
		}
		a.fed(c, c.in)
	case words[i].proc:
		a.fed(c, input{kind: piped, from: c.subs})
	default:
		c.f.raise(event.NeedsAsk, "runs a file")
		a.script(c, words[i])
	}
}

// textOf runs the text of sh -c with the arguments that follow it.
func (a *analyser) textOf(c command, words []word, i int) {
	st := c.st.fork()
	st.args = len(words) > 1 || c.more
	st.funcs = nil
	for n, w := range words {
		if n > 0 && n < 10 {
			w.multi = false
			st.set(string(rune('0'+n-1)), w)
		}
	}
	a.text(c, words[0], st, 1+i)
}

// downloads notes the files that a command fetches, so that running them is
// known for what it is.
func (a *analyser) downloads(c command, u usage) {
	if !c.f.fetches {
		return
	}
	for p := range c.f.writes {
		a.fetched[p] = true
	}
	for _, w := range u.operands {
		base := filepath.Base(strings.TrimRight(w.text, "/"))
		if w.known() && strings.Contains(w.text, "://") && !strings.ContainsAny(base, "?&") {
			for _, dir := range c.st.dirs.list {
				a.fetched[filepath.Join(dir, base)] = true
			}
		}
	}
}
