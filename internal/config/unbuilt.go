package config

import "strings"

// unbuilt says of settings that are set and understood, and that nothing acts
// on yet. Silence would be worst about those that people set to be safe.
func (l *loader) unbuilt() {
	var names []string
	seen := map[string]bool{}
	for _, s := range l.out.Effective() {
		if s.Origin.Layer == LayerDefault || !later(s.Key) || s.Key == "sandbox.mode" && s.Value != `"on"` {
			continue
		}
		key := s.Key
		key, _, _ = strings.Cut(key, "[")
		if !seen[key] && !strings.HasPrefix(key, "hooks.names") {
			seen[key] = true
			names = append(names, cut(key)+" ("+s.Origin.String()+")")
		}
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed], "and more")
	}
	if len(names) > 0 {
		l.out.Warnings = append(l.out.Warnings, "these settings are understood, but what they are for is not built yet, so they do nothing: "+strings.Join(names, ", "))
	}
	if l.out.Config.Sandbox.Mode == "required" {
		l.out.Rules = append(l.out.Rules, RuleEntry{Text: "run_command", Decision: "deny", Origin: l.out.Origins["sandbox.mode"], By: "sandbox.mode"})
		l.out.Warnings = append(l.out.Warnings, `sandbox.mode is "required" and there is no sandbox yet: no command is run. Set it to "off" to run commands without one`)
	}
}

// later says of a dotted key whether nothing acts on it yet. The look of the
// terminal is passed over: nobody is worse off without it.
func later(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	switch section {
	case "fallbackModel", "sandbox", "web":
		return true
	case "hooks":
		return strings.HasPrefix(rest, "PreCompact") || strings.HasPrefix(rest, "PostCompact")
	case "mcpServers":
		return strings.HasSuffix(rest, ".deferTools") || strings.HasSuffix(rest, ".resultChars")
	case "models":
		return strings.HasSuffix(rest, ".tools") || strings.HasSuffix(rest, ".toolFormat")
	}
	return false
}
