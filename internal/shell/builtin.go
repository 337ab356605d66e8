package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// builtin follows the commands that change the shell itself. False: it is none
// of them.
func (a *analyser) builtin(c command) (ends, bool) {
	stay := both(c.st.dirs)
	if c.path != "" {
		return stay, false
	}
	switch c.name() {
	case "cd", "pushd":
		return a.cd(c), true
	case "popd":
		for _, w := range c.words[1:] {
			if !w.exact() {
				c.f.raise(event.NeedsAsk, "an argument is not known before the run")
			}
		}
		return ends{dirs{unknown: true}, c.st.dirs}, true
	case "exit", "return", "break", "continue":
		a.readOnly(c, []string{c.name()})
		return ends{}, true
	case "eval":
		return a.eval(c), true
	case "source", ".":
		a.sourced(c)
		return ends{dirs{unknown: true}, c.st.dirs.or(dirs{unknown: true})}, true
	case "trap":
		a.trap(c)
		return stay, true
	case "alias", "unalias", "enable", "shopt", "bind", "complete", "unset", "mapfile", "readarray":
		c.f.raise(event.NeedsAsk, c.name()+" can change what the following commands do")
		return stay, true
	case "command":
		if len(c.words) > 1 && c.words[1].exact() && slices.Contains([]string{"-v", "-V", "-pv", "-pV"}, c.words[1].text) {
			if open(c.words[2:]) {
				c.f.raise(event.NeedsAsk, "an argument is not known before the run")
			}
			return stay, true
		}
	case "exec":
		if len(c.words) == 1 { // only redirections
			c.f.raise(event.NeedsAsk, "redirects the shell itself")
			return stay, true
		}
		a.judge(c)
		return ends{bad: c.st.dirs}, true
	}
	return stay, false
}

// open reports whether a word has something that must not be there unseen.
func open(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return !w.known() && w.env != "" || w.trick != "" })
}

// cd follows a change of directory.
func (a *analyser) cd(c command) ends {
	stay := c.st.dirs
	var operands []word
	for i, w := range c.words[1:] {
		if w.exact() && strings.HasPrefix(w.text, "-") && w.text != "-" && len(operands) == 0 {
			if strings.Trim(w.text, "-LPen@") != "" {
				c.f.raise(event.NeedsAsk, "an unknown flag")
			}
			continue
		}
		if w.text == "-n" && i > 0 {
			continue
		}
		operands = append(operands, w)
	}
	if len(operands) == 0 && c.name() == "cd" {
		d := decoder{a, c.st}
		operands = []word{{text: d.home()}}
	}
	if len(operands) != 1 || operands[0].text == "-" || operands[0].trick != "" || operands[0].glob ||
		c.name() == "pushd" && strings.HasPrefix(operands[0].text, "+") {
		if open(operands) {
			c.f.raise(event.NeedsAsk, "the directory is not known before the run")
		}
		return ends{dirs{unknown: true}, stay}
	}
	w := operands[0]
	paths, ok := resolve(w, stay)
	if !ok {
		c.f.raise(event.NeedsAsk, "the directory is not known before the run")
		return ends{dirs{unknown: true}, stay}
	}
	var to dirs
	for _, p := range paths {
		a.read(c.f, p)
	}
	for _, dir := range stay.list { // the paths themselves, without those on the way
		if p, _ := resolve(w, dirs{list: []string{dir}}); len(p) > 0 {
			to = to.or(dirs{list: p[:1]})
		}
	}
	if strings.HasPrefix(w.text, "/") {
		to = dirs{list: paths[:1]}
	}
	return ends{to, stay}
}

// trap follows what runs when a signal comes or the shell ends.
func (a *analyser) trap(c command) {
	c.f.raise(event.NeedsAsk, "runs a command later")
	if len(c.words) < 2 {
		return
	}
	w := c.words[1]
	if w.text == "-" || strings.HasPrefix(w.text, "-") || len(c.words) == 2 {
		return
	}
	a.text(c, w, c.st.fork(), 1)
}

// special judges the readers whose words need a closer look.
func (a *analyser) special(c command) bool {
	if c.more {
		c.f.raise(event.NeedsAsk, "words that are not known before the run follow")
		return false
	}
	for _, w := range c.words[1:] {
		if w.trick != "" {
			c.f.raise(event.NeedsAsk, w.trick)
		}
	}
	switch c.name() {
	case "printf":
		a.printf(c)
	case "test", "[":
		a.test(c)
	case "read", "getopts":
		a.readVariables(c)
	case "set":
		set(c)
	case "sleep":
		sleep(c)
	case "ps":
		ps(c)
	case "tar", "gtar":
		a.tar(c)
	default:
		c.f.raise(event.NeedsAsk, c.name()+" is not on the list of commands that only read")
	}
	return c.f.class == event.ReadOnly
}

// printf prints, unless it sets a variable.
func (a *analyser) printf(c command) {
	for i, w := range c.words[1:] {
		switch {
		case w.env != "":
			c.f.raise(event.NeedsAsk, "uses the value of $"+w.env)
		case i > 0:
		case !w.known() || w.glob || strings.HasPrefix(w.text, "-") && w.text != "--":
			c.f.raise(event.NeedsAsk, "printf with a format that is not known, or a flag, can set variables")
		}
		if w.known() && i < 2 && counts(w.text) {
			c.f.raise(event.NeedsAsk, "%n sets a variable")
		}
	}
}

