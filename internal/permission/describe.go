package permission

import (
	"fmt"
	"strings"
)

// String is the explanation for a person.
func (x Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  verdict %s, in %s mode: %s\n", x.Command, x.Verdict, x.Mode, x.Decision)
	if x.Parse != "ok" {
		b.WriteString("  it could not be parsed, so no allow rule matches it\n")
	}
	for _, p := range x.Parts {
		fmt.Fprintf(&b, "  %-9s %-6s %s\n", p.Verdict, p.Decision, p.Command)
		if p.Reason != "" {
			fmt.Fprintf(&b, "            (%s: %s)\n", p.By, strings.TrimPrefix(p.Reason, p.By+": "))
		}
	}
	for _, w := range x.Writes {
		fmt.Fprintf(&b, "  writes    %s\n", w)
	}
	return b.String()
}

// Note is what a model is told when the mode became m.
func (m Mode) Note() string {
	switch m {
	case Plan:
		return noteStart + "plan: look and think, change nothing. When the plan is ready, call propose_plan with it."
	case ReadOnly:
		return noteStart + "read-only: reading is free, every change is asked or refused."
	}
	return noteStart + string(m) + "."
}

const noteStart = "The permission mode is now "

// ModeOfNote is the mode that a note tells of, if it tells of one.
func ModeOfNote(text string) (Mode, bool) {
	rest, ok := strings.CutPrefix(text, noteStart)
	name, _, _ := strings.Cut(strings.TrimSuffix(rest, "."), ":")
	mode, err := ParseMode(name)
	return mode, ok && err == nil
}
