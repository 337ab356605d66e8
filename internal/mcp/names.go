package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

const mostName = 64 // characters of a tool's name that every provider takes

// part makes a part of a tool's name of any text: a-z, 0-9, _ and -.
func part(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			b.WriteRune(r)
			gap = false
			continue
		}
		if !gap {
			b.WriteByte('_')
		}
		gap = true
	}
	if name := strings.Trim(b.String(), "_"); name != "" {
		return name
	}
	return "tool"
}

// names gives each tool of a server its name: mcp__server__tool. They are
// unique, and depend on nothing but the names themselves, so that they are the
// same whenever the server is started. Where several tools would have one name
// it goes to the one that is called so exactly; the others get a mark.
func names(server string, tools []string) map[string]string {
	prefix := "mcp__" + part(server) + "__"
	wanted := map[string][]string{}
	for _, t := range tools {
		name := prefix + part(t)
		if !slices.Contains(wanted[name], t) {
			wanted[name] = append(wanted[name], t)
		}
	}
	out := map[string]string{}
	for name, by := range wanted {
		for _, t := range by {
			exact := prefix+t == name
			if len(name) <= mostName && (exact || len(by) == 1) {
				out[t] = name
				continue
			}
			sum := sha256.Sum256([]byte(server + "\x00" + t))
			mark := "_" + hex.EncodeToString(sum[:4])
			out[t] = name[:min(len(name), mostName-len(mark))] + mark
		}
	}
	return out
}
