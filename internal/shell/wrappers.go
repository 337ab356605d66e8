package shell

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// wrapper follows the command that another one runs. False: it is no wrapper.
func (a *analyser) wrapper(c command) bool {
	rows := a.table.rows("wrap", c.name())
	if len(rows) == 0 {
		return false
	}
	if a.readVersion(c) {
		return true
	}
	s := a.table.spec("wrap", rows[0])
	if s.ask {
		c.f.raise(event.NeedsAsk, c.name()+" runs a command in its own way")
	}
	switch c.name() {
	case "su", "runuser", "sg", "script":
		a.textFlag(c)
		return true
	}
	words := c.words[1:]
	u := s.parse(words, true, false)
	if u.bad != "" {
		c.f.raise(event.NeedsAsk, u.bad)
		a.anywhere(c)
		return true
	}
	for _, w := range append(append(u.reads, u.writes...), u.values...) {
		if w.env != "" || w.trick != "" || !w.known() && w.multi {
			c.f.raise(event.NeedsAsk, "an argument is not known before the run")
		}
	}
	for _, w := range u.reads {
		a.reads(c, w)
	}
	for _, w := range u.writes {
		a.writes1(c, w)
	}
	i := u.next + s.skip
	inner := c.st
	if s.vars {
		inner = c.st.fork()
		i = a.environment(c, words, i, inner)
	}
	a.special1(c, s, u, words, min(i, len(words)), inner)
	return true
}

// special1 runs what is left of a wrapper's words, in its own way.
func (a *analyser) special1(c command, s *spec, u usage, words []word, i int, st *state) {
	switch c.name() {
	case "env":
		if u.hasAny([]string{"-C", "--chdir"}) {
			st.dirs = dirs{unknown: true}
		}
		st.bare = st.bare || u.hasAny([]string{"-i", "-", "--ignore-environment", "-u", "--unset"})
		if u.hasAny([]string{"-S", "--split-string"}) {
			c.f.raise(event.NeedsAsk, "env takes a text apart")
			a.joined(c, append(u.values[len(u.values)-1:], words[i:]...), st, false)
			return
		}
	case "flock":
		if i < len(words) && (words[i].text == "-c" || words[i].text == "--command") && i+1 < len(words) {
			a.text(c, words[i+1], st.fork(), 1)
			return
		}
	case "sudo", "doas", "pkexec", "chroot", "unshare", "nsenter":
		if u.hasAny([]string{"-D", "--chdir", "-R", "--chroot"}) || c.name() == "chroot" {
			st = st.fork()
			st.dirs = dirs{unknown: true}
		}
	case "xargs", "gxargs":
		a.xargs(c, u, words, i)
		return
	}
	if i >= len(words) {
		a.without(c)
		return
	}
	if s.text {
		a.joined(c, words[i:], st, s.more)
		return
	}
	a.inner(c, i, len(words), st, s.more)
}

// without judges a wrapper without a command.
func (a *analyser) without(c command) {
	if c.more {
		c.f.raise(event.NeedsAsk, "what "+c.name()+" runs is not known before the run")
	}
	switch c.name() {
	case "env":
		c.f.raise(event.NeedsAsk, "prints all variables, and so the secrets in them")
	case "command", "builtin", "nice", "time":
	default:
		c.f.raise(event.NeedsAsk, c.name()+" without a command")
	}
}

// readVersion lets the version of a wrapper be asked for.
func (a *analyser) readVersion(c command) bool {
	return len(c.words) == 2 && c.words[1].exact() && (c.words[1].text == "--version" || c.words[1].text == "--help")
}

// environment reads NAME=VALUE words.
func (a *analyser) environment(c command, words []word, i int, st *state) int {
	for ; i < len(words); i++ {
		name, val, ok := strings.Cut(words[i].text, "=")
		if !ok || !isName(name) {
			return i
		}
		v := words[i]
		v.text = val
		if class, why := a.variable(name, v, false); class != event.ReadOnly {
			c.f.raise(class, why)
		}
	}
	return i
}

// inner follows the command that c's words from i to j (after the name) are.
func (a *analyser) inner(c command, i, j int, st *state, more bool) {
	words := slices.Clone(c.words[1+i : 1+j])
	if len(words) == 0 {
		return
	}
	f := a.part(c.sc, key{c.node, 1 + i, c.sc.depth + 1}, spelled(c, words), words[0].pos)
	if f.args == nil {
		for _, w := range words {
			f.args = append(f.args, shown(w, c.sc))
		}
	}
	t := command{words: words, f: f, st: st.fork(), sc: c.sc, node: c.node, in: c.in, subs: c.subs, more: c.more || more, outer: true}
	t.sc.depth++
	a.run(t)
}

