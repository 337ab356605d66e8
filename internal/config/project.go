package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Brought is something that the project's files would set and that is not
// merely narrower: it has no effect before the person trusts the project.
type Brought struct {
	Kind string // "allow rule", "directory", "hook", "MCP server", "variable" or "setting"
	Name string
	Text string // all of it, as it would take effect
	From string // the file, relative to the project's root
}

// serversFile is where several programs look for the MCP servers of a project.
const serversFile = ".mcp.json"

// projectFiles are the files that may come with a repository, weakest first.
func projectFiles() []string {
	return []string{serversFile, ".claude/settings.json", ".claude/settings.local.json", ".minicode/settings.json", ".minicode/settings.local.json"}
}

// project reads the files that may come with a repository. All of them are
// read before the person is asked what they are trusted for.
func (l *loader) project() error {
	type file struct {
		name string
		n    *node
	}
	var files []file
	for _, name := range projectFiles() {
		n, err := l.file(filepath.Join(l.in.ProjectRoot, name), LayerProject, false)
		if err != nil && name == serversFile {
			// It forbids nothing, so that nothing is lost without it.
			l.out.Warnings = append(l.out.Warnings, err.Error()+"; going on without its MCP servers")
			continue
		}
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if name == serversFile {
			n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.name != "mcpServers" })
			for _, server := range n.get("mcpServers").membersOf() {
				plainEnv(server.value)
			}
		}
		plainEnv(n)
		files = append(files, file{name, n})
		l.bring(n, name)
	}
	l.out.Trusted = len(l.out.Brought) == 0 || l.in.Trusted != nil && l.in.Trusted(l.out.Brought)
	for _, f := range files {
		foreign := !strings.HasPrefix(f.name, ".minicode")
		var err error
		if l.out.Trusted {
			err = l.widen(f.n, f.name, foreign)
		} else {
			err = l.narrow(f.n, f.name, foreign)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// never says of a dotted key whether no repository can set it, trusted or not:
// the mode, where requests go and with what credentials, what confines
// commands, and the keys of the terminal, on any of which a repository could
// put "yes".
func never(section, key string) bool {
	switch section {
	case "mode", "providers", "network", "sessions":
		return true
	case "permissions":
		return key == "defaultMode"
	case "sandbox":
		return key != "denyRead"
	case "web":
		return key == "search"
	case "terminal":
		return key == "keys"
	}
	return false
}

// neverVariable says of a variable whether no repository can set it.
func neverVariable(name string) bool {
	upper := strings.ToUpper(name)
	switch upper {
	case "PATH", "HOME", "USERPROFILE", "BASH_ENV", "ENV", "SHELL", "IFS", "NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS":
		return true
	}
	return providerVariable(upper) || strings.HasPrefix(upper, "MINICODE_") || strings.HasPrefix(upper, "LD_") || strings.HasPrefix(upper, "DYLD_") ||
		strings.HasPrefix(upper, "GIT_")
}

// always says of a dotted key whether it only narrows, or is the look of the
// terminal.
func always(section, key string, foreign bool) bool {
	switch section {
	case "permissions":
		return key == "deny" || key == "ask"
	case "terminal":
		return !foreign && slices.Contains([]string{"theme", "notify", "screenReader", "fullScreen"}, key)
	}
	return section == "$schema"
}

// counts says of a section of another program's file whether we read it.
func counts(section string, foreign bool) bool {
	return !foreign || slices.Contains([]string{"permissions", "hooks", "env", "mcpServers"}, section)
}

// bring gathers what a file would set beyond narrowing.
func (l *loader) bring(n *node, name string) {
	foreign := !strings.HasPrefix(name, ".minicode")
	put := func(kind, what, text string) {
		l.out.Brought = append(l.out.Brought, Brought{kind, what, text, name})
	}
	for _, m := range n.members {
		if !counts(m.name, foreign) || never(m.name, "") {
			continue
		}
		switch m.name {
		case "permissions":
			for _, item := range m.value.get("allow").list() {
				put("allow rule", item.text(), "")
			}
			for _, item := range m.value.get("additionalDirectories").list() {
				put("directory", item.text(), "")
			}
		case "hooks":
			for _, event := range m.value.membersOf() {
				for _, group := range event.value.list() {
					put("hook", strings.TrimSpace(event.name+" "+group.get("matcher").text()), string(group.get("hooks").write(nil)))
				}
			}
		case "mcpServers":
			for _, server := range m.value.membersOf() {
				put("MCP server", server.name, string(server.value.write(nil)))
			}
		case "env":
			for _, v := range m.value.membersOf() {
				if !neverVariable(v.name) {
					put("variable", v.name, v.value.text())
				}
			}
		default:
			l.bringSetting(m, foreign, put)
		}
	}
}

func (l *loader) bringSetting(m member, foreign bool, put func(kind, what, text string)) {
	if m.value == nil || m.value.kind != '{' {
		if !always(m.name, "", foreign) {
			put("setting", m.name, string(m.value.write(nil)))
		}
		return
	}
	for _, inner := range m.value.members {
		if !always(m.name, inner.name, foreign) && !never(m.name, inner.name) {
			put("setting", dotted(m.name, inner.name), string(inner.value.write(nil)))
		}
	}
}

// membersOf is the members of an object; none for anything else.
func (n *node) membersOf() []member {
	if n == nil || n.kind != '{' {
		return nil
	}
	return n.members
}

// widen takes a file of a trusted project, but for what no repository can set.
func (l *loader) widen(n *node, name string, foreign bool) error {
	kept := &node{kind: '{', from: n.from}
	for _, m := range n.members {
		if !counts(m.name, foreign) || m.name == "$schema" {
			continue
		}
		if never(m.name, "") {
			l.ignore(m.name, name, m.value)
			continue
		}
		if m.value == nil || m.value.kind != '{' {
			kept.set(m.name, m.value)
			continue
		}
		part := &node{kind: '{', from: m.value.from, column: m.value.column}
		for _, inner := range m.value.members {
			switch {
			case never(m.name, inner.name), m.name == "env" && neverVariable(inner.name):
				l.ignore(dotted(m.name, inner.name), name, inner.value)
			case foreign && m.name == "permissions" && !slices.Contains([]string{"allow", "ask", "deny", "additionalDirectories"}, inner.name):
			default:
				part.members = append(part.members, inner)
			}
		}
		kept.set(m.name, part)
	}
	return l.add(kept, false, foreign)
}

// narrow keeps what can only narrow: deny and ask rules, and the look of the
// terminal. Keys are not part of the look: a repository could put "yes" on
// any of them.
func (l *loader) narrow(n *node, name string, foreign bool) error {
	kept := &node{kind: '{', from: n.from}
	for _, m := range n.members {
		part := m.value
		switch {
		case !counts(m.name, foreign), m.name == "$schema":
			continue
		case part != nil && part.kind == 'n':
			continue
		case m.name != "permissions" && m.name != "terminal" || part == nil:
			l.ignore(m.name, name, m.value)
			continue
		case m.name == "terminal" && foreign:
			continue
		}
		narrowed := &node{kind: part.kind, literal: part.literal, items: part.items, from: part.from, column: part.column}
		for _, inner := range part.members {
			switch {
			case always(m.name, inner.name, foreign):
				narrowed.members = append(narrowed.members, inner)
			case foreign && !slices.Contains([]string{"allow", "additionalDirectories", "defaultMode"}, inner.name):
			default:
				l.ignore(dotted(m.name, inner.name), name, inner.value)
			}
		}
		kept.set(m.name, narrowed)
	}
	var c checker
	c.check(kept, l.spec, "")
	if c.err != nil {
		return c.err
	}
	l.rules(kept, false)
	l.layers = append(l.layers, kept)
	return nil
}

// ignored is a key that the project's files set in vain, and where.
type ignored struct {
	key    string
	places []string
}

func (l *loader) ignore(key, file string, n *node) {
	place := fmt.Sprintf("%s:%d", file, n.from.Line)
	for i := range l.ignored {
		if l.ignored[i].key == key {
			l.ignored[i].places = append(l.ignored[i].places, place)
			return
		}
	}
	if len(l.ignored) <= maxNamed {
		l.ignored = append(l.ignored, ignored{key, []string{place}})
	}
}

// notice tells once what the project's files set in vain.
func (l *loader) notice() {
	if len(l.ignored) == 0 {
		return
	}
	var names []string
	for i, ig := range l.ignored {
		if i == maxNamed {
			names = append(names, "and more")
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", cut(ig.key), strings.Join(ig.places, ", ")))
	}
	lead, way := "This project is not trusted, so its own settings may only forbid, ask and set the look of the terminal. Ignored: ", ". To let them act: minicode trust add"
	if l.out.Trusted {
		lead, way = "No project can set these, trusted or not: ", ". What you want of it, put into "+l.out.Dirs.Settings()
	}
	l.out.Warnings = append(l.out.Warnings, lead+strings.Join(names, ", ")+way)
}
