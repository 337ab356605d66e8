package shell

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// git judges git: first its global options, then the subcommand.
func (a *analyser) git(c command) {
	i := a.gitOptions(&c)
	rest := c.words[i:]
	if len(rest) == 0 {
		a.gitNothing(c)
		return
	}
	for _, w := range rest[:min(2, len(rest))] {
		if !w.known() && w.prefix() == "" {
			c.f.raise(event.NeedsAsk, "what git is told is not known before the run")
		}
	}
	var args []string
	for _, w := range rest {
		args = append(args, w.text)
	}
	label := "git " + args[0]
	a.worstOf(c.f, "git", args, label)
	switch args[0] {
	case "config":
		a.gitConfig(c, args[1:])
	case "rm":
		a.gitRemove(c, rest[1:])
	}
	path := []string{"git", args[0]}
	if len(args) > 1 {
		path = append(path, args[1])
	}
	t := c
	t.words = append([]word{c.words[0]}, rest...)
	if !a.readOnly(t, path) {
		c.f.raise(event.NeedsAsk, label+" changes something, or runs something")
		return
	}
	if c.st.bare {
		c.f.raise(event.NeedsAsk, "git without the variables that keep it from running the programs of a repository")
	}
	if !a.gitHome(c.st.dirs) {
		c.f.raise(event.NeedsAsk, "git in another directory obeys the configuration that is there, which can run programs")
	}
	for _, w := range rest {
		if strings.Contains(w.text, "%G") || strings.Contains(w.text, "%(signature") {
			c.f.raise(event.NeedsAsk, "showing signatures runs a configured program")
		}
	}
}

// gitNothing is git without a subcommand.
func (a *analyser) gitNothing(c command) {
	if c.more {
		c.f.raise(event.NeedsAsk, "what git is told is not known before the run")
	}
	if len(c.words) == 2 && c.words[1].exact() && (c.words[1].text == "--version" || c.words[1].text == "--exec-path") || len(c.words) == 1 {
		return
	}
	c.f.raise(event.NeedsAsk, "git without a command")
}

// gitOptions passes the options before the subcommand and returns where that
// is.
func (a *analyser) gitOptions(c *command) int {
	words := c.words
	free := a.table.spec("read", a.gitRow())
	i := 1
	for ; i < len(words); i++ {
		w := words[i]
		name, val, has := strings.Cut(w.text, "=")
		if _, ok := free.flags[w.text]; ok {
			continue
		}
		if !strings.HasPrefix(w.text, "-") {
			break
		}
		next := word{}
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch name {
		case "--version":
			continue
		case "-C":
			c.f.raise(event.NeedsAsk, "git in another directory obeys the configuration that is there, which can run programs")
			c.st = c.st.fork()
			paths, ok := resolve(next, c.st.dirs)
			c.st.dirs = dirs{list: paths, unknown: !ok}
			i++
		case "-c", "--config-env":
			if name == "-c" || !has {
				val = next.text
				i++
			}
			key, _, _ := strings.Cut(val, "=")
			c.f.raise(event.NeedsAsk, "sets the configuration of git for one run")
			if a.table.list("gitkey", strings.ToLower(key)) || !next.known() && name == "-c" {
				c.f.raise(event.Dangerous, "the setting "+strings.ReplaceAll(key, hole, "…")+" makes git run a program")
			}
		case "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source":
			c.f.raise(event.NeedsAsk, "the option "+name+" makes git obey another configuration")
			if !has {
				i++
			}
		default:
			c.f.raise(event.NeedsAsk, "the option "+strings.ReplaceAll(name, hole, "…")+" of git can run programs")
		}
	}
	return min(i, len(words))
}

// gitRow is the row with the options of git itself.
func (a *analyser) gitRow() row {
	for _, r := range a.table.rows("read", "git") {
		if len(r.head) == 1 {
			return r
		}
	}
	return row{}
}

// gitHome reports whether a program is where git may read its configuration
// without asking: at the top of the workspace.
func (a *analyser) gitHome(at dirs) bool {
	return !at.unknown && !slices.ContainsFunc(at.list, func(dir string) bool {
		return dir != a.env.Root && !slices.Contains(a.env.Additional, dir)
	})
}

// gitConfig judges git config: some settings make git run programs.
func (a *analyser) gitConfig(c command, args []string) {
	var operands []string
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") || i > 0 && slices.Contains([]string{"-f", "--file", "--blob", "--type", "--default"}, args[i-1]) {
			continue
		}
		operands = append(operands, arg)
	}
	sets := hasFlag(args, []string{"--add", "--replace-all"})
	if len(operands) > 0 && slices.Contains([]string{"set", "get", "unset", "list"}, operands[0]) {
		sets = sets || operands[0] == "set"
		operands = operands[1:]
	} else if !hasFlag(args, []string{"--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--get-urlmatch"}) {
		sets = sets || len(operands) > 1
	}
	if len(operands) == 0 {
		return
	}
	key := strings.ToLower(operands[0])
	if sets && (a.table.list("gitkey", key) || strings.Contains(key, hole)) {
		c.f.raise(event.Dangerous, "the setting "+strings.ReplaceAll(key, hole, "…")+" makes git run a program or go elsewhere")
	}
	if secretName(key) || strings.Contains(key, "extraheader") {
		c.f.raise(event.NeedsAsk, "shows or changes "+key+", which may be a secret")
	}
}

// gitRemove names what git rm removes.
func (a *analyser) gitRemove(c command, words []word) {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = w.text
	}
	if hasFlag(args, []string{"--cached", "-n", "--dry-run"}) {
		return
	}
	for _, w := range words {
		if !strings.HasPrefix(w.text, "-") {
			a.removes(c, w, hasFlag(args, []string{"-r"}))
		}
	}
}

// revisions notes the files that the operands of a git reader name: paths
// outside of the repository, which git diff reads as any other, and secrets in
// it.
func (a *analyser) revisions(c command, u usage) bool {
	for _, w := range u.operands {
		if !w.known() {
			if w.prefix() == "" && w.multi {
				c.f.raise(event.NeedsAsk, "an argument is not known before the run")
				return false
			}
			continue
		}
		for _, text := range []string{w.text, after(w.text, ":")} {
			if text == "" {
				continue
			}
			v := w
			v.text = text
			paths, _ := resolve(v, c.st.dirs)
			pathlike := text[0] == '/' || strings.HasPrefix(text, "../") || text == ".." || strings.Contains(text, "/../")
			for _, p := range paths {
				if pathlike && text == w.text || a.env.Secrets != nil && a.env.Secrets(p) {
					a.read(c.f, p)
				}
			}
		}
	}
	return c.f.class == event.ReadOnly
}
