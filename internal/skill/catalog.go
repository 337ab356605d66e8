package skill

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// CatalogChars is how many characters a system prompt has for the list of
// skills: it is sent with every request.
const CatalogChars = 8_000

// Text is what the model is told of the skills: a line for each, sorted by
// name, at most limit characters in all (0: [CatalogChars]). When there are
// many, descriptions are cut, then left out, then skills are, an equal share of
// each root. It is "" when there is nothing to tell, and the same for the same
// skills.
func (c Catalog) Text(limit int) string {
	if limit <= 0 {
		limit = CatalogChars
	}
	told := c.shared()
	for _, chars := range []int{300, 200, 120, 60, 0} {
		if text := listing(told, chars); utf8.RuneCountInString(text) <= limit {
			return text
		}
	}
	// Names alone: as many as fit, with what says that there are more.
	low, high := 0, len(told)
	text := ""
	for low < high {
		n := (low + high + 1) / 2
		some := listing(told[:n], 0) + fmt.Sprintf("\nand %d more, which load_skill takes by name", len(told)-n)
		if utf8.RuneCountInString(some) <= limit {
			low, text = n, some
		} else {
			high = n - 1
		}
	}
	return text
}

// shared is the skills that the model is told of, the first of each root, then
// the second of each, and so on.
func (c Catalog) shared() []Skill {
	var dirs []string
	roots := map[string][]Skill{}
	for _, s := range c.Skills {
		if s.Manual {
			continue
		}
		if roots[s.Root.Dir] == nil {
			dirs = append(dirs, s.Root.Dir)
		}
		roots[s.Root.Dir] = append(roots[s.Root.Dir], s)
	}
	var out []Skill
	for i, more := 0, true; more; i++ {
		more = false
		for _, dir := range dirs {
			if i < len(roots[dir]) {
				out, more = append(out, roots[dir][i]), true
			}
		}
	}
	return out
}

// listing is a line for each skill, with as much of its description.
func listing(skills []Skill, chars int) string {
	var lines []string
	for _, s := range sorted(skills) {
		line := "- " + s.Name
		if chars > 0 {
			line += ": " + clip(s.Description, chars)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Free is what may be read without asking: the directories of the skills that
// were loaded, and the files that loading one of the person's own would read.
// What a project brings lies in the workspace, where reading is free.
func (c Catalog) Free(loaded []string) []string {
	var out []string
	for _, s := range c.Skills {
		switch {
		case s.in(loaded):
			out = append(out, s.Dir)
			if s.Root.Scope == User {
				out = append(out, s.File)
			}
		case s.Root.Scope == User:
			out = append(out, s.File)
		}
	}
	return out
}

// Allowance is a permission rule that a skill asks for, to hold for the turn
// in which it is loaded. It must weigh no more than any other allow rule: deny
// and ask rules come first.
type Allowance struct {
	Rule   string // in the syntax of the settings, as written; it may be none
	Origin string // for messages: which skill, and where it is
}

// Allowances are the rules of the skills that were loaded in this turn.
func (c Catalog) Allowances(loaded []string) []Allowance {
	var out []Allowance
	for _, s := range c.Skills {
		if !s.in(loaded) {
			continue
		}
		for _, rule := range s.Tools {
			out = append(out, Allowance{Rule: rule, Origin: fmt.Sprintf("the skill %s (%s)", s.Name, s.File)})
		}
	}
	return out
}

func (s Skill) in(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, s.Name) })
}