// spelled is the source of words that stand after one another.
func spelled(c command, words []word) string {
	src, first, last := c.sc.src, words[0], words[len(words)-1]
	ordered := slices.IsSortedFunc(words, func(x, y word) int { return x.pos - y.pos })
	if ordered && first.pos >= 0 && last.end <= len(src) && first.pos < last.end {
		var b strings.Builder
		end := -1
		for _, w := range words {
			if w.pos < end || w.pos > len(src) || w.end > len(src) {
				continue // several words of one expansion
			}
			if end >= 0 {
				if gap := src[end:w.pos]; strings.Trim(strings.ReplaceAll(gap, "\\\n", ""), " \t") == "" {
					b.WriteString(gap)
				} else {
					b.WriteByte(' ')
				}
			}
			b.WriteString(src[w.pos:w.end])
			end = w.end
		}
		return b.String()
	}
	var texts []string
	for _, w := range words {
		texts = append(texts, strings.ReplaceAll(w.text, hole, "…"))
	}
	return strings.Join(texts, " ")
}

// anywhere looks for the worst in a command line that is not understood: any
// of its words may be where a command begins.
func (a *analyser) anywhere(c command) {
	for i := 0; i < len(c.words) && i < 200; i++ {
		t := c
		t.words = c.words[i:]
		a.guess(t)
	}
}

// xargs runs a command with words from standard input.
func (a *analyser) xargs(c command, u usage, words []word, i int) {
	if u.hasAny([]string{"-p"}) {
		c.f.raise(event.NeedsAsk, "xargs asks the terminal")
	}
	if i >= len(words) {
		return // it prints, as echo does
	}
	from := c.words
	mark := ""
	for n, w := range words[:i] {
		switch {
		case w.text == "-I" || w.text == "-J":
			mark = words[n+1].text
		case strings.HasPrefix(w.text, "-I") && len(w.text) > 2:
			mark = w.text[2:]
		case strings.HasPrefix(w.text, "--replace="):
			mark = strings.TrimPrefix(w.text, "--replace=")
		case strings.HasPrefix(w.text, "-i") || w.text == "--replace":
			mark = "{}"
		}
	}
	more := mark == ""
	if mark != "" {
		c.words = slices.Clone(from)
		for n := 1 + i; n < len(c.words); n++ {
			if strings.Contains(c.words[n].text, mark) {
				c.words[n].text = strings.ReplaceAll(c.words[n].text, mark, hole)
				c.words[n].expanded, c.words[n].mark = true, mark
			}
		}
	}
	if c.in.kind != piped && c.in.kind != inline {
		c.in = input{}
	}
	a.feeds(c, i)
	a.inner(c, i, len(c.words)-1, c.st, more)
}

// feeds notes what a shell that xargs starts gets to run.
func (a *analyser) feeds(c command, i int) {
	for _, up := range c.in.from {
		if up.fetches && a.table.has("run", c.words[1+i].text, nil) {
			c.f.raise(event.Dangerous, "runs what was downloaded or decoded")
		}
	}
}

// joined follows words that are joined to a shell text.
func (a *analyser) joined(c command, words []word, st *state, more bool) {
	if !slices.ContainsFunc(words, func(w word) bool { return !w.known() || w.trick != "" }) {
		var texts []string
		for _, w := range words {
			texts = append(texts, w.text)
		}
		w := words[0]
		w.text = strings.Join(texts, " ")
		w.glob = false
		a.text(c, w, st.fork(), 1)
		return
	}
	c.f.raise(event.NeedsAsk, "the text that is run is not known before the run")
	a.anywhere(c)
}

// textFlag follows the shell text after -c.
func (a *analyser) textFlag(c command) {
	for i, w := range c.words[1:] {
		if w.exact() && (w.text == "-c" || w.text == "--command" || w.text == "--session-command" ||
			strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "c")) && i+2 < len(c.words) {
			a.text(c, c.words[i+2], c.st.fork(), i+2)
			return
		}
		if text, ok := strings.CutPrefix(w.text, "--command="); ok {
			w.text = text
			a.text(c, w, c.st.fork(), i+1)
			return
		}
	}
}