// counts reports whether a format has a %n.
func counts(format string) bool {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return false
		}
		if strings.HasPrefix(rest, "%") {
			format = rest[1:]
			continue
		}
		format = strings.TrimLeft(rest, "0123456789+-. #*'hjlLtzq$")
		if strings.HasPrefix(format, "n") {
			return true
		}
	}
}

// readVariables judges read and getopts, which set variables.
func (a *analyser) readVariables(c command) {
	takes := false
	for i, w := range c.words[1:] {
		switch {
		case !w.exact():
			c.f.raise(event.NeedsAsk, "sets a variable that is not known before the run")
		case c.name() == "getopts" && i == 0, takes:
			takes = false
		case strings.HasPrefix(w.text, "-"):
			if strings.Trim(w.text[1:], "rsaepdntNiu") != "" && !isNumber(strings.TrimLeft(w.text, "-rsaepdntNiu")) {
				c.f.raise(event.NeedsAsk, "an unknown flag")
			}
			takes = strings.ContainsAny(w.text[len(w.text)-1:], "pdntNiu")
		case !isName(w.text) || a.table.list("var ask", w.text) || a.table.list("var danger", w.text):
			c.f.raise(event.NeedsAsk, "sets "+w.text+", which can change what programs do")
		default:
			c.st.set(w.text, word{text: hole})
		}
	}
}

// set changes how the shell runs; only the strict modes are free.
func set(c command) {
	words := c.words[1:]
	if len(words) == 0 {
		c.f.raise(event.NeedsAsk, "prints variables, and so the secrets in them")
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.exact() || len(w.text) < 2 || strings.IndexByte("-+", w.text[0]) < 0 || strings.Trim(w.text[1:], "eufxCo") != "":
			c.f.raise(event.NeedsAsk, "set with these words can change what the following commands do")
			return
		case strings.HasSuffix(w.text, "o"):
			i++
			if i >= len(words) || !slices.Contains([]string{"pipefail", "errexit", "nounset", "noglob", "xtrace", "noclobber"}, words[i].text) {
				c.f.raise(event.NeedsAsk, "set with these words can change what the following commands do")
				return
			}
		}
	}
}

// ps lists processes, but must not show their environment.
func ps(c command) {
	takes := false
	for _, w := range c.words[1:] {
		switch {
		case !w.exact():
			c.f.raise(event.NeedsAsk, "an argument is not known before the run")
		case strings.Contains(w.text, "env"):
			c.f.raise(event.NeedsAsk, "ps can show the environment of processes")
		case takes:
			takes = false
		case strings.HasPrefix(w.text, "--"):
			name, _, _ := strings.Cut(w.text, "=")
			if !slices.Contains([]string{"--forest", "--no-headers", "--headers", "--sort", "--pid", "--ppid", "--format", "--user", "--cols", "--width"}, name) {
				c.f.raise(event.NeedsAsk, "the flag "+name+" is not on the list of those that only read")
			}
		case strings.HasPrefix(w.text, "-"):
			if strings.Trim(w.text[1:], "AadefFlLHjmNTwyopugstC,=0123456789") != "" && !strings.HasPrefix(w.text, "-o") {
				c.f.raise(event.NeedsAsk, "an unknown flag")
			}
			// The first letter that takes an argument has what is attached to it.
			takes = strings.IndexAny(w.text, "opugstC") == len(w.text)-1
		case strings.Trim(w.text, "0123456789,") == "":
		case strings.Trim(w.text, "axuwflrTjsv") != "":
			c.f.raise(event.NeedsAsk, "ps with these letters can show the environment of processes")
		}
	}
}

// tar only lists when told so.
func (a *analyser) tar(c command) {
	words := c.words[1:]
	if len(words) == 0 || !words[0].exact() {
		c.f.raise(event.NeedsAsk, "tar does more than list")
		return
	}
	mode := strings.TrimPrefix(words[0].text, "-")
	if !strings.Contains(mode, "t") || strings.Trim(mode, "tvzjJf") != "" || strings.HasPrefix(mode, "-") {
		c.f.raise(event.NeedsAsk, "tar does more than list")
		return
	}
	for i, w := range words[1:] {
		if strings.HasPrefix(w.text, "-") || !w.exact() {
			c.f.raise(event.NeedsAsk, "tar does more than list")
			return
		}
		if i == 0 && strings.HasSuffix(mode, "f") {
			if strings.Contains(w.text, ":") {
				c.f.raise(event.NeedsAsk, "tar reads from another machine")
			}
			a.reads(c, w)
		}
	}
}

// sleep may wait, but not for ever.
func sleep(c command) {
	for _, w := range c.words[1:] {
		n, err := strconv.ParseFloat(strings.TrimSuffix(w.text, "s"), 64)
		if !w.exact() || err != nil || n < 0 || n > longest {
			c.f.raise(event.NeedsAsk, "waits very long, or nobody knows how long")
		}
	}
}

// longest is how many seconds a command may sleep unasked: no command runs
// longer.
const longest = 600
