package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// claudeHome reads what counts of the person's settings of Claude Code.
func (l *loader) claudeHome() error {
	if l.in.Home == "" {
		return nil
	}
	n, err := l.file(filepath.Join(l.in.Home, ".claude", "settings.json"), LayerUser, false)
	if n == nil || err != nil {
		return err
	}
	n.members = slices.DeleteFunc(n.members, func(m member) bool {
		return m.name != "permissions" && m.name != "hooks" && m.name != "env"
	})
	plainEnv(n)
	return l.add(n, false, true)
}

// miniCode reads what the TypeScript version of MiniCode left: settings, MCP
// servers, permissions.
func (l *loader) miniCode() error {
	dir := l.in.Env["MINI_CODE_HOME"]
	if dir == "" && l.in.Home != "" {
		dir = filepath.Join(l.in.Home, ".mini-code")
	}
	if dir == "" {
		return nil
	}
	for _, name := range []string{"mcp.json", "settings.json", "permissions.json"} {
		n, err := l.file(filepath.Join(dir, name), LayerUser, false)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if name == "permissions.json" {
			n = oldPermissions(n)
		} else {
			l.oldSettings(n)
		}
		if err := l.add(n, false, true); err != nil {
			return err
		}
	}
	return nil
}

// oldSettings puts the TypeScript version's settings into our form, in place.
func (l *loader) oldSettings(n *node) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool {
		return m.name != "model" && m.name != "env" && m.name != "mcpServers" && m.name != "maxOutputTokens"
	})
	if most := n.get("maxOutputTokens"); most != nil {
		l.out.Warnings = append(l.out.Warnings, most.from.String()+`: maxOutputTokens has no effect; set models."provider/model".maxOutput in `+l.out.Dirs.Settings())
		n.remove("maxOutputTokens")
	}
	if model := n.get("model"); model.text() != "" {
		n.set("model", anthropicModel(model))
	}
	plainEnv(n)
	servers := n.get("mcpServers")
	if servers == nil {
		return
	}
	for _, m := range servers.members {
		plainEnv(m.value)
		if m.value.get("protocol").text() == "streamable-http" {
			m.value.set("type", m.value.get("protocol"))
		}
	}
}

// plainEnv makes texts of the numbers in env, which both older programs take.
func plainEnv(n *node) {
	env := n.get("env")
	if env == nil {
		return
	}
	for _, m := range env.members {
		if k := m.value.kind; k == '0' || k == 't' || k == 'f' {
			m.value.literal = []byte(`"` + string(m.value.literal) + `"`)
			m.value.kind = '"'
		}
	}
}

// oldPermissions makes rules of the TypeScript version's answers. They were
// exact texts, so what would read as a pattern is not allowed; a denial may
// become wider by it, but never narrower.
func oldPermissions(n *node) *node {
	lists := map[string]*node{}
	put := func(from, decision string, rule func(string) []string) {
		for _, item := range n.get(from).list() {
			for _, text := range rule(item.text()) {
				made, err := valueNode(text, item.from)
				if err != nil {
					continue
				}
				made.from = item.from
				if lists[decision] == nil {
					lists[decision] = &node{kind: '[', from: item.from}
				}
				lists[decision].items = append(lists[decision].items, made)
			}
		}
	}
	pattern := func(s string) bool { return s == "" || strings.ContainsAny(s, `*?[]{}!\()`) }
	put("allowedDirectoryPrefixes", "additionalDirectories", func(dir string) []string {
		if !filepath.IsAbs(dir) {
			return nil
		}
		return []string{dir}
	})
	put("deniedDirectoryPrefixes", "deny", func(dir string) []string {
		path := anyPath(strings.TrimRight(filepath.ToSlash(dir), "/"))
		return []string{"Read(" + path + ")", "Read(" + path + "/**)", "Edit(" + path + ")", "Edit(" + path + "/**)"}
	})
	put("allowedCommandPatterns", "allow", func(command string) []string {
		if pattern(command) || strings.Contains(command, ":") && strings.HasSuffix(command, "*") {
			return nil
		}
		return []string{"Bash(" + command + ")"}
	})
	put("deniedCommandPatterns", "deny", func(command string) []string { return []string{"Bash(" + command + ")"} })
	put("allowedEditPatterns", "allow", func(path string) []string {
		if pattern(path) || !filepath.IsAbs(path) {
			return nil
		}
		return []string{"Edit(/" + slashed(path) + ")"}
	})
	put("deniedEditPatterns", "deny", func(path string) []string { return []string{"Edit(" + anyPath(filepath.ToSlash(path)) + ")"} })
	permissions := &node{kind: '{', from: n.from}
	for _, name := range []string{"allow", "deny", "additionalDirectories"} {
		if lists[name] != nil {
			permissions.set(name, lists[name])
		}
	}
	return nest(permissions, "permissions")
}

// anyPath is the pattern, anchored at the root, that matches at least path.
func anyPath(path string) string {
	mapped := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]{}!\()`, r) {
			return '?'
		}
		return r
	}, path)
	return "/" + slashed(mapped)
}

// slashed begins with one slash, a Windows drive included.
func slashed(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

// list is the items of an array; none for anything else.
func (n *node) list() []*node {
	if n == nil || n.kind != '[' {
		return nil
	}
	return n.items
}
