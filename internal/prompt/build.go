package prompt

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed system.md
var systemText string

// System is what a system prompt is made of.
type System struct {
	Replace      string  // stands in for MiniCode's own text (--system-prompt)
	Append       string  // goes at the end (--append-system-prompt)
	Skills       []Entry // what load_skill can load
	Agents       []Entry // what spawn_agent can start
	Sections     []Section
	Instructions string // of [Render]
}

// Entry is a name and what it is for.
type Entry struct{ Name, Description string }

// Section is a part with a heading of its own, such as what an MCP server says
// of its tools.
type Section struct{ Title, Text string }

// Build makes the system prompt. Entries are sorted by name, so that the order
// in which they were found does not matter.
func Build(s System) string {
	text := s.Replace
	if strings.TrimSpace(text) == "" {
		text = systemText
	}
	parts := []string{text, catalogue("Skills", s.Skills), catalogue("Agents", s.Agents)}
	for _, section := range s.Sections {
		if strings.TrimSpace(section.Text) != "" {
			parts = append(parts, "# "+line(section.Title)+"\n"+strings.TrimSpace(section.Text))
		}
	}
	parts = append(parts, s.Instructions, s.Append)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n") + "\n"
}

func catalogue(title string, entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString("# " + title)
	for _, e := range sorted {
		b.WriteString("\n- " + line(e.Name) + ": " + clip(line(e.Description), maxDescription))
	}
	return b.String()
}

// maxDescription is how many characters an entry may say of itself: the
// catalogue is sent with every request.
const maxDescription = 300

// line makes one line of a text.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text to at most limit characters.
func clip(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:max(0, limit-1)]) + "…"
	}
	return s
}
