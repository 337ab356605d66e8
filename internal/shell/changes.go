package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// changes judges a command that is not known to only read: what it names is
// noted where the table says how.
func (a *analyser) changes(c command) {
	rows := a.table.rows("write", c.name())
	if len(rows) == 0 {
		c.f.raise(event.NeedsAsk, c.name()+" is not on the list of commands that only read")
		a.downloads(c, usage{})
		return
	}
	s := a.table.spec("write", rows[0])
	u := s.parse(c.words[1:], false, false)
	plain := s.plain && u.bad == "" && !c.more
	if u.bad != "" {
		u = s.parse(c.words[1:], false, true)
	}
	for _, w := range append(append(slices.Clip(u.operands), u.reads...), u.writes...) {
		plain = plain && w.exact() && w.env == ""
	}
	for _, w := range u.values {
		plain = plain && w.exact()
	}
	for _, w := range u.reads {
		plain = a.reads(c, w) && plain
	}
	for _, w := range u.writes {
		plain = a.writes1(c, w) && plain
	}
	plain = a.moves(c, s, u, plain) && plain
	a.downloads(c, u)
	if plain {
		c.f.plainly(c.name() + " changes files")
		return
	}
	what := " changes files"
	if s.operands == "text" {
		what = " reaches the network"
	}
	c.f.raise(event.NeedsAsk, c.name()+what)
}

// moves notes what the operands of a command are.
func (a *analyser) moves(c command, s *spec, u usage, plain bool) bool {
	switch s.operands {
	case "out":
		for _, w := range u.operands {
			plain = a.writes1(c, w) && plain
		}
	case "mode":
		for i, w := range u.operands {
			if i > 0 || u.hasAny([]string{"--reference"}) {
				plain = a.writes1(c, w) && plain
			}
		}
	case "inplace":
		a.inPlace(c, u)
	case "copy", "move":
		plain = a.copies(c, s, u) && plain
	}
	return plain
}

// inPlace judges sed where it does more than print: its scripts and the files
// that it changes.
func (a *analyser) inPlace(c command, u usage) {
	scripts, files := u.values, u.operands
	given := u.hasAny([]string{"-e", "-f", "--expression", "--file"})
	if len(files) > 0 && files[0].text == "" {
		files = files[1:] // sed -i '' of BSD
	}
	if !given && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	a.sed(c, scripts, given)
	for _, w := range files {
		if u.hasAny([]string{"-i", "--in-place"}) {
			a.writes1(c, w)
		} else {
			a.reads(c, w)
		}
	}
}

// copies notes what cp, mv, ln and install read and write. False: what they
// write is not all named.
func (a *analyser) copies(c command, s *spec, u usage) bool {
	from, to := u.operands, u.writes
	if len(to) == 0 && len(from) > 1 {
		from, to = from[:len(from)-1], from[len(from)-1:]
	}
	plain := len(to) == 1
	for _, w := range from {
		if s.operands == "move" {
			plain = a.writes1(c, w) && plain
		}
		plain = a.reads(c, w) && plain
	}
	recursive := c.name() == "mv" || hasFlag(c.args(), []string{"-r", "-R", "-a", "--recursive", "--archive"})
	for _, w := range to {
		targets, ok := resolve(w, c.st.dirs)
		for _, target := range targets {
			a.write(c.f, target)
			for _, src := range from {
				name := filepath.Base(filepath.Clean(src.text))
				if src.known() && name != "." && name != ".." && name != "/" {
					a.write(c.f, filepath.Join(target, name)) // where the target is a directory
				}
				if recursive && (strings.HasSuffix(src.text, "/.") || name == "." || name == ".." || src.glob) && a.env.whole(target) != "" {
					plain = false // what comes into the workspace is not named
				}
			}
		}
		plain = plain && ok
	}
	return plain
}

// writes1 notes that a word names a file that is written. False: it is not
// known.
func (a *analyser) writes1(c command, w word) bool {
	if w.text == "" || w.text == "-" {
		return w.text == "-"
	}
	paths, ok := resolve(w, c.st.dirs)
	for _, p := range paths {
		a.write(c.f, p)
	}
	return ok && !w.glob
}

// far judges commands that reach very far when they name the wrong place.
func (a *analyser) far(c command) {
	args := c.args()
	recursive := hasFlag(args, []string{"-R", "--recursive"})
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		if c.name() == "dd" {
			if target, ok := strings.CutPrefix(w.text, "of="); ok {
				w.text = target
				a.writes1(c, w)
			}
			continue
		}
		paths, _ := resolve(w, c.st.dirs)
		for _, p := range paths {
			what := a.env.whole(p)
			switch {
			case c.name() == "mv" && what != "" && !w.glob && p != last(c, paths):
				c.f.raise(event.Critical, "moves "+what+" away")
			case c.name() == "mv" && p == "/dev/null":
				c.f.raise(event.Dangerous, "moves files into nothing")
			case c.name() != "mv" && recursive && what != "" && p != a.env.Root:
				c.f.raise(event.Dangerous, "changes the rights of "+what)
			}
		}
	}
}

// last is the path that the last operand names, where that is a target.
func last(c command, paths []string) string {
	w := c.words[len(c.words)-1]
	if hasFlag(c.args(), []string{"-t", "--target-directory"}) {
		return ""
	}
	if to, _ := resolve(w, c.st.dirs); len(to) > 0 && slices.Contains(paths, to[0]) {
		return to[0]
	}
	return ""
}

// remove judges rm and its kin.
func (a *analyser) remove(c command) {
	name, args := c.name(), c.args()
	short := func(letters ...string) bool { return hasFlag(args, letters) }
	recursive := name == "rimraf" || name == "trash" || name == "trash-put" || name == "rm" && short("-r", "-R", "--recursive")
	c.f.raise(event.NeedsAsk, name+" removes files")
	if c.more && recursive {
		c.f.raise(event.Dangerous, "removes directories whose names are not known before the run")
	}
	ended := false
	for _, w := range c.words[1:] {
		if !ended && w.known() && strings.HasPrefix(w.text, "-") && w.text != "-" {
			ended = w.text == "--"
			continue
		}
		a.removes(c, w, recursive)
	}
}

// removes judges the removal of what one word names.
func (a *analyser) removes(c command, w word, recursive bool) {
	paths, ok := resolve(w, c.st.dirs)
	if recursive && (!ok || w.mark != "") {
		c.f.raise(event.Dangerous, "removes directories whose names are not known before the run")
	}
	all := w.glob && everything(w.text)
	for _, p := range paths {
		a.write(c.f, p)
		what := a.env.whole(p)
		switch {
		case w.glob && p == "/":
			c.f.raise(event.Critical, "removes all of what is in /")
		case w.glob && !all:
		case what != "" && (!w.glob || recursive):
			c.f.raise(event.Critical, "removes "+what)
		case all && recursive && p == c.st.start:
			c.f.raise(event.Critical, "removes all in the working directory")
		}
		switch {
		case recursive && !a.env.inside(p) && !temporary(p):
			c.f.raise(event.Dangerous, "removes directories outside the workspace")
		case recursive && filepath.Base(p) == ".git":
			c.f.raise(event.Dangerous, "removes the whole history")
		}
	}
}
